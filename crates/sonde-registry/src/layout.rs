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

/// The way to the entries of a text, and what they stand in. None where there are none.
pub(crate) fn place(root: &Object) -> Option<(&'static [&'static str], &Node)> {
    let mut places = PLACES.iter().filter_map(|(_, way)| Some((*way, at(root, way)?)));
    places.find(|(_, node)| matches!(node.value, Value::Object(_) | Value::List(_)) && !is_empty(&node.value))
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
    listing.defaults(root, mcp)?;
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
                let problem = format!("`{key}` must be an object of servers, not `{}`", cut(&found.to_json()));
                return Err(EntryError::Invalid(problem));
            }
        }
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
    fn defaults(&mut self, root: &Object, mcp: Option<&Object>) -> Result<(), EntryError> {
        let enabled = mcp.and_then(|mcp| mcp.get("enabled")).map(|node| &node.value);
        self.defaults.disabled = match enabled {
            None | Some(Value::Null | Value::Flag(true)) => false,
            Some(Value::Flag(false)) => true,
            Some(_) => return Err(EntryError::Invalid("`mcp.enabled` must be true or false".to_owned())),
        };
        let own = mcp.and_then(|mcp| mcp.get("connection_timeout"));
        let Some(timeout) = own.or_else(|| root.get("connection_timeout")) else { return Ok(()) };
        let parsed = timeout.value.as_word().and_then(parse_duration);
        if parsed.is_none() && !timeout.value.is_null() {
            let problem = "`connection_timeout` must be a time like `500ms`, `30s` or `2m`".to_owned();
            return Err(EntryError::Invalid(problem));
        }
        self.defaults.connect_timeout = parsed;
        Ok(())
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
