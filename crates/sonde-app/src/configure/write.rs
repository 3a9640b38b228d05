//! Changes of configuration files, and of what is kept elsewhere of a server.

use std::path::{Path, PathBuf};

use sonde_registry::edit::{Backup, EditError, backup_of, exchange_in, remove_from};
use sonde_registry::{
    Definition, Owner, Profile, Reference, Secret, ServerId, ServerSpec, TakenSecret, Unusable, Wanted,
    take_new_secrets, take_secrets,
};

use super::draft::Secrets;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::secrets::SecretKind;
use crate::app::App;
use crate::explain::{self, Machine};
use crate::secrets::{Entrusted, blocking};

/// An entry on its way into a file.
pub(crate) struct Writing {
    pub path: PathBuf,
    pub definition: Definition,
    pub id: ServerId,
    /// Whose its secrets will be.
    pub owner: Owner,
    pub secrets: Secrets,
    /// The entry that it takes the place of in the same file. What that had in clear and nobody touched stays so; out of
    /// every other file secrets come as references.
    pub replaces: Option<ServerSpec>,
}

impl App {
    /// Moves new secrets of an entry into the vault and writes the entry. Gives what a person should know.
    pub(crate) async fn write_entry(&self, writing: Writing) -> Result<Vec<String>, ApiError> {
        let app = self.clone();
        blocking(move || app.write(writing)).await
    }

    fn write(&self, writing: Writing) -> Result<Vec<String>, ApiError> {
        let Writing { path, definition, id, owner, secrets, replaces } = writing;
        let mut notices = Vec::new();
        let before = replaces.as_ref().map(|spec| &spec.definition);
        let (mut written, mut taken) = without_secrets(&definition, before, &secrets.marked);
        // Out of a file nothing is moved to where it would be gone when the program ends.
        if before.is_some()
            && taken.iter().any(|taken| secrets.marked.contains(&taken.field))
            && let Err(why) = self.inner.vault.lasts()
        {
            notices.push(format!("{} stays in the file as it is: {why}", secrets.marked.join(", ")));
            (written, taken) = without_secrets(&definition, before, &[]);
        }
        let moved: Vec<&str> = taken.iter().map(|taken| taken.name.as_str()).collect();
        if !moved.is_empty() {
            notices.push(format!("{} moved out of the entry: the file has references", moved.join(", ")));
        }
        let typed = secrets.typed.iter().map(|typed| (&typed.name, Secret::new(typed.value.clone())));
        let values = taken.iter().map(|taken| (&taken.name, taken.value.clone())).chain(typed);
        let entrusted: Vec<Entrusted> = values
            .map(|(name, value)| Entrusted {
                id: &id,
                owner: &owner,
                kind: SecretKind::Secret,
                name,
                value,
                entry: Some(&written),
            })
            .collect();
        self.ask_again_after(&id, &written)?;
        let removed: Vec<String> =
            replaces.iter().map(|spec| spec.name.clone()).filter(|old| *old != written.name).collect();
        // A copy of the file as it was would have in clear what was just moved out of it.
        let is_moved = before.is_some() && !taken.is_empty();
        let backup = if is_moved { Backup::None } else { Backup::AsItWas };
        // The vault first: a reference without a value is worse than a value without a reference.
        let (edited, unkept) = self.entrust(&entrusted, || {
            exchange_in(&path, &removed, std::slice::from_ref(&written), backup)
                .map_err(|error| unwritten(&path, &error))
        })?;
        notices.extend(unkept.as_ref().map(kept_in_memory));
        let shown = |path: &Path| Machine::here().path(path);
        notices.extend(edited.backup.map(|backup| format!("the file as it was is kept as `{}`", shown(&backup))));
        notices.extend(still_in_backup(&edited.path, &taken).map(|backup| {
            format!("`{}`, an earlier copy of the file, still has in clear what was moved: remove it", shown(&backup))
        }));
        Ok(notices)
    }

    pub(crate) async fn remove_entry(&self, path: &Path, name: &str) -> Result<(), ApiError> {
        let (path, name) = (path.to_owned(), name.to_owned());
        blocking(move || remove_from(&path, &name).map(drop).map_err(|error| unwritten(&path, &error))).await
    }

    /// Forgets all that is kept of a server elsewhere than in files.
    pub(crate) async fn forget_server(&self, spec: &ServerSpec) -> Result<(), ApiError> {
        self.inner.approvals.forget(&spec.id).map_err(|error| explain::approvals(&error))?;
        {
            let _one_at_a_time = self.inner.editing.lock().await;
            self.inner.profiles.set(&spec.id, &Profile::default()).map_err(|error| explain::profiles(&error))?;
        }
        self.forget_secrets(spec).await
    }

    pub(crate) async fn forget_secrets(&self, spec: &ServerSpec) -> Result<(), ApiError> {
        let (vault, given, owner, id) =
            (self.inner.vault.clone(), given(&spec.definition), self.owner(spec), spec.id.clone());
        blocking(move || {
            vault.remove_server(&owner, &wanted(&given)).map_err(|why| {
                let message = format!("the keyring may still have secrets of `{id}`: {why}");
                ApiError::new(ErrorCode::Storage, "The keyring could not be used", message)
            })
        })
        .await
    }

    /// Keeps under another id what is kept of a server, its secrets apart, and forgets the old one. A person is asked
    /// about the new one anew.
    pub(crate) async fn move_server(&self, from: &ServerSpec, to: &ServerId) -> Result<(), ApiError> {
        {
            let _one_at_a_time = self.inner.editing.lock().await;
            let profiles = &self.inner.profiles;
            let moved = profiles.of(&from.id).and_then(|profile| profiles.set(to, &profile));
            moved.map_err(|error| explain::profiles(&error))?;
            self.rename_in_arrangement(&from.id, to)?;
        }
        self.forget_server(from).await
    }

    /// Gives another owner the secrets of a server, who will have the id that is named.
    pub(crate) async fn copy_secrets(&self, from: &ServerSpec, to: &Owner, id: &ServerId) -> Result<(), ApiError> {
        let (vault, given, from, to) =
            (self.inner.vault.clone(), given(&from.definition), self.owner(from), to.clone());
        if from == to {
            return Ok(());
        }
        let (app, id) = (self.clone(), id.clone());
        blocking(move || {
            // They may take the place of others that were given before.
            for reference in &given {
                app.ask_again_about(&id, None, reference)?;
            }
            vault.copy(&from, &to, &wanted(&given));
            Ok(())
        })
        .await
    }
}

/// The entry as it is to be written, and what was taken out of it.
fn without_secrets(
    definition: &Definition,
    before: Option<&Definition>,
    marked: &[String],
) -> (Definition, Vec<TakenSecret>) {
    let mut written = definition.clone();
    let is_marked = |field: &str| marked.iter().any(|marked| marked == field);
    let taken = match before {
        Some(before) => take_new_secrets(&mut written, before, &is_marked),
        None => take_secrets(&mut written, &is_marked),
    };
    (written, taken)
}

/// A copy that was made before, if it has one of these.
fn still_in_backup(path: &Path, taken: &[TakenSecret]) -> Option<PathBuf> {
    let backup = backup_of(path);
    let text = std::fs::read_to_string(&backup).ok().filter(|_| !taken.is_empty())?;
    taken.iter().any(|taken| text.contains(taken.value.expose())).then_some(backup)
}

pub(crate) fn kept_in_memory(why: &Unusable) -> String {
    format!("secrets are kept only until Sonde ends: {why}")
}

/// The inputs and secrets that an entry asks for.
fn given(definition: &Definition) -> Vec<String> {
    definition.given().into_iter().map(|missing| missing.reference).collect()
}

fn wanted(given: &[String]) -> Vec<Wanted<'_>> {
    let wanted = given.iter().filter_map(|reference| match Reference::parse(reference) {
        Reference::Secret(name) => Some(Wanted::Secret(name)),
        Reference::Input(id) => Some(Wanted::Input(id)),
        Reference::Env(_) | Reference::UserHome | Reference::WorkspaceFolder => None,
    });
    wanted.collect()
}

pub(crate) fn unwritten(path: &Path, error: &EditError) -> ApiError {
    let path: PathBuf = path.to_owned();
    let code = match error {
        EditError::Write { .. } => ErrorCode::Storage,
        EditError::Changed(_) => ErrorCode::Busy,
        _ => ErrorCode::Configuration,
    };
    ApiError::new(code, "The configuration was not changed", error.to_string())
        .because(error)
        .fact("file", Machine::here().path(&path))
}
