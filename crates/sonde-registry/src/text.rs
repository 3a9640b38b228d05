//! A file that is text of a sane size.

use std::io::Read as _;
use std::path::Path;

use crate::file::EntryError;
use crate::language;

/// None where there is no such file.
pub(crate) fn read(path: &Path, largest: u64) -> Result<Option<String>, EntryError> {
    let unreadable = |error: std::io::Error| EntryError::Unreadable(error.to_string());
    match path.metadata() {
        // A device or a pipe could be read for ever.
        Ok(facts) if !facts.is_file() => return Err(EntryError::Unreadable("it is not a file".to_owned())),
        Ok(facts) if facts.len() > largest => return Err(EntryError::TooLarge(facts.len())),
        Ok(_) => {}
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    std::fs::File::open(path).map_err(unreadable)?.take(largest + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > largest {
        return Err(EntryError::TooLarge(bytes.len() as u64));
    }
    match language::decode(bytes) {
        Some(text) => Ok(Some(text)),
        None => Err(EntryError::Unreadable("it is no text in UTF-8".to_owned())),
    }
}

/// Also where something on the way to it is a file and no folder.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
