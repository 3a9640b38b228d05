//! Lists of tools, resources, templates, prompts and tasks: one entry in a line.

use serde_json::Value;
use serde_json::value::RawValue;
use sonde_app::full_name;

use super::content::{member, size};
use super::table::{Table, one_line};
use crate::console::Surface;

/// Under their full names, where those of several servers are listed.
pub fn tools(surface: Surface, entries: &[Box<RawValue>], of: Among<'_>) -> String {
    let mut table = Table::new(&["NAME", "HINTS", "DESCRIPTION"]);
    for tool in entries.iter().map(|entry| read(entry)) {
        table.add(vec![of.name(surface, &tool), hints(&tool), about(surface, &tool)]);
    }
    table.render(surface)
}

/// Each tool with its arguments under it.
pub fn tools_at_length(surface: Surface, entries: &[Box<RawValue>], of: Among<'_>) -> String {
    let parts = entries.iter().map(|entry| {
        let tool = read(entry);
        let head = [surface.bold(&of.name(surface, &tool)), surface.dim(&hints(&tool))];
        let head = head.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
        let mut table = Table::new(&["", "", ""]);
        for (argument, kind, description) in arguments(&tool) {
            let cells = [format!("  {argument}"), one_line(&kind), one_line(&description)];
            table.add(cells.iter().map(|cell| surface.line(cell).into_owned()).collect());
        }
        let about = about(surface, &tool);
        let about = if about.is_empty() { about } else { format!("  {about}\n") };
        format!("{head}\n{about}{}", table.render(surface))
    });
    parts.collect::<Vec<_>>().join("\n")
}

pub fn resources(surface: Surface, entries: &[Box<RawValue>], _of: Among<'_>) -> String {
    let mut table = Table::new(&["URI", "TYPE", "SIZE", "DESCRIPTION"]);
    for resource in entries.iter().map(|entry| read(entry)) {
        let bytes = resource.get("size").and_then(Value::as_u64).map(size).unwrap_or_default();
        table.add(vec![
            text(surface, &resource, "uri"),
            text(surface, &resource, "mimeType"),
            bytes,
            labelled(surface, &resource),
        ]);
    }
    table.render(surface)
}

pub fn templates(surface: Surface, entries: &[Box<RawValue>], _of: Among<'_>) -> String {
    let mut table = Table::new(&["TEMPLATE", "TYPE", "DESCRIPTION"]);
    for template in entries.iter().map(|entry| read(entry)) {
        let uri = text(surface, &template, "uriTemplate");
        table.add(vec![uri, text(surface, &template, "mimeType"), labelled(surface, &template)]);
    }
    table.render(surface)
}

pub fn prompts(surface: Surface, entries: &[Box<RawValue>], _of: Among<'_>) -> String {
    let mut table = Table::new(&["NAME", "ARGUMENTS", "DESCRIPTION"]);
    for prompt in entries.iter().map(|entry| read(entry)) {
        let arguments = prompt.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let arguments = arguments.map(|argument| {
            let name = member(argument, "name").unwrap_or("?");
            let required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
            if required { name.to_owned() } else { format!("[{name}]") }
        });
        let arguments = arguments.collect::<Vec<_>>().join(" ");
        table.add(vec![name(surface, &prompt), surface.line(&arguments).into_owned(), about(surface, &prompt)]);
    }
    table.render(surface)
}

pub fn tasks(surface: Surface, entries: &[Box<RawValue>]) -> String {
    let mut table = Table::new(&["TASK", "STATUS", "CREATED", "MESSAGE"]);
    for task in entries.iter().map(|entry| read(entry)) {
        let message = one_line(member(&task, "statusMessage").unwrap_or_default());
        let message = surface.line(&message).into_owned();
        let columns = ["taskId", "status", "createdAt"].map(|name| text(surface, &task, name));
        table.add(columns.into_iter().chain([message]).collect());
    }
    table.render(surface)
}

/// Whose entries are listed.
#[derive(Clone, Copy)]
pub enum Among<'a> {
    /// Of one server alone, so that its name need not be repeated.
    One,
    /// Of the server with this id, beside those of others.
    Several(&'a str),
}

impl Among<'_> {
    fn name(self, surface: Surface, tool: &Value) -> String {
        match (self, member(tool, "name")) {
            (Among::Several(server), Some(name)) => surface.line(&full_name(server, name)).into_owned(),
            (Among::One | Among::Several(_), _) => name(surface, tool),
        }
    }
}

/// An entry that is no object has no members; what is shown of it is that.
fn read(entry: &RawValue) -> Value {
    serde_json::from_str(entry.get()).unwrap_or(Value::Null)
}

fn text(surface: Surface, entry: &Value, name: &str) -> String {
    surface.line(member(entry, name).unwrap_or_default()).into_owned()
}

fn name(surface: Surface, entry: &Value) -> String {
    match member(entry, "name") {
        Some(name) => surface.line(name).into_owned(),
        None => "(no name)".to_owned(),
    }
}

/// The description, or else the title.
fn about(surface: Surface, entry: &Value) -> String {
    let words = member(entry, "description").or_else(|| member(entry, "title")).unwrap_or_default();
    surface.line(&one_line(words)).into_owned()
}

/// Title or name, then the description: what a URI alone does not say.
fn labelled(surface: Surface, entry: &Value) -> String {
    let label = member(entry, "title").or_else(|| member(entry, "name"));
    let words: Vec<String> = label.into_iter().chain(member(entry, "description")).map(one_line).collect();
    surface.line(&words.join(": ")).into_owned()
}

/// What the tool says of itself. Nobody has checked it.
fn hints(tool: &Value) -> String {
    let annotations = tool.get("annotations").unwrap_or(&Value::Null);
    let says = |name: &str| annotations.get(name).and_then(Value::as_bool);
    let mut words = Vec::new();
    match says("readOnlyHint") {
        Some(true) => words.push("read-only"),
        _ if says("destructiveHint") == Some(true) => words.push("destructive"),
        _ => {}
    }
    if says("openWorldHint") == Some(true) {
        words.push("open world");
    }
    match tool.get("execution").and_then(|execution| member(execution, "taskSupport")) {
        Some("required") => words.push("as a task only"),
        Some("optional") => words.push("may be a task"),
        _ => {}
    }
    words.join(", ")
}

/// Name, type and description of each argument.
fn arguments(tool: &Value) -> Vec<(String, String, String)> {
    let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .map(|(name, property)| {
            let kind = match property.get("type") {
                Some(Value::String(kind)) => kind.clone(),
                Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
                _ => "any".to_owned(),
            };
            let kind = if required.contains(&name.as_str()) { format!("{kind}, required") } else { kind };
            (name.clone(), kind, member(property, "description").unwrap_or_default().to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).expect("JSON")
    }

    #[test]
    fn every_entry_is_one_line_whatever_it_is() {
        let entries = [
            raw(r#"{"name":"echo","description":"Says\n it again","annotations":{"readOnlyHint":true}}"#),
            raw("7"),
            raw(r#"{"name":"x","description":7}"#),
        ];
        assert_eq!(
            tools(Surface::plain(None), &entries, Among::One),
            "echo       read-only  Says it again\n(no name)\nx\n"
        );
        let text = tools(Surface::plain(Some(80)), &entries, Among::One);
        assert_eq!(text.lines().next(), Some("NAME       HINTS      DESCRIPTION"), "a terminal has heads");
    }

    #[test]
    fn nothing_of_a_tool_reaches_a_terminal_raw() {
        let entries = [
            raw(
                r#"{"name":"a\u001b[2J","inputSchema":{"properties":{"b\u001b[2J":{"type":"\u001b[2J","description":"\u001b"}}}}"#,
            ),
            raw(
                r#"{"name":"c","description":"\u001b[2J","inputSchema":{"properties":{"d":{"type":["\u001b[2J","x"]}}}}"#,
            ),
        ];
        for text in [
            tools(Surface::plain(Some(80)), &entries, Among::One),
            tools_at_length(Surface::plain(Some(80)), &entries, Among::One),
        ] {
            assert!(!text.contains('\u{1b}'), "{text:?}");
            assert!(text.contains("\\u{1b}[2J"), "the codes are shown instead: {text}");
        }
    }

    #[test]
    fn optional_arguments_of_a_prompt_stand_in_brackets() {
        let entries = [raw(r#"{"name":"p","arguments":[{"name":"a","required":true},{"name":"b"}]}"#)];
        assert_eq!(prompts(Surface::plain(None), &entries, Among::One), "p  a [b]\n");
    }
}
