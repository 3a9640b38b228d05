//! What may be shown of values that our environment was filled into.
//!
//! A page may ask what any entry would mean, so it must not learn from the answer what a variable of ours holds. A value
//! is shown as it is meant only if it is made of what every server is told anyway; every other one as it is written.

use std::path::{Path, PathBuf};

use sonde_registry::{CommandLine, Layer, Reach, Reference, RemoteSpec, ServerSpec, looks_secret};
use sonde_transport::{LaunchError, Platform, SearchFolder, Source, shown_address};

use crate::api::servers::UrlLaunch;
use crate::explain::Machine;
use crate::server::Server;

/// Whether a text may be shown with everything filled in.
pub(crate) fn is_open(written: &str) -> bool {
    Reference::all_in(written).iter().all(|reference| match reference {
        Reference::UserHome | Reference::WorkspaceFolder => true,
        Reference::Env("pathSeparator" | "/" | "workspaceFolderBasename") => true,
        Reference::Env(name) => Platform::HERE.allows(name),
        Reference::Input(_) | Reference::Secret(_) => false,
    })
}

/// A program that was found. A path that exists tells little of a variable, unless somebody made a secret a path.
pub(crate) fn binary(spec: &ServerSpec, found: &Path) -> Option<String> {
    let Reach::Command(line) = &spec.reach else { return None };
    let is_secret = |reference: &Reference| match reference {
        Reference::Env(name) => looks_secret(name, &std::env::var(name).unwrap_or_default()),
        Reference::Input(_) | Reference::Secret(_) => true,
        Reference::UserHome | Reference::WorkspaceFolder => false,
    };
    let hides = |written: &str| Reference::all_in(written).iter().any(is_secret);
    let path = own_path(line).filter(|_| !is_path(&line.command));
    let hides = is_filled(spec) && line.written.first().map(String::as_str).into_iter().chain(path).any(hides);
    (!hides).then(|| found.display().to_string())
}

/// The folder that a server runs in, `folder` being where that is.
pub(crate) fn folder(spec: &ServerSpec, folder: &Path) -> PathBuf {
    match &spec.reach {
        Reach::Command(CommandLine { written_folder: Some(written), .. }) if is_filled(spec) && !is_open(written) => {
            PathBuf::from(written)
        }
        _ => folder.to_owned(),
    }
}

/// The folders that a program is looked for in.
pub(crate) fn searched(spec: &ServerSpec, mut folders: Vec<SearchFolder>) -> Vec<SearchFolder> {
    let own = match &spec.reach {
        Reach::Command(line) if is_filled(spec) => own_path(line).filter(|written| !is_open(written)),
        _ => None,
    };
    if let Some(written) = own {
        folders.retain(|place| place.source != Source::Path);
        folders.insert(0, SearchFolder { folder: PathBuf::from(written), source: Source::Path });
    }
    folders
}

/// Why a program can't be launched, in the words of its entry.
pub(crate) fn launch_error(spec: &ServerSpec, error: &LaunchError) -> LaunchError {
    let Reach::Command(line) = &spec.reach else { return error.clone() };
    let command = line.written.first().map(String::as_str).unwrap_or_default();
    // A path is told in full, which a secret folder may be a part of.
    let is_open_path = !is_filled(spec)
        || is_open(command)
            && (Path::new(&line.command).is_absolute() || line.written_folder.as_deref().is_none_or(is_open));
    let shown = |path: &Path| if is_open_path { path.to_owned() } else { PathBuf::from(command) };
    match error {
        LaunchError::Empty => LaunchError::Empty,
        LaunchError::NotFound { command: filled, searched: folders } => LaunchError::NotFound {
            command: if !is_filled(spec) || is_open(command) { filled.clone() } else { command.to_owned() },
            searched: searched(spec, folders.clone()),
        },
        LaunchError::Missing { path } => LaunchError::Missing { path: shown(path) },
        LaunchError::IsAFolder { path } => LaunchError::IsAFolder { path: shown(path) },
        LaunchError::NotExecutable { path } => LaunchError::NotExecutable { path: shown(path) },
        LaunchError::NoFolder { path } => LaunchError::NoFolder { path: folder(spec, path) },
    }
}

impl Server {
    /// The folder it runs in, for a page.
    pub(crate) fn shown_folder(&self) -> String {
        folder(&self.spec, &self.folder).display().to_string()
    }

    /// An address and the way there, for a page. Whoever approves it sees what it means instead.
    pub(crate) fn shown_to_page(&self, remote: &RemoteSpec) -> UrlLaunch {
        let launch = self.shown(remote);
        let closed = |way: &str| self.spec.written(way).filter(|written| is_filled(&self.spec) && !is_open(written));
        let file = |way: &str, meant: Option<String>| closed(way).map(str::to_owned).or(meant);
        UrlLaunch {
            origin: match is_filled(&self.spec) && !is_open(authority(&remote.written)) {
                true => shown_address(authority(&remote.written)),
                false => launch.origin,
            },
            proxy: match closed("sonde.proxy") {
                Some(written) => Some(shown_address(written)),
                None => launch.proxy,
            },
            ca_file: file("sonde.caFile", launch.ca_file),
            client_certificate: file("sonde.clientCertificate", launch.client_certificate),
            client_key: file("sonde.clientKey", launch.client_key),
            trust: file("sonde.trust", launch.trust),
            ..launch
        }
    }

    /// The roots that a server is told of, for a page: as its entry has them, where they are its entry's.
    pub(crate) fn shown_roots(&self, folders: &[PathBuf]) -> Vec<String> {
        let entry = self.spec.definition.entry.get("sonde").and_then(|node| node.value.as_object()?.get("roots"));
        let written: Vec<&str> = entry
            .and_then(|node| node.value.as_list())
            .into_iter()
            .flatten()
            .filter_map(|node| node.value.as_text())
            .collect();
        let own = self
            .spec
            .profile
            .roots
            .iter()
            .flatten()
            .map(|root| self.project.join(root).components().collect::<PathBuf>());
        let hidden: Vec<(PathBuf, &str)> = own.zip(written).filter(|(_, written)| !is_open(written)).collect();
        let shown = |folder: &PathBuf| match hidden.iter().find(|(meant, _)| meant == folder) {
            Some((_, written)) => (*written).to_owned(),
            None => folder.display().to_string(),
        };
        folders.iter().map(shown).collect()
    }
}

impl Machine {
    /// [`folder`] as a person writes it.
    pub fn folder(&self, spec: &ServerSpec, meant: &Path) -> String {
        self.path(&folder(spec, meant))
    }
}

/// What is built in or typed is meant as it stands.
fn is_filled(spec: &ServerSpec) -> bool {
    !matches!(spec.origin.layer, Layer::BuiltIn | Layer::Typed)
}

fn own_path(line: &CommandLine) -> Option<&str> {
    let own = line.written_env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    own.map(|(_, written)| written.as_str())
}

fn is_path(command: &str) -> bool {
    command.contains(['/', '\\'])
}

/// Scheme, host and port as they are written.
fn authority(written: &str) -> &str {
    let written = written.trim();
    // A reference may have anything between its braces.
    let mut open = 0_usize;
    for (place, letter) in written.char_indices() {
        let before = &written[..place];
        match letter {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            '/' if before.ends_with(':') || before.ends_with(":/") => {}
            '/' | '?' | '#' if open == 0 => return before,
            _ => {}
        }
    }
    written
}
