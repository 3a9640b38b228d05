//! The programs under test, which cargo has built before.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// The folder of the debug build: as told, or the one that this test was built into.
pub(crate) fn folder() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("SONDE_E2E_TARGET") {
        return Ok(folder.into());
    }
    let test = std::env::current_exe().context("the running test has no path")?;
    test.ancestors().nth(2).map(Path::to_owned).context("the running test stands in no build folder")
}

/// The absolute path of one of them.
pub fn binary(name: &str) -> Result<PathBuf> {
    let path = std::path::absolute(folder()?.join(name))?;
    ensure!(path.is_file(), "{} is missing\nhint: run `cargo build --workspace --bins`", path.display());
    Ok(path)
}

/// The root of the repository, where the page's own tools are.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
