//! JSON with comments and trailing commas.

use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind, ast, parse_to_ast};

use super::syntax::SyntaxError;
use super::tree::{Member, Node, Object, Value};
use super::{DEEPEST, Language};

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
const CURLY: &str = "curly quotation marks, as writing programs make them: JSON has straight ones";
const SMALL: &str = "`true`, `false` and `null` are written in small letters";
const EMPTY: &str =
    "the file was just made, or its content was lost: {\"mcpServers\": {}} is the least that it can say";
const BRACE: &str = "a closing `}` or `]` is missing, or there is one too many";

/// At most so many values.
pub(super) fn parse(text: &str, most: usize) -> Result<Node, SyntaxError> {
    match skim(text, most) {
        Skim::Sound => {}
        // Elsewhere a text may go on in the next line; here that is a quotation mark that somebody forgot, and what follows
        // would be blamed for it.
        Skim::Unclosed(start) => {
            let problem = "this text does not end on its line";
            return Err(SyntaxError::at(text, start, Language::Json, problem).likely(&[QUOTE, BACKSLASH]));
        }
        Skim::TooMany(start) => return Err(too_many(text, start, most)),
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &TOLERATED).map_err(|error| explained(text, &error))?;
    let Some(value) = parsed.value else {
        return Err(SyntaxError::at(text, text.len(), Language::Json, "there is nothing in it").likely(&[EMPTY]));
    };
    Reader { text, lines: Lines::of(text), left: most, most }.node(value, 0)
}

fn too_many(text: &str, start: usize, most: usize) -> SyntaxError {
    SyntaxError::at(text, start, Language::Json, format!("there are more than {most} values"))
}

/// What can be seen of a text before anything is built of it.
enum Skim {
    Sound,
    /// Where a text in quotation marks begins that has a line feed in it, or no end.
    Unclosed(usize),
    /// Where the values become too many: each stands behind a comma or is the first in a bracket.
    TooMany(usize),
}

fn skim(text: &str, most: usize) -> Skim {
    let mut rest = text.bytes().enumerate().peekable();
    let mut left = most;
    while let Some((start, byte)) = rest.next() {
        match (byte, rest.peek().map(|(_, next)| *next)) {
            (b'"', _) => loop {
                match rest.next() {
                    Some((_, b'"')) => break,
                    Some((_, b'\\')) => drop(rest.next_if(|(_, byte)| *byte != b'\n')),
                    Some((_, b'\n')) | None => return Skim::Unclosed(start),
                    Some(_) => {}
                }
            },
            (b'/', Some(b'/')) => drop(rest.by_ref().find(|(_, byte)| *byte == b'\n')),
            (b'/', Some(b'*')) => {
                let (mut before, mut steps) = (0, rest.by_ref().skip(1));
                // The comment ends with `*/`.
                if !steps.any(|(_, byte)| std::mem::replace(&mut before, byte) == b'*' && byte == b'/') {
                    return Skim::Sound;
                }
            }
            (b',' | b'[' | b'{', _) => match left.checked_sub(1) {
                Some(fewer) => left = fewer,
                None => return Skim::TooMany(start),
            },
            _ => {}
        }
    }
    Skim::Sound
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
    /// How many more values there may be, of so many.
    left: usize,
    most: usize,
}

impl Reader<'_> {
    fn node(&mut self, value: ast::Value, depth: usize) -> Result<Node, SyntaxError> {
        let start = jsonc_parser::common::Ranged::range(&value).start;
        let refuse = |problem: String| Err(SyntaxError::at(self.text, start, Language::Json, problem));
        if depth >= DEEPEST && matches!(value, ast::Value::Object(_) | ast::Value::Array(_)) {
            return refuse(format!("more than {DEEPEST} objects and lists stand within each other"));
        }
        if self.left == 0 {
            return Err(too_many(self.text, start, self.most));
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
    let start = error.range().start;
    let mistakes = match seen_at(text, start) {
        Some(mistake) => &[mistake],
        None => mistakes,
    };
    SyntaxError::at(text, start, Language::Json, problem).likely(mistakes)
}

/// A mistake that can be seen where the error is.
fn seen_at(text: &str, start: usize) -> Option<&'static str> {
    let from = text.get(text.floor_char_boundary(start.min(text.len()))..)?;
    let word: String = from.chars().take_while(|letter| letter.is_ascii_alphabetic()).collect();
    match from.chars().next() {
        Some('\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2018}' | '\u{2019}') => Some(CURLY),
        _ if ["True", "False", "None", "Null", "TRUE", "FALSE", "NULL"].contains(&word.as_str()) => Some(SMALL),
        _ => None,
    }
}
