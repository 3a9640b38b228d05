//! What a person does to the configuration: add, edit, remove, duplicate, switch off. Nothing is started by it.

mod check;
pub(crate) mod draft;
pub(crate) mod place;
pub(crate) mod write;

use std::hash::BuildHasher as _;
use std::path::Path;
use std::sync::Arc;

use sonde_registry::language::Value;
use sonde_registry::{self as registry, Definition, Layer, Owner, ServerId, ServerSpec, SourceFile};

use crate::api::changes::Nothing;
use crate::api::configuration::{
    ConfigFile, ConfigFiles, DraftReport, EnableRequest, FileEntry, SaveDraftRequest, Saved, ServerDraft, Target,
};
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::{Origin, ServerRequest};
use crate::app::App;
use crate::explain::{self, Machine};
use crate::server::Server;
use draft::{Secrets, Switch};
use write::Writing;

impl App {
    /// The files that are there, and those that would be written.
    pub(crate) async fn list_files(&self, _request: Nothing) -> Result<ConfigFiles, ApiError> {
        let files = self.inner.roster.now().files;
        let places = &self.inner.places;
        let usual: Vec<_> =
            [Target::Project, Target::Global].iter().filter_map(|t| place::of_new(places, &files, *t).ok()).collect();
        let shown = files.iter().filter(|file| file.exists || usual.contains(&file.path));
        Ok(ConfigFiles { files: shown.map(config_file).collect() })
    }

    pub(crate) async fn read_draft(&self, request: ServerRequest) -> Result<ServerDraft, ApiError> {
        let definition = &self.written(&request.server)?.spec.definition;
        Ok(ServerDraft { seen: Some(self.seal(definition)), ..draft::of(definition) })
    }

    pub(crate) async fn check_draft(&self, draft: ServerDraft) -> Result<DraftReport, ApiError> {
        self.report(&draft).await
    }

    pub(crate) async fn save_draft(&self, request: SaveDraftRequest) -> Result<Saved, ApiError> {
        let _one_at_a_time = self.inner.configuring.lock().await;
        if request.draft.seen.is_some() {
            // Whoever watches the files may be a moment behind.
            self.read_again().await;
        }
        let files = self.inner.roster.now().files;
        let old = request.replaces.as_deref().map(|id| self.written(id)).transpose()?;
        let before = old.as_ref().map(|old| &old.spec);
        if let (Some(seen), Some(spec)) = (&request.draft.seen, before)
            && *seen != self.seal(&spec.definition)
        {
            let message = format!("the entry of `{}` is another now than the one that was edited", spec.id);
            let told = ApiError::new(ErrorCode::Conflict, "Changed on disk", message);
            return Err(told.hint("look at what changed, and save again over it or take it"));
        }
        let place = match before {
            Some(spec) => place::of_changed(&self.inner.places, &files, spec, request.target)?,
            None => {
                let path = place::of_new(&self.inner.places, &files, request.target)?;
                place::Place { path, layer: place::layer_of(request.target), notices: Vec::new() }
            }
        };
        let stands_there = before.filter(|spec| spec.origin.file.as_deref() == Some(&*place.path));
        // What stays where it is keeps its words; in another file it is written as we write.
        let (definition, secrets) = match stands_there {
            Some(spec) => draft::entry(&request.draft, Some(&spec.definition)),
            None => draft::entry(&request.draft, before.map(|spec| spec.definition.canonical()).as_ref()),
        };
        let id = self.checked(&definition)?;
        self.refuse_taken(&id, before, &files, &place.path)?;
        let owner = Owner::of(&id, &place.origin(), &self.inner.project);
        if let Some(spec) = before {
            self.copy_secrets(spec, &owner, &id).await?;
        }
        let place::Place { path, mut notices, .. } = place;
        let replaces = stands_there.cloned();
        let (written, id_now) = (path.clone(), id.clone());
        let writing = Writing { path, definition, id, owner, secrets, replaces };
        notices.extend(self.write_entry(writing).await?);
        if let Some(spec) = stands_there.filter(|spec| spec.id != id_now) {
            self.move_server(spec, &id_now).await?;
        }
        self.taken_down(&id_now, &written, notices).await
    }

    pub(crate) async fn duplicate_server(&self, request: ServerRequest) -> Result<Saved, ApiError> {
        let _one_at_a_time = self.inner.configuring.lock().await;
        let files = self.inner.roster.now().files;
        let original = self.written(&request.server)?;
        let spec = &original.spec;
        let (name, id) = self.free_name(&spec.name, &files);
        let target = match spec.origin.layer {
            Layer::Project | Layer::Ancestor => Target::Project,
            Layer::BuiltIn | Layer::Global | Layer::Typed => Target::Global,
        };
        let path = match (&spec.origin.file, spec.origin.layer) {
            (Some(file), Layer::Project | Layer::Global) => file.clone(),
            _ => place::of_new(&self.inner.places, &files, target)?,
        };
        let origin = registry::Origin { layer: place::layer_of(target), file: Some(path.clone()) };
        let owner = Owner::of(&id, &origin, &self.inner.project);
        let mut entry = spec.definition.entry.clone();
        // In a list an entry says its own name.
        entry.retain(|member| {
            !(["id", "name"].contains(&&*member.name) && member.node.value.as_word() == Some(&spec.name))
        });
        // A copy that starts by itself would start the same twice.
        entry.retain(|member| !["auto_start", "autoStart"].contains(&&*member.name));
        self.copy_secrets(spec, &owner, &id).await?;
        let writing = Writing {
            path: path.clone(),
            definition: Definition::new(name, entry),
            id: id.clone(),
            owner,
            secrets: Secrets::default(),
            replaces: None,
        };
        let notices = self.write_entry(writing).await?;
        self.taken_down(&id, &path, notices).await
    }

    /// Where it was written is told: a server of a folder above is switched off by an entry of the project.
    pub(crate) async fn enable_server(&self, request: EnableRequest) -> Result<Saved, ApiError> {
        match request.enabled {
            true => self.enable(&request.server).await,
            false => self.disable(&request.server).await,
        }
    }

    /// Lets a server be connected again.
    pub async fn enable(&self, id: &str) -> Result<Saved, ApiError> {
        self.switch(id, Switch::On).await
    }

    /// Writes down that a server is not to be connected. One that runs goes on until it is ended.
    pub async fn disable(&self, id: &str) -> Result<Saved, ApiError> {
        self.switch(id, Switch::Off).await
    }

    async fn switch(&self, id: &str, switch: Switch) -> Result<Saved, ApiError> {
        let _one_at_a_time = self.inner.configuring.lock().await;
        let files = self.inner.roster.now().files;
        let server = self.written(id)?;
        let spec = &server.spec;
        let target = match spec.origin.layer {
            Layer::BuiltIn | Layer::Typed => {
                let message = format!("server `{}` stands in no file", spec.id);
                return Err(ApiError::new(ErrorCode::InvalidRequest, "It can't be switched off", message));
            }
            Layer::Global => Target::Global,
            Layer::Ancestor | Layer::Project => Target::Project,
        };
        if spec.is_off_by_its_file() && switch == Switch::On {
            let message =
                format!("the file of `{}` says `mcp.enabled: false`, which is for all of its servers", spec.id);
            let told = ApiError::new(ErrorCode::InvalidRequest, "It stays switched off", message);
            let file = spec.origin.file.as_deref().map(|file| Machine::here().path(file)).unwrap_or_default();
            return Err(told.fact("file", file).hint("set `mcp.enabled` to true there"));
        }
        let place = place::of_changed(&self.inner.places, &files, spec, target)?;
        let replaces = (spec.origin.file.as_deref() == Some(&*place.path)).then(|| spec.clone());
        let mut definition = match &replaces {
            Some(spec) => spec.definition.clone(),
            None => spec.definition.canonical(),
        };
        draft::switch(&mut definition.entry, switch);
        let owner = Owner::of(&spec.id, &place.origin(), &self.inner.project);
        self.copy_secrets(spec, &owner, &spec.id).await?;
        let place::Place { path, mut notices, .. } = place;
        let (written, id) = (path.clone(), spec.id.clone());
        let writing = Writing { path, definition, id, owner, secrets: Secrets::default(), replaces };
        notices.extend(self.write_entry(writing).await?);
        self.taken_down(&spec.id, &written, notices).await
    }

    pub(crate) async fn remove_server(&self, request: ServerRequest) -> Result<Nothing, ApiError> {
        let _one_at_a_time = self.inner.configuring.lock().await;
        let server = self.written(&request.server)?;
        let spec = &server.spec;
        let refused = |message: String| ApiError::new(ErrorCode::InvalidRequest, "It can't be removed", message);
        let file = match (&spec.origin.file, spec.origin.layer) {
            (Some(file), Layer::Ancestor) => {
                let file = Machine::here().path(file);
                let message = format!("server `{}` stands in `{file}`, which is above the project", spec.id);
                return Err(refused(message).hint("remove it there, or switch it off here"));
            }
            (Some(file), _) => file.clone(),
            (None, _) => return Err(refused(format!("server `{}` stands in no file", spec.id))),
        };
        self.remove_entry(&file, &spec.name).await?;
        self.read_again().await;
        // Where a farther entry of the same name is here now, what is kept may be its own: the way it is spoken to goes by
        // the name, and secrets by the name and the project.
        let servers = self.inner.roster.servers();
        let another = servers.iter().filter(|there| there.spec.id == spec.id).find_map(|there| there.newest());
        match another.filter(|another| another.spec.origin != spec.origin) {
            None => self.forget_server(spec).await?,
            Some(another) => {
                self.inner.approvals.forget(&spec.id).map_err(|error| explain::approvals(&error))?;
                if self.owner(&another.spec) != self.owner(spec) {
                    self.forget_secrets(spec).await?;
                }
            }
        }
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    /// The person has seen how the configuration differs.
    pub(crate) async fn dismiss_difference(&self, request: ServerRequest) -> Result<Nothing, ApiError> {
        self.server(&request.server)?.dismiss_differences();
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    /// Tells one entry from another, and nothing of what stands in it.
    fn seal(&self, definition: &Definition) -> String {
        let said = (&definition.name, Value::Object(definition.entry.clone()).to_json());
        format!("{:016x}", self.inner.secrets.seal.hash_one(said))
    }

    /// The server as it is written down now.
    fn written(&self, id: &str) -> Result<Arc<Server>, ApiError> {
        let server = self.server(id)?;
        server.newest().ok_or_else(|| {
            let message = format!("server `{id}` is in no file any more");
            ApiError::new(ErrorCode::UnknownServer, "No such server", message).hint("it is gone when it stops")
        })
    }

    /// The id of an entry that can be used.
    fn checked(&self, definition: &Definition) -> Result<ServerId, ApiError> {
        let read = self.read_definition(definition);
        read.map(|(spec, _)| spec.id).map_err(|error| {
            let problem = check::problem(&error);
            let message = format!("`{}`: {}", problem.field, problem.message);
            ApiError::new(ErrorCode::Configuration, "The server can't be used like this", message)
                .fact("field", problem.field)
                .hint("correct that field")
        })
    }

    /// Refuses an id that another server has, or another entry of the file that is to be written.
    fn refuse_taken(
        &self,
        id: &ServerId,
        replaced: Option<&ServerSpec>,
        files: &[SourceFile],
        path: &Path,
    ) -> Result<(), ApiError> {
        if replaced.is_some_and(|spec| spec.id == *id) {
            return Ok(());
        }
        let servers = self.inner.roster.servers();
        let server = servers.iter().find(|server| server.spec.id == *id).map(|server| server.spec.origin.file.clone());
        let entry = place::name_in(files, path, id).map(|_| Some(path.to_owned()));
        let Some(file) = server.or(entry) else { return Ok(()) };
        let told = ApiError::new(ErrorCode::Conflict, "The name is taken", format!("there is a server `{id}` already"));
        let told = match file {
            Some(file) => told.fact("file", Machine::here().path(&file)),
            None => told,
        };
        Err(told.fact("free name", self.free_name(id.as_str(), files).0).hint("choose another name, or edit that one"))
    }

    /// A name like this one that nobody has.
    pub(crate) fn free_name(&self, name: &str, files: &[SourceFile]) -> (String, ServerId) {
        let servers = self.inner.roster.servers();
        let is_free = |id: &ServerId| {
            servers.iter().all(|server| server.spec.id != *id)
                && files.iter().all(|file| place::name_in(files, &file.path, id).is_none())
        };
        let mut number = 1;
        loop {
            let name = if number == 1 { format!("{name}-copy") } else { format!("{name}-copy-{number}") };
            if let Some(id) = ServerId::from_name(&name).filter(is_free) {
                return (name, id);
            }
            number += 1;
        }
    }

    /// Reads again what was written, and says what became of it.
    async fn taken_down(&self, id: &ServerId, path: &Path, notices: Vec<String>) -> Result<Saved, ApiError> {
        self.read_again().await;
        if let Ok(server) = self.server(id.as_str()) {
            server.changed_by_hand();
        }
        self.inner.changes.server_changed();
        Ok(Saved { server: id.to_string(), file: Machine::here().path(path), notices })
    }
}

fn config_file(file: &SourceFile) -> ConfigFile {
    let entries = file.entries.iter().map(|entry| FileEntry {
        name: entry.name.clone(),
        hidden_by: entry.hidden_by.as_ref().map(|origin| origin.layer.into()),
    });
    ConfigFile {
        origin: Origin { layer: file.layer.into(), file: Some(Machine::here().path(&file.path)) },
        exists: file.exists,
        servers: entries.collect(),
        problems: file.problems.iter().map(|problem| explain::configuration(problem, file.layer).error).collect(),
    }
}
