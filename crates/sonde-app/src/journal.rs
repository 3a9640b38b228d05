//! What the program itself has to say, in `app.log`: structured, bounded, never a server's payload.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

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
        if self.size + line.len() as u64 > LARGEST {
            std::fs::rename(&self.path, self.path.with_extension("log.1"))?;
            *self = Journal::open(std::mem::take(&mut self.path))?;
        }
        self.file.write_all(line)?;
        self.size += line.len() as u64;
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
