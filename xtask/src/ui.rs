//! The page of the window: its packages, its build, its scripts.

use anyhow::{Context, Result};

use crate::repository::Repository;
use crate::stamp::Stamp;
use crate::{step, toolchain};

/// Installs what the lock file says, without running anything the packages bring along.
pub fn install(repository: &Repository) -> Result<()> {
    let ui = repository.ui();
    let inputs = ["package.json", "package-lock.json", ".npmrc"].map(|file| ui.join(file));
    let stamp = Stamp::over(repository, "ui-packages", &inputs, &[])?;
    // npm writes this file last, so a half-done installation does not have it.
    let is_whole = ui.join("node_modules/.package-lock.json").is_file();
    if stamp.is_current() && is_whole {
        return Ok(());
    }
    eprintln!("sonde: installing the packages of the UI");
    step::run(toolchain::npm().args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&ui)).context(
        "the packages of the UI could not be installed\n\
             hint: this step needs the network; if npm says the lock file is out of sync, run `npm install` in ui/",
    )?;
    stamp.write()
}

/// Builds `ui/dist`, which the Rust build embeds.
pub fn build(repository: &Repository) -> Result<()> {
    let ui = repository.ui();
    let stamp = Stamp::over(repository, "ui-build", std::slice::from_ref(&ui), &["node_modules", "dist"])?;
    if stamp.is_current() && ui.join("dist/index.html").is_file() {
        return Ok(());
    }
    eprintln!("sonde: building the UI");
    script(repository, "build")?;
    stamp.write()
}

/// Runs one of the scripts in `ui/package.json`.
pub fn script(repository: &Repository, name: &str) -> Result<()> {
    step::run(toolchain::npm().args(["run", "--silent", name]).current_dir(repository.ui()))
}
