//! An entry as it is written down, whatever it is written in.

use crate::expand::Reference;
use crate::language::{Member, Node, Object, Value};
use crate::remote::ADDRESSES;

/// A server as one entry says, its references not looked up and what means nothing to us kept.
///
/// The names are those of an entry of `mcpServers`. Where they come from another shape they are made canonical: `command`
/// (one string), `args`, `env`, `env_passthrough`, `cwd`, `envFile`, or `url`, `type` (`http` or `sse`, absent where
/// nobody said), `headers`; and `enabled`, `auto_start`, `timeout`, `http_max_retries`, `http_retry_backoff`,
/// `fail_if_no_tools`, `sonde`.
#[derive(Clone, Eq)]
pub struct Definition {
    /// As it is written: it may be empty, long, or have anything in it.
    pub name: String,
    pub entry: Object,
    /// Where its file has it.
    pub line: Option<u32>,
}

/// A reference that a person gives a value: `${input:…}` or `${secret:…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The way to the field, as in `env.API_KEY`.
    pub field: String,
    /// As it is written, as in `secret:API_KEY`.
    pub reference: String,
}

/// What a person is told who is asked for an input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputAbout {
    pub description: Option<String>,
    /// What is given by whoever has nothing else to say.
    pub default: Option<String>,
    /// What it may be, where it may not be anything.
    pub options: Vec<String>,
    /// Nobody should see it while it is typed.
    pub password: bool,
}

/// Options beyond which nobody chooses from a list.
const MOST_OPTIONS: usize = 200;

impl Definition {
    pub fn new(name: impl Into<String>, entry: Object) -> Self {
        Definition { name: name.into(), entry, line: None }
    }

    /// The inputs and secrets that it asks for, each with the first field that does.
    pub fn given(&self) -> Vec<Missing> {
        let mut found: Vec<Missing> = Vec::new();
        self.entry.each_text("", &mut |field, text| {
            for reference in Reference::all_in(text).into_iter().filter(Reference::is_given) {
                let reference = reference.to_string();
                if !found.iter().any(|missing| missing.reference == reference) {
                    found.push(Missing { field: field.to_owned(), reference });
                }
            }
        });
        found
    }

    /// What the configuration says about an input of that id, in the words of VS Code.
    pub fn input(&self, id: &str) -> InputAbout {
        let inputs = self.entry.get("inputs").and_then(|node| node.value.as_list()).unwrap_or_default();
        let mut inputs = inputs.iter().filter_map(|node| node.value.as_object());
        let Some(input) = inputs.find(|input| input.get("id").and_then(|node| node.value.as_text()) == Some(id)) else {
            return InputAbout::default();
        };
        let word = |name: &str| input.get(name).and_then(|node| node.value.as_word()).map(str::to_owned);
        let option = |node: &Node| match &node.value {
            Value::Object(option) => option.get("value").and_then(|node| node.value.as_word()).map(str::to_owned),
            value => value.as_word().map(str::to_owned),
        };
        let options = input.get("options").and_then(|node| node.value.as_list()).unwrap_or_default();
        InputAbout {
            description: word("description").filter(|text| !text.is_empty()),
            default: word("default"),
            options: options.iter().filter_map(option).take(MOST_OPTIONS).collect(),
            password: input.get("password").and_then(|node| node.value.as_flag()).unwrap_or(false),
        }
    }

    /// The same in canonical names, so that two ways to say one thing are equal and another client can be told.
    pub fn canonical(&self) -> Definition {
        let mut entry = self.entry.clone();
        entry.retain(|member| !member.node.value.is_null());
        if let Some(Value::List(words)) = entry.get("command").map(|node| node.value.clone()) {
            let mut words = words.into_iter();
            let program = words.next().map_or(Value::Null, |node| node.value);
            let rest = entry.get("args").and_then(|node| node.value.as_list()).unwrap_or_default();
            let args: Vec<_> = words.chain(rest.iter().cloned()).collect();
            entry.set("command", program);
            if !args.is_empty() {
                entry.set("args", Value::List(args));
            }
        }
        ADDRESSES.iter().for_each(|name| entry.rename(name, "url"));
        for (other, name) in [("workdir", "cwd"), ("transport", "type"), ("autoStart", "auto_start")] {
            entry.rename(other, name);
        }
        let kind = entry.get("type").and_then(|node| node.value.as_text()).map(str::to_owned);
        match kind.as_deref().map(crate::reach::Dialect::parse) {
            Some(Some(crate::reach::Dialect::Auto)) => drop(entry.take("type")),
            Some(Some(dialect)) => entry.set("type", dialect.as_str()),
            // `stdio` says no more than that there is a command.
            Some(None) if entry.has("command") => drop(entry.take("type")),
            Some(None) | None => {}
        }
        if let Some(disabled) = entry.take("disabled").and_then(|node| node.value.as_flag()) {
            let enabled = entry.get("enabled").and_then(|node| node.value.as_flag()).unwrap_or(true);
            entry.set("enabled", enabled && !disabled);
        }
        if entry.get("enabled").is_some_and(|node| node.value == Value::Flag(true)) {
            entry.take("enabled");
        }
        for name in ["id", "name"] {
            if entry.get(name).and_then(|node| node.value.as_text()) == Some(&self.name) {
                entry.take(name);
            }
        }
        Definition { name: self.name.clone(), entry, line: self.line }
    }

    /// The line of a field, by the way to it; that of the entry where it is not there.
    pub fn line_of(&self, field: &str) -> Option<u32> {
        line_within(&self.entry, field).or(self.line)
    }
}

/// Names may have dots in them, so each member is tried as the beginning of the way.
fn line_within(object: &Object, way: &str) -> Option<u32> {
    object.iter().find_map(|Member { name, line, node }| {
        let rest = way.strip_prefix(name.as_str())?;
        if rest.is_empty() {
            return (*line > 0).then_some(*line);
        }
        let deeper = line_within(node.value.as_object()?, rest.strip_prefix('.')?);
        deeper.or((*line > 0).then_some(*line))
    })
}

// Where it stands is no part of what it says.
impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.entry == other.entry
    }
}

impl std::fmt::Debug for Definition {
    /// Without values: some of them are secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fields: Vec<&str> = self.entry.names().collect();
        formatter.debug_struct("Definition").field("name", &self.name).field("fields", &fields).finish_non_exhaustive()
    }
}
