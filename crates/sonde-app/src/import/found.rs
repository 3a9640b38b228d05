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
    pub servers: Vec<Offered>,
    pub problems: Vec<ApiError>,
}

/// A server that a source has.
#[derive(Clone)]
pub(super) struct Offered {
    pub definition: Definition,
    /// Where its client would start it, if that is not wherever it runs itself.
    pub home: Option<Home>,
    /// The folder of the project that it is for, if that is another than ours: nobody means it without saying so.
    pub project: Option<String>,
}

/// A folder that a server is at home in.
#[derive(Clone)]
pub(super) enum Home {
    /// It is always started there.
    Section(PathBuf),
    /// Paths in its entry that are relative are meant from there.
    File(PathBuf),
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
pub(super) fn parts(here: &Path, found: Vec<ClientFile>) -> Vec<Part> {
    found.into_iter().flat_map(|file| parts_of(here, file)).collect()
}

fn parts_of(here: &Path, file: ClientFile) -> Vec<Part> {
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
        gathered: gathered(here, shape, &file.path, file.project.clone().map(Home::File), vec![section]),
        file: ClientFile { clients: file.clients.clone(), path: file.path.clone(), project: file.project.clone() },
    };
    sections.into_iter().map(part).collect()
}

/// Reads a source anew: what a person chose from may have changed since. What stands in our `own` files is no source.
pub(super) fn gather(project: &Path, own: &[PathBuf], source: &Source) -> Result<Gathered, ApiError> {
    match source {
        Source::Found(id) => {
            let part = parts(project, search(project).found).into_iter().find(|part| part.id == *id);
            let part = part.ok_or_else(|| no_source(format!("`{id}` is no longer there")))?;
            Ok(part.gathered)
        }
        Source::Client(id) => of_client(project, own, id),
        Source::Path(path) => of_path(project, path),
        Source::Text { text, file_name } => {
            let from = PathBuf::from(file_name.as_deref().unwrap_or("pasted text"));
            let reading = shapes::read_text(text, file_name.as_deref()).map_err(|error| told(&from, None, error))?;
            Ok(gathered(project, reading.shape, &from, None, reading.sections))
        }
    }
}

/// All that a client knows for this project and for all projects.
fn of_client(project: &Path, own: &[PathBuf], id: &str) -> Result<Gathered, ApiError> {
    let Some(client) = Client::named(id) else {
        let known: Vec<&str> = clients::CLIENTS.iter().map(|client| client.id).collect();
        return Err(no_source(format!("there is no client `{id}`")).hint(format!("known are: {}", known.join(", "))));
    };
    let mut found = search(project);
    found.found.retain(|file| file.clients.iter().any(|known| known.id == client.id) && !own.contains(&file.path));
    if found.found.is_empty() {
        let machine = Machine::here();
        let of_it = |file: &&ClientFile| file.clients.iter().any(|known| known.id == client.id);
        let told = no_source(format!("nothing of {} was found", client.name));
        let absent = found.absent.iter().filter(of_it);
        return Err(absent.fold(told, |told, file| told.fact("looked for", machine.path(&file.path))));
    }
    let mut whole: Option<Gathered> = None;
    for part in parts(project, found.found) {
        if part.project.as_deref().is_some_and(|other| !is_same_folder(Path::new(other), project)) {
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
    for offered in more.servers {
        let definition = &offered.definition;
        let is_it = |known: &&Offered| known.definition.name == definition.name && known.project == offered.project;
        match whole.servers.iter().find(is_it) {
            None => whole.servers.push(offered),
            Some(known) if shapes::same(&known.definition.entry, &definition.entry) => {}
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
    let home = match &known {
        Some(file) => file.project.clone(),
        None => folder_of(path),
    };
    match read {
        Ok(Some(reading)) => Ok(gathered(project, reading.shape, path, home.map(Home::File), reading.sections)),
        Ok(None) => Err(no_source(format!("there is no file `{}`", path.display()))),
        Err(error) => Err(told(path, None, error)),
    }
}

/// The folder that a file of any kind is for: many stand in one of their own within it, as `.cursor`.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let is_hidden = folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with('.'));
    if is_hidden { folder.parent().map(Path::to_owned) } else { Some(folder.to_owned()) }
}

/// The sections as one; a name that two of them have for the same project means the first.
fn gathered(here: &Path, shape: Shape, from: &Path, home: Option<Home>, sections: Vec<Section>) -> Gathered {
    let mut whole = Gathered { shape, from: from.to_owned(), servers: Vec::new(), problems: Vec::new() };
    for section in sections {
        let problems = section.problems.iter().map(|oddity| odd(from, oddity)).collect();
        let (home, project) = match section.project {
            Some(project) => {
                let is_ours = is_same_folder(Path::new(&project), here);
                (Some(Home::Section(PathBuf::from(&project))), (!is_ours).then_some(project))
            }
            None => (home.clone(), None),
        };
        let offered = |definition| Offered { definition, home: home.clone(), project: project.clone() };
        let servers = section.definitions.into_iter().map(offered).collect();
        join(&mut whole, Gathered { shape, from: from.to_owned(), servers, problems });
    }
    whole
}

pub(super) fn is_same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

impl Offered {
    /// The entry as it is meant outside of its home: `into` is the folder in which the server would be started, if that is
    /// known.
    pub fn away(&self, into: Option<&Path>) -> Definition {
        let mut definition = self.definition.clone();
        let entry = &definition.entry;
        let text = |name: &str| entry.get(name).and_then(|node| node.value.as_text());
        let home = match &self.home {
            Some(Home::Section(home)) => Some(home),
            Some(Home::File(home)) => Some(home).filter(|home| is_relative(&definition, home)),
            None => None,
        };
        let Some(home) = home.filter(|home| !into.is_some_and(|into| is_same_folder(into, home))) else {
            return definition;
        };
        let folder = match text("cwd") {
            _ if text("command").is_none() => return definition,
            None => home.clone(),
            Some(folder) if folder.starts_with(['$', '~']) || Path::new(folder).is_absolute() => return definition,
            Some(folder) => home.join(folder),
        };
        definition.entry.set("cwd", folder.display().to_string());
        definition
    }
}

/// Whether an entry names something by a path that depends on the folder.
fn is_relative(definition: &Definition, home: &Path) -> bool {
    let entry = &definition.entry;
    let is_path =
        |word: &str| word.contains(['/', '\\']) && !word.contains("://") && !word.starts_with(['$', '~', '-', '@']);
    let is_relative = |word: &str| is_path(word) && Path::new(word).is_relative();
    let command = entry.get("command").and_then(|node| node.value.as_text()).is_some_and(is_relative);
    let args = entry.get("args").and_then(|node| node.value.as_list()).into_iter().flatten();
    let mut args = args.filter_map(|node| node.value.as_text());
    let cwd = entry.get("cwd").and_then(|node| node.value.as_text()).is_some_and(|cwd| Path::new(cwd).is_relative());
    command
        || cwd
        || args
            .any(|arg| arg.starts_with("./") || arg.starts_with("../") || (is_relative(arg) && home.join(arg).exists()))
}

fn unreadable(shape: Shape, from: &Path, error: EntryError) -> Gathered {
    let problems = vec![told(from, None, error)];
    Gathered { shape, from: from.to_owned(), servers: Vec::new(), problems }
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
