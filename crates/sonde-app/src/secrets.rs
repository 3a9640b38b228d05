//! Secrets and inputs of servers: which there are, where they are kept, and how they get into a launch.
//!
//! A value goes to a server and to the keyring, and nowhere else: every connection has a redactor that knows the values
//! which its server was given, and the journal knows all of them.

mod known;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sonde_registry::{
    Kept, Lookup, Reference, Secret, ServerId, ServerSpec, Standing, Surroundings, Variables, Wanted, looks_secret,
};
use sonde_transport::{Redact, Redactor, Verbatim};

use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::secrets::{Keeper, KeeperKind, SecretKind, SecretList, SecretState, SetSecretRequest};
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::server::Server;
use crate::{explain, journal};

/// The longest value that a server can be given in a variable.
const LONGEST: usize = 128 << 10;
const LONGEST_NAME: usize = 200;

/// What is known of secrets while the app runs.
#[derive(Default)]
pub(crate) struct Secrets {
    /// By the server that was given them last.
    redactors: Mutex<HashMap<ServerId, Arc<Redactor>>>,
    /// Given for this run, for whichever server asks.
    given: Mutex<HashMap<String, Secret>>,
}

impl App {
    /// Where secrets are kept, as far as anybody needed to know.
    pub(crate) fn keeper(&self) -> Keeper {
        match self.inner.vault.standing() {
            Standing::Unknown | Standing::Keyring => Keeper { kind: KeeperKind::Keyring, notice: None },
            Standing::Memory(why) => Keeper { kind: KeeperKind::Memory, notice: Some(why.notice()) },
        }
    }

    pub(crate) async fn list_secrets(&self, request: ServerRequest) -> Result<SecretList, ApiError> {
        self.secrets(&request.server).await
    }

    /// What a server asks a person for, and what of it was given; never a value.
    pub async fn secrets(&self, server: &str) -> Result<SecretList, ApiError> {
        let server = self.server(server)?;
        let known = self.values(&server.spec).await?;
        let states = known.into_iter().map(|(reference, value)| SecretState {
            name: reference.name,
            kind: reference.kind,
            known: value.is_some(),
            description: None,
        });
        Ok(SecretList { secrets: states.collect(), keeper: self.keeper() })
    }

    pub(crate) async fn set_secret(&self, request: SetSecretRequest) -> Result<Nothing, ApiError> {
        let SetSecretRequest { server, kind, name, value } = request;
        self.keep_secret(&server, kind, &name, value.map(Secret::new)).await?;
        Ok(Nothing {})
    }

    /// Keeps a value, or forgets it. Gives where it is kept now.
    pub async fn keep_secret(
        &self,
        server: &str,
        kind: SecretKind,
        name: &str,
        value: Option<Secret>,
    ) -> Result<Keeper, ApiError> {
        let server = self.server(server)?;
        check(name, value.as_ref())?;
        self.ask_again_about(
            &server,
            &match kind {
                SecretKind::Secret => Reference::Secret(name),
                SecretKind::Input => Reference::Input(name),
            },
        )?;
        let (vault, id, name) = (self.inner.vault.clone(), server.spec.id.clone(), name.to_owned());
        let kept = tokio::task::spawn_blocking(move || {
            let wanted = match kind {
                SecretKind::Secret => Wanted::Secret(&name),
                SecretKind::Input => Wanted::Input(&name),
            };
            match value {
                Some(value) => Ok(vault.set(&id, wanted, value)),
                None => vault.remove(&id, wanted).map(|()| Kept::Keyring),
            }
        });
        let kept = kept.await.map_err(|error| explain::unforeseen(&server.spec, &error))?.map_err(|why| {
            let message = format!("the keyring may still have it: {why}");
            ApiError::new(ErrorCode::Storage, "The keyring could not be used", message).hint("unlock it and try again")
        })?;
        self.inner.changes.server_changed();
        Ok(match kept {
            Kept::Keyring => self.keeper(),
            Kept::Memory(why) => Keeper { kind: KeeperKind::Memory, notice: Some(why.notice()) },
        })
    }

    /// Gives a value for this run alone, to whichever server asks for a secret or an input of that name.
    pub fn give(&self, name: &str, value: Secret) {
        journal::hide([(name, value.expose())]);
        lock(&self.inner.secrets.given).insert(name.to_owned(), value);
    }

    /// The server with a value for every reference in it, to be started now. From here on its secrets are hidden.
    pub(crate) async fn filled(&self, server: &Server) -> Result<ServerSpec, ApiError> {
        let values = self.values(&server.spec).await?;
        let variable = |name: &str| std::env::var(name).ok();
        let project = self.inner.project.clone();
        let launching = Launching {
            values: values.into_iter().filter_map(|(reference, value)| Some((reference.written(), value?))).collect(),
            surroundings: Surroundings { variable: &variable, home: dirs::home_dir(), project },
            told: RefCell::default(),
        };
        let filled = server.spec.fill(&launching).map_err(|error| explain::unfilled(&server.spec, &error))?;
        let told = launching.told.into_inner();
        let known = known::of(&filled, &told);
        let known = known.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        journal::hide(known.clone());
        let redactor = Redactor::new(known).map(Arc::new);
        let mut redactors = lock(&self.inner.secrets.redactors);
        match redactor {
            Some(redactor) => redactors.insert(filled.id.clone(), redactor),
            None => redactors.remove(&filled.id),
        };
        Ok(filled)
    }

    /// What hides the secrets that the server was given when it was filled last.
    pub(crate) fn redactor(&self, server: &ServerId) -> Arc<dyn Redact> {
        match lock(&self.inner.secrets.redactors).get(server) {
            Some(redactor) => redactor.clone(),
            None => Arc::new(Verbatim),
        }
    }

    /// Everything that the server asks a person for, with what was given. The keyring is asked only if there is something.
    async fn values(&self, spec: &ServerSpec) -> Result<Vec<(Given, Option<Secret>)>, ApiError> {
        let given: Vec<Given> =
            spec.definition.given().iter().filter_map(|missing| Given::read(&missing.reference)).collect();
        let mut values: Vec<(Given, Option<Secret>)> = Vec::with_capacity(given.len());
        {
            let now = lock(&self.inner.secrets.given);
            values.extend(given.into_iter().map(|given| (given.clone(), now.get(&given.name).cloned())));
        }
        if values.iter().all(|(_, value)| value.is_some()) {
            return Ok(values);
        }
        let (vault, id) = (self.inner.vault.clone(), spec.id.clone());
        let asked = tokio::task::spawn_blocking(move || {
            for (given, value) in values.iter_mut().filter(|(_, value)| value.is_none()) {
                *value = vault.get(&id, given.wanted());
            }
            values
        });
        asked.await.map_err(|error| explain::unforeseen(spec, &error))
    }
}

/// A reference that a person gives a value.
#[derive(Debug, Clone)]
struct Given {
    kind: SecretKind,
    name: String,
}

impl Given {
    fn read(reference: &str) -> Option<Self> {
        match Reference::parse(reference) {
            Reference::Secret(name) => Some(Given { kind: SecretKind::Secret, name: name.to_owned() }),
            Reference::Input(id) => Some(Given { kind: SecretKind::Input, name: id.to_owned() }),
            Reference::Env(_) | Reference::UserHome | Reference::WorkspaceFolder => None,
        }
    }

    fn wanted(&self) -> Wanted<'_> {
        match self.kind {
            SecretKind::Secret => Wanted::Secret(&self.name),
            SecretKind::Input => Wanted::Input(&self.name),
        }
    }

    fn written(&self) -> String {
        match self.kind {
            SecretKind::Secret => Reference::Secret(&self.name).to_string(),
            SecretKind::Input => Reference::Input(&self.name).to_string(),
        }
    }
}

/// Everything that a launch may refer to. It remembers which secrets it told.
struct Launching<'a> {
    values: HashMap<String, Secret>,
    surroundings: Surroundings<'a>,
    told: RefCell<Vec<(String, Secret)>>,
}

impl Variables for Launching<'_> {
    fn look_up(&self, reference: &Reference) -> Lookup {
        let found = match reference {
            Reference::Secret(name) | Reference::Input(name) => {
                self.values.get(&reference.to_string()).map(|value| (*name, value.expose().to_owned()))
            }
            Reference::Env(name) => match self.surroundings.look_up(reference) {
                Lookup::Value(value) if looks_secret(name, &value) => Some((*name, value)),
                other => return other,
            },
            Reference::UserHome | Reference::WorkspaceFolder => return self.surroundings.look_up(reference),
        };
        let Some((name, value)) = found else { return Lookup::Unset };
        self.told.borrow_mut().push((name.to_owned(), Secret::new(value.clone())));
        Lookup::Value(value)
    }
}

fn check(name: &str, value: Option<&Secret>) -> Result<(), ApiError> {
    let refuse = |problem: &str| Err(ApiError::new(ErrorCode::InvalidRequest, "Not a secret", problem));
    if name.is_empty()
        || name.len() > LONGEST_NAME
        || name.chars().any(|character| "{}/".contains(character) || character.is_control())
    {
        return refuse("the name of a secret is at most 200 characters, without `/`, `{` and `}`");
    }
    match value.map(Secret::expose) {
        Some("") => refuse("the value is empty"),
        Some(value) if value.len() > LONGEST => refuse("the value has more than 128 KiB"),
        Some(value) if value.contains('\0') => refuse("the value has a NUL in it, which no variable can hold"),
        _ => Ok(()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
