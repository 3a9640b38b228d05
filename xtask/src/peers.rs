//! Foreign programs to test against and to be measured against: installed once by name and version, no network
//! afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::checks;
use crate::packages;
use crate::repository::Repository;
use crate::setup::{self, Purpose};
use crate::stamp::Stamp;
use crate::step;
use crate::toolchain::{self, cargo, npm};

/// From npm: the reference server of the protocol, the SDK it runs on, and a second client. The client belongs to the
/// SDK's next generation, so that server and client are not the same code.
const FROM_NPM: &[&str] = &[
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
];

/// From PyPI, each in an environment of its own: a server on the newest Python SDK, and one that its authors left on
/// the generation before, as most servers are.
const FROM_PYPI: &[(&str, &[&str])] = &[
    ("time", &["mcp-server-time==2026.10.19", "mcp==2.3.0"]),
    ("sqlite", &["mcp-server-sqlite==2025.4.25", "mcp==1.30.0"]),
];

/// From npm: what `sonde call` is timed against.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";

const NEEDS_NETWORK: &str = "the foreign programs could not be installed\nhint: this step needs the network, once";

pub fn test(repository: &Repository) -> Result<()> {
    setup::prepare(repository, Purpose::Test)?;
    install(repository)?;
    // The journeys run these binaries; cargo would not bring them up to date for them.
    step::build(cargo().arg("build").args(checks::WORKSPACE).arg("--bins").current_dir(repository.root()))?;
    let tests = ["test", "-p", "integration", "--features", "peers", "--test", "integration", "--", "peers::"];
    // The everything server often ends only two seconds after its input; others can run meanwhile.
    let threads = ["--test-threads", "6"];
    let peers = folder(repository);
    step::run(cargo().args(tests).args(threads).env("SONDE_PEERS", &peers).current_dir(repository.root()))?;
    // They have written down the tools of all servers, for the page's forms to be tried with.
    let forms = ["run", "--silent", "test", "--", "src/forms/foreign.test.ts"];
    step::run(toolchain::npm().args(forms).current_dir(repository.ui()))?;
    let mut window = cargo();
    window.args(["test", "-p", "e2e", "--features", "peers", "--test", "e2e", "--", "adopting::", "everything::"]);
    window.env("SONDE_E2E_TARGET", repository.debug()).env("SONDE_PEERS", &peers);
    step::run(window.current_dir(repository.root()))
}

pub fn install(repository: &Repository) -> Result<()> {
    let peers = folder(repository);
    let wanted = format!("{FROM_NPM:?}\n{FROM_PYPI:?}");
    installed_once(repository, "peers", &wanted, &peers, || {
        install_from_npm(&peers, FROM_NPM)?;
        for (name, requirements) in FROM_PYPI {
            install_from_pypi(&peers.join(name), requirements)?;
        }
        Ok(())
    })
}

/// What the bench compares with beside the peers; gives the folders of both.
pub fn install_rivals(repository: &Repository) -> Result<(PathBuf, PathBuf)> {
    toolchain::ensure_node()?;
    install(repository)?;
    let rivals = repository.target().join("rivals");
    installed_once(repository, "rivals", INSPECTOR, &rivals, || install_from_npm(&rivals, &[INSPECTOR]))?;
    Ok((folder(repository), rivals))
}

fn folder(repository: &Repository) -> PathBuf {
    repository.target().join("peers")
}

/// Runs `install` on an empty `folder`, unless it is there with these very versions.
pub fn installed_once(
    repository: &Repository,
    step: &str,
    wanted: &str,
    folder: &Path,
    install: impl FnOnce() -> Result<()>,
) -> Result<()> {
    // With the folder: a virtual environment holds its own path and does not survive a move.
    let stamp = Stamp::new(repository, step, format!("{wanted}\n{}\n", folder.display()));
    if stamp.is_current() && folder.is_dir() {
        return Ok(());
    }
    // A version that is no longer wanted must not stay behind in a mixed folder.
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    install().context(NEEDS_NETWORK)?;
    stamp.write()
}

pub fn install_from_npm(folder: &Path, names: &[&str]) -> Result<()> {
    eprintln!("sonde: installing {}", names.join(", "));
    let options = ["install", "--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
    step::run(npm().args(options).arg("--prefix").arg(folder).args(names).current_dir(folder))
}

fn install_from_pypi(environment: &Path, requirements: &[&str]) -> Result<()> {
    eprintln!("sonde: installing {}", requirements.join(", "));
    let python = python_environment(environment)?;
    let options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    step::run(Command::new(python).args(options).args(requirements))
}

/// Makes an environment of its own; gives its Python.
pub fn python_environment(folder: &Path) -> Result<PathBuf> {
    if !can_make_environments() {
        packages::ensure(packages::PYTHON)?;
    }
    step::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    Ok(folder.join("bin/python"))
}

fn can_make_environments() -> bool {
    step::succeeds(Command::new("python3").args(["-c", "import venv, ensurepip"]))
}
