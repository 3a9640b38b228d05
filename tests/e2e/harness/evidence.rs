//! What a failed journey leaves in `target/e2e/<journey>/` for whoever looks for the cause.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::binaries;
use crate::window::Window;

/// The driver may be what has failed.
const PICTURE_WITHIN: Duration = Duration::from_secs(45);

fn folder(journey: &str) -> Result<PathBuf> {
    let built = binaries::folder()?;
    Ok(built.parent().context("the build folder has no parent")?.join("e2e").join(journey))
}

/// Removes what an earlier run left, so that what is there belongs to this one.
pub(crate) fn forget(journey: &str) -> Result<()> {
    let folder = folder(journey)?;
    match folder.exists() {
        true => fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display())),
        false => Ok(()),
    }
}

pub(crate) async fn keep(journey: &str, window: &Window) {
    match try_keep(journey, window).await {
        Ok(folder) => eprintln!("journey `{journey}` failed; see {}", folder.display()),
        Err(error) => eprintln!("warning: the evidence of `{journey}` could not be kept: {error:#}"),
    }
}

async fn try_keep(journey: &str, window: &Window) -> Result<PathBuf> {
    let folder = folder(journey)?;
    fs::create_dir_all(&folder)?;
    copy(&window.place.output(), &folder.join("driver.log"))?;
    copy(&window.place.data().join("app.log"), &folder.join("app.log"))?;
    if window.is_open() {
        let page = tokio::time::timeout(PICTURE_WITHIN, window.source()).await;
        fs::write(folder.join("page.html"), page.context("the page could not be read")??)?;
        let picture = tokio::time::timeout(PICTURE_WITHIN, window.picture()).await;
        fs::write(folder.join("screenshot.png"), picture.context("the picture could not be taken")??)?;
    }
    Ok(folder)
}

/// Keeps a picture of the window as it is now, for the documentation: `target/pictures/NAME.png`.
pub(crate) async fn show(name: &str, window: &Window) -> Result<()> {
    let built = binaries::folder()?;
    let folder = built.parent().context("the build folder has no parent")?.join("pictures");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("{name}.png")), window.picture().await?)?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.exists() {
        fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(())
}
