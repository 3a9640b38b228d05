//! What the program itself has to say, in `app.log`: structured, bounded, never a server's payload, never a secret.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sonde_transport::{End, Redactor};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use crate::data_folder::DataFolder;

/// A journal that reaches this size is set aside; the one set aside before is replaced.
const LARGEST: u64 = 8 << 20;

/// Sends tracing to `app.log`. The guard writes what is left when it is dropped.
/// `$SONDE_LOG` chooses the levels; a line that can't be written in time is dropped and counted, never waited for.
pub fn start_journal(data: &DataFolder) -> std::io::Result<WorkerGuard> {
    let (writer, guard) = tracing_appender::non_blocking(Journal::open(data.journal())?);
    let levels = EnvFilter::try_from_env("SONDE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .with_env_filter(levels)
        .with_writer(writer)
        .try_init()
        .map_err(std::io::Error::other)?;
    Ok(guard)
}

/// Values that are written nowhere, whoever says them: all that this process was ever told.
static HIDDEN: Mutex<Hidden> = Mutex::new(Hidden { values: Vec::new(), redactor: None });

struct Hidden {
    /// Names and values.
    values: Vec<(String, String)>,
    redactor: Option<Arc<Redactor>>,
}

/// From now on these values stand in no line of the journal, and in no word about a panic.
pub(crate) fn hide<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let mut hidden = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = hidden.values.len();
    for (name, value) in secrets {
        if value.len() >= Redactor::SHORTEST && !hidden.values.iter().any(|(_, there)| there == value) {
            hidden.values.push((name.to_owned(), value.to_owned()));
        }
    }
    if hidden.values.len() > before {
        let values = hidden.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        hidden.redactor = Redactor::new(values).map(Arc::new);
    }
}

/// The bytes without anything that is hidden; None where they may stay as they are.
fn cleaned(bytes: &[u8]) -> Option<Vec<u8>> {
    let redactor = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner).redactor.clone();
    redactor?.redact(bytes, End::Whole)
}

/// From now on a panic is told in the journal and on standard error, and neither holds a secret. For a front door alone:
/// whatever told of panics before no longer does.
pub fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let mut text = format!("thread `{}` panicked: {panic}\n", thread.name().unwrap_or("unnamed"));
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            text.push_str(&format!("{trace}\n"));
        }
        let text = match cleaned(text.as_bytes()) {
            Some(clean) => String::from_utf8_lossy(&clean).into_owned(),
            None => text,
        };
        tracing::error!("{}", text.trim_end());
        // Nothing can be done about a closed terminal while the thread ends.
        std::io::stderr().write_all(text.as_bytes()).unwrap_or_default();
    }));
}

/// A file that never grows beyond [`LARGEST`].
struct Journal {
    path: PathBuf,
    file: File,
    size: u64,
}

impl Journal {
    fn open(path: PathBuf) -> std::io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        let size = file.metadata()?.len();
        Ok(Journal { path, file, size })
    }
}

impl Write for Journal {
    /// Takes one line at a time, which is how tracing writes.
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let clean = cleaned(line);
        let written = line.len();
        let line = clean.as_deref().unwrap_or(line);
        if self.size + line.len() as u64 > LARGEST {
            std::fs::rename(&self.path, self.path.with_extension("log.1"))?;
            *self = Journal::open(std::mem::take(&mut self.path))?;
        }
        self.file.write_all(line)?;
        self.size += line.len() as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_is_known_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.log");
        let mut journal = Journal::open(path.clone()).unwrap();
        hide([("JOURNAL_TOKEN", "hidden-from-\"journals\"")]);
        journal.write_all(br#"{"fields":{"message":"it is hidden-from-\"journals\" indeed"}}"#).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, r#"{"fields":{"message":"it is ‹secret:JOURNAL_TOKEN› indeed"}}"#);
    }

    #[test]
    fn a_journal_that_grows_too_large_is_set_aside_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.log");
        let mut journal = Journal::open(path.clone()).unwrap();
        let line = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            journal.write_all(&line).unwrap();
        }
        let sizes = [&path, &path.with_extension("log.1")].map(|path| path.metadata().unwrap().len());
        assert_eq!(sizes, [4 << 20, 8 << 20], "twenty are four after twice eight, and the first eight are gone");
    }
}
