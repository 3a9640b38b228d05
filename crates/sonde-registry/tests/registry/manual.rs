//! Every example of docs/configuration.md gives the servers that the comment above it names, without a word of complaint,
//! and every key that is known is explained there.

use std::path::Path;

use sonde_registry::language::Language;
use sonde_registry::{Definition, EntryError, Layer, Origin, ServerSpec, Surroundings, definitions, shapes};

fn manual() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md")).unwrap()
}

/// A fenced text, what it is written in, and the comment above it.
struct Example<'a> {
    promise: Option<&'a str>,
    language: &'a str,
    text: String,
    line: usize,
}

fn examples(manual: &str) -> Vec<Example<'_>> {
    let mut found = Vec::new();
    let mut before = "";
    let mut lines = manual.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            let promise = before.strip_prefix("<!-- ").and_then(|promise| promise.strip_suffix(" -->"));
            found.push(Example { promise, language, text: body.join("\n") + "\n", line: number + 1 });
        }
        before = line;
    }
    found
}

fn is_used(definition: &Definition) {
    let origin = Origin { layer: Layer::Project, file: None };
    let variable = |_: &str| Some("value".to_owned());
    let around = Surroundings { variable: &variable, home: Some("/home/ada".into()), project: "/home/ada/shop".into() };
    let (_, warnings) = ServerSpec::read(definition, &origin, &around).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(warnings, [], "`{}` is an example for others", definition.name);
}

#[test]
fn every_example_gives_the_servers_that_it_promises() {
    let manual = manual();
    let examples = examples(&manual);
    assert!(examples.len() >= 12, "{} examples were found", examples.len());
    for example in examples {
        let place = format!("docs/configuration.md:{}", example.line);
        let (kind, names) = example.promise.and_then(|promise| promise.split_once(": ")).unwrap_or_else(|| {
            panic!("{place}: a comment like `<!-- servers: files -->` must stand above the example")
        });
        let language = match example.language {
            "json" | "jsonc" => Language::Json,
            "yaml" => Language::Yaml,
            "toml" => Language::Toml,
            other => panic!("{place}: `{other}` is read by nobody"),
        };
        let found: Vec<Definition> = match kind {
            "servers" => definitions(&example.text, language).unwrap_or_else(|error| panic!("{place}: {error}")),
            "imports" => {
                let name = format!("example.{}", language.as_str());
                let reading =
                    shapes::read_text(&example.text, Some(&name)).unwrap_or_else(|error| panic!("{place}: {error}"));
                reading.sections.into_iter().flat_map(|section| section.definitions).collect()
            }
            other => panic!("{place}: `{other}` says nothing"),
        };
        let found_names: Vec<&str> = found.iter().map(|definition| definition.name.as_str()).collect();
        assert_eq!(found_names.join(", "), names, "{place}");
        found.iter().for_each(is_used);
    }
}

#[test]
fn every_key_that_is_known_is_explained() {
    let manual = manual();
    let origin = Origin { layer: Layer::Project, file: None };
    for entry in [
        r#"{"mcpServers":{"s":{"command":"x","nobody knows":1}}}"#,
        r#"{"mcpServers":{"s":{"command":"x","sonde":{"nobody knows":1}}}}"#,
        r#"{"mcpServers":{"s":{"url":"https://x","sonde":{"nobody knows":1}}}}"#,
    ] {
        let definition = definitions(entry, Language::Json).unwrap().remove(0);
        let (_, warnings) = ServerSpec::read(&definition, &origin, &|_: &str| None).unwrap();
        let EntryError::Unknown { known, .. } = warnings[0] else { panic!("{warnings:?}") };
        for key in known.split(", ") {
            let is_explained = manual.lines().any(|line| line.starts_with("| ") && line.contains(&format!("`{key}`")));
            assert!(is_explained, "`{key}` stands in no table of docs/configuration.md");
        }
    }
}
