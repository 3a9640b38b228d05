//! What every journey needs: the real binaries, a profile in a temporary folder, and the API as a front door sees it.
//!
//! A journey drives the core through [`Door::call`] alone, so whatever it asserts a window could see, too.
//! Start reading at [`Profile`], then [`Door`]; [`Stage`] and [`HttpStage`] are for journeys that speak for the server.

#![expect(clippy::expect_used, clippy::panic, reason = "a journey stops at the first thing that is not as it says")]

mod binaries;
mod door;
mod http;
mod processes;
mod wire;

pub use binaries::{binary, example};
pub use door::{Door, LIMIT, within};
pub use http::{Authority, EventStream, HttpStage, Identity, Request, Site, Visit, agreement, hexadecimal, reply_to};
pub use processes::{alone, descriptors, processes_in, until_gone, zombies};
pub use wire::{Log, Peer, Stage, WIRE, ask, ended, raw, result};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sonde_app::{App, DataFolder, Setup, Supervisor};

/// A person's data folder and project, gone when the journey is over.
pub struct Profile {
    folder: tempfile::TempDir,
    servers: BTreeMap<String, Value>,
}

impl Default for Profile {
    fn default() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir(folder.path().join("project")).expect("the project folder can be made");
        Profile { folder, servers: BTreeMap::new() }
    }
}

impl Profile {
    /// A profile whose project configures one server, `sonde-load` with these arguments, under the name `load`.
    pub fn with_load(args: &[&str]) -> Self {
        let command = binary("sonde-load");
        Profile::default().with_server("load", command.to_str().expect("the path is UTF-8"), args)
    }

    /// Adds a server to the project's `.mcp.json`.
    pub fn with_server(self, name: &str, command: &str, args: &[&str]) -> Self {
        self.with_entry(name, json!({ "command": command, "args": args }))
    }

    /// Adds whatever entry to it.
    pub fn with_entry(mut self, name: &str, entry: Value) -> Self {
        self.servers.insert(name.to_owned(), entry);
        let text = json!({ "mcpServers": self.servers }).to_string();
        std::fs::write(self.project().join(".mcp.json"), text).expect("the configuration can be written");
        self
    }

    /// Adds a server that is a shell script in the project folder.
    pub fn with_script(self, name: &str, script: &str) -> Self {
        let path = self.project().join(format!("{name}.sh"));
        std::fs::write(&path, script).expect("the script can be written");
        self.with_server(name, "/bin/sh", &[path.to_str().expect("the path is UTF-8")])
    }

    /// Every server of the profile runs in this folder, and nothing else does.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub async fn open(&self) -> Door {
        self.open_with(|_| {}).await
    }

    /// Opens the app with a set-up that `adjust` may change.
    pub async fn open_with(&self, adjust: impl FnOnce(&mut Setup)) -> Door {
        let data = DataFolder::open(Some(self.data())).expect("the data folder can be made");
        let mut setup = Setup::here(data, Some(self.project())).expect("the set-up of this machine");
        setup.config = None;
        setup.login_shell = sonde_app::LoginShell::Unasked;
        setup.supervisor = Supervisor::at(binary("sonde"));
        setup.demo_program = binary("sonde");
        adjust(&mut setup);
        match App::open(setup).await {
            Ok(app) => Door { app },
            Err(error) => panic!("the app does not open: {error}"),
        }
    }

    /// What still runs of the profile's servers.
    pub fn processes(&self) -> Vec<(u32, String)> {
        processes_in(&self.project())
    }
}

/// Writes a file that only its mode keeps from running.
pub fn write_plain_file(path: &Path) {
    std::fs::write(path, "#!/bin/sh\nexit 0\n").expect("the file can be written");
}
