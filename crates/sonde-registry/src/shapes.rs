//! How other clients write a server down: each shape into an entry of ours, and an entry of ours into each shape.
//!
//! References like `${TOKEN}` are never filled in on the way, only spelled as the other side spells them. A key that
//! nobody here knows stays in the entry, so that it is still there when the entry goes back.

mod codex;
mod goose;
mod habits;
mod inward;
mod lists;
mod notices;
mod outward;
mod references;
mod roots;
mod same;

use std::path::Path;

use crate::definition::Definition;
use crate::file::{EntryError, Severity};
use crate::language::{self, Document, Language, Node};
use crate::text;

pub use notices::{Notice, NoticeKind};
pub use same::same;

/// The shape of one client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Our own.
    Sonde,
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    VsCode,
    CopilotCli,
    Windsurf,
    Cline,
    RooCode,
    Zed,
    Continue,
    Codex,
    Gemini,
    LmStudio,
    Goose,
    AmazonQ,
    Kiro,
    OpenCode,
    Amp,
    Antigravity,
    Vibe,
    /// `mcpServers`, or the servers by themselves, as many others have it.
    Plain,
}

impl Shape {
    /// Those that are known well enough to be written, our own first.
    pub fn sure() -> impl Iterator<Item = Shape> {
        habits::SURE.iter().copied()
    }

    pub fn named(id: &str) -> Option<Shape> {
        Shape::sure().find(|shape| shape.id() == id || shape.name().eq_ignore_ascii_case(id))
    }

    /// How it is named on a command line.
    pub fn id(self) -> &'static str {
        self.habits().id
    }

    pub fn name(self) -> &'static str {
        self.habits().name
    }

    pub fn language(self) -> Language {
        self.habits().language
    }

    /// What the client calls the file.
    pub fn file_name(self) -> &'static str {
        self.habits().file_name
    }

    /// Writes servers down as the client would.
    pub fn write(self, definitions: &[Definition]) -> Written {
        outward::write(self, definitions)
    }
}

/// Servers as another client would have written them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    pub notices: Vec<Notice>,
}

/// What a text of another client says.
#[derive(Debug)]
pub struct Reading {
    pub shape: Shape,
    /// At least one; a client may keep servers of several projects in one file.
    pub sections: Vec<Section>,
}

#[derive(Debug, Default)]
pub struct Section {
    /// The folder of the project that the servers are for; none for all projects.
    pub project: Option<String>,
    pub definitions: Vec<Definition>,
    pub problems: Vec<Oddity>,
}

/// What can't be used in a text of another client, or is odd about what can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", .server.as_ref().map(|server| format!("server `{server}`: ")).unwrap_or_default())]
pub struct Oddity {
    pub severity: Severity,
    pub server: Option<String>,
    /// Counted from 1; 0 where there is none.
    pub line: u32,
    pub problem: String,
}

/// Reads a text that somebody pasted or dropped. Its file's name says what it is written in, else its beginning does.
pub fn read_text(text: &str, file_name: Option<&str>) -> Result<Reading, EntryError> {
    let text = unfenced(text);
    let by_name = file_name.and_then(|name| Language::of_path(Path::new(name)));
    let language = by_name.unwrap_or_else(|| Language::guess(text));
    let document = match Document::parse_foreign(text, language) {
        // What people copy from a page is often the inside of an object.
        Err(error) if language == Language::Json && text.trim_start().starts_with('"') => {
            Document::parse_foreign(&format!("{{{text}\n}}"), language).map_err(|_| error)
        }
        read => read,
    };
    let document = document.map_err(|error| EntryError::Syntax(Box::new(error)))?;
    let stem = file_name.and_then(|name| Path::new(name).file_stem()?.to_str());
    read_any(&document.root, stem.unwrap_or("pasted")).map_err(|odd| EntryError::Invalid(odd.problem))
}

/// What stands between the fences of a page or a chat, as ```` ```json ````; the text itself where there are none. Lines are
/// then counted from the first fence on.
fn unfenced(text: &str) -> &str {
    let is_fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let bare = text.trim_start_matches('\u{feff}').trim_start();
    if !bare.lines().next().is_some_and(is_fence) {
        return text;
    }
    let inner = bare.split_once('\n').map_or("", |(_, inner)| inner);
    let mut length = 0;
    for line in inner.split_inclusive('\n') {
        if is_fence(line) {
            break;
        }
        length += line.len();
    }
    inner.get(..length).unwrap_or(inner)
}

/// Reads the file of a client, at most 64 MiB of it. None where there is no such file.
pub fn read_file(shape: Shape, path: &Path) -> Result<Option<Reading>, EntryError> {
    let Some(text) = text::read(path, language::LARGEST_FOREIGN)? else { return Ok(None) };
    let language = Language::of_path(path).unwrap_or_else(|| shape.language());
    match text.trim().is_empty() {
        // As good as none, but there.
        true => Ok(Some(Reading { shape, sections: vec![Section::default()] })),
        false => match Document::parse_foreign(&text, language) {
            Ok(document) => Ok(Some(read_as(shape, &document.root))),
            Err(error) => Err(EntryError::Syntax(Box::new(error))),
        },
    }
}

/// Reads any file as if it had been pasted. None where there is no such file.
pub fn read_path(path: &Path) -> Result<Option<Reading>, EntryError> {
    let Some(text) = text::read(path, language::LARGEST_FOREIGN)? else { return Ok(None) };
    read_text(&text, path.file_name().and_then(|name| name.to_str())).map(Some)
}

/// Reads the file of a client. A file that has no servers in it is a reading without servers.
fn read_as(shape: Shape, root: &Node) -> Reading {
    roots::of_client(shape, root)
}

/// Reads a text that nobody has named, by its keys. `name` is for a server that stands there without one.
fn read_any(root: &Node, name: &str) -> Result<Reading, Oddity> {
    roots::of_anybody(root, name)
}
