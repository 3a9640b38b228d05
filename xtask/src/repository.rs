//! Where things are.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub struct Repository {
    root: PathBuf,
    target: PathBuf,
}

impl Repository {
    pub fn locate() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest.parent().context("xtask has no folder above it")?.to_path_buf();
        // Cargo put this program into `<target>/debug`, wherever its configuration says that is.
        let itself = std::env::current_exe().context("the path of xtask itself is unknown")?;
        let target = itself.ancestors().nth(2).context("xtask was not started by cargo")?.to_path_buf();
        Ok(Repository { root, target })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// Everything that can be made again; ignored by git.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where `cargo build` puts the binaries.
    pub fn debug(&self) -> PathBuf {
        self.target.join("debug")
    }

    pub fn binary(&self, name: &str) -> PathBuf {
        self.debug().join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }
}

/// Whether a program of that name is in PATH.
pub fn in_path(program: &str) -> bool {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(&file).is_file()))
}
