//! Resource templates of every level of RFC 6570, whose variables can be completed.

mod cities;
mod uri;

use rmcp::model::{ResourceContents, ResourceTemplate};
use serde_json::json;

use self::uri::Parts;
use super::CHAPTERS;
use crate::{icons, suite};

const CHAPTER: &str = "demo://chapter/{number}";
const SQUARE: &str = "demo://square/{number}";
const GREETING: &str = "demo://greeting/{language}{?name}";
const CITY: &str = "demo://city/{country}/{city}";
const FILE: &str = "demo://file/{+path}{#section}";
const MAP: &str = "demo://map{/x,y}{?zoom,layer}";
const MATRIX: &str = "demo://matrix{;rows,columns}";
const WORD: &str = "demo://word/{word:1}/{word}";
const SEARCH: &str = "demo://search?sort=name{&tag*,limit}";

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
const FILES: &[&str] = &["docs/guide.md", "docs/img/plan.svg", "src/lib.rs", "src/main.rs"];
const WORDS: &[&str] = &["anchor", "basket", "candle", "dragon"];

pub(crate) fn all() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, title: &str, description: &str, kind: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_description(description).with_mime_type(kind)
    };
    let text = |uri, name, title, description| template(uri, name, title, description, "text/plain");
    let parts = |uri, name, title, description| template(uri, name, title, description, "application/json");
    vec![
        text(CHAPTER, "chapter", "A chapter", "One of twenty short texts, which are listed as resources, too"),
        text(SQUARE, "square", "A square number", "The square of a number from 1 to 1000").with_icons(icons::letter()),
        text(GREETING, "greeting", "A greeting", "A greeting in one of six languages; the name may be left out"),
        text(CITY, "city", "A city", "A city of a country; which cities there are depends on the country"),
        parts(FILE, "file", "A file", "Level 2: a path that keeps its slashes, and a section of it"),
        parts(MAP, "map", "A piece of a map", "Level 3: parts of a path, and a query with two variables"),
        parts(MATRIX, "matrix", "A matrix", "Level 3: parameters of a path"),
        parts(WORD, "word", "A word", "Level 4: the first letter of a variable, and then all of it"),
        parts(SEARCH, "search", "A search", "Level 4: a query that goes on, with a list of tags, each by itself"),
        suite::template(),
    ]
}

/// What may stand for `variable`, given what was chosen for the others.
pub(crate) fn candidates<'a>(
    template: &str,
    variable: &str,
    chosen: impl Fn(&str) -> Option<&'a str>,
) -> Option<Vec<String>> {
    let numbers = |last: u32| (1..=last).map(|number| number.to_string()).collect();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match (template, variable) {
        (CHAPTER, "number") => Some(numbers(CHAPTERS)),
        (SQUARE, "number") => Some(numbers(SQUARES)),
        (GREETING, "language") => Some(GREETINGS.iter().map(|(language, _)| (*language).to_owned()).collect()),
        (CITY, "country") => Some(cities::countries()),
        (CITY, "city") => Some(cities::of(chosen("country").unwrap_or_default())),
        (FILE, "path") => Some(words(FILES)),
        (MAP, "layer") => Some(words(&["height", "roads", "water"])),
        (MAP, "zoom") => Some(numbers(20)),
        (WORD, "word") => Some(words(WORDS)),
        (SEARCH, "tag") => Some(words(&["blue", "green", "red"])),
        (GREETING, "name")
        | (FILE, "section")
        | (MAP, "x" | "y")
        | (MATRIX, "rows" | "columns")
        | (SEARCH, "limit")
        | (suite::TEMPLATE, "id") => Some(Vec::new()),
        _ => None,
    }
}

/// What is behind a URI that was made from a template.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    let parts = Parts::of(uri)?;
    let path: Vec<&str> = parts.path.iter().map(String::as_str).collect();
    let text = match (parts.kind.as_str(), path.as_slice()) {
        ("chapter", [number]) => {
            let number = number_up_to(CHAPTERS, number)?;
            format!("Chapter {number} of {CHAPTERS}. It is as short as the others.")
        }
        ("square", [number]) => number_up_to(SQUARES, number).map(|number| (number * number).to_string())?,
        ("greeting", [language]) => greet(language, &parts)?,
        ("city", [country, city]) => cities::describe(country, city)?,
        ("file" | "map" | "matrix" | "word" | "search", _) => {
            let told = json!({
                "path": parts.path,
                "parameters": parts.parameters,
                "query": parts.query,
                "fragment": parts.fragment,
            });
            return Some(ResourceContents::text(format!("{told:#}"), uri).with_mime_type("application/json"));
        }
        _ => return None,
    };
    Some(ResourceContents::text(text, uri))
}

fn number_up_to(last: u32, text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| (1..=last).contains(number))
}

fn greet(language: &str, parts: &Parts) -> Option<String> {
    let (_, greeting) = GREETINGS.iter().find(|(known, _)| *known == language)?;
    match parts.query.iter().find(|(key, _)| key == "name") {
        Some((_, name)) if !name.is_empty() => Some(format!("{greeting}, {name}!")),
        _ => Some(format!("{greeting}!")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(uri: &str) -> Option<String> {
        match read(uri)? {
            ResourceContents::TextResourceContents { text, .. } => Some(text),
            _ => None,
        }
    }

    #[test]
    fn a_greeting_is_read_with_and_without_a_name() {
        assert_eq!(text_of("demo://greeting/german").as_deref(), Some("Guten Tag!"));
        assert_eq!(text_of("demo://greeting/german?name=J%C3%BCrgen%20K").as_deref(), Some("Guten Tag, Jürgen K!"));
        assert_eq!(text_of("demo://greeting/german?name=100%").as_deref(), Some("Guten Tag, 100%!"), "no escape");
        assert_eq!(text_of("demo://greeting/klingon"), None);
    }

    #[test]
    fn numbers_outside_the_range_name_nothing() {
        assert_eq!(text_of("demo://square/1000").as_deref(), Some("1000000"));
        assert_eq!(text_of("demo://square/1001"), None);
        assert_eq!(text_of("demo://chapter/0"), None);
    }

    #[test]
    fn every_part_of_an_expanded_template_is_told() {
        let text = text_of("demo://file/docs/img/plan.svg#top").expect("a file is read");
        let told: serde_json::Value = serde_json::from_str(&text).expect("it is told as JSON");
        assert_eq!((&told["path"], &told["fragment"]), (&json!(["docs", "img", "plan.svg"]), &json!("top")));
        let text = text_of("demo://search?sort=name&tag=red&tag=blue&limit=2").expect("a search is read");
        let told: serde_json::Value = serde_json::from_str(&text).expect("it is told as JSON");
        assert_eq!(told["query"], json!([["sort", "name"], ["tag", "red"], ["tag", "blue"], ["limit", "2"]]));
        let text = text_of("demo://matrix;rows=3;columns=4").expect("a matrix is read");
        let told: serde_json::Value = serde_json::from_str(&text).expect("it is told as JSON");
        assert_eq!(told["parameters"], json!([["rows", "3"], ["columns", "4"]]));
    }
}
