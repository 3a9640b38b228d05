//! Any text is a template or has a reason not to be one; and a template expands as a second, plainer reading of RFC 6570
//! says, to an address that has only the characters of one.

use std::collections::BTreeMap;

use sonde_protocol::{TemplateProblem, UriTemplate};

/// The first line is the template; each further one is `name=value`.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let text = lines.next().unwrap_or_default();
    let template = match UriTemplate::parse(text) {
        Ok(template) => template,
        Err(problem) => {
            assert!(!matches!(problem, TemplateProblem::Invalid { at, .. } if at > text.len()), "it names a place");
            assert!(problem.to_string().len() < 200, "a problem is a sentence: {problem}");
            return;
        }
    };
    assert_eq!(template.as_str(), text, "nothing about it changes");
    let names = template.variables();
    for (place, name) in names.iter().enumerate() {
        assert!(text.contains(name.as_str()), "`{name}` stands in the template");
        assert!(!names[..place].contains(name), "`{name}` is named once");
    }

    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once('=')) {
        if names.iter().any(|known| known == name) {
            values.insert(name.to_owned(), value.to_owned());
        }
    }
    check(&template, &BTreeMap::new());
    check(&template, &values);
    values.insert("nobody knows this".to_owned(), String::new());
    let refused = template.expand(&values);
    assert!(matches!(refused, Err(TemplateProblem::UnknownVariable { .. })), "a stranger is refused: {refused:?}");
}

fn check(template: &UriTemplate, values: &BTreeMap<String, String>) {
    let address = match template.expand(values) {
        Ok(address) => address,
        // A small template that names a large value often enough.
        Err(TemplateProblem::TooLarge { most }) => return assert!(most >= 1 << 16, "{most} bytes are not too many"),
        Err(problem) => panic!("all values are there: {problem}"),
    };
    assert_eq!(address, expanded(template.as_str(), values), "`{}` with {values:?}", template.as_str());
    let mut rest = address.chars();
    while let Some(character) = rest.next() {
        match character {
            '%' => {
                let escape = [rest.next(), rest.next()];
                assert!(escape.iter().all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit())), "{address}");
            }
            other => assert!(is_unreserved(other) || is_reserved(other), "`{other}` is no character of an address"),
        }
    }
}

/// Section 3 of the RFC, one sentence after the other, for a template that is known to be one.
fn expanded(template: &str, values: &BTreeMap<String, String>) -> String {
    let mut address = String::new();
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        let (expression, after) = after.split_once('}').unwrap_or((after, ""));
        address += &escaped(literal, Allowed::Reserved);
        address += &expression_of(expression, values);
        rest = after;
    }
    address + &escaped(rest, Allowed::Reserved)
}

fn expression_of(expression: &str, values: &BTreeMap<String, String>) -> String {
    let sign = expression.chars().next().filter(|sign| "+#./;?&".contains(*sign));
    let list = if sign.is_some() { &expression[1..] } else { expression };
    let (first, separator) = match sign {
        None | Some('+') => ("", ","),
        Some('#') => ("#", ","),
        Some('.') => (".", "."),
        Some('/') => ("/", "/"),
        Some(';') => (";", ";"),
        Some('?') => ("?", "&"),
        Some(_) => ("&", "&"),
    };
    let allowed = if matches!(sign, Some('+' | '#')) { Allowed::Reserved } else { Allowed::Unreserved };
    let piece = |item: &str| {
        let (name, length) = match item.split_once(':') {
            Some((name, length)) => (name, length.parse().unwrap_or(usize::MAX)),
            None => (item.trim_end_matches('*'), usize::MAX),
        };
        let value: String = values.get(name)?.chars().take(length).collect();
        let value = escaped(&value, allowed);
        Some(match sign {
            Some(';') if value.is_empty() => name.to_owned(),
            Some(';' | '?' | '&') => format!("{name}={value}"),
            _ => value,
        })
    };
    let pieces: Vec<String> = list.split(',').filter_map(piece).collect();
    if pieces.is_empty() { String::new() } else { format!("{first}{}", pieces.join(separator)) }
}

/// Which characters need no escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Unreserved,
    /// Reserved ones, too, and escapes that are there already.
    Reserved,
}

fn escaped(text: &str, allowed: Allowed) -> String {
    let mut out = String::new();
    for (at, character) in text.char_indices() {
        let is_escape = character == '%' && {
            let digits: Vec<char> = text[at + 1..].chars().take(2).collect();
            digits.len() == 2 && digits.iter().all(char::is_ascii_hexdigit)
        };
        if is_unreserved(character) || allowed == Allowed::Reserved && (is_reserved(character) || is_escape) {
            out.push(character);
        } else {
            character.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out += &format!("%{byte:02X}"));
        }
    }
    out
}

fn is_unreserved(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~".contains(character)
}

fn is_reserved(character: char) -> bool {
    ":/?#[]@!$&'()*+,;=".contains(character)
}
