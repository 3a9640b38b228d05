//! Where the program and the scripts stand: a place where others may write is a place where others decide.

use std::path::{Path, PathBuf};

use super::Looked;
use crate::text::visible;

pub(super) fn of(looked: &Looked) -> Vec<String> {
    let program = [looked.binary, looked.target].iter().find_map(|path| place(path, looked.project));
    let program = program.map(|where_it_is| format!("the program is {where_it_is}"));
    let scripts = (1..).zip(looked.args).filter_map(|(number, arg)| {
        let path = looked.folder.join(arg);
        let path = path.is_file().then(|| path.canonicalize().unwrap_or(path))?;
        let where_it_is = place(&path, looked.project)?;
        Some(format!("argument {number} is a file {where_it_is}"))
    });
    program.into_iter().chain(scripts).collect()
}

fn place(path: &Path, project: &Path) -> Option<String> {
    let folder = path.parent()?;
    if let Some(temporary) = temporary_folders().into_iter().find(|temporary| path.starts_with(temporary)) {
        let temporary = visible(&temporary.display().to_string());
        return Some(format!("in the temporary folder `{temporary}`: other programs can put files there"));
    }
    if is_open(path) || is_open(folder) {
        // Which folder that is may be what a variable says.
        return Some("in a folder where anybody on this machine can replace it".to_owned());
    }
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    path.starts_with(&project).then(|| "in the project folder: whoever changes the project changes it".to_owned())
}

fn temporary_folders() -> Vec<PathBuf> {
    let mut folders = vec![std::env::temp_dir()];
    if cfg!(unix) {
        folders.extend(["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"].map(PathBuf::from));
    }
    let real: Vec<PathBuf> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    folders.extend(real);
    folders
}

/// Whether everybody may write to it.
#[cfg(unix)]
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|facts| facts.permissions().mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn is_open(_path: &Path) -> bool {
    false
}
