//! The URI templates of resources, by RFC 6570, with strings for values.
//!
//! Our own, because a template comes from a server: the crate that was tried first panics on `%ä`.

use std::collections::BTreeMap;

/// A template such as `file:///{path}{?line,column}`.
#[derive(Debug, Clone)]
pub struct UriTemplate {
    text: String,
    parts: Vec<Part>,
    /// In the order of the template, each once.
    variables: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateProblem {
    #[error("the template is not valid at byte {at}: {what}")]
    Invalid { at: usize, what: &'static str },
    #[error("the template has {size} bytes, and {most} are the limit")]
    TooLong { size: usize, most: usize },
    #[error("the template has no variable `{name}`")]
    UnknownVariable { name: String },
    #[error("the expanded address has more than {most} bytes")]
    TooLarge { most: usize },
}

/// No template of use comes near; each variable of one is a field for somebody to fill in.
const LONGEST_TEMPLATE: usize = 64 << 10;
const LONGEST_ADDRESS: usize = 1 << 20;

#[derive(Debug, Clone)]
enum Part {
    /// Goes into the address as it is; only what an address cannot hold is escaped.
    Literal(String),
    Expression {
        operator: &'static Operator,
        variables: Vec<Variable>,
    },
}

#[derive(Debug, Clone)]
struct Variable {
    name: String,
    /// Characters of the value that are used, where the template says.
    longest: Option<usize>,
}

/// One line of the table in appendix A.
#[derive(Debug)]
struct Operator {
    sign: u8,
    first: &'static str,
    separator: &'static str,
    /// The name stands before the value, and this behind the name where the value is empty.
    named: Option<&'static str>,
    keeps: Keeps,
}

/// Which characters of a text go into an address as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Unreserved,
    /// Reserved ones, too, and what is escaped already.
    Reserved,
}

const SIMPLE: Operator = Operator { sign: 0, first: "", separator: ",", named: None, keeps: Keeps::Unreserved };

const OPERATORS: &[Operator] = &[
    Operator { sign: b'+', keeps: Keeps::Reserved, ..SIMPLE },
    Operator { sign: b'#', first: "#", keeps: Keeps::Reserved, ..SIMPLE },
    Operator { sign: b'.', first: ".", separator: ".", ..SIMPLE },
    Operator { sign: b'/', first: "/", separator: "/", ..SIMPLE },
    Operator { sign: b';', first: ";", separator: ";", named: Some(""), ..SIMPLE },
    Operator { sign: b'?', first: "?", separator: "&", named: Some("="), ..SIMPLE },
    Operator { sign: b'&', first: "&", separator: "&", named: Some("="), ..SIMPLE },
];

impl UriTemplate {
    pub fn parse(text: &str) -> Result<Self, TemplateProblem> {
        if text.len() > LONGEST_TEMPLATE {
            return Err(TemplateProblem::TooLong { size: text.len(), most: LONGEST_TEMPLATE });
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = text.len() - rest.len();
            rest = match rest.strip_prefix('{') {
                Some(inner) => {
                    let Some((expression, after)) = inner.split_once('}') else {
                        return Err(TemplateProblem::Invalid { at, what: "a brace is not closed" });
                    };
                    parts.push(read_expression(expression, at + 1)?);
                    after
                }
                None => {
                    let (literal, after) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
                    check_literal(literal, at)?;
                    parts.push(Part::Literal(literal.to_owned()));
                    after
                }
            };
        }
        let mut seen = std::collections::HashSet::new();
        let named = parts.iter().flat_map(Part::variables).map(|variable| &variable.name);
        let variables = named.filter(|name| seen.insert(*name)).cloned().collect();
        Ok(UriTemplate { text: text.to_owned(), variables, parts })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of the variables, in the order of the template, each once.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The address that the values give. A variable without a value is left out, as the rules of expansion say.
    pub fn expand(&self, values: &BTreeMap<String, String>) -> Result<String, TemplateProblem> {
        if let Some(name) = values.keys().find(|name| !self.variables.contains(name)) {
            return Err(TemplateProblem::UnknownVariable { name: name.clone() });
        }
        let mut address = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => push_escaped(&mut address, text, Keeps::Reserved),
                Part::Expression { operator, variables } => {
                    let mut before = operator.first;
                    for variable in variables {
                        let Some(value) = values.get(&variable.name) else { continue };
                        address.push_str(before);
                        before = operator.separator;
                        push_variable(&mut address, operator, variable, value);
                        if address.len() > LONGEST_ADDRESS {
                            break;
                        }
                    }
                }
            }
            if address.len() > LONGEST_ADDRESS {
                return Err(TemplateProblem::TooLarge { most: LONGEST_ADDRESS });
            }
        }
        Ok(address)
    }
}

impl Part {
    fn variables(&self) -> &[Variable] {
        match self {
            Part::Literal(_) => &[],
            Part::Expression { variables, .. } => variables,
        }
    }
}

fn read_expression(text: &str, at: usize) -> Result<Part, TemplateProblem> {
    let operator = text.bytes().next().and_then(|sign| OPERATORS.iter().find(|operator| operator.sign == sign));
    let (operator, list) = match operator {
        Some(operator) => (operator, &text[1..]),
        None => (&SIMPLE, text),
    };
    let variables = list.split(',').map(|variable| read_variable(variable, at)).collect::<Result<_, _>>()?;
    Ok(Part::Expression { operator, variables })
}

fn read_variable(text: &str, at: usize) -> Result<Variable, TemplateProblem> {
    // An asterisk takes a list or a map apart; a string is one piece either way.
    let (name, longest) = match text.split_once(':') {
        Some((name, digits)) => {
            let plain =
                digits.len() <= 4 && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit());
            let longest = digits.parse().ok().filter(|_| plain);
            (name, Some(longest.ok_or(TemplateProblem::Invalid { at, what: "a length is from 1 to 9999" })?))
        }
        None => (text.strip_suffix('*').unwrap_or(text), None),
    };
    let dots = name.is_empty() || name.starts_with('.') || name.ends_with('.') || name.contains("..");
    if dots || !only(name, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')) {
        let what = "a variable has letters, digits, `_`, and `.` between them";
        return Err(TemplateProblem::Invalid { at, what });
    }
    Ok(Variable { name: name.to_owned(), longest })
}

fn check_literal(text: &str, at: usize) -> Result<(), TemplateProblem> {
    let fits = |byte: u8| {
        byte > b' ' && byte != 0x7f && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'|' | b'}')
    };
    if only(text, fits) && !text.chars().any(char::is_control) {
        return Ok(());
    }
    Err(TemplateProblem::Invalid { at, what: "it has a character that no address has" })
}

/// Whether a text has only bytes that fit, and whole escapes.
fn only(text: &str, fits: impl Fn(u8) -> bool) -> bool {
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = match (first, after) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => after,
            (b'%', _) => return false,
            (byte, after) if fits(*byte) => after,
            _ => return false,
        };
    }
    true
}

fn push_variable(address: &mut String, operator: &Operator, variable: &Variable, value: &str) {
    let value = match variable.longest.and_then(|longest| value.char_indices().nth(longest)) {
        Some((end, _)) => &value[..end],
        None => value,
    };
    if let Some(empty) = operator.named {
        push_escaped(address, &variable.name, Keeps::Reserved);
        address.push_str(if value.is_empty() { empty } else { "=" });
    }
    push_escaped(address, value, operator.keeps);
}

fn push_escaped(address: &mut String, text: &str, keeps: Keeps) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let (bytes, reserved) = (text.as_bytes(), keeps == Keeps::Reserved);
    for (at, &byte) in bytes.iter().enumerate() {
        if address.len() > LONGEST_ADDRESS {
            return;
        }
        let escape = || bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let plain = match byte {
            b'-' | b'.' | b'_' | b'~' => true,
            b'%' => reserved && escape(),
            b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+'
            | b',' | b';' | b'=' => reserved,
            _ => byte.is_ascii_alphanumeric(),
        };
        if plain {
            address.push(char::from(byte));
        } else {
            address.extend(['%', char::from(HEX[usize::from(byte >> 4)]), char::from(HEX[usize::from(byte & 15)])]);
        }
    }
}
