//! What a source has to offer, for a person to choose from.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use sonde_registry::clients::ClientFile;
use sonde_registry::{
    self as registry, CommandLine, Definition, EntryError, Lookup, Origin, Reach, Reference, ServerId, ServerSpec,
    Severity, Surroundings, Variables, shapes, take_secrets,
};
use sonde_transport::variables;

use super::found::{self, Gathered, Offered, Part};
use crate::api::error::ApiError;
use crate::api::import::{FoundFile, FoundFiles, ImportConflict, Importable, LookedAt, Offer};
use crate::api::servers::{CommandLaunch, Launch, Layer};
use crate::app::App;
use crate::configure::place;
use crate::explain::Machine;
use crate::server::Server;
use crate::shown;

impl App {
    pub(super) fn look_around(&self) -> FoundFiles {
        let mut search = found::search(&self.inner.project);
        // What stands in our own files is here already.
        let own = self.own_files();
        search.found.retain(|file| !own.contains(&file.path));
        let machine = Machine::here();
        let looked = search.absent.iter().map(|file| LookedAt { client: names(file), file: machine.path(&file.path) });
        let looked = looked.collect();
        let files = found::parts(&self.inner.project, search.found)
            .into_iter()
            .map(|part| self.found_file(&machine, part))
            .collect();
        FoundFiles { files, looked }
    }

    fn found_file(&self, machine: &Machine, part: Part) -> FoundFile {
        let client = match &part.project {
            Some(project) => format!("{} · {}", names(&part.file), machine.path(Path::new(project))),
            None => names(&part.file),
        };
        FoundFile { id: part.id, client, file: machine.path(&part.file.path), offer: self.offer(part.gathered) }
    }

    pub(super) fn offer(&self, gathered: Gathered) -> Offer {
        let Gathered { shape, from, servers: offered, mut problems } = gathered;
        let mut servers = Vec::new();
        for offered in offered {
            let definition = offered.away(None);
            match self.look_at(&definition) {
                Ok(looked) => {
                    problems.extend(looked.warnings.iter().map(|warning| at(&from, &definition, warning.clone())));
                    servers.push(self.importable(&offered, &definition, &looked));
                }
                Err(error) => problems.push(at(&from, &definition, error)),
            }
        }
        Offer { shape: shape.name().to_owned(), servers, problems }
    }

    fn importable(&self, offered: &Offered, definition: &Definition, looked: &Looked) -> Importable {
        let server = Server::new(looked.spec.clone(), &self.inner.project);
        let launch = match &server.spec.reach {
            Reach::Url(remote) => Launch::Url(server.shown_to_page(remote)),
            Reach::Command(line) => Launch::Command(CommandLaunch {
                command: line.written.first().cloned().unwrap_or_default(),
                resolved: self.found_program(&server, line),
                args: line.written.iter().skip(1).cloned().collect(),
                folder: server.shown_folder(),
                env_names: line.env.iter().map(|(name, _)| name).chain(&line.env_passthrough).cloned().collect(),
            }),
        };
        Importable {
            name: definition.name.clone(),
            project: offered.project.clone(),
            id: looked.spec.id.to_string(),
            launch,
            enabled: looked.spec.enabled,
            secrets: looked.secrets.clone(),
            conflict: self.conflict(&looked.spec.id, &definition.name, &looked.without_secrets),
            risks: server.risks(None, &self.inner.project),
        }
    }

    /// Where its program is, as far as that is known without asking a shell.
    fn found_program(&self, server: &Server, line: &CommandLine) -> Option<String> {
        let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
        let located = self.inner.search.resolve(&line.command, &server.folder, &mut env).ok()?;
        shown::binary(&server.spec, &located.binary)
    }

    /// The files that hold our own servers.
    pub(super) fn own_files(&self) -> Vec<PathBuf> {
        self.inner.places.files().into_iter().map(|(path, _)| path).collect()
    }

    /// A server of that id, or an entry that is hidden or can't be used.
    fn conflict(&self, id: &ServerId, name: &str, definition: &Definition) -> Option<ImportConflict> {
        let present = self.inner.roster.now();
        let free = || self.free_name(name, &present.files).0;
        let machine = Machine::here();
        if let Some(server) = present.servers.iter().find(|server| server.spec.id == *id) {
            let written = server.newest().unwrap_or_else(|| server.clone());
            let file = written.spec.origin.file.as_deref().map(|file| machine.path(file));
            let same = shapes::same(&written.spec.definition.canonical().entry, &definition.canonical().entry);
            let layer = Layer::from(written.spec.origin.layer);
            return Some(ImportConflict { server: id.to_string(), file, layer, same, free: free() });
        }
        let file = present.files.iter().find(|file| place::name_in(&present.files, &file.path, id).is_some())?;
        let (layer, file) = (Layer::from(file.layer), Some(machine.path(&file.path)));
        Some(ImportConflict { server: id.to_string(), file, layer, same: false, free: free() })
    }

    /// What an entry would be here. A variable that is not set is no reason to refuse it: it may be set when the server
    /// is started.
    pub(super) fn look_at(&self, definition: &Definition) -> Result<Looked, EntryError> {
        let mut without_secrets = definition.clone();
        let taken = take_secrets(&mut without_secrets, &|_| false);
        let variable = |name: &str| std::env::var(name).ok();
        let surroundings =
            Surroundings { variable: &variable, home: dirs::home_dir(), project: self.inner.project.clone() };
        let patient = Patient { surroundings, later: RefCell::default() };
        let origin = Origin { layer: registry::Layer::Global, file: None };
        let (spec, warnings) = loop {
            match ServerSpec::read(&without_secrets, &origin, &patient) {
                Err(EntryError::Unset { variable, .. }) if patient.expects(&variable) => {}
                read => break read?,
            }
        };
        let name = |field: &str| field.split_once('.').map_or(field, |(_, name)| name).to_owned();
        let secrets = taken.iter().map(|taken| name(&taken.field)).collect();
        Ok(Looked { spec, warnings, secrets, without_secrets })
    }
}

pub(super) struct Looked {
    pub spec: ServerSpec,
    pub warnings: Vec<EntryError>,
    /// Names of variables and headers whose values go into the keyring.
    pub secrets: Vec<String>,
    pub without_secrets: Definition,
}

/// The variables that there are. One that is missed is taken for one that comes later, unless it has a default.
struct Patient<'a> {
    surroundings: Surroundings<'a>,
    later: RefCell<Vec<String>>,
}

impl Patient<'_> {
    /// False where it was expected already, so that nobody asks for ever.
    fn expects(&self, variable: &str) -> bool {
        let mut later = self.later.borrow_mut();
        let is_new = !later.iter().any(|known| known == variable);
        later.push(variable.to_owned());
        is_new
    }
}

impl Variables for Patient<'_> {
    fn look_up(&self, reference: &Reference) -> Lookup {
        match self.surroundings.look_up(reference) {
            Lookup::Unset if self.later.borrow().iter().any(|known| *known == reference.to_string()) => Lookup::Later,
            looked_up => looked_up,
        }
    }
}

/// A problem of an entry, where it stands.
pub(super) fn at(from: &Path, definition: &Definition, error: EntryError) -> ApiError {
    let line = error.field().map_or(definition.line, |field| definition.line_of(field));
    let severity = error.severity();
    let told = found::told(&PathBuf::from(from), line, error);
    match severity {
        Severity::Warning => told,
        Severity::Error => ApiError { title: "Server can't be imported".to_owned(), ..told },
    }
}

fn names(file: &ClientFile) -> String {
    file.clients.iter().map(|client| client.name).collect::<Vec<_>>().join(", ")
}
