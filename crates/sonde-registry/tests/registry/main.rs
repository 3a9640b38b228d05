//! Which servers exist and which may start, from the outside: files in a temporary folder in, servers out.
//!
//! `language`: text as a tree. `formats`: every way to write servers down. `variables`: what stands in `${…}`. `edit`: an
//! entry changed in a text. `manual`: what docs/configuration.md says. `layers`: which entry wins. `file`: what is wrong
//! with a file. `remote`: servers at an address. `approvals`: what a yes is given for. `clients`: where others keep servers.
//! `shapes`: how they write them. `round_trip`: out to another client and back. `profile`: how a server is to be spoken
//! to, by its entry and by a person. `typed`: commands of a terminal.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first thing that is not as it says"
)]

mod approvals;
mod arrangement;
mod clients;
mod edit;
mod file;
mod formats;
mod language;
mod layers;
mod manual;
mod profile;
mod remote;
mod round_trip;
mod shapes;
mod typed;
mod variables;

use std::path::Path;

use sonde_registry::{CommandLine, Places, Reach, Registry, RemoteSpec, ServerSpec, Surroundings, load};

/// Loads the project at `folder` with no global configuration; the only variable is `HOST`.
fn load_project(folder: &Path) -> Registry {
    let places = Places { config: None, project: folder.to_owned() };
    let variable = |name: &str| (name == "HOST").then(|| "example".to_owned());
    let project = folder.to_owned();
    load(&places, Vec::new(), &Surroundings { variable: &variable, home: Some("/home/ada".into()), project })
}

fn command_line(server: &ServerSpec) -> &CommandLine {
    match &server.reach {
        Reach::Command(line) => line,
        Reach::Url(remote) => panic!("`{}` has no command but is at {remote:?}", server.id),
    }
}

fn remote(server: &ServerSpec) -> &RemoteSpec {
    match &server.reach {
        Reach::Url(remote) => remote,
        Reach::Command(line) => panic!("`{}` has no address but runs {line:?}", server.id),
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A file that another client could have written.
fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/clients").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
