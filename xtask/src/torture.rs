//! Connections and apps killed at any moment, again and again, and a look at what they left behind.

use anyhow::Result;

use crate::repository::Repository;
use crate::step;
use crate::toolchain::cargo;

pub fn torture(repository: &Repository, arguments: &[String]) -> Result<()> {
    let torture = ["run", "--quiet", "-p", "torture", "--"];
    step::run(cargo().args(torture).args(arguments).current_dir(repository.root()))
}
