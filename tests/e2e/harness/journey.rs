//! One journey: its setting, its steps, and what is kept when it fails.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::display::Display;
use crate::evidence;
use crate::place::Place;
use crate::window::Window;

/// Two windows at once would share the processor and be slower than one after the other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

pub struct Journey {
    name: &'static str,
    servers: Map<String, Value>,
    approved: Vec<String>,
    variables: Vec<(&'static str, &'static str)>,
    /// Files of the person's home, by their way from it.
    home: Vec<(&'static str, String)>,
    managed: bool,
    /// Whether what the desktop is asked to open is noted instead.
    opening_is_noted: bool,
}

impl Journey {
    /// The name is that of the folder for its evidence.
    pub fn new(name: &'static str) -> Self {
        Journey {
            name,
            servers: Map::new(),
            approved: Vec::new(),
            variables: Vec::new(),
            home: Vec::new(),
            managed: false,
            opening_is_noted: false,
        }
    }

    /// A server of the project's `.mcp.json` that a person has approved.
    pub fn server(mut self, id: &str, command: &Path, args: &[&str]) -> Self {
        self.approved.push(id.to_owned());
        self.unapproved_server(id, command, args)
    }

    /// A server of the project's `.mcp.json` that nobody has approved.
    pub fn unapproved_server(mut self, id: &str, command: &Path, args: &[&str]) -> Self {
        self.servers.insert(id.to_owned(), json!({ "command": command, "args": args }));
        self
    }

    /// The same, with the whole of its entry.
    pub fn unapproved_entry(mut self, id: &str, entry: Value) -> Self {
        self.servers.insert(id.to_owned(), entry);
        self
    }

    /// The same, which a person has approved.
    pub fn entry(mut self, id: &str, entry: Value) -> Self {
        self.approved.push(id.to_owned());
        self.unapproved_entry(id, entry)
    }

    /// A variable in the environment of the window.
    pub fn variable(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    /// A server of the project's `.mcp.json` behind an address, which a person has approved.
    pub fn remote_server(mut self, id: &str, url: &str) -> Self {
        self.approved.push(id.to_owned());
        self.servers
            .insert(id.to_owned(), json!({ "type": "http", "url": url, "headers": { "X-Journey": self.name } }));
        self
    }

    /// A file in the person's home, as another program has left it.
    pub fn home_file(mut self, path: &'static str, text: String) -> Self {
        self.home.push((path, text));
        self
    }

    /// The desktop's dark theme, which the page follows.
    pub fn dark(mut self) -> Self {
        self.variables.push(("GTK_THEME", "Adwaita:dark"));
        self
    }

    /// A desktop that manages windows, as native dialogs expect it.
    pub fn with_window_manager(mut self) -> Self {
        self.managed = true;
        self
    }

    /// A desktop that opens nothing, neither addresses nor files: [`Window::opened_nothing`] knows of whoever asked.
    pub fn noting_what_is_opened(mut self) -> Self {
        self.opening_is_noted = true;
        self
    }

    /// Opens the window, takes the steps and closes it. A failure leaves its evidence and is raised again.
    pub fn run(self, steps: impl AsyncFnOnce(&mut Window) -> Result<()>) -> Result<()> {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        evidence::forget(self.name)?;
        let runtime = tokio::runtime::Runtime::new()?;
        let mut display = Display::start()?;
        if self.managed {
            display.manage()?;
        }
        let place = Place::make(&self.servers)?;
        if self.opening_is_noted {
            place.note_openings()?;
        }
        for (path, text) in &self.home {
            place.put_into_home(path, text)?;
        }
        for server in &self.approved {
            place.approve(server)?;
        }
        let mut window = Window::new(display, place, self.variables);
        let taken = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(async {
                window.open().await?;
                steps(&mut window).await?;
                if window.is_open() { window.close().await } else { Ok(()) }
            })
        }));
        if !matches!(taken, Ok(Ok(()))) {
            runtime.block_on(evidence::keep(self.name, &window));
        }
        runtime.block_on(window.end());
        match taken {
            Ok(outcome) => outcome.with_context(|| format!("journey `{}`", self.name)),
            Err(panic) => resume_unwind(panic),
        }
    }
}
