//! Servers that misbehave, and what of the core must hold while they do.

use anyhow::Result;

use crate::repository::Repository;
use crate::step;
use crate::toolchain::cargo;

pub fn hostile(repository: &Repository, arguments: &[String]) -> Result<()> {
    // The server lies beside the program that plays the cases, so both come from one build.
    let build = ["build", "--release", "--quiet", "-p", "hostile", "--bins"];
    step::run(cargo().args(build).current_dir(repository.root()))?;
    let play = ["run", "--release", "--quiet", "-p", "hostile", "--"];
    step::run(cargo().args(play).args(arguments).current_dir(repository.root()))
}
