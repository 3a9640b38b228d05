//! The folders of one journey, and the surroundings that its programs see.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::binaries::binary;

/// What programs start to have something opened by the desktop.
const OPENERS: [&str; 9] = [
    "xdg-open",
    "gio",
    "gvfs-open",
    "gnome-open",
    "kde-open",
    "kde-open5",
    "wslview",
    "sensible-browser",
    "x-www-browser",
];

/// Stands in for all of them, beside the notes of what they were to open.
const NOTE: &str = "#!/bin/sh\nprintf '%s %s\\n' \"${0##*/}\" \"$*\" >>\"${0%/*}/opened\"\n";

pub(crate) struct Place {
    /// Removed when dropped.
    folder: TempDir,
}

impl Place {
    pub(crate) fn make(servers: &Map<String, Value>) -> Result<Self> {
        let place = Place { folder: tempfile::Builder::new().prefix("sonde-e2e-").tempdir()? };
        for name in ["home", "run", "project"] {
            fs::create_dir(place.at(name))?;
        }
        if !servers.is_empty() {
            let text = serde_json::to_string_pretty(&json!({ "mcpServers": servers }))?;
            fs::write(place.project().join(".mcp.json"), text)?;
        }
        Ok(place)
    }

    pub(crate) fn put_into_home(&self, path: &str, text: &str) -> Result<()> {
        let path = self.home().join(path);
        fs::create_dir_all(path.parent().context("a file stands in a folder")?)?;
        Ok(fs::write(path, text)?)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.at("home")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.at("data")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.at("project")
    }

    /// What the driver and the app print.
    pub(crate) fn output(&self) -> PathBuf {
        self.at("output.log")
    }

    /// From now on what the desktop is asked to open is noted and not opened.
    pub(crate) fn note_openings(&self) -> Result<()> {
        let (folder, note) = (self.openers(), self.openers().join("note"));
        fs::create_dir(&folder)?;
        fs::write(&note, NOTE)?;
        fs::set_permissions(&note, fs::Permissions::from_mode(0o755))?;
        for name in OPENERS {
            symlink(&note, folder.join(name))?;
        }
        Ok(())
    }

    /// What the desktop was asked to open, after one more thing that a control asks for.
    pub(crate) fn opened(&self, control: &str) -> Result<Vec<String>> {
        let mut command = Command::new("sh");
        command.args(["-c", "xdg-open \"$1\"", "sh", control]).env_clear().envs(self.environment());
        ensure!(command.status()?.success(), "nobody notes what is opened");
        self.noted()
    }

    /// What the desktop was asked to open by now.
    pub(crate) fn noted(&self) -> Result<Vec<String>> {
        let noted = fs::read_to_string(self.openers().join("opened")).context("nobody notes what is opened")?;
        Ok(noted.lines().map(str::to_owned).collect())
    }

    fn openers(&self) -> PathBuf {
        self.at("openers")
    }

    /// The whole environment: nothing of the person who runs the tests is seen, and no session bus is found.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![
            ("HOME", self.home().into_os_string()),
            ("XDG_CONFIG_HOME", self.home().join(".config").into_os_string()),
            ("XDG_RUNTIME_DIR", self.at("run").into_os_string()),
            ("LANG", "C.UTF-8".into()),
        ];
        variables.extend(["PATH", "TMPDIR"].iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
        if self.openers().is_dir() {
            // First of all: nothing that really opens is found.
            for (_, path) in variables.iter_mut().filter(|(name, _)| *name == "PATH") {
                let mut folders = self.openers().into_os_string();
                folders.push(":");
                folders.push(&*path);
                *path = folders;
            }
        }
        variables
    }

    /// Says yes to a server before the window opens, as a person may do on a terminal.
    pub(crate) fn approve(&self, server: &str) -> Result<()> {
        let output = Command::new(binary("sonde")?)
            .arg("--data-dir")
            .arg(self.data())
            .arg("--project")
            .arg(self.project())
            .args(["approve", server, "--yes"])
            .env_clear()
            .envs(self.environment())
            .output()
            .context("`sonde approve` could not be started")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`sonde approve {server}` failed: {}", said.trim());
        Ok(())
    }
}
