//! What a file was when a person looked: whether it is still the same, without reading it again each time.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Evidence {
    pub path: PathBuf,
    identity: Identity,
    sha256: String,
}

/// Where a file stands on the disk and when it last changed. A file with the same identity was not touched.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    /// In nanoseconds, as texts: they are larger than what JSON's numbers are good for.
    modified: String,
    changed: String,
}

/// The hashes of files that were read, by what they were then.
#[derive(Debug, Default)]
pub(crate) struct Hashes {
    /// Held while a file is read, so that nobody reads it a second time meanwhile.
    known: Mutex<HashMap<(PathBuf, Identity), String>>,
}

/// A larger program is known by its identity alone.
const LARGEST: u64 = 1 << 30;
/// Files whose hashes are remembered. More would be forgotten all at once and read again.
const MOST_KNOWN: usize = 1024;

impl Hashes {
    pub fn evidence(&self, path: &Path) -> std::io::Result<Evidence> {
        let identity = Identity::of(&path.metadata()?)?;
        let sha256 = self.hash(path, &identity)?;
        Ok(Evidence { path: path.to_owned(), identity, sha256 })
    }

    /// Whether the file is what it was: untouched, or with the same content.
    pub fn still_holds(&self, evidence: &Evidence) -> bool {
        let Ok(identity) = evidence.path.metadata().and_then(|facts| Identity::of(&facts)) else { return false };
        identity == evidence.identity || self.hash(&evidence.path, &identity).is_ok_and(|hash| hash == evidence.sha256)
    }

    fn hash(&self, path: &Path, identity: &Identity) -> std::io::Result<String> {
        if identity.size > LARGEST {
            return Ok(format!("{identity:?}"));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (path.to_owned(), identity.clone());
        if let Some(hash) = known.get(&key) {
            return Ok(hash.clone());
        }
        let hash = read(path)?;
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(key, hash.clone());
        Ok(hash)
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    let file = text::open(path)?;
    // What was opened may be another than what was looked at, and a pipe could be read for ever.
    Identity::of(&file.metadata()?)?;
    let mut file = file.take(LARGEST + 1);
    let mut hash = Sha256::new();
    let mut part = vec![0; 256 << 10];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            length => hash.update(part.get(..length).unwrap_or_default()),
        }
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Identity {
    #[cfg(unix)]
    pub fn of(facts: &Metadata) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        // A pipe or a device could be read for ever.
        if !facts.is_file() {
            return Err(std::io::Error::other("it is not a file"));
        }
        Ok(Identity {
            device: facts.dev(),
            inode: facts.ino(),
            size: facts.len(),
            modified: format!("{}.{:09}", facts.mtime(), facts.mtime_nsec()),
            changed: format!("{}.{:09}", facts.ctime(), facts.ctime_nsec()),
        })
    }

    #[cfg(not(unix))]
    pub fn of(facts: &Metadata) -> std::io::Result<Self> {
        if !facts.is_file() {
            return Err(std::io::Error::other("it is not a file"));
        }
        let text = |time: std::io::Result<std::time::SystemTime>| {
            let since = time.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            since.map(|since| format!("{}.{:09}", since.as_secs(), since.subsec_nanos())).unwrap_or_default()
        };
        Ok(Identity {
            device: 0,
            inode: 0,
            size: facts.len(),
            modified: text(facts.modified()),
            changed: text(facts.created()),
        })
    }
}
