//! A front door: JSON in, JSON out, and the long poll that a window waits on.

use std::future::Future;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sonde_app::{ApiError, App};

/// No wait of a journey is longer.
pub const LIMIT: Duration = Duration::from_secs(120);

/// The app behind its API.
#[derive(Clone)]
pub struct Door {
    pub app: App,
}

/// Waits for `future`, but not for ever.
pub async fn within<T>(limit: Duration, what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(limit, future).await {
        Ok(done) => done,
        Err(_elapsed) => panic!("{what}: nothing within {} s", limit.as_secs()),
    }
}

impl Door {
    pub async fn call(&self, command: &str, request: Value) -> Result<Value, ApiError> {
        let answer = self.app.dispatch(command, request.to_string().as_bytes()).await?;
        Ok(serde_json::from_slice(&answer).expect("an answer is JSON"))
    }

    /// A command that must succeed.
    pub async fn ask(&self, command: &str, request: Value) -> Value {
        match self.call(command, request).await {
            Ok(answer) => answer,
            Err(error) => panic!("`{command}` failed: {error}"),
        }
    }

    /// Looks again after every change until `look` finds what it looks for.
    pub async fn until<T>(&self, what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
        let search = async {
            let mut since = 0;
            loop {
                // The revision first: what changes while we look brings us back at once.
                let changes = self.ask("wait_changes", json!({ "since": since })).await;
                if let Some(found) = look().await {
                    return found;
                }
                since = changes["revision"].as_u64().expect("a revision is a number");
            }
        };
        within(LIMIT, what, search).await
    }

    pub async fn server(&self, id: &str) -> Value {
        let list = self.ask("list_servers", json!({})).await;
        let servers = list["servers"].as_array().expect("a list of servers");
        servers.iter().find(|server| server["id"] == id).expect("the server is listed").clone()
    }

    /// Waits until the server is in one of the states; gives its summary.
    pub async fn until_server(&self, id: &str, states: &[&str]) -> Value {
        self.until(&format!("server `{id}` to be {states:?}"), async || {
            let server = self.server(id).await;
            states.iter().any(|state| server["state"] == *state).then_some(server)
        })
        .await
    }

    pub fn approve(&self, id: &str) {
        let pending = self.app.pending_approval(id).expect("the command can be resolved");
        self.app.approve(&pending).expect("the approval can be written");
    }

    /// Approves and connects a server that must become ready, its tools listed.
    pub async fn connect(&self, id: &str) -> Value {
        self.begin_to_connect(id).await;
        let server = self.until_server(id, &["ready", "failed"]).await;
        assert_eq!(server["state"], "ready", "it should connect: {}", server["problem"]);
        self.until("the tools to be listed", async || {
            let tools = self.ask("list_tools", json!({ "server": id })).await;
            (tools["complete"] == true).then_some(())
        })
        .await;
        self.server(id).await
    }

    /// Approves and connects a server that must fail; gives its problem.
    pub async fn connect_in_vain(&self, id: &str) -> Value {
        self.begin_to_connect(id).await;
        let server = self.until_server(id, &["ready", "failed", "stopped"]).await;
        assert_eq!(server["state"], "failed", "it should not become ready");
        self.until_recorded(id).await;
        server["problem"].clone()
    }

    pub async fn begin_to_connect(&self, id: &str) {
        if id != "demo" {
            self.approve(id);
        }
        self.ask("connect_server", json!({ "server": id })).await;
    }

    /// Disconnects; gives how long it took.
    pub async fn disconnect(&self, id: &str) -> Duration {
        let begun = Instant::now();
        self.ask("disconnect_server", json!({ "server": id })).await;
        let server = self.until_server(id, &["stopped", "failed"]).await;
        assert_eq!(server["state"], "stopped", "a server that we end has not failed: {}", server["problem"]);
        let took = begun.elapsed();
        self.until_recorded(id).await;
        took
    }

    /// Waits until the end of the server's newest connection is on disk. A row appears a moment after what it tells.
    pub async fn until_recorded(&self, id: &str) {
        const LAST_WORDS: &[&str] =
            &["disconnected", "the server ended", "the server closed", "cancelled before", "could not"];
        self.until("the end of the connection in the log", async || {
            // Of the newest few: a straggler may have a last word after the end.
            let request = json!({ "view": { "server": id, "kind": "mark" }, "first": i64::MAX, "count": 8 });
            let page = self.ask("query_log", request).await;
            let marks = page["rows"].as_array()?;
            let newest = &marks.last()?["connection"];
            let ends = |mark: &&Value| {
                let told = mark["target"].as_str().unwrap_or_default();
                mark["connection"] == *newest && LAST_WORDS.iter().any(|words| told.starts_with(words))
            };
            marks.iter().find(ends)?;
            let exchanges = self.rows(json!({ "server": id, "kind": "exchange" })).await;
            exchanges.iter().all(|row| row["status"] != "pending").then_some(())
        })
        .await;
    }

    pub async fn start_call(&self, server: &str, tool: &str, arguments: Value) -> Value {
        let request = json!({ "server": server, "tool": tool, "arguments": arguments.to_string() });
        self.ask("call_tool", request).await
    }

    /// Calls a tool and waits for the end of the call.
    pub async fn run_tool(&self, server: &str, tool: &str, arguments: Value) -> Value {
        let call = self.start_call(server, tool, arguments).await;
        self.until_ended(&call).await
    }

    pub async fn until_ended(&self, call: &Value) -> Value {
        self.until("the call to end", async || {
            let call = self.ask("read_call", json!({ "call": call["id"] })).await;
            (call["status"] != "running").then_some(call)
        })
        .await
    }

    /// Every row of a view, oldest first.
    pub async fn rows(&self, view: Value) -> Vec<Value> {
        let mut rows = Vec::new();
        loop {
            let request = json!({ "view": view, "first": rows.len(), "count": 500 });
            let page = self.ask("query_log", request).await;
            let total = page["total"].as_u64().expect("a total is a number") as usize;
            // A page never runs over the end, so the last one may begin among the rows we have.
            let first = page["first"].as_u64().expect("a place is a number") as usize;
            let new = page["rows"].as_array().expect("a page has rows").iter().skip(rows.len() - first);
            rows.extend(new.cloned());
            if rows.len() >= total {
                return rows;
            }
        }
    }

    /// Waits until a row of the view is as `wanted` says; gives it.
    pub async fn until_row(&self, what: &str, view: Value, wanted: impl Fn(&Value) -> bool) -> Value {
        self.until(what, async || self.rows(view.clone()).await.into_iter().find(|row| wanted(row))).await
    }

    /// A row with its frames.
    pub async fn row(&self, row: &Value) -> Value {
        self.ask("read_row", json!({ "seq": row["seq"] })).await
    }

    /// The JSON of a row's frame.
    pub async fn frame(&self, row: &Value, index: usize) -> Value {
        let detail = self.row(row).await;
        let text = detail["frames"][index]["text"].as_str().expect("the frame is text").to_owned();
        serde_json::from_str(&text).expect("the frame is JSON")
    }

    pub async fn close(self) {
        within(LIMIT, "closing the app", self.app.close()).await;
    }
}
