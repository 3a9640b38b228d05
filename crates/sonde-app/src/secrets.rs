//! Secrets and inputs of servers: which there are, where they are kept, and how they get into a launch.
//!
//! A value goes to a server and to the keyring, and nowhere else: every connection has a redactor that knows the values
//! of all servers, and so does the journal.

mod hidden;
mod keep;
mod known;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sonde_registry::{
    InputAbout, Lookup, Reference, Secret, ServerId, ServerSpec, Standing, Surroundings, Variables, Wanted,
    looks_secret,
};
use sonde_transport::{Redact, Redactor};

use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::secrets::{Keeper, KeeperKind, SecretKind, SecretList, SecretState, SetSecretRequest};
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::server::Server;
use crate::text::clip;
use crate::{explain, journal};
use hidden::{Hidden, Hiding};
pub(crate) use keep::Entrusted;
pub use keep::Lasting;

/// The longest value that a server can be given in a variable.
const LONGEST: usize = 128 << 10;
const LONGEST_NAME: usize = 200;
/// Characters of what an entry says about an input.
const LONGEST_ABOUT: usize = 2000;

/// What is known of secrets while the app runs.
#[derive(Default)]
pub(crate) struct Secrets {
    /// What every connection hides.
    hidden: Arc<Hidden>,
    /// What each server was given last.
    redactors: Mutex<HashMap<ServerId, Arc<Redactor>>>,
    /// Given for this run, by server and name.
    given: Mutex<HashMap<(ServerId, String), Secret>>,
    /// Makes marks of entries from which nobody can guess what stands in them.
    pub seal: std::hash::RandomState,
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
        let states = known.into_iter().map(|(reference, value)| {
            let about = match reference.kind {
                SecretKind::Input => server.spec.definition.input(&reference.name),
                SecretKind::Secret => InputAbout { password: true, ..InputAbout::default() },
            };
            let clipped = |text: &String| clip(text, LONGEST_ABOUT);
            SecretState {
                name: reference.name,
                kind: reference.kind,
                known: value.is_some(),
                description: about.description.as_ref().map(clipped),
                default: about.default.as_ref().map(clipped),
                options: about.options.iter().map(clipped).collect(),
                password: about.password,
            }
        });
        Ok(SecretList { secrets: states.collect(), keeper: self.keeper() })
    }

    pub(crate) async fn set_secret(&self, request: SetSecretRequest) -> Result<Nothing, ApiError> {
        let SetSecretRequest { server, kind, name, value } = request;
        self.keep_secret(&server, kind, &name, value.map(Secret::new), Lasting::OrInMemory).await?;
        Ok(Nothing {})
    }

    /// Keeps a value, or forgets it. Gives where it is kept now.
    pub async fn keep_secret(
        &self,
        server: &str,
        kind: SecretKind,
        name: &str,
        value: Option<Secret>,
        lasting: Lasting,
    ) -> Result<Keeper, ApiError> {
        let server = self.server(server)?;
        check(name, value.as_ref())?;
        let (app, name, spec) = (self.clone(), name.to_owned(), server.spec.clone());
        let keeper = blocking(move || {
            let (owner, given) = (app.owner(&spec), Given { kind, name });
            let Some(value) = value else {
                app.ask_again_about(&spec.id, None, &given.written())?;
                return app.inner.vault.remove(&owner, given.wanted()).map(|()| app.keeper()).map_err(|why| {
                    let message = format!("the keyring may still have it: {why}");
                    ApiError::new(ErrorCode::Storage, "The keyring could not be used", message)
                        .hint("unlock it and try again")
                });
            };
            // Before anything else: what is not kept changes nothing, so the approval stays.
            app.require_keyring(lasting)?;
            let short = keep::too_short(&value);
            let (id, name) = (&spec.id, given.name.as_str());
            let entrusted = Entrusted { id, owner: &owner, kind, name, value, entry: None };
            let ((), unkept) = app.entrust(&[entrusted], || Ok(()))?;
            let (kind, notice) = match unkept {
                None => (KeeperKind::Keyring, None),
                Some(why) => (KeeperKind::Memory, Some(why.notice())),
            };
            let notices: Vec<String> = notice.into_iter().chain(short).collect();
            Ok(Keeper { kind, notice: (!notices.is_empty()).then(|| notices.join("; ")) })
        });
        let keeper = keeper.await?;
        if self.values(&server.spec).await?.iter().all(|(_, value)| value.is_some()) {
            server.is_given_all();
        }
        self.inner.changes.server_changed();
        Ok(keeper)
    }

    /// Gives a server a value for this run alone.
    pub fn give(&self, server: &str, name: &str, value: Secret) -> Result<(), ApiError> {
        let server = self.server(server)?;
        self.hide(name, &value);
        lock(&self.inner.secrets.given).insert((server.spec.id.clone(), name.to_owned()), value);
        Ok(())
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
        let redactor = Redactor::new(known.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map(Arc::new);
        if redactor.is_none() && known.iter().any(|(_, value)| value.len() >= Redactor::SHORTEST) {
            let message = format!("what `{}` is given could not be taken out of the log again", filled.id);
            return Err(ApiError::new(ErrorCode::Internal, "Secrets can't be hidden", message)
                .hint("a secret of this server is very long: give it in a file, and the path of that"));
        }
        self.hide_all(known);
        let mut redactors = lock(&self.inner.secrets.redactors);
        match redactor {
            Some(redactor) => redactors.insert(filled.id.clone(), redactor),
            None => redactors.remove(&filled.id),
        };
        Ok(filled)
    }

    /// What hides the secrets of all servers, those that come to be known later as well.
    pub(crate) fn redactor(&self, server: &ServerId) -> Arc<dyn Redact> {
        let own = lock(&self.inner.secrets.redactors).get(server).cloned();
        Arc::new(Hiding { all: self.inner.secrets.hidden.clone(), own })
    }

    fn hide_all(&self, values: Vec<(String, String)>) {
        journal::hide(values.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self.inner.secrets.hidden.add(&values);
    }

    /// What was given for an input. Waits for the keyring.
    pub(crate) fn input(&self, spec: &ServerSpec, id: &str) -> Option<Secret> {
        let now = lock(&self.inner.secrets.given).get(&(spec.id.clone(), id.to_owned())).cloned();
        now.or_else(|| self.inner.vault.get(&self.owner(spec), Wanted::Input(id)))
    }

    /// Everything that the server asks a person for, with what was given. The keyring is asked only if there is something.
    async fn values(&self, spec: &ServerSpec) -> Result<Vec<(Given, Option<Secret>)>, ApiError> {
        let given: Vec<Given> =
            spec.definition.given().iter().filter_map(|missing| Given::read(&missing.reference)).collect();
        let mut values: Vec<(Given, Option<Secret>)> = Vec::with_capacity(given.len());
        {
            let now = lock(&self.inner.secrets.given);
            values.extend(given.into_iter().map(|given| {
                let value = now.get(&(spec.id.clone(), given.name.clone())).cloned();
                (given, value)
            }));
        }
        if values.iter().all(|(_, value)| value.is_some()) {
            return Ok(values);
        }
        let (vault, owner) = (self.inner.vault.clone(), self.owner(spec));
        blocking(move || {
            for (given, value) in values.iter_mut().filter(|(_, value)| value.is_none()) {
                *value = vault.get(&owner, given.wanted());
            }
            Ok(values)
        })
        .await
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

/// Files and keyrings take their time; nobody else should wait for it.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(ApiError::new(ErrorCode::Internal, "Internal error", error.to_string())),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
