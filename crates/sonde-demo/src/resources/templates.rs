//! Resource templates: plain variables, variables of a query, and variables that can be completed.

use std::collections::BTreeMap;

use rmcp::model::ResourceTemplate;

use super::CHAPTERS;

const CHAPTER: &str = "demo://chapter/{number}";
const SQUARE: &str = "demo://square/{number}";
const GREETING: &str = "demo://greeting/{language}{?name}";

/// More than fit into one answer to a completion.
const SQUARES: u32 = 1000;

const GREETINGS: &[(&str, &str)] = &[
    ("english", "Good day"),
    ("french", "Bonjour"),
    ("german", "Guten Tag"),
    ("italian", "Buongiorno"),
    ("japanese", "こんにちは"),
    ("spanish", "Buenos días"),
];

pub(crate) fn all() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, title: &str, description: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_description(description).with_mime_type("text/plain")
    };
    vec![
        template(CHAPTER, "chapter", "A chapter", "One of twenty short texts, which are listed as resources, too"),
        template(SQUARE, "square", "A square number", "The square of a number from 1 to 1000"),
        template(GREETING, "greeting", "A greeting", "A greeting in one of six languages; the name may be left out"),
    ]
}

pub(crate) fn candidates(template: &str, variable: &str) -> Option<Vec<String>> {
    let numbers = |last: u32| (1..=last).map(|number| number.to_string()).collect();
    match (template, variable) {
        (CHAPTER, "number") => Some(numbers(CHAPTERS)),
        (SQUARE, "number") => Some(numbers(SQUARES)),
        (GREETING, "language") => Some(GREETINGS.iter().map(|(language, _)| (*language).to_owned()).collect()),
        (GREETING, "name") => Some(Vec::new()),
        _ => None,
    }
}

/// The text behind a URI that was made from a template.
pub(super) fn read(uri: &str) -> Option<String> {
    let (kind, rest) = uri.strip_prefix("demo://")?.split_once('/')?;
    match kind {
        "chapter" => {
            let number = number_up_to(CHAPTERS, rest)?;
            Some(format!("Chapter {number} of {CHAPTERS}. It is as short as the others."))
        }
        "square" => number_up_to(SQUARES, rest).map(|number| (number * number).to_string()),
        "greeting" => greet(rest),
        _ => None,
    }
}

fn number_up_to(last: u32, text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| (1..=last).contains(number))
}

fn greet(rest: &str) -> Option<String> {
    let (language, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (_, greeting) = GREETINGS.iter().find(|(known, _)| *known == language)?;
    let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    match query.get("name").map(|name| decode(name)) {
        Some(name) if !name.is_empty() => Some(format!("{greeting}, {name}!")),
        _ => Some(format!("{greeting}!")),
    }
}

/// Percent-decodes; what is no escape stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => {
                std::str::from_utf8(&[*high, *low]).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { rest.get(3..).unwrap_or_default() } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_read_with_and_without_a_name() {
        assert_eq!(read("demo://greeting/german").as_deref(), Some("Guten Tag!"));
        assert_eq!(read("demo://greeting/german?name=J%C3%BCrgen%20K").as_deref(), Some("Guten Tag, Jürgen K!"));
        assert_eq!(read("demo://greeting/german?name=100%").as_deref(), Some("Guten Tag, 100%!"), "no escape");
        assert_eq!(read("demo://greeting/klingon"), None);
    }

    #[test]
    fn numbers_outside_the_range_name_nothing() {
        assert_eq!(read("demo://square/1000").as_deref(), Some("1000000"));
        assert_eq!(read("demo://square/1001"), None);
        assert_eq!(read("demo://chapter/0"), None);
    }
}
