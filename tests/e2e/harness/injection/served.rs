//! The messages of a hostile server, each in a file of its own, as `fixtures/injection/server.sh` serves them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::instances::{Definitions, Fields, merged};
use super::payloads::{Payload, joined};

/// Each list with the method that asks for it and the member that holds its entries.
const LISTS: [(&str, &str, &str); 5] = [
    ("ListToolsResult", "tools-list", "tools"),
    ("ListResourcesResult", "resources-list", "resources"),
    ("ListResourceTemplatesResult", "templates-list", "resourceTemplates"),
    ("ListPromptsResult", "prompts-list", "prompts"),
    ("ListTasksResult", "tasks-list", "tasks"),
];

/// Results that are given one after the other, a payload each.
const RESULTS: [(&str, &str); 9] = [
    ("CallToolResult", "tools-call"),
    ("ReadResourceResult", "resources-read"),
    ("GetPromptResult", "prompts-get"),
    ("GetTaskResult", "tasks-get"),
    ("GetTaskResult", "tasks-working"),
    ("GetTaskPayloadResult", "tasks-result"),
    ("CancelTaskResult", "tasks-cancel"),
    ("CreateTaskResult", "tasks-create"),
    ("Result", "done"),
];

const LIST_CHANGED: &str = "ListChangedNotification";

/// Fields that hold what we said, so that the server is understood.
const OURS: [&str; 4] = [
    "InitializeResult.protocolVersion",
    "ProgressNotification.params.progressToken",
    "JSONRPCErrorResponse.id",
    "URLElicitationRequiredError.id",
];

/// Writes everything down, and says which fields hold a payload and how many times one of them holds one.
pub(super) fn write(folder: &Path, definitions: &Definitions, payloads: &[Payload]) -> Result<(Fields, usize)> {
    let mut served = Served { folder, definitions, payloads, fields: Fields::new(), placed: 0 };
    for union in ["ServerResult", "ServerNotification", "ServerRequest"] {
        ensure!(!definitions.members(union).is_empty(), "the schema has no `{union}`");
    }
    for result in definitions.members("ServerResult") {
        let mut known = LISTS.iter().map(|(name, ..)| name).chain(RESULTS.iter().map(|(name, _)| name));
        let known =
            ["InitializeResult", "CompleteResult"].contains(&result.as_str()) || known.any(|name| *name == result);
        ensure!(known, "nothing asks for `{result}`");
    }
    served.put("many", &payloads.len().to_string())?;
    served.handshakes()?;
    for (definition, method, entries) in LISTS {
        served.list(definition, method, entries)?;
    }
    for (definition, method) in RESULTS {
        served.results(definition, method)?;
    }
    served.completions()?;
    served.changes()?;
    served.errors()?;
    served.ahead()?;
    served.fields.retain(|field| !OURS.contains(&field.as_str()));
    Ok((served.fields, served.placed))
}

struct Served<'a> {
    folder: &'a Path,
    definitions: &'a Definitions,
    payloads: &'a [Payload],
    fields: Fields,
    placed: usize,
}

impl Served<'_> {
    fn put(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().context("a file stands in a folder")?)?;
        Ok(fs::write(path, text)?)
    }

    fn put_json(&mut self, name: &str, value: &Value) -> Result<()> {
        self.placed += self.held(value);
        self.put(name, &value.to_string())
    }

    fn put_lines(&mut self, name: &str, lines: &[Value]) -> Result<()> {
        self.placed += lines.iter().map(|line| self.held(line)).sum::<usize>();
        let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
        self.put(name, &lines.concat())
    }

    /// How often a payload stands in a string of it, names of members included.
    fn held(&self, value: &Value) -> usize {
        let text = |text: &str| self.payloads.iter().filter(|payload| payload.is_in(text)).count();
        match value {
            Value::String(string) => text(string),
            Value::Array(items) => items.iter().map(|item| self.held(item)).sum(),
            Value::Object(members) => members.iter().map(|(name, value)| text(name) + self.held(value)).sum(),
            _ => 0,
        }
    }

    fn instances(&mut self, definition: &str, turn: usize) -> Vec<Value> {
        self.definitions.instances(definition, &self.payloads[turn].text, turn, &mut self.fields)
    }

    fn instance(&mut self, definition: &str, turn: usize) -> Result<Value> {
        let mut instances = self.instances(definition, turn);
        ensure!(!instances.is_empty(), "the schema has no `{definition}`");
        Ok(instances.swap_remove(turn % instances.len()))
    }

    /// One instance that holds every payload wherever there is room for more than one.
    fn of_all(&mut self, definition: &str) -> Value {
        let all: Vec<_> = (0..self.payloads.len()).flat_map(|turn| self.instances(definition, turn)).collect();
        merged(all)
    }

    /// A list with an entry for each payload, how it is later, and its last page.
    fn list(&mut self, definition: &str, method: &str, entries: &str) -> Result<()> {
        let mut page = self.of_all(definition);
        match entries {
            // The one that can be filled in: what is no template has no variables.
            "resourceTemplates" => {
                let plain = json!({ "name": "injection", "uriTemplate": "injection://{first}/{second}" });
                page[entries].as_array_mut().context("a list has entries")?.push(plain);
            }
            // Only what goes on can be cancelled.
            "tasks" => each(&mut page[entries], |task| task["status"] = "working".into()),
            "tools" => each(&mut page[entries], |tool| tool["execution"]["taskSupport"] = "forbidden".into()),
            _ => {}
        }
        self.put_json(&format!("{method}-first"), &page)?;
        if entries == "tools" {
            each(&mut page[entries], |tool| {
                tool["execution"]["taskSupport"] = "required".into();
                tool["description"] = format!("{0} {0}", tool["description"].as_str().unwrap_or_default()).into();
            });
        }
        self.put_json(&format!("{method}-changed"), &page)?;
        self.put_json(&format!("{method}-last"), &json!({ entries: [] }))
    }

    fn results(&mut self, definition: &str, method: &str) -> Result<()> {
        for turn in 0..self.payloads.len() {
            let mut result = self.instance(definition, turn)?;
            match method {
                "tools-call" => result["isError"] = (turn % 2 == 0).into(),
                "tasks-create" => under_way(&mut result["task"]),
                "tasks-working" => under_way(&mut result),
                "tasks-get" => result["status"] = "completed".into(),
                // What a task of a tool comes to is what the tool came to.
                "tasks-result" => result = merged([self.instance("CallToolResult", turn)?, result]),
                _ => {}
            }
            self.put_json(&format!("{method}/{turn}"), &result)?;
        }
        Ok(())
    }

    /// One for each life of the server. A life takes its time, so a few have to do for all payloads.
    fn handshakes(&mut self) -> Result<()> {
        let texts = joined(self.payloads);
        self.put("lives", &texts.len().to_string())?;
        for (life, text) in texts.iter().enumerate() {
            let mut results = self.definitions.instances("InitializeResult", text, life, &mut self.fields);
            let mut result = results.pop().context("the schema has no `InitializeResult`")?;
            result["protocolVersion"] = "2025-11-25".into();
            self.put_json(&format!("initialize/{life}"), &result)?;
        }
        Ok(())
    }

    /// What is proposed for a field, all payloads at once.
    fn completions(&mut self) -> Result<()> {
        let all = self.of_all("CompleteResult");
        self.put_json("complete", &all)
    }

    /// After each of these a whole list is asked for again, so one says what all would.
    fn changes(&mut self) -> Result<()> {
        let mut lines = Vec::new();
        for definition in self.definitions.members("ServerNotification") {
            if definition.ends_with(LIST_CHANGED) {
                lines.push(self.of_all(&definition));
            }
        }
        self.put_lines("changes", &lines)
    }

    fn errors(&mut self) -> Result<()> {
        for turn in 0..self.payloads.len() {
            for (definition, name) in [("JSONRPCErrorResponse", "error"), ("URLElicitationRequiredError", "url-error")]
            {
                let mut response = self.instance(definition, turn)?;
                self.put_json(&format!("{name}/{turn}"), &response["error"].take())?;
            }
        }
        Ok(())
    }

    /// What the server says and asks before it answers a call, and what it prints beside the protocol.
    fn ahead(&mut self) -> Result<()> {
        // A conversation is long, and a person has to dismiss each.
        let few = joined(self.payloads);
        for turn in 0..self.payloads.len() {
            let payload = &self.payloads[turn].text;
            let mut lines = Vec::new();
            for definition in self.definitions.members("ServerNotification") {
                if !definition.ends_with(LIST_CHANGED) {
                    lines.extend(self.instances(&definition, turn));
                }
            }
            lines.extend(self.instances("JSONRPCNotification", turn));
            for line in lines.iter_mut().filter(|line| line["method"] == "notifications/progress") {
                // The server puts the one in that it was given.
                line["params"]["progressToken"] = "TOKEN".into();
                self.put(&format!("progress/{turn}"), &format!("{line}\n"))?;
            }
            let told = lines.len();
            for definition in self.definitions.members("ServerRequest") {
                match (definition.as_str(), few.get(turn)) {
                    ("CreateMessageRequest", None) => {}
                    ("CreateMessageRequest", Some(text)) => {
                        lines.extend(self.definitions.instances(&definition, text, turn, &mut self.fields));
                    }
                    _ => lines.extend(self.instances(&definition, turn)),
                }
            }
            lines.extend(self.instances("JSONRPCRequest", turn));
            for (place, line) in lines.iter_mut().enumerate().skip(told) {
                // No two that are open at once may have the same, and the server has to know which call it is for.
                line["id"] = format!("{turn}:{place} {payload}").into();
                if let Some(params) = line["params"].as_object_mut() {
                    // As a task it would be over after the millisecond that every number is.
                    params.remove("task");
                }
                if let Some(messages) = line["params"]["messages"].as_array_mut() {
                    *messages = messages.drain(..).flat_map(apart).collect();
                }
            }
            self.put(&format!("owed/{turn}"), &(lines.len() - told).to_string())?;
            self.put_lines(&format!("ahead/{turn}"), &lines)?;
            self.put(&format!("noise/{turn}"), &format!("{payload}\n"))?;
        }
        Ok(())
    }
}

/// So that dozens of tasks at once are not asked after all the time.
fn under_way(task: &mut Value) {
    task["status"] = "working".into();
    task["pollInterval"] = 1000.into();
}

/// A person is not asked about a conversation in which the result of a tool stands beside anything else.
fn apart(message: Value) -> Vec<Value> {
    let Some(blocks) = message["content"].as_array() else { return vec![message] };
    let (results, others): (Vec<_>, Vec<_>) = blocks.iter().cloned().partition(|block| block["type"] == "tool_result");
    let with = |content: Vec<Value>| {
        let mut message = message.clone();
        message["content"] = content.into();
        message
    };
    vec![with(others), with(results)]
}

fn each(entries: &mut Value, mut change: impl FnMut(&mut Value)) {
    entries.as_array_mut().into_iter().flatten().for_each(&mut change);
}
