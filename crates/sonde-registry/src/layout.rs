//! How a file of ours is laid out: where its entries stand, and what it says for all of them.

use std::collections::HashMap;

use crate::definition::Definition;
use crate::file::EntryError;
use crate::language::{Document, Member, Node, Object, Value};
use crate::quantity::parse_duration;
use crate::spec::Defaults;

/// Entries beyond which a file is no configuration.
pub(crate) const MOST_ENTRIES: usize = 10_000;

/// What is in a file.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Of all entries in their order, those that can't be used too.
    pub names: Vec<String>,
    pub definitions: Vec<Definition>,
    pub defaults: Defaults,
    /// What is odd about the file though it is used, and entries that can't be.
    pub problems: Vec<(Option<u32>, EntryError)>,
}

/// Where entries may stand, the way to each; the first that has anything in it is read.
const PLACES: [(&str, &[&str]); 4] = [
    ("mcpServers", &["mcpServers"]),
    ("mcp_servers", &["mcp_servers"]),
    ("servers", &["servers"]),
    ("mcp.servers", &["mcp", "servers"]),
];

/// What else may stand at the root of a file, for us or for another client.
const BESIDE: [&str; 4] = ["mcp", "connection_timeout", "inputs", "$schema"];

/// The way to the entries of a text, and what they stand in. None where there are none.
pub(crate) fn place(root: &Object) -> Option<(&'static [&'static str], &Node)> {
    let mut places = PLACES.iter().filter_map(|(_, way)| Some((*way, at(root, way)?)));
    places.find(|(_, node)| matches!(node.value, Value::Object(_) | Value::List(_)) && !is_empty(&node.value))
}

/// Refuses a text in which something else stands where entries would go.
pub(crate) fn is_free(root: &Object) -> Result<(), EntryError> {
    match root.get("mcpServers").map(|node| &node.value) {
        None | Some(Value::Null | Value::Object(_) | Value::List(_)) => Ok(()),
        Some(_) if place(root).is_some() => Ok(()),
        Some(_) => Err(EntryError::Invalid("`mcpServers` must be an object of servers".to_owned())),
    }
}

/// The name of an entry in a list.
pub(crate) fn listed_name(index: usize, node: &Node) -> String {
    let word = |name: &str| node.value.as_object()?.get(name)?.value.as_word().filter(|word| !word.is_empty());
    word("id").or_else(|| word("name")).map_or_else(|| format!("unnamed-{index}"), str::to_owned)
}

/// `mcpServers` if there is anything in it, else `servers`, else `mcp.servers`; each an object or a list.
pub(crate) fn read(document: &Document) -> Result<Listing, EntryError> {
    let Value::Object(root) = &document.root.value else {
        let what = match document.root.value {
            Value::List(_) => "a list",
            _ => "a single value",
        };
        return Err(EntryError::Invalid(format!("it is {what}, not an object")));
    };
    let mut listing = Listing::default();
    let mcp = match root.get("mcp").map(|node| &node.value) {
        Some(Value::Object(mcp)) => Some(mcp),
        Some(_) | None => None,
    };
    listing.defaults(root, mcp);
    let mut used = None;
    for (key, way) in PLACES {
        let Some(node) = at(root, way).filter(|node| !node.value.is_null()) else { continue };
        match (&node.value, used) {
            (Value::Object(_) | Value::List(_), Some(used)) if !is_empty(&node.value) => {
                listing.problems.push((Some(node.line), EntryError::Ignored { key, used }));
            }
            (Value::Object(object), None) if !object.is_empty() => {
                used = Some(key);
                listing.object(object)?;
            }
            (Value::List(list), None) if !list.is_empty() => {
                used = Some(key);
                listing.list(list)?;
            }
            (Value::Object(_) | Value::List(_), _) => {}
            (found, _) => {
                let problem = format!("it must be an object of servers, not `{}`", cut(&found.to_json()));
                listing.odd(node.line, key, problem);
            }
        }
    }
    let is_known = |name: &str| PLACES.iter().any(|(key, _)| *key == name) || BESIDE.contains(&name);
    if used.is_none()
        && let Some(stray) = root.iter().find(|member| !is_known(&member.name))
        && PLACES.iter().all(|(_, way)| at(root, way).is_none())
    {
        listing.problems.push((Some(stray.line), EntryError::NoServers { found: cut(&stray.name) }));
    }
    if let Some(twice) =
        root.twice().iter().find(|twice| ["mcpServers", "mcp_servers", "servers", "mcp"].contains(&&*twice.name))
    {
        let problem = format!("`{}` is there twice: in line {} and in line {}", twice.name, twice.first, twice.second);
        return Err(EntryError::Invalid(problem));
    }
    Ok(listing)
}

impl Listing {
    /// What is no such value is told, and everything else holds.
    fn defaults(&mut self, root: &Object, mcp: Option<&Object>) {
        if let Some(enabled) = mcp.and_then(|mcp| mcp.get("enabled")) {
            match &enabled.value {
                Value::Null | Value::Flag(true) => {}
                Value::Flag(false) => self.defaults.disabled = true,
                found => {
                    let off = ["no", "off", "false", "0"];
                    let word = found.as_word().unwrap_or_default();
                    self.defaults.disabled = off.iter().any(|off| word.eq_ignore_ascii_case(off));
                    let taken = if self.defaults.disabled { "false" } else { "true" };
                    let problem = format!("it must be true or false, and is taken as {taken}");
                    self.odd(enabled.line, "mcp.enabled", problem);
                }
            }
        }
        let own = mcp.and_then(|mcp| mcp.get("connection_timeout"));
        let Some(timeout) = own.or_else(|| root.get("connection_timeout")) else { return };
        self.defaults.connect_timeout = timeout.value.as_word().and_then(parse_duration);
        if self.defaults.connect_timeout.is_none() && !timeout.value.is_null() {
            let problem = "it must be a time like `500ms`, `30s` or `2m`".to_owned();
            self.odd(timeout.line, "connection_timeout", problem);
        }
    }

    fn odd(&mut self, line: u32, key: &'static str, problem: String) {
        self.problems.push((Some(line), EntryError::Key { key, problem }));
    }

    fn object(&mut self, object: &Object) -> Result<(), EntryError> {
        limited(object.len())?;
        for Member { name, line, node } in object.iter() {
            let twice = object.twice().iter().find(|twice| twice.name == *name);
            self.entry(name.clone(), *line, node, twice.map(|twice| twice.first));
        }
        Ok(())
    }

    fn list(&mut self, list: &[Node]) -> Result<(), EntryError> {
        limited(list.len())?;
        let names: Vec<String> = list.iter().enumerate().map(|(index, node)| listed_name(index, node)).collect();
        let mut lines: HashMap<&str, Vec<u32>> = HashMap::new();
        for (name, node) in names.iter().zip(list) {
            lines.entry(name).or_default().push(node.line);
        }
        for (name, node) in names.iter().zip(list) {
            match lines.get(name.as_str()).map(Vec::as_slice) {
                Some([first, second, ..]) => {
                    self.entry(name.clone(), *second, node, Some(*first));
                    // Told once.
                    lines.insert(name, Vec::new());
                }
                Some([_]) => self.entry(name.clone(), node.line, node, None),
                Some([]) | None => {}
            }
        }
        Ok(())
    }

    /// `twice` is the line of another entry of that name.
    fn entry(&mut self, name: String, line: u32, node: &Node, twice: Option<u32>) {
        self.names.push(name.clone());
        let problem = match (&node.value, twice) {
            (_, Some(first)) => EntryError::Twice { server: name, field: None, first, second: line },
            (Value::Object(entry), None) => {
                self.definitions.push(Definition { name, entry: entry.clone(), line: Some(line) });
                return;
            }
            (_, None) => EntryError::Entry { server: name, problem: "it must be an object".to_owned() },
        };
        self.problems.push((Some(line), problem));
    }
}

fn at<'a>(root: &'a Object, way: &[&str]) -> Option<&'a Node> {
    let (last, first) = way.split_last()?;
    let within = first.iter().try_fold(root, |object, name| object.get(name)?.value.as_object())?;
    within.get(last)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.is_empty(),
        Value::List(list) => list.is_empty(),
        _ => false,
    }
}

fn limited(entries: usize) -> Result<(), EntryError> {
    match entries > MOST_ENTRIES {
        true => Err(EntryError::Invalid(format!("it has {entries} servers; at most {MOST_ENTRIES} are read"))),
        false => Ok(()),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}
