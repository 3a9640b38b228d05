//! Changes of configuration files, and of what is kept elsewhere under a server's id.

use std::path::{Path, PathBuf};

use sonde_registry::edit::{EditError, put_into, remove_from};
use sonde_registry::{Definition, Kept, Profile, Reference, Secret, ServerId, Wanted, take_secrets};

use super::draft::Secrets;
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::explain::{self, Machine};

impl App {
    /// Moves the secrets of an entry into the vault and writes the entry. Gives what a person should know.
    pub(crate) async fn write_entry(
        &self,
        path: &Path,
        mut definition: Definition,
        id: &ServerId,
        secrets: Secrets,
    ) -> Result<Vec<String>, ApiError> {
        let (vault, id, path) = (self.inner.vault.clone(), id.clone(), path.to_owned());
        blocking(move || {
            let taken = take_secrets(&mut definition, &|field| secrets.marked.iter().any(|marked| marked == field));
            let moved: Vec<String> = taken.iter().map(|taken| taken.name.clone()).collect();
            let typed = secrets.typed.into_iter().map(|typed| (typed.name, Secret::new(typed.value)));
            let values = taken.into_iter().map(|taken| (taken.name, taken.value)).chain(typed);
            // The vault first: a reference without a value is worse than a value without a reference.
            let kept: Vec<Kept> = values.map(|(name, value)| vault.set(&id, Wanted::Secret(&name), value)).collect();
            let edited = put_into(&path, &definition).map_err(|error| unwritten(&path, &error))?;
            let mut notices = Vec::new();
            if !moved.is_empty() {
                notices.push(format!("{} moved out of the file: it has references now", moved.join(", ")));
            }
            if let Some(Kept::Memory(why)) = kept.iter().find(|kept| matches!(kept, Kept::Memory(_))) {
                notices.push(format!("secrets are kept only until Sonde ends: {why}"));
            }
            notices.extend(
                edited
                    .backup
                    .map(|backup| format!("the file as it was is kept as `{}`", Machine::here().path(&backup))),
            );
            Ok(notices)
        })
        .await
    }

    /// Writes an entry as it is.
    pub(crate) async fn put_entry(&self, path: &Path, definition: Definition) -> Result<(), ApiError> {
        let path = path.to_owned();
        blocking(move || put_into(&path, &definition).map(drop).map_err(|error| unwritten(&path, &error))).await
    }

    pub(crate) async fn remove_entry(&self, path: &Path, name: &str) -> Result<(), ApiError> {
        let (path, name) = (path.to_owned(), name.to_owned());
        blocking(move || remove_from(&path, &name).map(drop).map_err(|error| unwritten(&path, &error))).await
    }

    /// Forgets all that is kept of a server elsewhere than in files.
    pub(crate) async fn forget_server(&self, definition: &Definition, id: &ServerId) -> Result<(), ApiError> {
        self.inner.approvals.forget(id).map_err(|error| explain::approvals(&error))?;
        {
            let _one_at_a_time = self.inner.editing.lock().await;
            self.inner.profiles.set(id, &Profile::default()).map_err(|error| explain::profiles(&error))?;
        }
        let (vault, given, id) = (self.inner.vault.clone(), given(definition), id.clone());
        blocking(move || {
            vault.remove_server(&id, &wanted(&given)).map_err(|why| {
                let message = format!("the keyring may still have secrets of `{id}`: {why}");
                ApiError::new(ErrorCode::Storage, "The keyring could not be used", message)
            })
        })
        .await
    }

    /// Keeps under another id what is kept of a server, its secrets apart, and forgets the old one. A person is asked
    /// about the new one anew.
    pub(crate) async fn move_server(
        &self,
        definition: &Definition,
        from: &ServerId,
        to: &ServerId,
    ) -> Result<(), ApiError> {
        {
            let _one_at_a_time = self.inner.editing.lock().await;
            let profiles = &self.inner.profiles;
            let moved = profiles.of(from).and_then(|profile| profiles.set(to, &profile));
            moved.map_err(|error| explain::profiles(&error))?;
            self.rename_in_arrangement(from, to)?;
        }
        self.forget_server(definition, from).await
    }

    /// Gives a server the secrets of another.
    pub(crate) async fn copy_secrets(
        &self,
        definition: &Definition,
        from: &ServerId,
        to: &ServerId,
    ) -> Result<(), ApiError> {
        let (vault, given, from, to) = (self.inner.vault.clone(), given(definition), from.clone(), to.clone());
        blocking(move || {
            vault.copy(&from, &to, &wanted(&given));
            Ok(())
        })
        .await
    }
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

/// Files and keyrings take their time; nobody else should wait for it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(ApiError::new(ErrorCode::Internal, "Internal error", error.to_string())),
    }
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
