//! The app as a front door uses it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use sonde_app::{App, DataFolder, Setup};

use crate::arguments::Round;
use crate::server::Life;

/// Nothing here takes so long on a machine that works, however busy it is.
pub const LIMIT: Duration = Duration::from_secs(120);

#[derive(Clone)]
pub struct Door {
    app: App,
}

impl Door {
    /// Opens the app over the round's folder. This very program is its supervisor.
    pub async fn open(round: &Round) -> Result<Self> {
        let mut setup = Setup::here(DataFolder::open(Some(round.data()))?, Some(round.project()))?;
        setup.config = None;
        let app = App::open(setup).await.map_err(|error| anyhow!("the app does not open: {error}"))?;
        Ok(Door { app })
    }

    pub async fn close(&self) -> Result<()> {
        within("closing the app", self.app.close()).await
    }

    pub fn approve(&self, server: &str) -> Result<()> {
        let told = |error| anyhow!("`{server}` could not be approved: {error}");
        let pending = self.app.pending_approval(server).map_err(told)?;
        self.app.approve(&pending).map_err(told)
    }

    pub async fn ask(&self, command: &str, request: Value) -> Result<Value> {
        let answer = self.app.dispatch(command, request.to_string().as_bytes()).await;
        let answer = answer.map_err(|error| anyhow!("`{command}` failed: {error}"))?;
        Ok(serde_json::from_slice(&answer)?)
    }

    pub async fn connect(&self, server: &str) -> Result<()> {
        self.ask("connect_server", json!({ "server": server })).await.map(drop)
    }

    pub async fn disconnect(&self, server: &str) -> Result<()> {
        self.ask("disconnect_server", json!({ "server": server })).await.map(drop)
    }

    /// Looks again after every change until `look` finds what it looks for in the server's summary.
    pub async fn until<T>(&self, server: &str, what: &str, look: impl Fn(&Value) -> Option<T>) -> Result<T> {
        let search = async {
            let mut since = 0;
            loop {
                // The revision first: what changes while we look brings us back at once.
                let changes = self.ask("wait_changes", json!({ "since": since })).await?;
                let list = self.ask("list_servers", json!({})).await?;
                let servers = list["servers"].as_array().context("there is no list of servers")?;
                let summary = servers.iter().find(|summary| summary["id"] == server);
                if let Some(found) = look(summary.context("the server is not listed")?) {
                    return Ok(found);
                }
                since = changes["revision"].as_u64().context("a revision is no number")?;
            }
        };
        within(&format!("`{server}` {what}"), search).await?
    }

    /// Waits until the server is in one of the states; gives which.
    pub async fn until_state(&self, server: &str, states: &[&str]) -> Result<String> {
        let look = |summary: &Value| {
            let state = summary["state"].as_str()?;
            states.contains(&state).then(|| state.to_owned())
        };
        self.until(server, &format!("to be {}", states.join(" or ")), look).await
    }
}

pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> Result<T> {
    tokio::time::timeout(LIMIT, future)
        .await
        .map_err(|_elapsed| anyhow!("waited {} s in vain for {what}", LIMIT.as_secs()))
}

/// Writes a project with these servers: name, life and folder.
pub fn configure(round: &Round, servers: &[(String, Life, PathBuf)]) -> Result<()> {
    let program = std::env::current_exe()?;
    let mut entries = serde_json::Map::new();
    for (name, life, folder) in servers {
        std::fs::create_dir_all(folder)?;
        entries.insert(name.clone(), json!({ "command": program, "args": ["serve", life.name()], "cwd": folder }));
    }
    write(&round.project().join(".mcp.json"), &json!({ "mcpServers": entries }).to_string())
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
