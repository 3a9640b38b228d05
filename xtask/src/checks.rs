//! Everything that judges the code: `check`, `test`, `bindings`, `bench`.

use anyhow::Result;

use crate::parts::Parts;
use crate::peers;
use crate::repository::Repository;
use crate::setup::{self, Purpose};
use crate::step;
use crate::toolchain::{self, cargo};
use crate::ui;

pub fn check(repository: &Repository) -> Result<()> {
    setup::prepare(repository, Purpose::Check)?;
    toolchain::ensure_components()?;
    let root = repository.root();
    let mut parts = Parts::default();
    parts.run("formatting of Rust", || step::run(cargo().args(["fmt", "--all", "--check"]).current_dir(root)))?;
    parts.run("formatting of the UI", || ui::script(repository, "format:check"))?;
    parts.run("types of the UI", || ui::script(repository, "check"))?;
    parts.run("lints of the UI", || ui::script(repository, "lint"))?;
    parts.run("lints of Rust", || {
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        step::run(cargo().args(clippy).current_dir(root))
    })?;
    parts.conclude()
}

/// What is tested together. Cargo unites the features of everything it builds at once, so building another
/// selection would compile Tauri again; the real window's binaries come from this very selection.
pub const WORKSPACE: &[&str] = &["--workspace", "--exclude", "e2e", "--exclude", "xtask"];

pub fn test(repository: &Repository) -> Result<()> {
    setup::prepare(repository, Purpose::Test)?;
    // The real window's tests start the binaries they find; cargo would not bring these up to date for them.
    step::build(cargo().arg("build").args(WORKSPACE).args(["--bins", "--tests"]).current_dir(repository.root()))?;

    let cargo_test = |selection: &[&str]| {
        let mut tests = cargo();
        tests.args(["test", "--no-fail-fast"]).args(selection).current_dir(repository.root());
        step::run(tests.env("SONDE_E2E_TARGET", repository.debug()))
    };
    let mut parts = Parts::default();
    parts.run("tests of the repository's order", || cargo_test(&["-p", "xtask"]))?;
    parts.run("tests of the UI", || ui::script(repository, "test"))?;
    parts.run("tests of the workspace", || cargo_test(WORKSPACE))?;
    parts.run("tests of the real window", || cargo_test(&["-p", "e2e"]))?;
    parts.conclude()
}

/// The test that compares the committed types with the API also writes them, when told to.
pub fn write_bindings(repository: &Repository) -> Result<()> {
    let tests = ["test", "-p", "sonde-app", "bindings"];
    step::run(cargo().args(tests).env("SONDE_WRITE_BINDINGS", "1").current_dir(repository.root()))
}

pub fn bench(repository: &Repository, arguments: &[String]) -> Result<()> {
    // The bench starts these beside itself; a stale one would be measured without a word.
    let servers = ["build", "--release", "--quiet", "-p", "sonde-demo", "-p", "sonde-cli", "-p", "sonde-bench"];
    step::run(cargo().args(servers).current_dir(repository.root()))?;
    let mut bench = cargo();
    bench.args(["run", "--release", "--quiet", "-p", "sonde-bench", "--"]).args(arguments);
    match peers::install_rivals(repository) {
        Ok((peers, rivals)) => {
            bench.env("SONDE_PEERS", peers).env("SONDE_RIVALS", rivals);
        }
        // Without the network our own figures are still worth having; the report says what is missing.
        Err(error) => eprintln!("note: not measured against other programs: {error:#}"),
    }
    step::run(bench.current_dir(repository.root()))
}
