//! A server that plays one act: what it says of itself, what it offers and what it answers are files that a journey
//! writes before the window opens.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/acts/server.sh");

pub struct Act {
    /// Removed when dropped.
    folder: TempDir,
}

impl Act {
    /// One that has these tools, and nothing to say when they are called.
    pub fn with_tools(tools: impl IntoIterator<Item = Value>) -> Result<Self> {
        let act = Act { folder: tempfile::Builder::new().prefix("sonde-act-").tempdir()? };
        let tools: Vec<_> = tools.into_iter().collect();
        act.answers("nothing", json!({}))?
            .says(json!({}))?
            .answers("tools/list", json!({ "tools": tools }))?
            .answers("tools/call/other", json!({ "content": [] }))?
            .answers("resources/list", json!({ "resources": [] }))?
            .answers("resources/templates/list", json!({ "resourceTemplates": [] }))
    }

    /// What it says of itself, instead of the little that it has to.
    pub fn says(self, members: Value) -> Result<Self> {
        let mut opening = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {}, "resources": {}, "logging": {} },
            "serverInfo": { "name": "act", "version": "1" },
        });
        if let (Value::Object(opening), Value::Object(members)) = (&mut opening, members) {
            opening.extend(members);
        }
        self.answers("initialize", opening)
    }

    /// The result for a method: for `tools/call/NAME` and `resources/read/NAME` what that gives, where the name is of
    /// small letters and the last part of an address; `other` stands for all others.
    pub fn answers(self, to: &str, result: Value) -> Result<Self> {
        self.put(to, &result.to_string())?;
        Ok(self)
    }

    /// What it sends when the tool is called. Unless it has an answer for the tool too, the call stays open.
    pub fn sends(self, tool: &str, messages: &[Value]) -> Result<Self> {
        let lines: Vec<_> = messages.iter().map(|message| format!("{message}\n")).collect();
        self.put(&format!("ahead/{tool}"), &lines.concat())?;
        Ok(self)
    }

    /// Its entry in a configuration. By itself a window takes no questions; the entry says that it does.
    pub fn entry(&self) -> Value {
        json!({
            "command": "sh",
            "args": [SERVER, self.folder.path()],
            "sonde": { "capabilities": { "elicitation": { "form": {}, "url": {} } } },
        })
    }

    /// Every message that has reached it, oldest first.
    pub fn heard(&self) -> Result<Vec<Value>> {
        let text = fs::read_to_string(self.folder.path().join("heard")).context("the server has heard nothing")?;
        text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    fn put(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().context("a file stands in a folder")?)?;
        Ok(fs::write(path, text)?)
    }
}

/// A tool that takes whatever it is given.
pub fn tool(name: &str, members: Value) -> Value {
    let mut tool = json!({ "name": name, "inputSchema": { "type": "object" } });
    if let (Value::Object(tool), Value::Object(members)) = (&mut tool, members) {
        tool.extend(members);
    }
    tool
}
