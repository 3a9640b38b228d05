//! Files that are the person's alone: read whole, replaced whole.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A larger file was not written by us.
const LARGEST: u64 = 16 << 20;

/// None where there is no such file.
pub(crate) fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match path.metadata() {
        Ok(facts) if facts.len() > LARGEST => return Err(std::io::Error::other("the file is too large")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(_) | Err(_) => {}
    }
    std::fs::read(path).map(Some)
}

/// Writes beside the file and renames, so that a crash leaves the old one or the new one.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_extension(format!("{}-{number}.new", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&draft, path)
}
