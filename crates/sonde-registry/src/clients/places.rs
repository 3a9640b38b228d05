//! Paths that depend on the machine.

use std::path::{Path, PathBuf};

use super::{Machine, Platform};

/// Names of a folder that are looked at where any name would do.
const MOST_NAMES: usize = 4096;
/// Files that are taken from such a folder.
const MOST_FILES: usize = 64;

/// One place where a client keeps servers.
#[derive(Debug)]
pub(super) struct Place {
    platforms: &'static [Platform],
    base: Base,
    /// Divided by `/`; a part may have one `*` in it. Empty where the base is the file itself.
    path: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Home,
    /// Where programs with a window keep their settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    AppData,
    /// Where programs of a terminal do: `~/.config` everywhere.
    Config,
    /// Where data is kept on Linux: `~/.local/share`.
    Data,
    /// A variable that names a folder, or the file itself.
    Variable(&'static str),
    Project,
}

const EVERYWHERE: &[Platform] = &[Platform::Linux, Platform::MacOs, Platform::Windows];

pub(super) const fn home(path: &'static str) -> Place {
    Place { platforms: EVERYWHERE, base: Base::Home, path }
}

pub(super) const fn app_data(path: &'static str) -> Place {
    Place { platforms: EVERYWHERE, base: Base::AppData, path }
}

pub(super) const fn config(path: &'static str) -> Place {
    Place { platforms: EVERYWHERE, base: Base::Config, path }
}

pub(super) const fn data(path: &'static str) -> Place {
    Place { platforms: &[Platform::Linux], base: Base::Data, path }
}

pub(super) const fn variable(name: &'static str, path: &'static str) -> Place {
    Place { platforms: EVERYWHERE, base: Base::Variable(name), path }
}

pub(super) const fn project(path: &'static str) -> Place {
    Place { platforms: EVERYWHERE, base: Base::Project, path }
}

impl Place {
    pub const fn on(self, platforms: &'static [Platform]) -> Place {
        Place { platforms, base: self.base, path: self.path }
    }

    pub fn holds_for_all_projects(&self) -> bool {
        // What a variable names is somebody's exception.
        !matches!(self.base, Base::Project | Base::Variable(_)) && !self.path.contains('*')
    }

    pub fn is_in_the_project(&self) -> bool {
        self.base == Base::Project
    }

    /// The paths that this means there: none on another platform or where a variable is not set, and two where the
    /// environment moves a folder that was somewhere else before.
    pub fn paths(&self, machine: &Machine) -> Vec<PathBuf> {
        if !self.platforms.contains(&machine.platform) {
            return Vec::new();
        }
        let mut bases = self.bases(machine);
        bases.dedup();
        let parts = || self.path.split('/').filter(|part| !part.is_empty());
        bases.into_iter().map(|base| parts().fold(base, |path, part| path.join(part))).collect()
    }

    fn bases(&self, machine: &Machine) -> Vec<PathBuf> {
        // A path that depends on the folder somebody is in by chance is not followed.
        let absolute = |name: &str| (machine.variable)(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let moved = |name: &str, usual: PathBuf| absolute(name).into_iter().chain([usual]).collect();
        let home = &machine.home;
        match (self.base, machine.platform) {
            (Base::Home, _) => vec![home.clone()],
            (Base::AppData, Platform::MacOs) => vec![home.join("Library").join("Application Support")],
            (Base::AppData, Platform::Windows) => moved("APPDATA", home.join("AppData").join("Roaming")),
            (Base::Config, Platform::Windows) => vec![home.join(".config")],
            (Base::AppData | Base::Config, _) => moved("XDG_CONFIG_HOME", home.join(".config")),
            (Base::Data, _) => moved("XDG_DATA_HOME", home.join(".local").join("share")),
            (Base::Variable(name), _) => absolute(name).into_iter().collect(),
            (Base::Project, _) => vec![machine.project.clone()],
        }
    }
}

/// The files that are there: the path itself, or what its star can stand for, in the order of their names.
pub(super) fn matches(pattern: &Path) -> Vec<PathBuf> {
    let starred = pattern.ancestors().filter(|path| name(path).contains('*')).last();
    let Some(starred) = starred else { return is_there(pattern).then(|| pattern.to_owned()).into_iter().collect() };
    let Some(folder) = starred.parent() else { return Vec::new() };
    let (before, after) = name(starred).split_once('*').unwrap_or_default();
    let Ok(names) = folder.read_dir() else { return Vec::new() };
    let mut names: Vec<String> = names
        .take(MOST_NAMES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after))
        .collect();
    names.sort();
    let rest = pattern.strip_prefix(starred).unwrap_or(Path::new(""));
    let paths = names.into_iter().map(|name| match rest.as_os_str().is_empty() {
        true => folder.join(name),
        false => folder.join(name).join(rest),
    });
    paths.filter(|path| is_there(path)).take(MOST_FILES).collect()
}

/// A file that may not be looked at is there all the same; whoever reads it says why it can't be read.
fn is_there(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    !matches!(path.metadata(), Err(error) if matches!(error.kind(), NotFound | NotADirectory))
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
