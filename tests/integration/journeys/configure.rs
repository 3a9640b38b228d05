//! The configuration: files that change, forms that are saved, and what a person is asked before anything runs.
//!
//! `changes`: what is written to disk while servers run. `approving`: when a yes no longer holds. `drafts`: servers that
//! a person writes down. `arranging`: their order. `environment`: what nobody learns by asking. `clear`: secrets that
//! stand in files. `variables`: those of a server, and what a yes to them covers.

#![expect(clippy::unwrap_used, reason = "a journey stops at the first thing that is not as it says")]

mod approving;
mod arranging;
mod changes;
mod clear;
mod drafts;
mod environment;
mod variables;

use integration::{Door, Profile, binary};
use serde_json::{Value, json};

/// The path of a server that behaves.
fn load() -> String {
    binary("sonde-load").to_str().unwrap().to_owned()
}

/// Waits until the server's configuration on disk is another than what it was connected with.
async fn until_changed(door: &Door, id: &str) -> Vec<Value> {
    door.until("the difference", async || (door.server(id).await["changed"] == true).then_some(())).await;
    differences(door, id).await
}

async fn differences(door: &Door, id: &str) -> Vec<Value> {
    let detail = door.ask("describe_server", json!({ "server": id })).await;
    detail["differences"].as_array().unwrap().clone()
}

async fn ids(door: &Door) -> Vec<String> {
    let list = door.ask("list_servers", json!({})).await;
    let ids = list["servers"].as_array().unwrap().iter().map(|server| server["id"].as_str().unwrap().to_owned());
    ids.collect()
}

/// Writes the project's `.mcp.json` in one go.
fn write_servers(profile: &Profile, servers: Value) {
    std::fs::write(profile.project().join(".mcp.json"), json!({ "mcpServers": servers }).to_string()).unwrap();
}

/// Writes it as most editors do: beside it, and then over it.
fn replace_servers(profile: &Profile, servers: Value) {
    let draft = profile.project().join(".mcp.json.tmp");
    std::fs::write(&draft, json!({ "mcpServers": servers }).to_string()).unwrap();
    std::fs::rename(draft, profile.project().join(".mcp.json")).unwrap();
}
