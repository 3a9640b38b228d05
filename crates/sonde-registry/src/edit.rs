//! One entry of a file changed, and nothing else of it: comments, order and all that belongs to other clients stay.
//!
//! Whatever way a text was changed, it is read again before anybody gets it, and refused where it does not say exactly
//! what it should.

mod json;
mod toml;
mod yaml;

use std::path::{Path, PathBuf};

use crate::definition::Definition;
use crate::file::EntryError;
use crate::language::{self, Document, Language, Member, Node, Object, Value};
use crate::layout;
use crate::{private, text};

/// Under which name entries go where a file has none.
const NEW: &[&str] = &["mcpServers"];

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("`{}` can't be changed", path.display())]
    Unusable { path: PathBuf, source: EntryError },
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error("there is no server `{0}` in it")]
    Absent(String),
    #[error("this {} can't be changed without touching what else stands in it; change it by hand", .0.name())]
    Entangled(Language),
    #[error("`{}` was changed by somebody else at this moment; try again", .0.display())]
    Changed(PathBuf),
    #[error("`{}` can't be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The file itself, where its name was a link to it.
    pub path: PathBuf,
    /// It was not there before.
    pub created: bool,
    /// What it was before we first changed it.
    pub backup: Option<PathBuf>,
}

/// What stays beside a file that is changed for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backup {
    AsItWas,
    /// Nothing: it would have in clear what was just moved out of the file.
    None,
}

/// The text with this entry in it, in the place of the one of the same name or after all others.
pub fn put(text: &str, language: Language, definition: &Definition) -> Result<String, EditError> {
    let before = Text::parse(text, language)?;
    let mut wanted = before.definitions.clone();
    match wanted.iter_mut().find(|there| there.name == definition.name) {
        Some(there) => *there = definition.clone(),
        None => wanted.push(definition.clone()),
    }
    let changed = match language {
        Language::Json => json::put(&before, definition),
        Language::Yaml => yaml::put(&before, definition),
        Language::Toml => toml::put(&before, definition),
    };
    before.sound(changed, &wanted)
}

/// The text without the entry of that name.
pub fn remove(text: &str, language: Language, name: &str) -> Result<String, EditError> {
    let before = Text::parse(text, language)?;
    let mut wanted = before.definitions.clone();
    wanted.retain(|there| there.name != name);
    let changed = match (wanted.len() < before.definitions.len(), language) {
        // One that is no object, or is there twice, can be taken out as well, as long as it is the only one.
        (false, _) if before.place().is_none_or(|(_, node)| !before.names(node).iter().any(|there| there == name)) => {
            return Err(EditError::Absent(name.to_owned()));
        }
        (_, Language::Json) => json::remove(&before, name),
        (_, Language::Yaml) => yaml::remove(&before, name),
        (_, Language::Toml) => toml::remove(&before, name),
    };
    before.sound(changed, &wanted)
}

/// Puts an entry into a file. One that is not there is made, as JSON unless its name says otherwise.
pub fn put_into(path: &Path, definition: &Definition) -> Result<Edited, EditError> {
    change(path, Backup::AsItWas, |text, language| put(text, language, definition))
}

/// Takes entries out of a file and puts others into it: everything is done, or nothing.
pub fn exchange_in(
    path: &Path,
    removed: &[String],
    put_in: &[Definition],
    backup: Backup,
) -> Result<Edited, EditError> {
    change(path, backup, |text, language| {
        let text = removed.iter().try_fold(text.to_owned(), |text, name| remove(&text, language, name))?;
        put_in.iter().try_fold(text, |text, definition| put(&text, language, definition))
    })
}

/// Takes an entry out of a file.
pub fn remove_from(path: &Path, name: &str) -> Result<Edited, EditError> {
    change(path, Backup::AsItWas, |text, language| remove(text, language, name))
}

/// Where the copy of a file stands that was made before it was first changed.
pub fn backup_of(path: &Path) -> PathBuf {
    private::backup_of(path)
}

fn change(
    path: &Path,
    backup: Backup,
    edit: impl Fn(&str, Language) -> Result<String, EditError>,
) -> Result<Edited, EditError> {
    // Where the name is a link, the link stays and what it leads to is changed.
    let path = private::target(path);
    let read = || {
        let unusable = |source| EditError::Unusable { path: path.clone(), source };
        text::read(&path, language::LARGEST).map_err(unusable)
    };
    let language = Language::of_path(&path).unwrap_or(Language::Json);
    let before = read()?;
    let text = edit(before.as_deref().unwrap_or_default(), language).map_err(|error| match error {
        EditError::Entry(source) => EditError::Unusable { path: path.clone(), source },
        error => error,
    })?;
    if read()? != before {
        return Err(EditError::Changed(path));
    }
    let failed = |source| EditError::Write { path: path.clone(), source };
    let backup = match &before {
        Some(before) if backup == Backup::AsItWas && !is_ours(before, language) => {
            private::back_up(&path).map_err(failed)?
        }
        Some(_) | None => None,
    };
    private::replace(&path, text.as_bytes()).map_err(failed)?;
    Ok(Edited { created: before.is_none(), backup, path })
}

/// Whether a text is as we write one: then there is nothing in it that anybody could lose.
fn is_ours(text: &str, language: Language) -> bool {
    match Document::parse(text, language) {
        Ok(Document { root: Node { value: Value::Object(root), .. }, .. }) => language.render(&root) == text,
        Ok(_) | Err(_) => false,
    }
}

/// A text that is to be changed.
struct Text<'a> {
    language: Language,
    /// Without the mark at its beginning, which is kept.
    text: &'a str,
    mark: &'a str,
    root: Object,
    definitions: Vec<Definition>,
}

impl<'a> Text<'a> {
    /// Nothing at all is an object without members.
    fn parse(text: &'a str, language: Language) -> Result<Self, EntryError> {
        let bare = text.trim_start_matches('\u{feff}');
        let mark = text.get(..text.len() - bare.len()).unwrap_or_default();
        if bare.trim().is_empty() {
            let text = if language == Language::Json { "{}\n" } else { "" };
            return Ok(Text { language, text, mark, root: Object::default(), definitions: Vec::new() });
        }
        let document = Document::parse(bare, language).map_err(|error| EntryError::Syntax(Box::new(error)))?;
        let definitions = layout::read(&document)?.definitions;
        let Value::Object(root) = document.root.value else {
            return Err(EntryError::Invalid("it is not an object".to_owned()));
        };
        layout::is_free(&root)?;
        Ok(Text { language, text: bare, mark, root, definitions })
    }

    fn place(&self) -> Option<(&'static [&'static str], &Node)> {
        layout::place(&self.root)
    }

    /// The names of the entries in an object or a list, in their order.
    fn names(&self, place: &Node) -> Vec<String> {
        match &place.value {
            Value::Object(object) => object.names().map(str::to_owned).collect(),
            Value::List(list) => {
                list.iter().enumerate().map(|(index, node)| layout::listed_name(index, node)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The changed text, if it says what it should and nothing else has changed.
    fn sound(&self, changed: Option<String>, wanted: &[Definition]) -> Result<String, EditError> {
        let entangled = || EditError::Entangled(self.language);
        let changed = changed.ok_or_else(entangled)?;
        let after = Text::parse(&changed, self.language)?;
        let way = self.place().or_else(|| after.place()).map_or(NEW, |(way, _)| way);
        let same = |one: &Definition, other: &Definition| {
            one.name == other.name && is_alike(&Value::Object(unnamed(one)), &Value::Object(unnamed(other)))
        };
        let is_wanted = after.definitions.len() == wanted.len()
            && after.definitions.iter().zip(wanted).all(|(one, other)| same(one, other))
            && after.rest(way) == self.rest(way);
        match is_wanted {
            true => Ok(format!("{}{changed}", self.mark)),
            false => Err(entangled()),
        }
    }

    /// All but the entries.
    fn rest(&self, way: &[&str]) -> Object {
        let mut root = self.root.clone();
        match way {
            [only] => drop(root.take(only)),
            [first, last] => {
                if let Some(Value::Object(within)) = root.get_mut(first).map(|node| &mut node.value) {
                    within.take(last);
                }
            }
            _ => {}
        }
        root
    }
}

/// Whether both say the same. The order of members says nothing, and those that were there keep theirs.
fn is_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let has_alike =
                |member: &Member| other.get(&member.name).is_some_and(|node| is_alike(&member.node.value, &node.value));
            one.len() == other.len() && one.iter().all(has_alike)
        }
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_alike(&one.value, &other.value))
        }
        (one, other) => one == other,
    }
}

/// An entry without what only says how it is called in a list.
fn unnamed(definition: &Definition) -> Object {
    let mut entry = definition.entry.clone();
    entry.retain(|member| {
        !(["id", "name"].contains(&&*member.name) && member.node.value.as_word() == Some(&definition.name))
    });
    entry
}

/// An entry as it stands in a list: with its name.
fn named(definition: &Definition) -> Object {
    let entry = unnamed(definition);
    let name = ["id", "name"].into_iter().find(|key| definition.entry.has(key) && !entry.has(key)).unwrap_or("name");
    let mut named: Object = [(name, definition.name.as_str())].into_iter().collect();
    for member in entry.iter().filter(|member| member.name != name) {
        named.set(&member.name, member.node.value.clone());
    }
    named
}
