//! Whether the tests notice a mistake: cargo-mutants changes one thing at a time in the code that everything else
//! stands on, and each change must make a test of that crate fail.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::repository::Repository;
use crate::stamp::Stamp;
use crate::step;
use crate::toolchain::cargo;

const VERSION: &str = "27.1.0";

/// What cargo-mutants ends with where every change was noticed, some only by a test that came to no end.
const HANGS: i32 = 3;

/// One file, the crate that it belongs to, and the tests that are about it.
struct Subject {
    file: &'static str,
    package: &'static str,
    tests: &'static [&'static str],
    /// Changes that make it slower and nothing else, so that no test of what it does can notice.
    only_slower: &'static [&'static str],
}

const SUBJECTS: &[Subject] = &[
    Subject {
        file: "crates/sonde-transport/src/lines.rs",
        package: "sonde-transport",
        // A long line is read past the splitter, from real pipes; those tests need the crate's example.
        tests: &["--lib", "--test", "transport", "--examples", "--", "lines::", "stdio::"],
        only_slower: &["LineSplitter::long -> .* with None", "replace >=? with < in LineSplitter::long"],
    },
    Subject {
        file: "crates/sonde-protocol/src/pairing.rs",
        package: "sonde-protocol",
        tests: &["--test", "protocol", "--", "pairing::"],
        only_slower: &[],
    },
];

pub fn mutants(repository: &Repository, arguments: &[String]) -> Result<()> {
    let program = install(repository)?;
    let workshop = repository.target().join("mutants");
    for subject in SUBJECTS {
        let results = workshop.join(subject.package);
        fs::create_dir_all(&results).with_context(|| format!("cannot create {}", results.display()))?;
        let mut run = cargo();
        // It works on a copy of the tree. What it compiles is kept apart, or it would compile everything each time.
        run.env("PATH", search_path(&program)?)
            .env("CARGO_TARGET_DIR", workshop.join("target"))
            .args(["mutants", "--jobs", "1", "--no-times", "--colors", "never", "--minimum-test-timeout", "30"])
            .args(["--package", subject.package, "--file", subject.file])
            .arg("--output")
            .arg(&results)
            .args(arguments)
            .args(subject.only_slower.iter().flat_map(|change| ["--exclude-re", change]))
            .arg("--")
            .args(subject.tests)
            .current_dir(repository.root());
        let status = process::wait(run.spawn().context("cargo-mutants could not be started")?)?;
        // A mistake that makes a test hang is noticed, too.
        if !matches!(status.code(), Some(0 | HANGS)) {
            bail!(
                "a mistake in {} would go unnoticed, or none could be made: {status}\n\
                 hint: see {}; write the test that fails with it",
                subject.file,
                results.join("mutants.out/missed.txt").display()
            );
        }
    }
    Ok(())
}

/// Installs it once into `target/`; gives the folder of the program.
fn install(repository: &Repository) -> Result<PathBuf> {
    let tools = repository.target().join("tools");
    let stamp = Stamp::new(repository, "mutants", VERSION);
    if !stamp.is_current() || !tools.is_dir() {
        eprintln!("sonde: installing cargo-mutants {VERSION}");
        let mut install = cargo();
        install.args(["install", "cargo-mutants", "--version", VERSION, "--locked", "--root"]).arg(&tools);
        step::run(install.arg("--target-dir").arg(tools.join("build")))
            .context("cargo-mutants could not be installed\nhint: this step needs the network, once")?;
        stamp.write()?;
    }
    Ok(tools.join("bin"))
}

fn search_path(first: &std::path::Path) -> Result<std::ffi::OsString> {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(first.to_owned()).chain(std::env::split_paths(&rest));
    std::env::join_paths(folders).context("PATH cannot be extended")
}
