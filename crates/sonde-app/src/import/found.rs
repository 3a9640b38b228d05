//! Where servers are brought from: files of other clients, any file, or a text.

use std::path::{Path, PathBuf};

use sonde_registry::clients::{self, Client, ClientFile, Platform, Search};
use sonde_registry::shapes::{self, Oddity, Reading, Section, Shape};
use sonde_registry::{Definition, EntryError, FileProblem, Layer, Severity};

use super::Source;
use crate::api::error::{ApiError, ErrorCode};
use crate::explain::{self, Machine};

/// What one source has, before anybody has looked at the single servers.
pub(super) struct Gathered {
    pub shape: Shape,
    /// Where it stands, for a person.
    pub from: PathBuf,
    pub definitions: Vec<Definition>,
    pub problems: Vec<ApiError>,
}

/// A part of a file that was found.
pub(super) struct Part {
    /// Names it in a later request.
    pub id: String,
    pub file: ClientFile,
    /// The project that it is for, where a file has servers for several.
    pub project: Option<String>,
    pub gathered: Gathered,
}

pub(super) fn search(project: &Path) -> Search {
    clients::search(&machine(project, &|name| std::env::var(name).ok()))
}

pub(super) fn machine<'a>(project: &Path, variable: &'a dyn Fn(&str) -> Option<String>) -> clients::Machine<'a> {
    // Without a home there is nothing in it; what is in the project is still found.
    let home = dirs::home_dir().unwrap_or_else(|| PathBuf::from("/nonexistent"));
    clients::Machine { platform: Platform::HERE, home, project: project.to_owned(), variable }
}

/// Every part of every file that was found. A file that can't be read is a part that says why.
pub(super) fn parts(found: Vec<ClientFile>) -> Vec<Part> {
    found.into_iter().flat_map(parts_of).collect()
}

fn parts_of(file: ClientFile) -> Vec<Part> {
    let shape = file.clients.first().map_or(Shape::Plain, |client| client.shape);
    let path = file.path.display().to_string();
    let reading = match shapes::read_file(shape, &file.path) {
        Ok(Some(reading)) => reading,
        // It went away between two looks.
        Ok(None) => return Vec::new(),
        Err(error) => {
            let gathered = unreadable(shape, &file.path, error);
            return vec![Part { id: path, project: None, file, gathered }];
        }
    };
    let Reading { shape, sections } = reading;
    let part = |section: Section| Part {
        id: match &section.project {
            Some(project) => format!("{path}#{project}"),
            None => path.clone(),
        },
        project: section.project.clone(),
        gathered: gathered(shape, &file.path, vec![section]),
        file: ClientFile { clients: file.clients.clone(), path: file.path.clone() },
    };
    sections.into_iter().map(part).collect()
}

/// Reads a source anew: what a person chose from may have changed since.
pub(super) fn gather(project: &Path, source: &Source) -> Result<Gathered, ApiError> {
    match source {
        Source::Found(id) => {
            let part = parts(search(project).found).into_iter().find(|part| part.id == *id);
            let part = part.ok_or_else(|| no_source(format!("`{id}` is no longer there")))?;
            Ok(part.gathered)
        }
        Source::Client(id) => of_client(project, id),
        Source::Path(path) => of_path(project, path),
        Source::Text { text, file_name } => {
            let from = PathBuf::from(file_name.as_deref().unwrap_or("pasted text"));
            let reading = shapes::read_text(text, file_name.as_deref()).map_err(|error| told(&from, None, error))?;
            Ok(gathered(reading.shape, &from, reading.sections))
        }
    }
}

/// All that a client knows for this project and for all projects.
fn of_client(project: &Path, id: &str) -> Result<Gathered, ApiError> {
    let Some(client) = Client::named(id) else {
        let known: Vec<&str> = clients::CLIENTS.iter().map(|client| client.id).collect();
        return Err(no_source(format!("there is no client `{id}`")).hint(format!("known are: {}", known.join(", "))));
    };
    let mut found = search(project);
    found.found.retain(|file| file.clients.iter().any(|known| known.id == client.id));
    if found.found.is_empty() {
        let machine = Machine::here();
        let of_it = |file: &&ClientFile| file.clients.iter().any(|known| known.id == client.id);
        let told = no_source(format!("nothing of {} was found", client.name));
        let absent = found.absent.iter().filter(of_it);
        return Err(absent.fold(told, |told, file| told.fact("looked for", machine.path(&file.path))));
    }
    let here = project.to_str();
    let mut whole: Option<Gathered> = None;
    for part in parts(found.found) {
        if part.project.is_some() && part.project.as_deref() != here {
            continue;
        }
        match &mut whole {
            None => whole = Some(part.gathered),
            Some(whole) => join(whole, part.gathered),
        }
    }
    whole.ok_or_else(|| no_source(format!("nothing of {} was found", client.name)))
}

/// The same server in two files is offered once; two of one name are told.
fn join(whole: &mut Gathered, more: Gathered) {
    whole.problems.extend(more.problems);
    for definition in more.definitions {
        match whole.definitions.iter().find(|known| known.name == definition.name) {
            None => whole.definitions.push(definition),
            Some(known) if shapes::same(&known.entry, &definition.entry) => {}
            Some(_) => {
                let problem = "another of that name stands in a file that was read before; name this file to import it";
                whole.problems.push(odd(
                    &more.from,
                    &Oddity {
                        severity: Severity::Warning,
                        server: Some(definition.name.clone()),
                        line: definition.line.unwrap_or_default(),
                        problem: problem.to_owned(),
                    },
                ));
            }
        }
    }
}

/// A file of a client is read as that client's, any other by what stands in it.
fn of_path(project: &Path, path: &Path) -> Result<Gathered, ApiError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_it = |file: &ClientFile| file.path.canonicalize().is_ok_and(|found| found == real);
    let known = search(project).found.into_iter().find(is_it);
    let read = match &known {
        Some(file) => shapes::read_file(file.clients.first().map_or(Shape::Plain, |client| client.shape), path),
        None => shapes::read_path(path),
    };
    match read {
        Ok(Some(reading)) => Ok(gathered(reading.shape, path, reading.sections)),
        Ok(None) => Err(no_source(format!("there is no file `{}`", path.display()))),
        Err(error) => Err(told(path, None, error)),
    }
}

/// The sections as one; a name that two of them have means the first.
fn gathered(shape: Shape, from: &Path, sections: Vec<Section>) -> Gathered {
    let mut whole = Gathered { shape, from: from.to_owned(), definitions: Vec::new(), problems: Vec::new() };
    for section in sections {
        let problems = section.problems.iter().map(|oddity| odd(from, oddity)).collect();
        let definitions = section.definitions;
        join(&mut whole, Gathered { shape, from: from.to_owned(), definitions, problems });
    }
    whole
}

fn unreadable(shape: Shape, from: &Path, error: EntryError) -> Gathered {
    let problems = vec![told(from, None, error)];
    Gathered { shape, from: from.to_owned(), definitions: Vec::new(), problems }
}

/// What is wrong with a text of another client, told as for a file of ours, except for what only ours have.
pub(super) fn told(from: &Path, line: Option<u32>, error: EntryError) -> ApiError {
    let is_syntax = matches!(error, EntryError::Syntax(_));
    let problem = FileProblem { file: from.to_owned(), line, error };
    let mut told = explain::configuration(&problem, Layer::Global).error;
    told.context.retain(|fact| fact.name != "layer");
    match is_syntax {
        true => told.hint("correct it at the caret, or just before it; comments and trailing commas are allowed"),
        false => told,
    }
}

fn odd(from: &Path, oddity: &Oddity) -> ApiError {
    let title = match oddity.severity {
        Severity::Warning => "Not a server for others",
        Severity::Error => "Server can't be imported",
    };
    let told = ApiError::new(ErrorCode::Configuration, title, oddity.to_string());
    let told = match &oddity.server {
        Some(server) => told.fact("server", server.clone()),
        None => told,
    };
    let told = told.fact("file", Machine::here().path(from));
    match oddity.line {
        0 => told,
        line => told.fact("at", format!("line {line}")),
    }
}

fn no_source(message: String) -> ApiError {
    ApiError::new(ErrorCode::UnknownEntry, "Nothing to import", message)
}
