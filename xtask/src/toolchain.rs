//! The tools a person brings: cargo (checked before xtask was compiled), Node and npm.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::in_path;
use crate::step;

/// What `engines` in `ui/package.json` asks for.
const OLDEST_NODE: (u32, u32) = (20, 19);

const NODE_HINT: &str = "hint: install Node 20.19 or newer with npm, from https://nodejs.org or your system's packages";

pub fn ensure_node() -> Result<()> {
    let text = step::output(Command::new("node").arg("--version"))
        .with_context(|| format!("`node` does not run, and the window's page is built with it\n{NODE_HINT}"))?;
    let version = text.trim().trim_start_matches('v');
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    let (Some(major), Some(minor)) = (numbers.next(), numbers.next()) else {
        bail!("`node --version` answered `{version}`, which is not a version\n{NODE_HINT}");
    };
    if (major, minor) < OLDEST_NODE {
        bail!("node {version} is too old\n{NODE_HINT}");
    }
    // Looked for and not run: npm takes half a second to tell its version, before every window.
    if !cfg!(windows) && !in_path("npm") {
        bail!("`npm` was not found in PATH\n{NODE_HINT}");
    }
    Ok(())
}

/// The formatter and the linter are not part of rustup's minimal profile.
pub fn ensure_components() -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if !step::succeeds(cargo().args([subcommand, "--version"])) {
            eprintln!("sonde: adding the Rust component {component}");
            step::run(Command::new("rustup").args(["component", "add", component]))
                .with_context(|| format!("`{component}` is missing\nhint: install it next to cargo"))?;
        }
    }
    Ok(())
}

/// The cargo that runs this program: the same toolchain, whatever PATH says.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

pub fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}
