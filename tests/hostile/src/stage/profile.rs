//! The profile of a case: which servers it configures, and what a front door decides.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sonde_app::{DataFolder, Pace, Setup, Supervisor};

use super::Scale;
use crate::cases::Case;
use crate::processes;
use crate::secrets;

/// What one run of a case is told.
#[derive(Clone)]
pub struct Plan {
    pub case: &'static Case,
    pub seed: u64,
    pub scale: Scale,
    /// The folder with `hostile` and `hostile-server`.
    pub programs: PathBuf,
}

impl Plan {
    pub fn size(&self, full: u64, quick: u64) -> u64 {
        match self.scale {
            Scale::Full => full,
            Scale::Quick => quick,
        }
    }

    pub fn is_timed(&self) -> bool {
        self.scale == Scale::Full
    }

    pub fn program(&self, name: &str) -> String {
        self.programs.join(name).display().to_string()
    }

    /// The case's server in its only form.
    pub fn server(&self) -> Entry {
        self.variant("hostile", "")
    }

    /// The case's server in one of its forms, under a name of its own.
    pub fn variant(&self, id: &str, variant: &str) -> Entry {
        Entry {
            id: id.to_owned(),
            command: self.program("hostile-server"),
            args: ["--case", self.case.id, "--variant", variant, "--seed"].map(str::to_owned).to_vec(),
            seed: self.seed,
            url: None,
            more: json!({}),
        }
    }

    /// A server that is reached by an address. What it is told in its headers is nobody else's.
    pub fn remote(&self, id: &str, url: &str) -> Entry {
        let headers: serde_json::Map<_, _> =
            secrets::HEADERS.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let entry = Entry { url: Some(url.to_owned()), ..self.variant(id, "") };
        entry.with("headers", Value::Object(headers))
    }
}

/// A server in the profile's configuration.
pub struct Entry {
    pub id: String,
    pub command: String,
    pub args: Vec<String>,
    pub seed: u64,
    /// Where it is, if it is not started by us.
    pub url: Option<String>,
    /// Members of the entry beside `command`, `args` and `env`.
    pub more: Value,
}

impl Entry {
    pub fn with(mut self, member: &str, value: Value) -> Self {
        self.more[member] = value;
        self
    }

    /// What stands behind `--` and means nothing to the server.
    pub fn with_words(mut self, words: &[&str]) -> Self {
        self.more["words"] = json!(words);
        self
    }

    /// Runs the server under `/bin/sh -c SCRIPT`, where `"$@"` is the server's own command line.
    pub fn under_shell(mut self, script: &str) -> Self {
        self.more["shell"] = json!(script);
        self
    }

    /// What the app is told of how to speak to it.
    pub fn told(self, sonde: Value) -> Self {
        self.with("sonde", sonde)
    }

    /// Another program in the place of the server.
    pub fn running(mut self, command: &str) -> Self {
        self.command = command.to_owned();
        self.args.clear();
        self
    }

    /// The entry as the configuration has it.
    fn write(&self, tally: &Path, tag: &str) -> Value {
        let mut entry = self.more.clone();
        if let Some(url) = &self.url {
            entry["url"] = json!(url);
            return entry;
        }
        let mut words = Vec::new();
        if !self.args.is_empty() {
            words.extend(self.args.iter().cloned());
            words.extend([self.seed.to_string(), "--tally".to_owned(), tally.display().to_string()]);
        }
        if let Some(Value::Array(more)) = entry.as_object_mut().and_then(|entry| entry.remove("words")) {
            words.push("--".to_owned());
            words.extend(more.iter().filter_map(|word| word.as_str().map(str::to_owned)));
        }
        let mut command = self.command.clone();
        if let Some(Value::String(script)) = entry.as_object_mut().and_then(|entry| entry.remove("shell")) {
            words = [vec!["-c".to_owned(), script, "sh".to_owned(), command], words].concat();
            command = "/bin/sh".to_owned();
        }
        entry["command"] = json!(command);
        entry["args"] = json!(words);
        let (name, value) = secrets::GRANTED;
        let mut env = json!({ processes::TAG: tag, name: value });
        if let (Some(env), Some(Value::Object(more))) = (env.as_object_mut(), self.more.get("env")) {
            env.extend(more.clone());
        }
        entry["env"] = env;
        entry
    }
}

/// Writes the profile and decides what a front door decides.
pub fn prepare(plan: &Plan, entries: &[Entry], folder: &Path) -> Result<Setup> {
    let mut servers = serde_json::Map::new();
    let warm = Entry { args: ["--case", "healthy", "--seed"].map(str::to_owned).to_vec(), ..plan.variant("warm", "") };
    std::fs::create_dir(folder.join("project"))?;
    for entry in entries.iter().chain([&warm]) {
        let tally = folder.join("tally").join(&entry.id);
        std::fs::create_dir_all(&tally)?;
        servers.insert(entry.id.clone(), entry.write(&tally, &tag(folder)));
    }
    std::fs::write(folder.join("project/.mcp.json"), json!({ "mcpServers": servers }).to_string())?;
    let data = DataFolder::open(Some(folder.join("data"))).context("the data folder can be made")?;
    let mut setup = Setup::here(data, Some(folder.join("project"))).context("the set-up of this machine")?;
    // Nobody's own configuration, and this very program in both of its roles.
    setup.config = None;
    setup.supervisor = Supervisor::current()?;
    setup.demo_program = std::env::current_exe()?;
    if plan.scale == Scale::Quick {
        let (first, longest) = (Duration::from_millis(20), Duration::from_millis(100));
        setup.pace = Pace { first, longest, ..setup.pace };
    }
    Ok(setup)
}

/// What marks the processes of this profile; the folder is nobody else's.
pub(super) fn tag(folder: &Path) -> String {
    folder.display().to_string()
}
