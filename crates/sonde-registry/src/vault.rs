//! Where the values of secrets and inputs are kept: the keyring of the system, or our memory for this run.
//!
//! The keyring is asked by a thread of its own, and only when a secret is needed: it may be locked, ask a person, or
//! never answer. Whoever waits for it waits a few seconds at most. Nothing is ever written anywhere else.

mod keyring;

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::secret::Secret;
use crate::spec::ServerId;

use self::keyring::Keyring;
pub use self::keyring::Unusable;

/// How long anybody waits for the keyring. A person who is asked for a password takes longer, and may try again.
const PATIENCE: Duration = Duration::from_secs(4);
/// Questions that may wait for a keyring.
const MOST_QUESTIONS: usize = 256;

/// The secrets of all servers. Cheap to clone.
#[derive(Clone, Default)]
pub struct Vault {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// What was given in this run and is not in the keyring, by account.
    memory: Mutex<HashMap<String, Remembered>>,
    /// The way to the thread of the keyring, once there is one.
    questions: Mutex<Option<SyncSender<Question>>>,
    standing: Mutex<Standing>,
}

struct Remembered {
    secret: Secret,
    server: ServerId,
    /// False where it is meant for this run alone.
    keep: bool,
}

type Question = Box<dyn FnOnce(&Keyring) + Send>;

/// Where secrets are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Standing {
    /// Nobody needed one yet.
    #[default]
    Unknown,
    Keyring,
    /// In memory, and gone when the program ends.
    Memory(Unusable),
}

/// What a server asks a person for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// `${secret:NAME}`
    Secret(&'a str),
    /// `${input:ID}`
    Input(&'a str),
}

/// What became of a secret that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Keyring,
    /// Until the program ends.
    Memory(Unusable),
}

impl Vault {
    pub fn standing(&self) -> Standing {
        lock(&self.inner.standing).clone()
    }

    /// Waits for the keyring, a few seconds at most.
    pub fn get(&self, server: &ServerId, wanted: Wanted) -> Option<Secret> {
        let account = account(server, wanted);
        if let Some(remembered) = lock(&self.inner.memory).get(&account) {
            return Some(remembered.secret.clone());
        }
        if matches!(self.standing(), Standing::Memory(_)) {
            return None;
        }
        self.ask(move |keyring| keyring.get(&account)).ok().flatten()
    }

    /// Keeps it in the keyring; where that can't be used, in memory. A person wants it kept, so a keyring that was
    /// locked or slow is tried again.
    pub fn set(&self, server: &ServerId, wanted: Wanted, secret: Secret) -> Kept {
        let account = account(server, wanted);
        let (own, value, owner) = (account.clone(), secret.clone(), server.clone());
        match self.ask(move |keyring| keyring.set(&owner, &own, &value)) {
            Ok(()) => {
                lock(&self.inner.memory).remove(&account);
                Kept::Keyring
            }
            Err(why) => {
                lock(&self.inner.memory).insert(account, Remembered { secret, server: server.clone(), keep: true });
                Kept::Memory(why)
            }
        }
    }

    /// For this run alone, whatever the keyring has.
    pub fn set_for_now(&self, server: &ServerId, wanted: Wanted, secret: Secret) {
        let remembered = Remembered { secret, server: server.clone(), keep: false };
        lock(&self.inner.memory).insert(account(server, wanted), remembered);
    }

    /// Forgets it. An error says that a keyring may still have it.
    pub fn remove(&self, server: &ServerId, wanted: Wanted) -> Result<(), Unusable> {
        let account = account(server, wanted);
        lock(&self.inner.memory).remove(&account);
        match self.ask(move |keyring| keyring.remove(&account)) {
            // What was never there is not kept there.
            Err(Unusable::Absent(_)) => Ok(()),
            removed => removed,
        }
    }

    /// Forgets everything that was ever given for a server, and what it asks for now.
    pub fn remove_server(&self, server: &ServerId, wanted: &[Wanted]) -> Result<(), Unusable> {
        lock(&self.inner.memory).retain(|_, remembered| remembered.server != *server);
        let named: Vec<String> = wanted.iter().map(|wanted| account(server, *wanted)).collect();
        let server = server.clone();
        match self.ask(move |keyring| keyring.remove_all(&server, &named)) {
            Err(Unusable::Absent(_)) => Ok(()),
            removed => removed,
        }
    }

    /// Gives a server what was given for another, as when it gets a new name.
    pub fn copy(&self, from: &ServerId, to: &ServerId, wanted: &[Wanted]) {
        for wanted in wanted {
            if let Some(secret) = self.get(from, *wanted) {
                self.set(to, *wanted, secret);
            }
        }
    }

    /// Asks the thread of the keyring, which the first question starts.
    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Keyring) -> Result<T, Unusable> + Send + 'static,
    ) -> Result<T, Unusable> {
        if let Standing::Memory(why @ Unusable::Absent(_)) = self.standing() {
            return Err(why);
        }
        let (reply, answer) = sync_channel(1);
        let question: Question = Box::new(move |keyring| {
            // Nobody may wait for it any more; then nobody is told.
            reply.send(question(keyring)).unwrap_or_default();
        });
        let answer = match self.questions()?.try_send(question) {
            Ok(()) => answer.recv_timeout(PATIENCE),
            Err(TrySendError::Full(_)) => Err(RecvTimeoutError::Timeout),
            Err(TrySendError::Disconnected(_)) => Err(RecvTimeoutError::Disconnected),
        };
        let told = match answer {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(Unusable::Slow),
            // The thread says why it does not answer before it lets go of a question.
            Err(RecvTimeoutError::Disconnected) => match self.standing() {
                Standing::Memory(why) => Err(why),
                Standing::Unknown | Standing::Keyring => Err(Unusable::Absent("it is gone".to_owned())),
            },
        };
        if let Err(why) = &told
            && !matches!(why, Unusable::Item(_))
        {
            *lock(&self.inner.standing) = Standing::Memory(why.clone());
        }
        told
    }

    fn questions(&self) -> Result<SyncSender<Question>, Unusable> {
        let mut questions = lock(&self.inner.questions);
        if let Some(questions) = &*questions {
            return Ok(questions.clone());
        }
        let (sender, asked) = sync_channel(MOST_QUESTIONS);
        // It ends when the vault does, unless the keyring holds it.
        let inner = Arc::downgrade(&self.inner);
        std::thread::Builder::new()
            .name("keyring".to_owned())
            .spawn(move || answer(&asked, &inner))
            .map_err(|error| Unusable::Absent(error.to_string()))?;
        *questions = Some(sender.clone());
        Ok(sender)
    }
}

/// The thread of the keyring. It finds out whether the keyring can be used at the first question, and again as long as
/// it can't be.
fn answer(questions: &Receiver<Question>, vault: &Weak<Inner>) {
    let mut keyring = None;
    while let Ok(question) = questions.recv() {
        if keyring.is_none() {
            let opened = Keyring::open();
            let Some(vault) = vault.upgrade() else { return };
            match opened {
                Ok(opened) => {
                    vault.flush(&opened);
                    keyring = Some(opened);
                }
                Err(why) => *lock(&vault.standing) = Standing::Memory(why),
            }
        }
        if let Some(keyring) = &keyring {
            question(keyring);
            if let Some(vault) = vault.upgrade() {
                vault.revive(keyring);
            }
        }
    }
}

impl Inner {
    /// It answers, perhaps after everybody had stopped waiting: what was given meanwhile is kept now.
    fn flush(&self, keyring: &Keyring) {
        let kept = |account: &str, remembered: &Remembered| {
            remembered.keep && keyring.set(&remembered.server, account, &remembered.secret).is_ok()
        };
        lock(&self.memory).retain(|account, remembered| !kept(account, remembered));
        *lock(&self.standing) = Standing::Keyring;
    }

    fn revive(&self, keyring: &Keyring) {
        let was_slow = *lock(&self.standing) == Standing::Memory(Unusable::Slow);
        if was_slow {
            self.flush(keyring);
        }
    }
}

fn account(server: &ServerId, wanted: Wanted) -> String {
    match wanted {
        Wanted::Secret(name) => format!("{server}/{name}"),
        Wanted::Input(id) => format!("{server}/input:{id}"),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Vault").field("standing", &self.standing()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
