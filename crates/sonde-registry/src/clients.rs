//! Where other clients keep their servers, on each platform.
//!
//! Looking reads names of files and nothing else. The platform, the home folder and the environment are given, so that
//! every platform can be looked at from any other.

mod places;
mod table;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::shapes::Shape;

pub use table::CLIENTS;

/// The machine that is looked at.
pub struct Machine<'a> {
    pub platform: Platform,
    pub home: PathBuf,
    /// The folder of the project, where some clients keep servers, too.
    pub project: PathBuf,
    /// A variable of the environment, as `APPDATA`.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Linux,
    MacOs,
    Windows,
}

impl Platform {
    /// The one that this program was made for.
    pub const HERE: Platform = if cfg!(windows) {
        Platform::Windows
    } else if cfg!(target_os = "macos") {
        Platform::MacOs
    } else {
        Platform::Linux
    };
}

/// A program that knows servers.
#[derive(Debug)]
pub struct Client {
    /// How it is named on a command line.
    pub id: &'static str,
    pub name: &'static str,
    pub shape: Shape,
    places: &'static [places::Place],
}

impl Client {
    /// By its id or by its name, with spaces, dashes and capitals as anybody likes.
    pub fn named(name: &str) -> Option<&'static Client> {
        let plain = |name: &str| -> String {
            name.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        CLIENTS.iter().find(|client| plain(client.id) == plain(name) || plain(client.name) == plain(name))
    }

    /// Where it keeps servers for all projects here, whether or not the file is there.
    pub fn usual_file(&self, machine: &Machine) -> Option<PathBuf> {
        let places = self.places.iter().filter(|place| place.holds_for_all_projects());
        places.flat_map(|place| place.paths(machine)).next()
    }
}

/// A file that may hold servers of other clients. Several clients may read the same one.
#[derive(Debug)]
pub struct ClientFile {
    /// At least one; the first decides how the file is read.
    pub clients: Vec<&'static Client>,
    pub path: PathBuf,
    /// The folder of the project that it is for; none where it holds for all projects.
    pub project: Option<PathBuf>,
}

/// What a look around has brought.
#[derive(Debug, Default)]
pub struct Search {
    pub found: Vec<ClientFile>,
    /// Files that would have been taken, had they been there. A star stands for any name.
    pub absent: Vec<ClientFile>,
}

/// Looks for the files of every client. A file that two names lead to is found once.
pub fn search(machine: &Machine) -> Search {
    let mut search = Search::default();
    let mut seen = HashSet::new();
    for client in CLIENTS {
        for (place, pattern) in
            client.places.iter().flat_map(|place| place.paths(machine).into_iter().map(move |path| (place, path)))
        {
            let there = places::matches(&pattern);
            let project = place.is_in_the_project().then(|| machine.project.clone());
            if there.is_empty() {
                search.absent.push(ClientFile { clients: vec![client], path: pattern, project });
                continue;
            }
            for path in there {
                if seen.insert(identity(&path)) {
                    search.found.push(ClientFile { clients: vec![client], path, project: project.clone() });
                } else if let Some(file) = search.found.iter_mut().find(|file| identity(&file.path) == identity(&path))
                    && !file.clients.iter().any(|known| known.id == client.id)
                {
                    file.clients.push(client);
                }
            }
        }
    }
    search
}

/// The same for every name of one file, as with a disk on which capitals mean nothing.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
