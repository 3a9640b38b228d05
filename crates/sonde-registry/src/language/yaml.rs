//! YAML, from its events. What an alias repeats counts as often as it is repeated.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};

use super::scalar::plain;
use super::syntax::SyntaxError;
use super::tree::{Member, Node, Object, Value};
use super::{DEEPEST, Language, MOST_NODES};

/// Nobody writes that many by hand.
const MOST_ANCHORS: usize = 1000;

const INDENT: &str = "members of one object begin in the same column, and are indented with spaces, never with tabs";
const COLON: &str = "a space follows the `:` after a name";
const QUOTE: &str = "a text that begins with one of `@ * & ! % { [ |` or has `: ` in it stands in quotation marks";

/// At most so many values.
pub(super) fn parse(text: &str, most: usize) -> Result<Node, SyntaxError> {
    let mut reader =
        Reader { text, most, left: most, kept: MOST_NODES, open: Vec::new(), anchors: HashMap::new(), root: None };
    let mut events = Parser::new_from_str(text);
    while let Some(event) = next(&mut events) {
        let (event, span) = event.map_err(|error| {
            let place = offset(text, error.marker());
            SyntaxError::at(text, place, Language::Yaml, error.info()).likely(&[INDENT, COLON, QUOTE])
        })?;
        let is_end = matches!(event, Event::StreamEnd);
        reader.take(event, &span)?;
        if is_end {
            break;
        }
    }
    match reader.root {
        Some(root) => Ok(root),
        None => Err(SyntaxError::at(text, text.len(), Language::Yaml, "there is nothing in it")),
    }
}

type Step<'a> = Result<(Event<'a>, Span), saphyr_parser::ScanError>;

fn next<'a>(events: &mut Parser<'a, StrInput<'a>>) -> Option<Step<'a>> {
    events.next_event()
}

struct Reader<'a> {
    text: &'a str,
    /// How many more values there may be, of so many.
    left: usize,
    most: usize,
    /// How many more may be kept for aliases: anchors within anchors keep the same value many times.
    kept: usize,
    open: Vec<Open>,
    /// By their numbers, with how many values each is.
    anchors: HashMap<usize, (Node, usize)>,
    root: Option<Node>,
}

/// A list or an object that has not ended yet.
struct Open {
    line: u32,
    anchor: usize,
    /// How many values were left when it began.
    left: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Node>),
    Object { members: Vec<Member>, name: Option<(String, u32)> },
}

impl<'a> Reader<'a> {
    fn take(&mut self, event: Event<'a>, span: &Span) -> Result<(), SyntaxError> {
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(self.refused(span, "a second document begins here; only one is read"))
            }
            Event::DocumentStart(_) => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                if self.names(&text, line) {
                    return Ok(());
                }
                self.count(1, span)?;
                let node = Node { value: scalar(&text, style, tag.as_deref()), line };
                self.remember(anchor, &node, 1, span)?;
                self.place(node, span)
            }
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
                    return Err(self.refused(span, "this alias stands for nothing"));
                };
                if let Some(name) = node.value.as_word()
                    && self.names(name, line)
                {
                    return Ok(());
                }
                self.count(size, span)?;
                self.place(node, span)
            }
            Event::SequenceStart(anchor, _) => self.begin(Kind::List(Vec::new()), anchor, line, span),
            Event::MappingStart(anchor, _) => {
                self.begin(Kind::Object { members: Vec::new(), name: None }, anchor, line, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
        }
    }

    fn begin(&mut self, kind: Kind, anchor: usize, line: u32, span: &Span) -> Result<(), SyntaxError> {
        if let Some(Open { kind: Kind::Object { name: None, .. }, .. }) = self.open.last() {
            return Err(self.refused(span, "the name of a member can't be a list or an object"));
        }
        if self.open.len() >= DEEPEST {
            let problem = format!("more than {DEEPEST} objects and lists stand within each other");
            return Err(self.refused(span, &problem));
        }
        let left = self.left;
        self.count(1, span)?;
        self.open.push(Open { line, anchor, left, kind });
        Ok(())
    }

    fn end(&mut self, span: &Span) -> Result<(), SyntaxError> {
        let Some(ended) = self.open.pop() else { return Ok(()) };
        let value = match ended.kind {
            Kind::List(list) => Value::List(list),
            Kind::Object { members, .. } => Value::Object(Object::read(members)),
        };
        let node = Node { value, line: ended.line };
        self.remember(ended.anchor, &node, ended.left - self.left, span)?;
        self.place(node, span)
    }

    /// Whether the word is the name of the next member.
    fn names(&mut self, word: &str, line: u32) -> bool {
        match self.open.last_mut() {
            Some(Open { kind: Kind::Object { name: name @ None, .. }, .. }) => {
                *name = Some((word.to_owned(), line));
                true
            }
            _ => false,
        }
    }

    fn place(&mut self, node: Node, span: &Span) -> Result<(), SyntaxError> {
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(Kind::List(list)) => list.push(node),
            Some(Kind::Object { members, name }) => match name.take() {
                Some((name, line)) => members.push(Member { name, line, node }),
                None => return Err(self.refused(span, "the name of a member can't be a list or an object")),
            },
        }
        Ok(())
    }

    /// Zero is no anchor.
    fn remember(&mut self, anchor: usize, node: &Node, size: usize, span: &Span) -> Result<(), SyntaxError> {
        if anchor == 0 {
            return Ok(());
        }
        match self.kept.checked_sub(size).filter(|_| self.anchors.len() < MOST_ANCHORS) {
            Some(kept) => self.kept = kept,
            None => return Err(self.refused(span, "too much is given a name for aliases")),
        }
        self.anchors.insert(anchor, (node.clone(), size));
        Ok(())
    }

    fn count(&mut self, values: usize, span: &Span) -> Result<(), SyntaxError> {
        match self.left.checked_sub(values) {
            Some(left) => self.left = left,
            None => return Err(self.refused(span, &format!("there are more than {} values", self.most))),
        }
        Ok(())
    }

    fn refused(&self, span: &Span, problem: &str) -> SyntaxError {
        SyntaxError::at(self.text, offset(self.text, &span.start), Language::Yaml, problem)
    }
}

/// Lines end for YAML at a carriage return as well; for whoever reads the error they do not.
fn offset(text: &str, mark: &Marker) -> usize {
    text.char_indices().nth(mark.index()).map_or(text.len(), |(place, _)| place)
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    match style {
        ScalarStyle::Plain if !is_text => plain(text),
        _ => Value::Text(text.to_owned()),
    }
}
