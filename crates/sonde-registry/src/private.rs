//! Files that are the person's alone: read whole, replaced whole.

use std::io::Write as _;
use std::path::{Path, PathBuf};
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
    exchange(path, bytes, None)
}

/// The same for a file that others may read as well: it stays as open as it was. A new one is the person's alone.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let before = path.metadata().ok().map(|facts| facts.permissions());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    exchange(path, bytes, before)
}

/// Without permissions the new file is the person's alone.
fn exchange(path: &Path, bytes: &[u8], permissions: Option<std::fs::Permissions>) -> std::io::Result<()> {
    let (draft, mut file) = draft(path)?;
    let written = file.write_all(bytes).and_then(|()| match permissions {
        Some(permissions) => file.set_permissions(permissions),
        None => Ok(()),
    });
    let written = written.and_then(|()| file.sync_all()).and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        // The first failure is the one to tell of.
        std::fs::remove_file(&draft).unwrap_or_default();
    }
    written
}

/// The file that a name leads to, also where the link stands and its file is yet to be made.
pub(crate) fn target(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    if let Ok(there) = path.canonicalize() {
        return there;
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = path.read_link() else { break };
        path = path.parent().map(|folder| folder.join(&next)).unwrap_or(next);
    }
    path
}

/// Copies a file to one whose name ends in `.bak`, unless there is one already: the first copy is the one that has what
/// was there before us.
pub(crate) fn back_up(path: &Path) -> std::io::Result<Option<PathBuf>> {
    let backup = backup_of(path);
    if backup.symlink_metadata().is_ok() {
        return Ok(None);
    }
    replace(&backup, &std::fs::read(path)?)?;
    std::fs::set_permissions(&backup, path.metadata()?.permissions())?;
    Ok(Some(backup))
}

pub(crate) fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".bak");
    path.with_file_name(name)
}

/// A new file beside it. Whatever has its name already, a link that somebody planted above all, is left alone.
fn draft(path: &Path) -> std::io::Result<(PathBuf, std::fs::File)> {
    const TRIES: usize = 100;
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let mut options = std::fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut taken = None;
    for _ in 0..TRIES {
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let draft = path.with_extension(format!("{}-{number}.new", std::process::id()));
        match options.open(&draft) {
            Ok(file) => return Ok((draft, file)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => taken = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(taken.unwrap_or_else(|| std::io::ErrorKind::AlreadyExists.into()))
}
