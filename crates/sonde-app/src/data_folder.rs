//! Where a profile keeps its files. Private to the person.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// The folder that was named, else the one in `$SONDE_DATA_DIR`, else the platform's. Created if missing.
    pub fn open(named: Option<PathBuf>) -> std::io::Result<Self> {
        let from_environment = || std::env::var_os("SONDE_DATA_DIR").filter(|value| *value != OsString::new());
        let path = named
            .or_else(|| from_environment().map(PathBuf::from))
            .or_else(|| dirs::data_dir().map(|folder| folder.join("sonde")))
            .ok_or_else(|| std::io::Error::other("this system names no folder for data: use --data-dir"))?;
        let named = |error: std::io::Error| {
            std::io::Error::new(error.kind(), format!("the data folder `{}` can't be used: {error}", path.display()))
        };
        create_private(&path).map_err(named)?;
        Ok(DataFolder { path: std::path::absolute(path)? })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("log.db")
    }

    pub(crate) fn approvals(&self) -> PathBuf {
        self.path.join("approvals.json")
    }

    pub(crate) fn profiles(&self) -> PathBuf {
        self.path.join("profiles.json")
    }

    pub(crate) fn arrangement(&self) -> PathBuf {
        self.path.join("arrangement.json")
    }

    /// Where running servers are written down.
    pub(crate) fn runs(&self) -> PathBuf {
        self.path.join("running")
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join("app.log")
    }
}

fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    // A folder that was there already may be open to others.
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}
