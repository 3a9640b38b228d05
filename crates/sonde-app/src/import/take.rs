//! Taking servers into the configuration: all that was chosen, or nothing.

use std::collections::HashSet;
use std::path::Path;

use sonde_registry::edit::{Backup, exchange_in};
use sonde_registry::{Definition, Origin, Owner, ServerId, SourceFile, TakenSecret, take_secrets};

use super::Clear;
use super::found::{Gathered, Offered};
use super::offer::at;
use crate::api::configuration::Target;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::import::{ImportChoice, Imported};
use crate::api::secrets::SecretKind;
use crate::app::App;
use crate::configure::place;
use crate::configure::write::{kept_in_memory, unwritten};
use crate::explain::Machine;
use crate::secrets::Entrusted;

/// Servers that anybody brings at once. Each is written into the text of a file by itself.
const MOST: usize = 1000;

/// A server that is about to be written.
struct Taken {
    id: ServerId,
    definition: Definition,
    secrets: Vec<TakenSecret>,
    /// What it takes the place of in the file that is written, where that has another name.
    removed: Option<String>,
}

impl App {
    pub(super) fn take(
        &self,
        gathered: Gathered,
        choices: &[ImportChoice],
        target: Target,
        clear: Clear,
    ) -> Result<Imported, ApiError> {
        if choices.is_empty() || choices.len() > MOST {
            let message = format!("between 1 and {MOST} servers can be imported at once, not {}", choices.len());
            return Err(ApiError::new(ErrorCode::InvalidRequest, "Nothing was imported", message));
        }
        let files = self.inner.roster.now().files;
        let path = place::of_new(&self.inner.places, &files, target)?;
        let mut notices = Vec::new();
        let mut taken = Vec::new();
        for choice in choices {
            taken.push(self.chosen(&gathered, choice, &files, (&path, target), &mut notices)?);
        }
        let mut seen = HashSet::new();
        if let Some(twice) = taken.iter().find(|one| !seen.insert(&one.id)) {
            let message = format!("two of the chosen servers would be `{}`", twice.id);
            return Err(refused(message).hint("rename one of them"));
        }
        if target == Target::Project {
            notices.extend(taken.iter().filter_map(|one| bound_to_this_machine(&one.definition)));
        }
        if clear == Clear::LeftOut {
            taken.iter_mut().for_each(|one| one.secrets.clear());
        }
        if let Clear::Kept(lasting) = clear
            && taken.iter().any(|one| !one.secrets.is_empty())
        {
            // Before anything is written: a reference to nothing helps nobody.
            self.require_keyring(lasting)
                .map_err(|error| ApiError { title: "Nothing was imported".to_owned(), ..error })?;
        }
        notices.extend(self.write_all(&path, target, &taken)?);
        notices.extend(taken.iter().filter_map(Taken::still_needs));
        let servers = taken.iter().map(|one| one.id.to_string()).collect();
        Ok(Imported { servers, file: Machine::here().path(&path), notices })
    }

    fn chosen(
        &self,
        gathered: &Gathered,
        choice: &ImportChoice,
        files: &[SourceFile],
        (path, target): (&Path, Target),
        notices: &mut Vec<String>,
    ) -> Result<Taken, ApiError> {
        let is_it = |offered: &&Offered| offered.definition.name == choice.name && offered.project == choice.project;
        let Some(offered) = gathered.servers.iter().find(is_it) else {
            let message = format!("there is no server `{}` that could be imported", choice.name);
            let told = ApiError::new(ErrorCode::UnknownEntry, "Nothing was imported", message);
            return Err(told.fact("file", Machine::here().path(&gathered.from)));
        };
        let offered = offered.away((target == Target::Project).then_some(&*self.inner.project));
        let mut definition = offered.clone();
        if let Some(name) = choice.rename.as_deref().map(str::trim) {
            definition.name = name.to_owned();
        }
        let looked = self.look_at(&definition).map_err(|error| at(&gathered.from, &offered, error))?;
        let id = looked.spec.id;
        let secrets = take_secrets(&mut definition, &|_| false);
        let there = place::name_in(files, path, &id);
        let servers = self.inner.roster.servers();
        let server = servers.iter().find(|server| server.spec.id == id).and_then(|server| server.newest());
        if (there.is_some() || server.is_some()) && !choice.replace {
            let message = format!("there is a server `{id}` already");
            let free = self.free_name(&definition.name, files).0;
            return Err(refused(message).fact("free name", free).hint("rename it, replace that one, or leave it out"));
        }
        // Another file than the one that is written keeps its own entry; which of them counts is told.
        if let Some(file) =
            server.as_ref().and_then(|server| server.spec.origin.file.as_deref()).filter(|file| *file != path)
        {
            let machine = Machine::here();
            let nearest = files.iter().map(|one| one.path.as_path()).find(|one| [file, path].contains(one));
            let (old, new) = (machine.path(file), machine.path(path));
            notices.push(match nearest == Some(file) {
                true => format!("`{id}` in `{old}` is nearer and hides the one in `{new}`"),
                false => format!("`{id}` in `{old}` stays as it is; the one in `{new}` hides it"),
            });
        }
        let removed = there.clone().filter(|name| *name != definition.name);
        Ok(Taken { id, definition, secrets, removed })
    }

    /// The vault first: a reference without a value is worse than a value without a reference. Should the file then not
    /// take it, the vault is as it was before.
    fn write_all(&self, path: &Path, target: Target, taken: &[Taken]) -> Result<Vec<String>, ApiError> {
        let origin = Origin { layer: place::layer_of(target), file: Some(path.to_owned()) };
        let owners: Vec<Owner> = taken.iter().map(|one| Owner::of(&one.id, &origin, &self.inner.project)).collect();
        let entrusted: Vec<Entrusted> = taken
            .iter()
            .zip(&owners)
            .flat_map(|(one, owner)| {
                one.secrets.iter().map(move |secret| Entrusted {
                    id: &one.id,
                    owner,
                    kind: SecretKind::Secret,
                    name: &secret.name,
                    value: secret.value.clone(),
                    entry: Some(&one.definition),
                })
            })
            .collect();
        for one in taken {
            self.ask_again_after(&one.id, &one.definition)?;
        }
        let removed: Vec<String> = taken.iter().filter_map(|one| one.removed.clone()).collect();
        let definitions: Vec<Definition> = taken.iter().map(|one| one.definition.clone()).collect();
        let (edited, unkept) = self.entrust(&entrusted, || {
            exchange_in(path, &removed, &definitions, Backup::AsItWas).map_err(|error| unwritten(path, &error))
        })?;
        let mut notices = Vec::new();
        if !entrusted.is_empty() {
            let names: Vec<String> = entrusted.iter().map(|one| format!("{} of {}", one.name, one.id)).collect();
            notices.push(format!("kept as secrets, the file has only references: {}", names.join(", ")));
        }
        notices.extend(unkept.as_ref().map(kept_in_memory));
        if let Some(backup) = edited.backup {
            notices.push(format!("the file as it was is kept as `{}`", Machine::here().path(&backup)));
        }
        Ok(notices)
    }
}

impl Taken {
    /// What its old client keeps elsewhere, or asks for, and did not hand over.
    fn still_needs(&self) -> Option<String> {
        let is_kept =
            |reference: &str| self.secrets.iter().any(|secret| reference == format!("secret:{}", secret.name));
        let given = self.definition.given().into_iter().map(|missing| missing.reference);
        let needed: Vec<String> =
            given.filter(|reference| !is_kept(reference)).map(|reference| format!("`${{{reference}}}`")).collect();
        let id = &self.id;
        (!needed.is_empty()).then(|| format!("`{id}` asks for {}: give that before it is started", needed.join(", ")))
    }
}

/// A file of a project is shared with people whose machines have other folders.
fn bound_to_this_machine(definition: &Definition) -> Option<String> {
    let text = |name: &str| definition.entry.get(name).and_then(|node| node.value.as_text());
    let field =
        ["command", "cwd"].into_iter().find(|name| text(name).is_some_and(|text| Path::new(text).is_absolute()))?;
    let name = &definition.name;
    Some(format!("`{field}` of `{name}` is a path of this machine; others who share the project may not have it"))
}

fn refused(message: String) -> ApiError {
    ApiError::new(ErrorCode::Conflict, "Nothing was imported", message)
}
