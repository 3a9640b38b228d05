//! What was said on one connection, judged by a table of its own: the program's must not judge itself.

use serde_json::Value;

/// The messages of one connection in the order of their rows.
pub struct Conversation {
    messages: Vec<(Side, Value)>,
    pub revision: String,
    client: Value,
    server: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Client,
    Server,
}

/// Fails if we sent what was not agreed on, were asked what we did not offer, or were found at fault.
pub fn judge(rows: &[Value]) {
    let mut connections: Vec<i64> = rows.iter().filter_map(|row| row["connection"].as_i64()).collect();
    connections.sort_unstable();
    connections.dedup();
    for connection in connections {
        let rows: Vec<&Value> = rows.iter().filter(|row| row["connection"] == connection).collect();
        Conversation::of(&rows).judge();
    }
    for row in rows {
        let is_ours = row["dir"] == "out" || row["kind"] == "exchange";
        let findings = row["findings"].as_array().expect("a row has findings");
        assert!(!is_ours || findings.is_empty(), "what we send is without fault: {row}");
        assert_ne!(row["kind"], "unparsable", "a good server writes messages alone: {row}");
    }
}

impl Conversation {
    pub fn of(rows: &[&Value]) -> Self {
        let frames = rows.iter().filter(|row| !["stderr", "mark", "http"].iter().any(|kind| row["kind"] == *kind));
        let messages: Vec<(Side, Value)> = frames
            .flat_map(|row| row["frames"].as_array().expect("a row has frames"))
            .map(|frame| {
                let side = if frame["dir"] == "out" { Side::Client } else { Side::Server };
                let text = frame["text"].as_str().expect("a message is text");
                (side, serde_json::from_str(text).expect("a message is JSON"))
            })
            .collect();
        let request = messages.iter().find(|(_, message)| message["method"] == "initialize");
        let (_, request) = request.expect("a connection begins with `initialize`");
        let answer = messages.iter().find(|(side, message)| *side == Side::Server && message["id"] == request["id"]);
        let (_, answer) = answer.expect("it is answered");
        let revision = answer["result"]["protocolVersion"].as_str().expect("the answer names a revision").to_owned();
        let client = request["params"]["capabilities"].clone();
        let server = answer["result"]["capabilities"].clone();
        Conversation { messages, revision, client, server }
    }

    pub fn client_capabilities(&self) -> &Value {
        &self.client
    }

    /// Requests and notifications of one side.
    pub fn of_side(&self, side: Side) -> impl Iterator<Item = (&str, &Value)> {
        let ours = self.messages.iter().filter(move |(who, _)| *who == side);
        ours.filter_map(|(_, message)| Some((message["method"].as_str()?, message)))
    }

    fn judge(&self) {
        for side in [Side::Client, Side::Server] {
            for (method, message) in self.of_side(side) {
                self.judge_one(side, method, message);
            }
        }
    }

    fn judge_one(&self, side: Side, method: &str, message: &Value) {
        let declares = |who: Side, path: &str| {
            let capabilities = if who == Side::Client { &self.client } else { &self.server };
            !matches!(capabilities.pointer(path), None | Some(Value::Null | Value::Bool(false)))
        };
        let other = if side == Side::Client { Side::Server } else { Side::Client };
        // What the message needs: that this side declared this, from this revision on.
        let needs: &[(Side, &str)] = match method {
            "resources/subscribe" | "resources/unsubscribe" => &[(Side::Server, "/resources/subscribe")],
            "completion/complete" if self.revision.as_str() < "2025-03-26" => &[],
            "completion/complete" => &[(Side::Server, "/completions")],
            "logging/setLevel" => &[(Side::Server, "/logging")],
            "sampling/createMessage" => &[(Side::Client, "/sampling")],
            "elicitation/create" if message["params"]["mode"] == "url" => &[(Side::Client, "/elicitation/url")],
            "elicitation/create" => &[(Side::Client, "/elicitation")],
            "roots/list" => &[(Side::Client, "/roots")],
            "notifications/roots/list_changed" => &[(Side::Client, "/roots/listChanged")],
            "tasks/list" => &[(other, "/tasks/list")],
            "tasks/cancel" => &[(other, "/tasks/cancel")],
            "tasks/get" | "tasks/result" => &[(other, "/tasks")],
            _ if method.starts_with("tools/") => &[(Side::Server, "/tools")],
            _ if method.starts_with("resources/") => &[(Side::Server, "/resources")],
            _ if method.starts_with("prompts/") => &[(Side::Server, "/prompts")],
            _ => &[],
        };
        for (who, path) in needs {
            assert!(declares(*who, path), "{who:?} did not declare {path}, and {side:?} sent {message}");
        }
        if method.starts_with("tasks/") || message["params"]["task"].is_object() {
            assert_eq!(self.revision, "2025-11-25", "an older revision has no tasks: {message}");
        }
        if message["params"]["task"].is_object() {
            let path = format!("/tasks/requests/{method}");
            assert!(declares(other, &path), "{other:?} did not declare {path}, and {side:?} sent {message}");
        }
    }
}
