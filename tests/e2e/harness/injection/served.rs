//! The messages of a hostile server, each in a file of its own, as `fixtures/injection/server.sh` serves them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::instances::{Definitions, Tally, merged};
use super::payloads::Payload;

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
    ("InitializeResult", "initialize"),
    ("CallToolResult", "tools-call"),
    ("ReadResourceResult", "resources-read"),
    ("GetPromptResult", "prompts-get"),
    ("GetTaskResult", "tasks-get"),
    ("GetTaskPayloadResult", "tasks-result"),
    ("CancelTaskResult", "tasks-cancel"),
    ("CreateTaskResult", "tasks-create"),
    ("Result", "done"),
];

pub(super) fn write(folder: &Path, definitions: &Definitions, payloads: &[Payload]) -> Result<Tally> {
    let mut served = Served { folder, definitions, payloads, tally: Tally::default() };
    for union in ["ServerResult", "ServerNotification", "ServerRequest"] {
        ensure!(!definitions.members(union).is_empty(), "the schema has no `{union}`");
    }
    for result in definitions.members("ServerResult") {
        let mut known = LISTS.iter().map(|(name, ..)| name).chain(RESULTS.iter().map(|(name, _)| name));
        ensure!(result == "CompleteResult" || known.any(|name| *name == result), "nothing asks for `{result}`");
    }
    served.put("many", &payloads.len().to_string())?;
    for (definition, method, entries) in LISTS {
        served.list(definition, method, entries)?;
    }
    for (definition, method) in RESULTS {
        served.results(definition, method)?;
    }
    served.completions()?;
    served.errors()?;
    served.ahead()?;
    Ok(served.tally)
}

struct Served<'a> {
    folder: &'a Path,
    definitions: &'a Definitions,
    payloads: &'a [Payload],
    tally: Tally,
}

impl Served<'_> {
    fn put(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().context("a file stands in a folder")?)?;
        Ok(fs::write(path, text)?)
    }

    fn instances(&mut self, definition: &str, turn: usize) -> Vec<Value> {
        self.definitions.instances(definition, &self.payloads[turn].text, turn, &mut self.tally)
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
        self.put(&format!("{method}-first"), &page.to_string())?;
        if entries == "tools" {
            each(&mut page[entries], |tool| {
                tool["execution"]["taskSupport"] = "required".into();
                tool["annotations"]["openWorldHint"] = false.into();
            });
        }
        self.put(&format!("{method}-changed"), &page.to_string())?;
        self.put(&format!("{method}-last"), &json!({ entries: [] }).to_string())
    }

    fn results(&mut self, definition: &str, method: &str) -> Result<()> {
        for turn in 0..self.payloads.len() {
            let mut result = self.instance(definition, turn)?;
            match definition {
                "InitializeResult" => result["protocolVersion"] = "2025-11-25".into(),
                "CallToolResult" => result["isError"] = (turn % 2 == 0).into(),
                // Whoever follows a task asks until it is over.
                "GetTaskResult" => result["status"] = ["completed", "failed", "cancelled"][turn % 3].into(),
                "CreateTaskResult" => result["task"]["status"] = "working".into(),
                // What a task of a tool comes to is what the tool came to.
                "GetTaskPayloadResult" => result = merged([self.instance("CallToolResult", turn)?, result]),
                _ => {}
            }
            self.put(&format!("{method}/{turn}"), &result.to_string())?;
        }
        Ok(())
    }

    /// What is proposed for a field, all payloads at once.
    fn completions(&mut self) -> Result<()> {
        let all = self.of_all("CompleteResult");
        self.put("complete", &all.to_string())
    }

    fn errors(&mut self) -> Result<()> {
        for turn in 0..self.payloads.len() {
            for (definition, name) in [("JSONRPCErrorResponse", "error"), ("URLElicitationRequiredError", "url-error")]
            {
                let mut response = self.instance(definition, turn)?;
                self.put(&format!("{name}/{turn}"), &response["error"].take().to_string())?;
            }
        }
        Ok(())
    }

    /// What the server says and asks before it answers a call, and what it prints beside the protocol.
    fn ahead(&mut self) -> Result<()> {
        for turn in 0..self.payloads.len() {
            let payload = &self.payloads[turn].text;
            let mut lines = Vec::new();
            for definition in self.definitions.members("ServerNotification") {
                match (definition.ends_with("ListChangedNotification"), turn) {
                    (false, _) => lines.extend(self.instances(&definition, turn)),
                    // A whole list is asked for again after each, so one says what all would.
                    (true, 0) => lines.push(self.of_all(&definition)),
                    (true, _) => {}
                }
            }
            lines.extend(self.instances("JSONRPCNotification", turn));
            for line in lines.iter_mut().filter(|line| line["method"] == "notifications/progress") {
                // The server puts the one in that it was given.
                line["params"]["progressToken"] = "TOKEN".into();
            }
            let told = lines.len();
            for definition in self.definitions.members("ServerRequest") {
                lines.extend(self.instances(&definition, turn));
            }
            lines.extend(self.instances("JSONRPCRequest", turn));
            for (place, line) in lines.iter_mut().enumerate().skip(told) {
                // No two that are open at once may have the same.
                line["id"] = format!("{payload} {place}").into();
                if let Some(params) = line["params"].as_object_mut() {
                    // As a task it would be over after the millisecond that every number is.
                    params.remove("task");
                }
            }
            self.put("owed", &(lines.len() - told).to_string())?;
            let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
            self.put(&format!("ahead/{turn}"), &lines.concat())?;
            self.put(&format!("noise/{turn}"), &format!("{payload}\n"))?;
        }
        Ok(())
    }
}

fn each(entries: &mut Value, mut change: impl FnMut(&mut Value)) {
    entries.as_array_mut().into_iter().flatten().for_each(&mut change);
}
