//! What has to be in place before a command can do its work. Each command asks for its own purpose, so
//! that every one of them works on a fresh machine.

use anyhow::Result;

use crate::packages::{self, Package};
use crate::repository::Repository;
use crate::{suite, toolchain, ui};

#[derive(Clone, Copy)]
pub enum Purpose {
    /// The window on the person's own display.
    Window,
    /// The window on a display of our own.
    VirtualWindow,
    /// Compiling everything, starting nothing.
    Check,
    /// All tests, the real window's included.
    Test,
}

pub fn prepare(repository: &Repository, purpose: Purpose) -> Result<()> {
    toolchain::ensure_node()?;
    packages::ensure(&packages_for(purpose))?;
    if matches!(purpose, Purpose::Test) {
        suite::install(repository)?;
    }
    ui::install(repository)?;
    ui::build(repository)
}

fn packages_for(purpose: Purpose) -> Vec<Package> {
    let more: &[&[Package]] = match purpose {
        Purpose::Window | Purpose::Check => &[],
        Purpose::VirtualWindow => &[packages::VIRTUAL_DISPLAY],
        Purpose::Test => &[packages::VIRTUAL_DISPLAY, packages::WINDOW_TESTS, packages::KEYRING],
    };
    [packages::WINDOW].iter().chain(more).flat_map(|group| group.iter().copied()).collect()
}
