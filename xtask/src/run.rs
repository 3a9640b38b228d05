//! `make run`: from whatever state the checkout is in to the open window.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process::Guarded;
use crate::repository::Repository;
use crate::setup::{self, Purpose};
use crate::step;
use crate::toolchain::cargo;

pub struct Options {
    /// Take a picture of the first start, then end.
    pub once: bool,
    /// Handed to the window's binary as they are.
    pub arguments: Vec<String>,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Self> {
        let mut own = arguments.iter();
        let mut once = false;
        for argument in own.by_ref() {
            match argument.as_str() {
                "--once" => once = true,
                "--" => break,
                other => bail!("`{other}` is not an option of `run`\nhint: what is for the window stands after `--`"),
            }
        }
        Ok(Options { once, arguments: own.cloned().collect() })
    }
}

pub fn run(repository: &Repository, options: &Options) -> Result<()> {
    // A picture must not depend on a person's screen, so it is always taken on a display of our own.
    if options.once || !has_display() { run_headless(repository, options) } else { run_visibly(repository, options) }
}

fn run_visibly(repository: &Repository, options: &Options) -> Result<()> {
    setup::prepare(repository, Purpose::Window)?;
    build(repository)?;
    let status = Guarded::spawn("the window", &mut window(repository, options))?.wait()?;
    if !status.success() {
        bail!("the window ended with {status}\nhint: its last messages stand above");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn run_headless(repository: &Repository, options: &Options) -> Result<()> {
    setup::prepare(repository, Purpose::VirtualWindow)?;
    build(repository)?;
    crate::headless::run(repository, options, window(repository, options))
}

#[cfg(not(target_os = "linux"))]
fn run_headless(_repository: &Repository, _options: &Options) -> Result<()> {
    bail!("a virtual display exists only on Linux\nhint: run without `ONCE=1`")
}

fn build(repository: &Repository) -> Result<()> {
    step::build(cargo().args(["build", "-p", "sonde-desktop"]).current_dir(repository.root()))
}

fn window(repository: &Repository, options: &Options) -> Command {
    let mut window = Command::new(repository.binary("sonde-desktop"));
    window.args(&options.arguments);
    window
}

/// macOS and Windows always have one; on Linux the session says where it is.
fn has_display() -> bool {
    !cfg!(target_os = "linux")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
