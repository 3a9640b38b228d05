//! Servers written down for other clients. Secrets go out as references, wherever they stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use sonde_registry::clients::Client;
use sonde_registry::language::Value;
use sonde_registry::shapes::{Notice, Shape};
use sonde_registry::{Definition, Layer, Reference, looks_secret, take_secrets};

use super::found;
use crate::api::configuration::Target;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::import::{self, Exported, Shapes};
use crate::app::App;
use crate::configure::place;
use crate::explain::Machine;
use crate::server::Server;

impl App {
    /// The shapes that can be written.
    pub fn shapes(&self) -> Shapes {
        let machine = Machine::here();
        let variable = |name: &str| std::env::var(name).ok();
        let looked_at = found::machine(&self.inner.project, &variable);
        let files = self.inner.roster.now().files;
        let shapes = Shape::sure().map(|shape| {
            let file = match shape {
                Shape::Sonde => place::of_new(&self.inner.places, &files, Target::Global).ok(),
                _ => Client::named(shape.id()).and_then(|client| client.usual_file(&looked_at)),
            };
            import::Shape {
                id: shape.id().to_owned(),
                name: shape.name().to_owned(),
                file: file.map(|file| machine.path(&file)),
            }
        });
        Shapes { shapes: shapes.collect() }
    }

    /// Servers as another client would have written them; None is every server that stands in a file.
    pub fn export(&self, servers: Option<&[String]>, shape: &str) -> Result<Exported, ApiError> {
        let shape = Shape::named(shape).ok_or_else(|| {
            let known: Vec<&str> = Shape::sure().map(Shape::id).collect();
            ApiError::new(ErrorCode::InvalidRequest, "No such shape", format!("there is no shape `{shape}`"))
                .hint(format!("there are: {}", known.join(", ")))
        })?;
        let is_written = |server: &&Arc<Server>| !matches!(server.spec.origin.layer, Layer::BuiltIn | Layer::Typed);
        let servers: Vec<Arc<Server>> = match servers {
            Some(ids) => ids.iter().map(|id| self.server(id)).collect::<Result<_, _>>()?,
            None => self.inner.roster.servers().iter().filter(is_written).cloned().collect(),
        };
        let newest = servers.iter().filter_map(|server| server.newest());
        let definitions: Vec<Definition> = newest.map(|server| hidden(server.spec.definition.canonical())).collect();
        if definitions.is_empty() {
            let message = "no server is written down that could be exported";
            return Err(ApiError::new(ErrorCode::UnknownServer, "Nothing to export", message));
        }
        let written = shape.write(&definitions);
        Ok(Exported {
            text: written.text,
            file_name: shape.file_name().to_owned(),
            language: shape.language().as_str().to_owned(),
            notices: together(&written.notices, shape),
        })
    }
}

/// What is told of several servers is told once.
fn together(notices: &[Notice], shape: Shape) -> Vec<String> {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for notice in notices {
        let text = notice.told(shape);
        let place = *places.entry(text.clone()).or_insert(told.len());
        if place == told.len() {
            told.push((text, Vec::new()));
        }
        if let Some((_, servers)) = told.get_mut(place) {
            servers.push(&notice.server);
        }
    }
    let line = |(text, servers): (String, Vec<&str>)| format!("{}: {text}", servers.join(", "));
    told.into_iter().map(line).collect()
}

/// The entry with references for what looks like a secret: in variables and headers, among the arguments, and in the
/// address.
fn hidden(mut definition: Definition) -> Definition {
    take_secrets(&mut definition, &|_| false);
    if let Some(Value::List(args)) = definition.entry.get_mut("args").map(|node| &mut node.value) {
        let mut flag = String::new();
        for node in args {
            let Value::Text(word) = &mut node.value else { continue };
            let before = std::mem::take(&mut flag);
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with('-') => (name.to_owned(), value.to_owned()),
                _ => (before, word.clone()),
            };
            if word.starts_with('-') {
                flag.clone_from(word);
            }
            let is_plain = !value.starts_with('-') && Reference::all_in(&value).is_empty();
            if is_plain && looks_secret(&name, &value) {
                *word = word.replace(&value, &reference(&name, "ARGUMENT"));
            }
        }
    }
    if let Some(Value::Text(url)) = definition.entry.get_mut("url").map(|node| &mut node.value)
        && let Some((place, query)) = url.split_once('?')
    {
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) if Reference::all_in(value).is_empty() && looks_secret(name, value) => {
                format!("{name}={}", reference(name, "PARAMETER"))
            }
            _ => pair.to_owned(),
        };
        *url = format!("{place}?{}", query.split('&').map(pair).collect::<Vec<_>>().join("&"));
    }
    definition
}

/// `--api-key` is kept as `API_KEY`.
fn reference(flag: &str, otherwise: &str) -> String {
    let letter = |one: char| if one.is_ascii_alphanumeric() { one.to_ascii_uppercase() } else { '_' };
    let name: String = flag.trim_start_matches('-').chars().map(letter).collect();
    format!("${{secret:{}}}", if name.is_empty() { otherwise } else { &name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonde_registry::definitions;
    use sonde_registry::language::Language;

    #[test]
    fn a_secret_among_arguments_or_in_an_address_becomes_a_reference() {
        let text = r#"{"mcpServers":{"a":{"command":"x","args":["--api-key","sk-0123456789","--token=abcdefgh","-y",
            "--port","8080","ghp_0123456789abcdef","--key","${KEY}","plain"]},
            "b":{"url":"https://example.com/mcp?api_key=abcdefgh&team=shop"}}}"#;
        let definitions = definitions(text, Language::Json).unwrap();
        let shown = |at: usize| hidden(definitions[at].clone()).entry.get_json();
        assert_eq!(
            shown(0),
            r#"{"command":"x","args":["--api-key","${secret:API_KEY}","--token=${secret:TOKEN}","-y","--port","8080","${secret:ARGUMENT}","--key","${KEY}","plain"]}"#
        );
        assert_eq!(shown(1), r#"{"url":"https://example.com/mcp?api_key=${secret:API_KEY}&team=shop"}"#);
    }

    trait Json {
        fn get_json(&self) -> String;
    }

    impl Json for sonde_registry::language::Object {
        fn get_json(&self) -> String {
            let text = Value::Object(self.clone()).to_json();
            text.replace("\": ", "\":").replace("\", \"", "\",\"").replace(", \"", ",\"")
        }
    }
}
