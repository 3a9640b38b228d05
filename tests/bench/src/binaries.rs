//! What the bench runs, and where it works: beside its own executable, so that one build made all of it.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

/// The server that every client talks to.
pub fn load_server() -> Result<PathBuf> {
    find("sonde-load")
}

/// The command line, which also supervises the server of Sonde's client.
pub fn supervisor() -> Result<PathBuf> {
    find("sonde")
}

/// The least that calls a tool.
pub fn minimal() -> Result<PathBuf> {
    find("sonde-minimal")
}

pub fn check() -> Result<()> {
    load_server().and(supervisor()).and(minimal()).map(drop)
}

/// The folder that cargo builds into.
pub fn target_folder() -> Result<PathBuf> {
    let folder = own_folder()?;
    Ok(folder.parent().map(PathBuf::from).unwrap_or(folder))
}

/// A folder on the disk that is built on. The system's own temporary folder may be memory, which syncs for free.
pub fn scratch() -> Result<TempDir> {
    Ok(tempfile::Builder::new().prefix("bench-").tempdir_in(target_folder()?)?)
}

fn find(name: &str) -> Result<PathBuf> {
    let path = own_folder()?.join(name);
    ensure!(
        path.is_file(),
        "`{}` is missing\nhint: cargo build --release -p sonde-demo -p sonde-cli -p sonde-bench",
        path.display()
    );
    Ok(path)
}

fn own_folder() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    program.parent().map(PathBuf::from).context("the bench has no folder")
}
