//! Where the servers stand in a text, and which client writes it so.

use super::{Oddity, Reading, Section, Shape, inward};
use crate::definition::Definition;
use crate::expand::Reference;
use crate::file::Severity;
use crate::language::{Node, Object, Value};

/// Bytes of the longest name that is taken. A long one still gets a short id, but it is shown, too.
const LONGEST_NAME: usize = 16 << 10;

/// Projects of one file that are looked at. Somebody has visited very many.
const MOST_PROJECTS: usize = 512;

/// Keys by which a server is known to be one.
const REACHES: [&str; 6] = ["command", "cmd", "url", "serverUrl", "httpUrl", "uri"];

pub(super) fn of_client(shape: Shape, root: &Node) -> Reading {
    let Value::Object(file) = &root.value else {
        let problem = whole(root.line, "it is no object, so there can be no servers in it".to_owned());
        return Reading { shape, sections: vec![Section { problems: vec![problem], ..Section::default() }] };
    };
    let found = shape.habits().roots.iter().find_map(|key| Some((*key, file.get(key)?)));
    let (shape, first) = match found {
        Some((key, servers)) => {
            (as_written(shape, key, servers), section(as_written(shape, key, servers), key, servers))
        }
        None => match (shape, older_continue(file)) {
            (Shape::Continue, Some(servers)) => (shape, section(shape, "modelContextProtocolServers", servers)),
            _ => (shape, Section::default()),
        },
    };
    let mut sections = vec![first];
    if shape == Shape::ClaudeCode {
        sections.extend(projects(file));
    }
    if let Some(inputs) = file.get("inputs").and_then(|node| node.value.as_list()) {
        sections.iter_mut().flat_map(|section| &mut section.definitions).for_each(|one| keep_inputs(one, inputs));
    }
    Reading { shape, sections }
}

pub(super) fn of_anybody(root: &Node, name: &str) -> Result<Reading, Oddity> {
    let Value::Object(file) = &root.value else {
        return Err(whole(root.line, "it is no object; servers stand in one, as in `{\"mcpServers\": {}}`".to_owned()));
    };
    if let Some(shape) = shape_of(file) {
        return Ok(of_client(shape, root));
    }
    // Our own list in YAML, and how VS Code had it among its settings.
    let inner = file.get("mcp");
    if let Some(servers) = inner.and_then(|node| node.value.as_object()?.get("servers")) {
        let shape = if servers.value.as_list().is_some() { Shape::Sonde } else { Shape::VsCode };
        return Ok(of_client(shape, inner.unwrap_or(root)));
    }
    let is_server = |object: &Object| REACHES.iter().any(|key| object.has(key));
    let is_map = |object: &Object| {
        !object.is_empty() && object.iter().all(|member| member.node.value.as_object().is_some_and(is_server))
    };
    let section = if is_server(file) {
        let servers = Object::from_iter([(name, Value::Object(file.clone()))]);
        section(Shape::Plain, "", &Node { value: Value::Object(servers), line: root.line })
    } else if is_map(file) {
        section(Shape::Plain, "", root)
    } else {
        let known =
            "`mcpServers`, `servers`, `context_servers`, `mcp_servers`, `extensions`, `mcp` or `amp.mcpServers`";
        return Err(whole(root.line, format!("there are no servers in it; they stand under {known}")));
    };
    Ok(Reading { shape: Shape::Plain, sections: vec![section] })
}

/// Whose shape it is, by the keys.
fn shape_of(file: &Object) -> Option<Shape> {
    let is_list = |key: &str| file.get(key).is_some_and(|node| node.value.as_list().is_some());
    match file {
        _ if file.has("context_servers") => Some(Shape::Zed),
        _ if file.has("amp.mcpServers") => Some(Shape::Amp),
        _ if is_list("mcp_servers") => Some(Shape::Vibe),
        _ if file.has("mcp_servers") => Some(Shape::Codex),
        _ if is_list("mcpServers") => Some(Shape::Continue),
        _ if file.has("mcpServers") => Some(family(file)),
        _ if is_list("servers") => Some(Shape::Sonde),
        _ if file.has("servers") => Some(Shape::VsCode),
        _ if file.get("extensions").is_some_and(|node| node.value.as_object().is_some()) => Some(Shape::Goose),
        _ if file.get("mcp").is_some_and(|node| node.value.as_object().is_some_and(|mcp| !mcp.has("servers"))) => {
            Some(Shape::OpenCode)
        }
        _ if older_continue(file).is_some() => Some(Shape::Continue),
        _ if file.has("projects") => Some(Shape::ClaudeCode),
        _ => None,
    }
}

/// Which of the many that write `mcpServers`: by words that only one of them has.
fn family(file: &Object) -> Shape {
    let servers = file.get("mcpServers").and_then(|node| node.value.as_object());
    let entries: Vec<&Object> =
        servers.into_iter().flat_map(Object::iter).filter_map(|member| member.node.value.as_object()).collect();
    let has = |key: &str| entries.iter().any(|entry| entry.has(key));
    let is = |word: &str| {
        entries.iter().any(|entry| entry.get("type").is_some_and(|node| node.value.as_text() == Some(word)))
    };
    match file {
        _ if file.has("projects") => Shape::ClaudeCode,
        _ if file.has("useLegacyMcpJson") || file.has("allowedTools") => Shape::AmazonQ,
        _ if has("httpUrl") => Shape::Gemini,
        _ if has("serverUrl") => Shape::Windsurf,
        _ if has("sonde") => Shape::Sonde,
        _ if is("local") => Shape::CopilotCli,
        _ if is("streamableHttp") => Shape::Cline,
        _ if is("streamable-http") || has("alwaysAllow") => Shape::RooCode,
        _ if is("http") || is("sse") => Shape::ClaudeCode,
        _ => Shape::Plain,
    }
}

/// A list of Codex's name is Vibe's, and the other way round.
fn as_written(shape: Shape, key: &str, servers: &Node) -> Shape {
    match (key, &servers.value) {
        ("mcp_servers", Value::List(_)) => Shape::Vibe,
        ("mcp_servers", Value::Object(_)) => Shape::Codex,
        _ => shape,
    }
}

fn older_continue(file: &Object) -> Option<&Node> {
    file.get("experimental")?.value.as_object()?.get("modelContextProtocolServers")
}

/// The servers that Claude Code has for single projects.
fn projects(file: &Object) -> Vec<Section> {
    let projects = file.get("projects").and_then(|node| node.value.as_object());
    let own = projects.into_iter().flat_map(Object::iter).take(MOST_PROJECTS).filter_map(|project| {
        let servers = project.node.value.as_object()?.get("mcpServers")?;
        let section = section(Shape::ClaudeCode, "mcpServers", servers);
        let is_empty = section.definitions.is_empty() && section.problems.is_empty();
        (!is_empty).then(|| Section { project: Some(project.name.clone()), ..section })
    });
    own.collect()
}

fn section(shape: Shape, key: &str, servers: &Node) -> Section {
    let mut section = Section::default();
    match &servers.value {
        Value::Object(object) => {
            for member in object.iter() {
                match object.twice().iter().find(|twice| twice.name == member.name) {
                    Some(twice) => {
                        let problem =
                            format!("it is there twice: in line {} and in line {}", twice.first, twice.second);
                        section.refuse(&member.name, twice.second, problem);
                    }
                    None => section.take(shape, &member.name, member.line, &member.node),
                }
            }
        }
        Value::List(list) => {
            let name = |node: &'_ Node| {
                node.value.as_object().and_then(|entry| Some(entry.get("name")?.value.as_word()?.to_owned()))
            };
            let names: Vec<Option<String>> = list.iter().map(name).collect();
            for ((index, node), name) in (1..).zip(list).zip(&names) {
                match name.as_deref() {
                    Some(name) if names.iter().flatten().filter(|known| *known == name).count() > 1 => {
                        section.refuse(name, node.line, "it is there twice".to_owned());
                    }
                    Some(name) => section.take(shape, name, node.line, node),
                    // The older list of Continue has no names.
                    None if key == "modelContextProtocolServers" => {
                        section.take(shape, &format!("continue-{index}"), node.line, node);
                    }
                    None => section.problems.push(whole(node.line, format!("entry {index} has no `name`"))),
                }
            }
        }
        Value::Null => {}
        _ => section.problems.push(whole(servers.line, format!("`{key}` must be an object or a list of servers"))),
    }
    section
}

impl Section {
    fn take(&mut self, shape: Shape, name: &str, line: u32, node: &Node) {
        if name.len() > LONGEST_NAME {
            let shown: String = name.chars().take(40).collect();
            let problem = format!("its name has {} bytes; at most {LONGEST_NAME} can be used", name.len());
            return self.refuse(&format!("{shown}…"), line, problem);
        }
        let Value::Object(theirs) = &node.value else {
            return self.refuse(name, node.line, "it must be an object".to_owned());
        };
        let mut theirs = theirs.clone();
        if theirs.get("name").and_then(|node| node.value.as_text()) == Some(name) {
            theirs.take("name");
        }
        match inward::entry(shape, name, &theirs) {
            Ok(entry) => self.definitions.push(Definition { name: name.to_owned(), entry, line: Some(line) }),
            Err(refused) => self.problems.push(Oddity {
                severity: refused.severity,
                server: Some(name.to_owned()),
                line,
                problem: refused.why,
            }),
        }
    }

    fn refuse(&mut self, server: &str, line: u32, problem: String) {
        self.problems.push(Oddity { severity: Severity::Error, server: Some(server.to_owned()), line, problem });
    }
}

/// What a file asks a person for belongs to the servers that need it: they may go to different files.
fn keep_inputs(definition: &mut Definition, inputs: &[Node]) {
    let mut ids = Vec::new();
    definition.entry.each_text("", &mut |_, text| {
        ids.extend(Reference::all_in(text).iter().filter_map(|reference| match reference {
            Reference::Input(id) => Some((*id).to_owned()),
            _ => None,
        }));
    });
    let is_used = |node: &&Node| {
        let id = node.value.as_object().and_then(|input| input.get("id")?.value.as_text());
        id.is_some_and(|id| ids.iter().any(|used| used == id))
    };
    let used: Vec<Node> = inputs.iter().filter(is_used).cloned().collect();
    if !used.is_empty() {
        definition.entry.set("inputs", Value::List(used));
    }
}

fn whole(line: u32, problem: String) -> Oddity {
    Oddity { severity: Severity::Error, server: None, line, problem }
}
