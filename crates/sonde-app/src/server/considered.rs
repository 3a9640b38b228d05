//! A server as a person is asked about it. Inputs and secrets stay as they are written, but nobody can say yes to a
//! program that is not known: an input that decides which one it is, or where it runs, must be given first.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use sonde_registry::{
    CommandLine, EntryError, Lookup, Missing, Reach, Reference, Secret, ServerSpec, Surroundings, Variables,
};

use super::Server;
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::explain;

impl App {
    /// The same without holding anybody up.
    pub(crate) async fn considered_soon<'a>(&self, server: &'a Arc<Server>) -> Result<Cow<'a, ServerSpec>, ApiError> {
        if !is_decided(&server.spec) {
            return Ok(Cow::Borrowed(&server.spec));
        }
        let (app, asked) = (self.clone(), server.clone());
        let considered = tokio::task::spawn_blocking(move || app.considered(&asked).map(Cow::into_owned)).await;
        considered.map_err(|error| explain::unforeseen(&server.spec, &error))?.map(Cow::Owned)
    }

    /// Asks the keyring only where an input decides something, and then waits for it.
    pub(super) fn considered<'a>(&self, server: &'a Server) -> Result<Cow<'a, ServerSpec>, ApiError> {
        let spec = &server.spec;
        let Reach::Command(line) = &spec.reach else { return Ok(Cow::Borrowed(spec)) };
        if !is_decided(spec) {
            return Ok(Cow::Borrowed(spec));
        }
        let mut inputs = HashMap::new();
        let mut missing = Vec::new();
        for (field, reference) in deciding(spec, line) {
            match reference {
                Reference::Input(id) => match self.input(spec, id) {
                    Some(value) => drop(inputs.insert(id.to_owned(), value)),
                    None => missing.push(Missing { field: field.to_owned(), reference: reference.to_string() }),
                },
                _ => return Err(hidden(spec, field, &reference)),
            }
        }
        if !missing.is_empty() {
            let needed = EntryError::Needed { server: spec.name.clone(), missing };
            return Err(explain::unfilled(spec, &needed));
        }
        let variable = |name: &str| std::env::var(name).ok();
        let project = self.inner.project.clone();
        let surroundings = Surroundings { variable: &variable, home: dirs::home_dir(), project };
        let read = ServerSpec::read(&spec.definition, &spec.origin, &Deciding { inputs, surroundings });
        let (filled, _told_before) = read.map_err(|error| explain::unfilled(spec, &error))?;
        let Reach::Command(filled) = filled.reach else { return Ok(Cow::Borrowed(spec)) };
        let is_path = |name: &str| name.eq_ignore_ascii_case("PATH");
        let env =
            line.env.iter().zip(filled.env).map(|(own, filled)| if is_path(&own.0) { filled } else { own.clone() });
        let line = CommandLine {
            command: filled.command,
            folder: filled.folder,
            env_file: filled.env_file,
            env: env.collect(),
            ..line.clone()
        };
        let mut considered = spec.clone();
        considered.reach = Reach::Command(line);
        Ok(Cow::Owned(considered))
    }
}

/// Whether what a person gives decides which program runs, or where.
fn is_decided(spec: &ServerSpec) -> bool {
    match &spec.reach {
        Reach::Command(line) => spec.needs_approval() && !deciding(spec, line).is_empty(),
        Reach::Url(_) => false,
    }
}

/// What a person gives that decides which program runs and where, each with the field that asks for it.
fn deciding<'a>(spec: &'a ServerSpec, line: &'a CommandLine) -> Vec<(&'a str, Reference<'a>)> {
    let path = line.written_env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    let fields = [
        ("command", line.written.first().map(String::as_str)),
        ("cwd", line.written_folder.as_deref()),
        ("envFile", spec.written("envFile")),
        ("env.PATH", path.map(|(_, written)| written.as_str())),
    ];
    let given = |(field, written): (&'a str, Option<&'a str>)| {
        let references = Reference::all_in(written.unwrap_or_default()).into_iter().filter(Reference::is_given);
        references.map(move |reference| (field, reference))
    };
    fields.into_iter().flat_map(given).collect()
}

/// What nobody may see nobody can say yes to.
fn hidden(spec: &ServerSpec, field: &str, reference: &Reference) -> ApiError {
    let message = format!(
        "server `{}` can't be approved: the secret `${{{reference}}}` in `{field}` decides what runs, and nobody may see it",
        spec.id
    );
    ApiError::new(ErrorCode::Configuration, "A secret decides what runs", message).hint(format!(
        "write `{field}` in full, or with an `${{input:…}}`, whose value is shown to whoever approves it"
    ))
}

/// Everything but what decides nothing and comes later.
struct Deciding<'a> {
    inputs: HashMap<String, Secret>,
    surroundings: Surroundings<'a>,
}

impl Variables for Deciding<'_> {
    fn look_up(&self, reference: &Reference) -> Lookup {
        let given = match reference {
            Reference::Input(id) => self.inputs.get(*id),
            _ => None,
        };
        given.map_or_else(|| self.surroundings.look_up(reference), |value| Lookup::Value(value.expose().to_owned()))
    }
}
