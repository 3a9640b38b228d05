//! What is a secret, and how one leaves a definition.

mod looks;

use zeroize::Zeroizing;

use crate::definition::Definition;
use crate::expand::Reference;
use crate::language::Value;

pub use looks::looks_secret;

/// A value that nobody may read: it can't be written down, and says nothing of itself.
///
/// ```compile_fail
/// serde_json::to_string(&sonde_registry::Secret::new("x".to_owned()));
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    pub fn new(value: String) -> Self {
        Secret(Zeroizing::new(value))
    }

    /// The value itself, for whoever hands it on to a server or to the keyring.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[redacted]")
    }
}

impl std::fmt::Display for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[redacted]")
    }
}

/// A secret that was taken out of a definition.
#[derive(Debug, Clone)]
pub struct TakenSecret {
    /// As in `${secret:NAME}`, which stands in its place now.
    pub name: String,
    /// The way to the field that had it, as in `env.API_KEY`.
    pub field: String,
    pub value: Secret,
}

/// Takes secrets out of the variables and headers of a definition and leaves references. `is_marked` says what a person
/// called a secret, by the way to the field; everything else is one by its name or by its look.
pub fn take_secrets(definition: &mut Definition, is_marked: &dyn Fn(&str) -> bool) -> Vec<TakenSecret> {
    let mut taken = Vec::new();
    for holder in ["env", "headers"] {
        let Some(Value::Object(values)) = definition.entry.get_mut(holder).map(|node| &mut node.value) else {
            continue;
        };
        for member in values.iter_mut() {
            let field = format!("{holder}.{}", member.name);
            let Some(text) = member.node.value.as_word().map(str::to_owned) else { continue };
            // What is asked for elsewhere is written nowhere.
            let refers = !Reference::all_in(&text).is_empty();
            if text.is_empty() || refers || !(is_marked(&field) || looks_secret(&member.name, &text)) {
                continue;
            }
            let (scheme, value) = if holder == "headers" { looks::split_scheme(&text) } else { ("", text.as_str()) };
            let name = reference_name(&member.name);
            taken.push(TakenSecret { name: name.clone(), field, value: Secret::new(value.to_owned()) });
            member.node.value = Value::Text(format!("{scheme}${{secret:{name}}}"));
        }
    }
    taken
}

/// A name that can stand in a reference.
fn reference_name(name: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "_-.".contains(character);
    name.chars().map(|character| if plain(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Document, Language, Object};

    fn definition(entry: &str) -> Definition {
        let document = Document::parse(entry, Language::Json).unwrap();
        let Value::Object(entry) = document.root.value else { panic!("an entry is an object") };
        Definition::new("shop", entry)
    }

    fn text_of<'a>(entry: &'a Object, holder: &str, name: &str) -> &'a str {
        entry.get(holder).unwrap().value.as_object().unwrap().get(name).unwrap().value.as_text().unwrap()
    }

    #[test]
    fn a_secret_says_nothing_of_itself() {
        let secret = Secret::new("hunter2".to_owned());
        assert_eq!(format!("{secret:?} {secret}"), "[redacted] [redacted]");
        let taken = TakenSecret { name: "A".into(), field: "env.A".into(), value: secret };
        assert!(!format!("{taken:?}").contains("hunter2"));
    }

    #[test]
    fn secrets_leave_a_definition_and_references_take_their_place() {
        let mut own = definition(
            r#"{"command": "x", "args": ["--key", "sk-123456789"], "env": {
                "API_KEY": "sk-live-1", "HOME_DIR": "/home/ada", "GH": "ghp_0123456789abcdef", "TOKEN": "${TOKEN}",
                "PLAIN": "yes", "MARKED": "whatever", "N_TOKENS": 4096, "PIN_SECRET": 771771}}"#,
        );
        let taken = take_secrets(&mut own, &|field| field == "env.MARKED");
        let names: Vec<&str> = taken.iter().map(|taken| taken.name.as_str()).collect();
        assert_eq!(names, ["API_KEY", "GH", "MARKED", "PIN_SECRET"]);
        assert_eq!(taken[0].value.expose(), "sk-live-1");
        assert_eq!(text_of(&own.entry, "env", "API_KEY"), "${secret:API_KEY}");
        assert_eq!(text_of(&own.entry, "env", "TOKEN"), "${TOKEN}", "it was written nowhere");
        assert_eq!(text_of(&own.entry, "env", "HOME_DIR"), "/home/ada");
        assert!(take_secrets(&mut own, &|_| false).is_empty(), "a second time there is nothing left");
    }

    #[test]
    fn the_scheme_of_a_header_stays() {
        let mut own = definition(
            r#"{"url": "https://example.com", "headers": {
                "Authorization": "Bearer abc def", "X-Api-Key": "k", "X-Auth": "Bearer ${T}", "Accept-Language": "en"}}"#,
        );
        let taken = take_secrets(&mut own, &|_| false);
        assert_eq!(text_of(&own.entry, "headers", "Authorization"), "Bearer ${secret:Authorization}");
        assert_eq!(taken[0].value.expose(), "abc def");
        assert_eq!(text_of(&own.entry, "headers", "X-Api-Key"), "${secret:X-Api-Key}");
        assert_eq!(text_of(&own.entry, "headers", "X-Auth"), "Bearer ${T}");
        assert_eq!(taken.len(), 2);
    }
}
