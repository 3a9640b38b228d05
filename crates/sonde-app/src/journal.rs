//! What the program itself has to say, in `app.log`: structured, bounded, never a server's payload.

use std::fs::OpenOptions;
use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use crate::data_folder::DataFolder;

/// A larger journal is set aside at the next start; the one set aside before is replaced.
const LARGEST: u64 = 8 << 20;

/// Sends tracing to `app.log`. The guard writes what is left when it is dropped.
/// `$SONDE_LOG` chooses the levels; a line that can't be written in time is dropped and counted, never waited for.
pub fn start_journal(data: &DataFolder) -> std::io::Result<WorkerGuard> {
    let path = data.journal();
    set_aside(&path)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let (writer, guard) = tracing_appender::non_blocking(options.open(path)?);
    let levels = EnvFilter::try_from_env("SONDE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .with_env_filter(levels)
        .with_writer(writer)
        .try_init()
        .map_err(std::io::Error::other)?;
    Ok(guard)
}

fn set_aside(path: &Path) -> std::io::Result<()> {
    match path.metadata() {
        Ok(facts) if facts.len() > LARGEST => std::fs::rename(path, path.with_extension("log.1")),
        _ => Ok(()),
    }
}
