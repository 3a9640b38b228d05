//! What the stage and the victims of a case do with the app, before there is a stage.

use anyhow::{Context, Result, anyhow, ensure};
use integration::Door;
use serde_json::{Value, json};
use sonde_app::ApiError;

use super::LIMIT;

/// Connects the demo for good, and another server for a moment: what stays open after that belongs to the idle state.
pub(super) async fn warm_up(door: &Door) -> Result<()> {
    let wait = async |id: &str, state: &str| -> Result<()> {
        let mut since = 0;
        loop {
            let changes = door.call("wait_changes", json!({ "since": since })).await.map_err(told)?;
            since = changes["revision"].as_u64().context("a revision is a number")?;
            let server = server(door, id).await?;
            if server["state"] == state {
                return Ok(());
            }
            ensure!(server["state"] != "failed", "`{id}` does not start: {}", server["problem"]);
        }
    };
    let begin = async {
        door.call("connect_server", json!({ "server": "demo" })).await.map_err(told)?;
        wait("demo", "ready").await?;
        approve(door, "warm")?;
        for _ in 0..2 {
            door.call("connect_server", json!({ "server": "warm" })).await.map_err(told)?;
            wait("warm", "ready").await?;
            door.call("disconnect_server", json!({ "server": "warm" })).await.map_err(told)?;
            wait("warm", "stopped").await?;
        }
        // Whoever asks for the keyring once has its machinery for good; there is none here, so this is kept in memory.
        let kept = json!({ "server": "warm", "kind": "secret", "name": "WARM", "value": "nothing at all" });
        door.call("set_secret", kept).await.map_err(told)?;
        // Every reader of the log is opened once.
        let looks: Vec<_> = (0..16)
            .map(|_| {
                let door = door.clone();
                let request = json!({ "view": {}, "first": 0, "count": 40 });
                tokio::spawn(async move { door.call("query_log", request).await })
            })
            .collect();
        for look in looks {
            look.await?.map_err(told)?;
        }
        Ok(())
    };
    tokio::time::timeout(LIMIT, begin).await.context("the app was never ready for the case")?
}

pub(crate) async fn server(door: &Door, id: &str) -> Result<Value> {
    let list = door.call("list_servers", json!({})).await.map_err(told)?;
    let servers = list["servers"].as_array().context("a list of servers")?;
    let found = servers.iter().find(|server| server["id"] == id);
    found.cloned().with_context(|| format!("`{id}` is not listed: {}", list["problems"]))
}

pub(crate) async fn scan(door: &Door, mut see: impl FnMut(&Value)) -> Result<()> {
    let mut seen = 0;
    loop {
        let request = json!({ "view": {}, "first": seen, "count": 500 });
        let page = door.call("query_log", request).await.map_err(told)?;
        let total = page["total"].as_u64().context("a total is a number")?;
        // A page never runs over the end, so the last one may begin among the rows we have.
        let first = page["first"].as_u64().context("a place is a number")?;
        let rows = page["rows"].as_array().context("a page has rows")?;
        rows.iter().skip(usize::try_from(seen - first)?).for_each(&mut see);
        seen = first + rows.len() as u64;
        if seen >= total {
            return Ok(());
        }
    }
}

pub(crate) fn approve(door: &Door, id: &str) -> Result<()> {
    let pending = door.app.pending_approval(id).map_err(told)?;
    door.app.approve(&pending).map_err(told)
}

pub(crate) fn told(error: ApiError) -> anyhow::Error {
    anyhow!("{error}")
}
