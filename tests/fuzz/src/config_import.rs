//! Any text is a configuration or a syntax error with a position; what was read can be written and read again, and an
//! entry that is put into a text or taken out of it leaves all others as they were.

use sonde_registry::language::{Document, Language, Object, SyntaxError, Value};
use sonde_registry::{Definition, Layer, Origin, ServerSpec, definitions, edit, shapes};

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for language in [Language::Json, Language::Yaml, Language::Toml] {
        match Document::parse(&text, language) {
            Ok(document) => read(&document, language),
            Err(error) => said(&error, &text),
        }
        if let Ok(found) = definitions(&text, language) {
            found.iter().for_each(served);
            edited(&text, language, &found);
        }
    }
    // Whether it could be read is the business of its own tests.
    if let Ok(reading) = shapes::read_text(&text, None) {
        reading.sections.iter().flat_map(|section| &section.definitions).for_each(served);
    }
}

fn read(document: &Document, language: Language) {
    let Value::Object(root) = &document.root.value else { return };
    for into in [Language::Json, Language::Yaml] {
        let written = into.render(root);
        let again = Document::parse(&written, into);
        assert_eq!(
            again.as_ref().map(|again| &again.root),
            Ok(&document.root),
            "written as {}:\n{written}",
            into.name()
        );
    }
    // TOML has no null, and numbers of its own; what it can say it says in its own grammar.
    let written = Language::Toml.render(root);
    let again = Document::parse(&written, Language::Toml);
    assert!(again.is_ok() || language != Language::Toml, "{again:?}:\n{written}");
}

fn said(error: &SyntaxError, text: &str) {
    assert!(error.line >= 1 && error.column >= 1, "{error}");
    assert!(error.line as usize <= text.matches('\n').count() + 2, "there is no line {}", error.line);
    assert!(error.context.len() <= 5, "{} lines of context", error.context.len());
    for line in &error.context {
        let length = line.text.chars().count();
        assert!(length <= 102, "{length} characters in line {}", line.number);
        assert!(line.caret.is_none_or(|caret| caret as usize <= length), "the caret stands within the line");
        assert!(!line.text.contains(char::is_control), "{:?} can be shown as it is", line.text);
    }
}

fn served(definition: &Definition) {
    let origin = Origin { layer: Layer::Global, file: None };
    let variables = |name: &str| (name != "UNSET").then(|| "value".to_owned());
    let Ok((spec, _warnings)) = ServerSpec::read(definition, &origin, &variables) else { return };
    assert!(spec.id.as_str().len() <= 128, "an id stands in every line of a log: {}", spec.id);
    assert!(spec.id.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-%".contains(&byte)), "{}", spec.id);
    assert_eq!(spec.name, definition.name, "the name stays as it was");
    // A file that an entry names is nobody's to read here.
    if !definition.entry.has("envFile")
        && let Ok(filled) = spec.fill(&variables)
    {
        assert_eq!(filled.definition, spec.definition, "filling in changes nothing about what is written");
    }
}

fn edited(text: &str, language: Language, found: &[Definition]) {
    let entry: Object = [("command", "x"), ("cwd", "# y: z")].into_iter().collect();
    let new = Definition::new("sonde fuzz", entry);
    if let Ok(added) = edit::put(text, language, &new) {
        let there = definitions(&added, language).unwrap_or_default();
        assert_eq!(there.len(), found.len() + 1, "one more:\n{added}");
        assert_eq!(there.iter().filter(|there| there.name != new.name).count(), found.len(), "and no other");
        let taken = edit::remove(&added, language, &new.name);
        let left = taken.ok().and_then(|taken| definitions(&taken, language).ok());
        assert!(left.is_none_or(|left| left == found), "as it was before:\n{added}");
    }
    if let Some(first) = found.first()
        && let Ok(without) = edit::remove(text, language, &first.name)
    {
        assert_eq!(definitions(&without, language).unwrap_or_default().len(), found.len() - 1, "one less:\n{without}");
    }
}
