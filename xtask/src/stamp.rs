//! Marks under `target/` that say what a step was last done with, so that it is not done again.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::repository::Repository;

/// The mark of one step for its present inputs.
pub struct Stamp {
    file: PathBuf,
    text: String,
}

impl Stamp {
    pub fn new(repository: &Repository, step: &str, text: impl Into<String>) -> Self {
        Stamp { file: repository.target().join("stamps").join(step), text: text.into() }
    }

    /// A mark over the contents of files and folders. Contents and not times: a checkout sets new times.
    pub fn over(repository: &Repository, step: &str, inputs: &[PathBuf], left_out: &[&str]) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        for input in inputs {
            hash_into(&mut hasher, input, left_out)?;
        }
        Ok(Stamp::new(repository, step, format!("{:016x}", hasher.finish())))
    }

    /// Whether the step was last done with these very inputs.
    pub fn is_current(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|text| text == self.text)
    }

    /// To be called after the step has succeeded, never before.
    pub fn write(&self) -> Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&self.file, &self.text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

fn hash_into(hasher: &mut DefaultHasher, path: &Path, left_out: &[&str]) -> Result<()> {
    let unreadable = || format!("cannot read {}", path.display());
    if path.is_dir() {
        let mut entries = fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>())
            .with_context(unreadable)?;
        entries.sort();
        for entry in entries {
            if !left_out.iter().any(|name| entry.file_name().is_some_and(|file| file == *name)) {
                hash_into(hasher, &entry, left_out)?;
            }
        }
    } else {
        path.hash(hasher);
        fs::read(path).with_context(unreadable)?.hash(hasher);
    }
    Ok(())
}
