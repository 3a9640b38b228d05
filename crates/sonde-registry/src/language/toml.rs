//! TOML.

use toml_edit::{Document, Item, Key, Table, Value as TomlValue};

use super::json::Lines;
use super::scalar::is_number;
use super::syntax::SyntaxError;
use super::tree::{Member, Node, Object, Value};
use super::{DEEPEST, Language, MOST_NODES};

const QUOTE: &str = "texts stand in quotation marks: command = \"npx\"";
const BACKSLASH: &str = "a backslash is written twice, or the text in single quotation marks: 'C:\\tools\\server.exe'";
const TABLE: &str = "each server is a table of its own: [mcp_servers.name]";

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let document = Document::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let problem = match error.message().contains("duplicate key") {
            true => duplicate(text, start),
            false => error.message().to_owned(),
        };
        SyntaxError::at(text, start, Language::Toml, problem).likely(&[QUOTE, BACKSLASH, TABLE])
    })?;
    let mut reader = Reader { text, lines: Lines::of(text), left: MOST_NODES };
    Ok(Node { value: reader.table(document.as_table(), 0)?, line: 1 })
}

/// Names the key and both of its lines.
fn duplicate(text: &str, start: usize) -> String {
    let start = text.floor_char_boundary(start.min(text.len()));
    let (before, from) = text.split_at(start);
    let key = from.split(['=', ']', '\n', '.']).next().unwrap_or_default().trim();
    let line = before.rsplit('\n').next().unwrap_or_default();
    // The head of a table, or the name of a member: as far as the same text begins an earlier line, that is the first.
    let head = format!("{line}{key}");
    let first = before.lines().position(|earlier| {
        let rest = earlier.trim_start().strip_prefix(head.trim_start());
        rest.is_some_and(|rest| rest.trim_start().starts_with(['=', ']', '.']))
    });
    match first {
        Some(first) => format!("`{key}` is there twice: in line {} already", first + 1),
        None => format!("`{key}` is there twice"),
    }
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines,
    /// How many more values there may be.
    left: usize,
}

type Span = Option<std::ops::Range<usize>>;

impl Reader<'_> {
    fn item(&mut self, item: &Item, depth: usize) -> Result<Node, SyntaxError> {
        let line = self.line(item.span());
        let value = match item {
            Item::None => Value::Null,
            Item::Value(value) => return self.value(value, depth),
            Item::Table(table) => self.table(table, depth)?,
            Item::ArrayOfTables(tables) => {
                self.count(item.span(), depth + 1)?;
                let nodes = tables.iter().map(|table| {
                    let line = self.line(table.span());
                    Ok(Node { value: self.table(table, depth + 1)?, line })
                });
                Value::List(nodes.collect::<Result<_, SyntaxError>>()?)
            }
        };
        Ok(Node { value, line })
    }

    fn value(&mut self, value: &TomlValue, depth: usize) -> Result<Node, SyntaxError> {
        let is_open = matches!(value, TomlValue::Array(_) | TomlValue::InlineTable(_));
        self.count(value.span(), if is_open { depth + 1 } else { depth })?;
        let line = self.line(value.span());
        let value = match value {
            TomlValue::String(text) => Value::Text(text.value().clone()),
            TomlValue::Boolean(flag) => Value::Flag(*flag.value()),
            TomlValue::Integer(number) => Value::Number(number.value().to_string()),
            TomlValue::Float(number) => {
                let written = number.display_repr();
                match is_number(&written) {
                    true => Value::Number(written.into_owned()),
                    false => Value::Text(written.into_owned()),
                }
            }
            TomlValue::Datetime(time) => Value::Text(time.value().to_string()),
            TomlValue::Array(array) => {
                let nodes = array.iter().map(|value| self.value(value, depth + 1));
                Value::List(nodes.collect::<Result<_, _>>()?)
            }
            TomlValue::InlineTable(table) => {
                let members = table.iter().map(|(name, value)| {
                    let line = self.line(table.key(name).and_then(Key::span));
                    Ok(Member { name: name.to_owned(), line, node: self.value(value, depth + 1)? })
                });
                Value::Object(Object::read(members.collect::<Result<_, SyntaxError>>()?))
            }
        };
        Ok(Node { value, line })
    }

    fn table(&mut self, table: &Table, depth: usize) -> Result<Value, SyntaxError> {
        self.count(table.span(), depth + 1)?;
        let members = table.iter().map(|(name, item)| {
            let line = self.line(table.key(name).and_then(Key::span));
            Ok(Member { name: name.to_owned(), line, node: self.item(item, depth + 1)? })
        });
        Ok(Value::Object(Object::read(members.collect::<Result<_, SyntaxError>>()?)))
    }

    fn line(&self, span: Span) -> u32 {
        span.map_or(0, |span| self.lines.line(span.start))
    }

    fn count(&mut self, span: Span, depth: usize) -> Result<(), SyntaxError> {
        let start = span.map_or(0, |span| span.start);
        let refuse = |problem: String| Err(SyntaxError::at(self.text, start, Language::Toml, problem));
        if depth > DEEPEST {
            return refuse(format!("more than {DEEPEST} tables and lists stand within each other"));
        }
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => return refuse(format!("there are more than {MOST_NODES} values")),
        }
        Ok(())
    }
}
