//! Foreign servers to test against: installed once by name and version, no network afterwards.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::packages;
use crate::repository::Repository;
use crate::stamp::Stamp;
use crate::step;
use crate::toolchain::{self, cargo, npm};

/// From npm: the reference server of the protocol, in TypeScript.
const EVERYTHING: &str = "@modelcontextprotocol/server-everything@2026.8.31";
/// From PyPI: a server on the Python SDK.
const TIME: &str = "mcp-server-time==2026.10.19";

pub fn test(repository: &Repository) -> Result<()> {
    toolchain::ensure_node()?;
    install(repository)?;
    let tests = ["test", "-p", "integration", "--features", "peers"];
    step::run(cargo().args(tests).env("SONDE_PEERS", folder(repository)).current_dir(repository.root()))
}

pub fn install(repository: &Repository) -> Result<()> {
    let peers = folder(repository);
    // With the folder: a virtual environment holds its own path and does not survive a move.
    let stamp = Stamp::new(repository, "peers", format!("{EVERYTHING}\n{TIME}\n{}\n", peers.display()));
    if stamp.is_current() && peers.is_dir() {
        return Ok(());
    }
    if !can_make_environments() {
        packages::ensure(packages::PYTHON)?;
    }
    // A version that is no longer wanted must not stay behind in a mixed folder.
    if peers.exists() {
        fs::remove_dir_all(&peers).with_context(|| format!("cannot remove {}", peers.display()))?;
    }
    fs::create_dir_all(&peers).with_context(|| format!("cannot create {}", peers.display()))?;
    let needs_network = "the foreign servers could not be installed\nhint: this step needs the network, once";

    eprintln!("sonde: installing {EVERYTHING}");
    let options = ["install", "--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
    step::run(npm().args(options).arg("--prefix").arg(&peers).arg(EVERYTHING).current_dir(&peers))
        .context(needs_network)?;

    eprintln!("sonde: installing {TIME}");
    let environment = peers.join("py");
    step::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    step::run(Command::new(environment.join("bin/python")).args(["-m", "pip", "install", "--quiet", TIME]))
        .context(needs_network)?;
    stamp.write()
}

fn folder(repository: &Repository) -> PathBuf {
    repository.target().join("peers")
}

fn can_make_environments() -> bool {
    step::succeeds(Command::new("python3").args(["-c", "import venv, ensurepip"]))
}
