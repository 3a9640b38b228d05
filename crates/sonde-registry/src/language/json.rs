//! JSON with comments and trailing commas.

use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind, ast, parse_to_ast};

use super::syntax::SyntaxError;
use super::tree::{Member, Node, Object, Value};
use super::{DEEPEST, Language, MOST_NODES};

/// What other clients read without a word, and nothing beyond it.
pub(crate) const TOLERATED: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

const COMMA: &str = "a comma is missing between two members, often at the end of the line before";
const QUOTE: &str = "a quotation mark is missing";
const SINGLE: &str = "JSON has double quotation marks only: \"name\", not 'name'";
const BARE: &str = "names and texts stand in quotation marks: \"command\": \"npx\"";
const BACKSLASH: &str = "a backslash is written twice: \"C:\\\\tools\\\\server.exe\"";
const BRACE: &str = "a closing `}` or `]` is missing, or there is one too many";

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    // Elsewhere a text may go on in the next line; here that is a quotation mark that somebody forgot, and what follows
    // would be blamed for it.
    if let Some(start) = unclosed(text) {
        let problem = "this text does not end on its line";
        return Err(SyntaxError::at(text, start, Language::Json, problem).likely(&[QUOTE, BACKSLASH]));
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &TOLERATED).map_err(|error| explained(text, &error))?;
    let Some(value) = parsed.value else {
        return Err(SyntaxError::at(text, text.len(), Language::Json, "there is nothing in it").likely(&[BARE]));
    };
    Reader { text, lines: Lines::of(text), left: MOST_NODES }.node(value, 0)
}

/// Where a text in quotation marks begins that has a line feed in it, or no end.
fn unclosed(text: &str) -> Option<usize> {
    let mut rest = text.bytes().enumerate().peekable();
    while let Some((start, byte)) = rest.next() {
        match (byte, rest.peek().map(|(_, next)| *next)) {
            (b'"', _) => loop {
                match rest.next() {
                    Some((_, b'"')) => break,
                    Some((_, b'\\')) => drop(rest.next_if(|(_, byte)| *byte != b'\n')),
                    Some((_, b'\n')) | None => return Some(start),
                    Some(_) => {}
                }
            },
            (b'/', Some(b'/')) => drop(rest.by_ref().find(|(_, byte)| *byte == b'\n')),
            (b'/', Some(b'*')) => {
                let (mut before, mut steps) = (0, rest.by_ref().skip(1));
                // The comment ends with `*/`.
                steps.find(|(_, byte)| std::mem::replace(&mut before, *byte) == b'*' && *byte == b'/')?;
            }
            _ => {}
        }
    }
    None
}

/// Lines of a text that is gone through once, by where each begins.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub fn of(text: &str) -> Self {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|(place, _)| place + 1)).collect())
    }

    pub fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines,
    /// How many more values there may be.
    left: usize,
}

impl Reader<'_> {
    fn node(&mut self, value: ast::Value, depth: usize) -> Result<Node, SyntaxError> {
        let start = jsonc_parser::common::Ranged::range(&value).start;
        let refuse = |problem: String| Err(SyntaxError::at(self.text, start, Language::Json, problem));
        if depth >= DEEPEST && matches!(value, ast::Value::Object(_) | ast::Value::Array(_)) {
            return refuse(format!("more than {DEEPEST} objects and lists stand within each other"));
        }
        if self.left == 0 {
            return refuse(format!("there are more than {MOST_NODES} values"));
        }
        self.left -= 1;
        let line = self.lines.line(start);
        let value = match value {
            ast::Value::NullKeyword(_) => Value::Null,
            ast::Value::BooleanLit(flag) => Value::Flag(flag.value),
            ast::Value::NumberLit(number) => Value::Number(number.value.to_owned()),
            ast::Value::StringLit(text) => Value::Text(text.value.into_owned()),
            ast::Value::Array(array) => {
                let nodes = array.elements.into_iter().map(|element| self.node(element, depth + 1));
                Value::List(nodes.collect::<Result<_, _>>()?)
            }
            ast::Value::Object(object) => {
                let members = object.properties.into_iter().map(|property| {
                    let line = self.lines.line(property.range.start);
                    let node = self.node(property.value, depth + 1)?;
                    Ok(Member { name: property.name.into_string(), line, node })
                });
                Value::Object(Object::read(members.collect::<Result<_, SyntaxError>>()?))
            }
        };
        Ok(Node { value, line })
    }
}

fn explained(text: &str, error: &ParseError) -> SyntaxError {
    use ParseErrorKind as Kind;
    let (problem, mistakes): (&str, &[&'static str]) = match error.kind() {
        Kind::ExpectedComma => ("a comma is missing here", &[COMMA]),
        Kind::ExpectedColonAfterObjectKey => ("a `:` must follow the name", &[QUOTE, BARE]),
        Kind::ExpectedObjectValue => ("the value is missing after the `:`", &[BRACE]),
        Kind::ExpectedStringObjectProperty | Kind::UnexpectedTokenInObject => {
            ("the name of a member must stand here, in quotation marks", &[BARE, SINGLE, COMMA])
        }
        Kind::UnexpectedWord => ("this word means nothing here", &[BARE, SINGLE, QUOTE]),
        Kind::SingleQuotedStringsNotAllowed => ("a text begins with a single quotation mark", &[SINGLE]),
        Kind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            ("this text does not end on its line", &[QUOTE, BACKSLASH])
        }
        Kind::String(_) => ("there is an escape in this text that JSON does not have", &[BACKSLASH]),
        Kind::MultipleRootJsonValues => ("something follows after the end", &[BRACE, COMMA]),
        Kind::UnexpectedComma => ("there is a comma where a value must stand", &[COMMA]),
        Kind::UnexpectedColon => ("there is a `:` where a value must stand", &[BRACE]),
        Kind::UnexpectedCloseBrace | Kind::UnexpectedCloseBracket => {
            ("this bracket closes nothing that is open", &[BRACE])
        }
        Kind::UnterminatedObject => ("this object is not closed: its `}` is missing", &[BRACE]),
        Kind::UnterminatedArray => ("this list is not closed: its `]` is missing", &[BRACE]),
        Kind::UnterminatedCommentBlock => ("this comment is not closed: its `*/` is missing", &[]),
        Kind::NestingDepthExceeded => ("too many objects and lists stand within each other", &[]),
        Kind::ExpectedDigit
        | Kind::ExpectedDigitFollowingNegativeSign
        | Kind::ExpectedPlusMinusOrDigitInNumberLiteral
        | Kind::HexadecimalNumbersNotAllowed
        | Kind::UnaryPlusNumbersNotAllowed
        | Kind::BareDecimalPointNumbersNotAllowed
        | Kind::NonFiniteNumbersNotAllowed => ("this is no number as JSON writes one", &[BARE]),
        Kind::UnexpectedToken | Kind::CommentsNotAllowed | Kind::TrailingCommasNotAllowed => {
            ("this means nothing here", &[BARE, SINGLE, COMMA])
        }
    };
    SyntaxError::at(text, error.range().start, Language::Json, problem).likely(mistakes)
}
