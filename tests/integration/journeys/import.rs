//! Servers from other clients, and for them, by the program `sonde` and by the API.
//!
//! `whole`: a home full of clients comes over whole, and goes out again. `inert`: nothing is started and nothing is
//! fetched by it. `projects`: what a client has for one project. `door`: by the API. `hostile`: files that are wrong, large
//! or sly, and what is never written by halves.

#![expect(clippy::unwrap_used, reason = "a journey stops at the first thing that is not as it says")]

mod door;
mod hostile;
mod inert;
mod projects;
mod whole;

use std::path::{Path, PathBuf};
use std::process::Command;

use integration::Profile;
use serde_json::Value;

use crate::cli::console::{Ran, finish, sonde};

/// A person whose home has files of other clients. The project is another folder.
struct Home {
    profile: Profile,
}

impl Home {
    fn new() -> Self {
        Home { profile: Profile::default() }
    }

    fn folder(&self) -> PathBuf {
        self.profile.data().with_file_name("home")
    }

    /// Our own configuration.
    fn configuration(&self) -> PathBuf {
        self.folder().join(".config/sonde/mcp.json")
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The program, in this home and without a keyring.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = sonde(&self.profile, words);
        std::fs::create_dir_all(self.folder()).unwrap();
        command.env("HOME", self.folder()).env_remove("XDG_CONFIG_HOME").env("XDG_RUNTIME_DIR", self.folder());
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        finish(self.command(words).spawn().unwrap())
    }

    /// The names of the servers that stand in our own configuration.
    fn configured(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.configuration()).unwrap_or_else(|_| "{}".to_owned());
        let file: Value = serde_json::from_str(&text).unwrap();
        let servers = file["mcpServers"].as_object().map(|servers| servers.keys().cloned().collect());
        servers.unwrap_or_default()
    }
}

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/sonde-registry/tests/fixtures/clients");
    std::fs::read_to_string(folder.join(name)).unwrap()
}
