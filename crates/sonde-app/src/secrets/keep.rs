//! The one way into the vault. A person who said yes to a server did not see the values of its secrets: where one of them
//! decides what is run or who is spoken to, another value needs another yes, whichever door it came by.

use sonde_registry::{Definition, Kept, Owner, Secret, ServerId, ServerSpec, Unusable};
use sonde_transport::Redactor;

use super::{Given, check, known};
use crate::api::error::{ApiError, ErrorCode};
use crate::api::secrets::SecretKind;
use crate::app::App;
use crate::explain;
use crate::server::deciding;

/// Whether memory is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// For a window, which stays open for a while and says that it is so.
    OrInMemory,
    /// For a command that ends at once: what is not there afterwards was not kept.
    Required,
}

/// A value on its way into the vault.
pub(crate) struct Entrusted<'a> {
    pub id: &'a ServerId,
    pub owner: &'a Owner,
    pub kind: SecretKind,
    pub name: &'a str,
    pub value: Secret,
    /// The entry that is about to refer to it.
    pub entry: Option<&'a Definition>,
}

impl App {
    /// Whose secrets those of a server are.
    pub(crate) fn owner(&self, spec: &ServerSpec) -> Owner {
        Owner::of(&spec.id, &spec.origin, &self.inner.project)
    }

    /// Keeps values and then does something that needs them. Should that fail, the vault is as it was before. Gives why
    /// some of them are kept in memory alone. Blocks.
    pub(crate) fn entrust<T>(
        &self,
        entrusted: &[Entrusted],
        then: impl FnOnce() -> Result<T, ApiError>,
    ) -> Result<(T, Option<Unusable>), ApiError> {
        for one in entrusted {
            check(one.name, Some(&one.value))?;
        }
        for one in entrusted {
            let given = Given { kind: one.kind, name: one.name.to_owned() };
            self.ask_again_about(one.id, one.entry, &given.written())?;
        }
        let vault = &self.inner.vault;
        let mut before: Vec<(&Owner, Given, Option<Secret>)> = Vec::with_capacity(entrusted.len());
        let mut unkept = None;
        for one in entrusted {
            let given = Given { kind: one.kind, name: one.name.to_owned() };
            let old = vault.get(one.owner, given.wanted());
            self.hide(one.name, &one.value);
            if let Kept::Memory(why) = vault.set(one.owner, given.wanted(), one.value.clone()) {
                unkept = Some(why);
            }
            before.push((one.owner, given, old));
        }
        match then() {
            Ok(done) => Ok((done, unkept)),
            Err(error) => {
                for (owner, given, old) in before {
                    match old {
                        Some(old) => drop(vault.set(owner, given.wanted(), old)),
                        // What can't be forgotten stays in the keyring under a name that nothing refers to.
                        None => vault.remove(owner, given.wanted()).unwrap_or_default(),
                    }
                }
                Err(error)
            }
        }
    }

    /// Refuses where a secret would be gone when this program ends. Blocks.
    pub(crate) fn require_keyring(&self, lasting: Lasting) -> Result<(), ApiError> {
        match (lasting, self.inner.vault.lasts()) {
            (Lasting::OrInMemory, _) | (Lasting::Required, Ok(())) => Ok(()),
            (Lasting::Required, Err(why)) => {
                let message = format!("it can't be kept beyond this command: {why}");
                Err(ApiError::new(ErrorCode::Storage, "Secrets can't be kept", message))
            }
        }
    }

    /// Forgets the approval of a server where what `reference` leads to decides what it is, in the entry that there is or
    /// in the one that is about to be.
    pub(crate) fn ask_again_about(
        &self,
        id: &ServerId,
        entry: Option<&Definition>,
        reference: &str,
    ) -> Result<(), ApiError> {
        let decides = |definition: &Definition| deciding(definition).iter().any(|there| there == reference);
        let is_deciding = entry.is_some_and(decides) || self.entries_of(id).iter().any(decides);
        match is_deciding {
            true => self.inner.approvals.forget(id).map_err(|error| explain::approvals(&error)),
            false => Ok(()),
        }
    }

    /// Forgets the approval of a server whose entry loses a reference that decided what it is: once the entry does not
    /// show it any more, its value could be changed unseen, and the entry put back.
    pub(crate) fn ask_again_after(&self, id: &ServerId, entry: &Definition) -> Result<(), ApiError> {
        let stays = deciding(entry);
        let loses = |old: &Definition| deciding(old).iter().any(|reference| !stays.contains(reference));
        match self.entries_of(id).iter().any(loses) {
            true => self.inner.approvals.forget(id).map_err(|error| explain::approvals(&error)),
            false => Ok(()),
        }
    }

    /// What is written down for a server, and what it runs with.
    fn entries_of(&self, id: &ServerId) -> Vec<Definition> {
        let servers = self.inner.roster.servers();
        let own = servers.iter().filter(|server| server.spec.id == *id);
        let entries = own.flat_map(|server| {
            let newest = server.newest().map(|newest| newest.spec.definition.clone());
            std::iter::once(server.spec.definition.clone()).chain(newest)
        });
        entries.collect()
    }

    /// From now on nobody who says this value is shown with it, whichever server it is.
    pub(super) fn hide(&self, name: &str, value: &Secret) {
        self.hide_all(known::parts(name, value.expose()));
    }
}

/// What to know of a value that is too short to be looked for.
pub(super) fn too_short(value: &Secret) -> Option<String> {
    let shortest = Redactor::SHORTEST;
    (value.expose().len() < shortest).then(|| {
        format!("it has fewer than {shortest} bytes, so it is not taken out of the log: that would hide too much else")
    })
}
