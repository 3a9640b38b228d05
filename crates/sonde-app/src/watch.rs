//! Notices when a file of the configuration changes, or appears where none was.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::app::{App, Inner};

/// An editor writes a file in several steps; once this long nothing has happened, it is done.
const QUIET: Duration = Duration::from_millis(200);
/// Somebody who never stops writing is read all the same.
const LONGEST_UNREST: Duration = Duration::from_secs(2);
/// How often the files are read where the system tells nothing of them.
const BLIND: Duration = Duration::from_secs(5);
/// More folders than a project has above it.
const MOST_FOLDERS: usize = 256;

/// Reads the configuration again whenever one of `files` may have changed, until the app ends.
pub(crate) async fn follow(app: Weak<Inner>, files: Vec<PathBuf>, ending: CancellationToken) {
    // Holds one word and no more, however much happens meanwhile.
    let news = Arc::new(Notify::new());
    let mut eyes = Eyes::open(&files, &news).await;
    // What changed between the first reading and this moment was told to nobody.
    news.notify_one();
    loop {
        let blind = sleep_until(Instant::now() + BLIND);
        tokio::select! {
            () = ending.cancelled() => return,
            () = news.notified() => {}
            () = blind, if eyes.is_none() => {}
        }
        let deadline = Instant::now() + LONGEST_UNREST;
        while Instant::now() < deadline && timeout(QUIET, news.notified()).await.is_ok() {}
        // First the eyes, for folders may have come and gone: what changes after that is told.
        eyes = Eyes::open(&files, &news).await;
        let Some(inner) = app.upgrade() else { return };
        App { inner }.reload().await;
    }
}

/// Open as long as it is held.
struct Eyes {
    _watcher: RecommendedWatcher,
}

impl Eyes {
    /// None where the system can't or will not tell.
    async fn open(files: &[PathBuf], news: &Arc<Notify>) -> Option<Self> {
        let (files, news) = (files.to_vec(), news.clone());
        let opened = tokio::task::spawn_blocking(move || watch(&files, news)).await;
        match opened {
            Ok(Ok(watcher)) => Some(Eyes { _watcher: watcher }),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the configuration is read every few seconds: changes are not told");
                None
            }
            Err(error) => {
                tracing::error!(%error, "the configuration can't be watched");
                None
            }
        }
    }
}

fn watch(files: &[PathBuf], news: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let view = View::of(files);
    let names = view.names;
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let is_news = match event {
            Ok(event) => event.need_rescan() || (is_a_change(event.kind) && concerns(&event.paths, &names)),
            // Whatever was missed is found by reading.
            Err(_) => true,
        };
        if is_news {
            news.notify_one();
        }
    })?;
    for folder in view.folders.iter().take(MOST_FOLDERS) {
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            // A folder that went away meanwhile, or that we may not look into, has no configuration for us either.
            Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound | notify::ErrorKind::Io(_)) => {
                tracing::debug!(%error, folder = %folder.display(), "a folder can't be watched");
            }
            watched => watched?,
        }
    }
    Ok(watcher)
}

/// Where to look, and for what.
#[derive(Debug, Default, PartialEq, Eq)]
struct View {
    folders: Vec<PathBuf>,
    /// Names of files, and of folders that may appear and hold one. A name is enough: systems tell of a file by
    /// other paths than ours, and reading once too often does no harm.
    names: HashSet<OsString>,
}

impl View {
    fn of(files: &[PathBuf]) -> Self {
        let mut view = View::default();
        for file in files {
            view.add(file);
            // A link may point to a file that is kept elsewhere.
            if let Ok(real) = file.canonicalize()
                && real != *file
            {
                view.add(&real);
            }
        }
        view
    }

    /// Looks for the file in its folder; where that is missing, for the folder in the one above, and so on.
    fn add(&mut self, file: &Path) {
        let mut wanted = file;
        while let (Some(folder), Some(name)) = (wanted.parent(), wanted.file_name()) {
            self.names.insert(name.to_owned());
            if folder.is_dir() {
                if !self.folders.iter().any(|known| known == folder) {
                    self.folders.push(folder.to_owned());
                }
                // Should it be removed or renamed, that is told by the folder above; its file is found missing then.
                self.names.extend(folder.file_name().map(ToOwned::to_owned));
                return;
            }
            wanted = folder;
        }
    }
}

fn is_a_change(kind: EventKind) -> bool {
    match kind {
        // Reading is no change: we would wake ourselves.
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

fn concerns(paths: &[PathBuf], names: &HashSet<OsString>) -> bool {
    paths.is_empty() || paths.iter().any(|path| path.file_name().is_none_or(|name| names.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_looked_for_where_it_could_appear() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let view = View::of(&[project.join(".sonde/mcp.json"), project.join(".mcp.json"), root.path().join("a/b/c")]);
        assert_eq!(view.folders, [project.clone(), root.path().to_owned()], "each folder once, and only those there");
        for name in [".sonde", "mcp.json", ".mcp.json", "a", "b", "c"] {
            assert!(view.names.contains(&OsString::from(name)), "{name}: {view:?}");
        }
        std::fs::create_dir(project.join(".sonde")).unwrap();
        let view = View::of(&[project.join(".sonde/mcp.json")]);
        assert_eq!(view.folders, [project.join(".sonde")], "as near as can be");
    }

    #[cfg(unix)]
    #[test]
    fn the_file_behind_a_link_is_watched_too() {
        let root = tempfile::tempdir().unwrap();
        let (here, there) = (root.path().join("here"), root.path().join("there"));
        std::fs::create_dir(&here).unwrap();
        std::fs::create_dir(&there).unwrap();
        std::fs::write(there.join("real.json"), "{}").unwrap();
        std::os::unix::fs::symlink(there.join("real.json"), here.join("mcp.json")).unwrap();
        let view = View::of(&[here.join("mcp.json")]);
        assert_eq!(view.folders, [here, there.canonicalize().unwrap()]);
        assert!(view.names.contains(&OsString::from("real.json")), "{view:?}");
    }

    #[test]
    fn reading_is_no_change_and_other_files_are_none_of_our_business() {
        assert!(!is_a_change(EventKind::Access(AccessKind::Open(AccessMode::Any))), "we would wake ourselves");
        assert!(is_a_change(EventKind::Access(AccessKind::Close(AccessMode::Write))));
        assert!(is_a_change(EventKind::Remove(notify::event::RemoveKind::File)));
        let names: HashSet<OsString> = [OsString::from("mcp.json")].into();
        assert!(concerns(&[PathBuf::from("/x/.mcp.json~"), PathBuf::from("/x/mcp.json")], &names), "a renaming write");
        assert!(!concerns(&[PathBuf::from("/x/.bash_history")], &names));
    }
}
