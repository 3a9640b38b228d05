//! A file that is text of a sane size.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::Path;

use crate::file::EntryError;
use crate::language;

/// None where there is no such file.
pub(crate) fn read(path: &Path, largest: u64) -> Result<Option<String>, EntryError> {
    let unreadable = |error: std::io::Error| EntryError::Unreadable(error.to_string());
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        // A folder can't be opened everywhere; what it is says more than that.
        Err(_) if path.metadata().is_ok_and(|facts| !facts.is_file()) => return Err(not_a_file()),
        Err(error) => return Err(unreadable(error)),
    };
    // What was opened, whatever has the name by now.
    let facts = file.metadata().map_err(unreadable)?;
    if !facts.is_file() {
        return Err(not_a_file());
    }
    if facts.len() > largest {
        return Err(EntryError::TooLarge(facts.len()));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(largest + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > largest {
        return Err(EntryError::TooLarge(bytes.len() as u64));
    }
    match language::decode(bytes) {
        Some(text) => Ok(Some(text)),
        None => Err(EntryError::Unreadable("it is no text in UTF-8".to_owned())),
    }
}

/// Opens a file to be read. A pipe is opened too, but nobody waits for whoever writes into it.
pub(crate) fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        // `O_NONBLOCK` of the systems that we know.
        const NONBLOCK: i32 = if cfg!(target_os = "linux") { 0o4000 } else { 0x4 };
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NONBLOCK);
    }
    options.open(path)
}

/// A device or a pipe could be read for ever.
fn not_a_file() -> EntryError {
    EntryError::Unreadable("it is not a file".to_owned())
}

/// Also where something on the way to it is a file and no folder.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn nobody_waits_for_whoever_might_write_into_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // Without a writer, opening it as a file is opened would never come back.
        let opened = open(&pipe).unwrap();
        assert!(!opened.metadata().unwrap().is_file(), "what was opened is looked at, and not what has the name");
        assert_eq!(read(&pipe, 100), Err(not_a_file()));
    }
}
