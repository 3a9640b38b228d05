//! Text in JSON, YAML or TOML as one ordered tree with line numbers, and back.
//!
//! Comments, trailing commas and a byte order mark are tolerated in JSON, since other clients tolerate them. Nothing
//! here knows what a server is.

mod json;
mod render;
mod scalar;
mod syntax;
mod toml;
mod tree;
mod yaml;

use std::path::Path;

pub(crate) use json::TOLERATED;
pub(crate) use render::toml_table;
pub use syntax::{ContextLine, SyntaxError};
pub use tree::{Member, Node, Object, Twice, Value};

/// Bytes beyond which a text is no configuration of ours.
pub const LARGEST: u64 = 4 << 20;

/// The same for other clients, some of which keep a history beside their servers.
pub const LARGEST_FOREIGN: u64 = 64 << 20;

/// Objects and lists within each other. No configuration goes deeper.
pub const DEEPEST: usize = 64;

/// Values in one text, those that an alias of YAML repeats included.
pub const MOST_NODES: usize = 250_000;

/// The same for other clients.
pub const MOST_FOREIGN_NODES: usize = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// With comments and trailing commas.
    Json,
    Yaml,
    Toml,
}

/// A text that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub language: Language,
    pub root: Node,
}

impl Document {
    /// Total: whatever the text is, it is a document or a syntax error with a position.
    pub fn parse(text: &str, language: Language) -> Result<Self, SyntaxError> {
        Self::parse_within(text, language, LARGEST, MOST_NODES)
    }

    /// A text of another client. TOML is read only as far as one of ours: its reader bounds nothing itself, and no client
    /// keeps a history in it.
    pub fn parse_foreign(text: &str, language: Language) -> Result<Self, SyntaxError> {
        match language {
            Language::Json | Language::Yaml => Self::parse_within(text, language, LARGEST_FOREIGN, MOST_FOREIGN_NODES),
            Language::Toml => Self::parse(text, language),
        }
    }

    fn parse_within(text: &str, language: Language, largest: u64, most: usize) -> Result<Self, SyntaxError> {
        // Its lines are counted from the same place with and without it.
        let text = text.trim_start_matches('\u{feff}');
        if text.len() as u64 > largest {
            let problem = format!("the text has {} bytes; at most {largest} are read", text.len());
            return Err(SyntaxError::without_context(language, problem));
        }
        let root = match language {
            Language::Json => json::parse(text, most),
            Language::Yaml => yaml::parse(text, most),
            Language::Toml => toml::parse(text),
        }?;
        Ok(Document { language, root })
    }
}

impl Language {
    /// By the ending of the name.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" | "jsonc" | "json5" => Some(Language::Json),
            "yaml" | "yml" => Some(Language::Yaml),
            "toml" => Some(Language::Toml),
            _ => None,
        }
    }

    /// What a text without a name most likely is, by its first line that says anything.
    pub fn guess(text: &str) -> Self {
        let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
        let is_table = first.starts_with('[') && first.ends_with(']') && !first.contains(['{', ',']);
        // `["a"]` alone is a list of JSON; `[a]` and `["a".b]` are the heads of tables.
        let is_table = is_table && !(first.starts_with("[\"") && first.ends_with("\"]")) && first != "[]";
        let key = first.split(['=', ':']).next().unwrap_or_default();
        match first.chars().next() {
            _ if is_table => Language::Toml,
            Some('{' | '[' | '/' | '"') | None => Language::Json,
            Some(_) if first.len() > key.len() && first[key.len()..].starts_with('=') => Language::Toml,
            Some(_) => Language::Yaml,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Language::Json => "json",
            Language::Yaml => "yaml",
            Language::Toml => "toml",
        }
    }

    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Language::Json => "JSON",
            Language::Yaml => "YAML",
            Language::Toml => "TOML",
        }
    }

    /// An object as text, members in their order. TOML has no null: such a member is left out.
    pub fn render(self, object: &Object) -> String {
        match self {
            Language::Json => render::json(object),
            Language::Yaml => render::yaml(object),
            Language::Toml => render::toml(object),
        }
    }
}

/// Bytes of a file as text: UTF-8, or UTF-16 where a byte order mark says so, as some editors of Windows save it.
/// None where they are neither.
pub fn decode(bytes: Vec<u8>) -> Option<String> {
    let utf16 = |from: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.get(2..)?.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| from(*pair)).collect();
        rest.is_empty().then(|| String::from_utf16(&units).ok())?
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => utf16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf16(u16::from_be_bytes),
        _ => String::from_utf8(bytes).ok(),
    }
}
