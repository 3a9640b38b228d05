//! Where the values of secrets and inputs are kept: the keyring of the system, or our memory for this run.
//!
//! The keyring is asked by a thread of its own, and only when a secret is needed: it may be locked, ask a person, or
//! never answer. Whoever waits for it waits a few seconds at most, and whoever comes next does not wait again for a while.
//! Nothing is ever written anywhere else.

mod keyring;
mod owner;

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::secret::Secret;

use self::keyring::Keyring;
pub use self::keyring::Unusable;
pub use self::owner::Owner;

/// How long anybody waits for the keyring. A person who is asked for a password takes longer, and may try again.
const PATIENCE: Duration = Duration::from_secs(4);
/// For so long a keyring that did not answer is not waited for again: fifty secrets at once are one wait.
const SLOW_FOR: Duration = Duration::from_secs(10);
/// After this a keyring that was locked or did not answer is asked for a secret again.
const ASKED_AGAIN: Duration = Duration::from_secs(30);
/// Questions that may wait for a keyring.
const MOST_QUESTIONS: usize = 256;

/// The secrets of all servers. Cheap to clone.
#[derive(Clone, Default)]
pub struct Vault {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// What was given in this run and is not in the keyring, by account. Nobody calls the keyring while they hold it.
    memory: Mutex<HashMap<String, Remembered>>,
    /// The way to the thread of the keyring, once there is one.
    questions: Mutex<Option<SyncSender<Question>>>,
    standing: Mutex<Standing>,
    /// When the keyring was last found to be of no use.
    failed: Mutex<Option<Instant>>,
}

#[derive(Clone)]
struct Remembered {
    secret: Secret,
    owner: Owner,
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
    pub fn get(&self, owner: &Owner, wanted: Wanted) -> Option<Secret> {
        let account = account(owner, wanted);
        if let Some(remembered) = lock(&self.inner.memory).get(&account) {
            return Some(remembered.secret.clone());
        }
        if matches!(self.standing(), Standing::Memory(_)) && self.failed_within(ASKED_AGAIN) {
            return None;
        }
        self.ask(move |keyring| keyring.get(&account)).ok().flatten()
    }

    /// Whether a secret that is given now would still be there after this run. Tries it.
    pub fn lasts(&self) -> Result<(), Unusable> {
        self.ask(|_| Ok(()))
    }

    /// Keeps it in the keyring; where that can't be used, in memory. A person wants it kept, so a keyring that was
    /// locked is tried again, and one that was slow as well, but not at once.
    pub fn set(&self, owner: &Owner, wanted: Wanted, secret: Secret) -> Kept {
        match self.set_for_good(owner, wanted, secret.clone()) {
            Ok(()) => Kept::Keyring,
            Err(why) => {
                let remembered = Remembered { secret, owner: owner.clone(), keep: true };
                lock(&self.inner.memory).insert(account(owner, wanted), remembered);
                Kept::Memory(why)
            }
        }
    }

    /// Keeps it in the keyring, or not at all.
    pub fn set_for_good(&self, owner: &Owner, wanted: Wanted, secret: Secret) -> Result<(), Unusable> {
        let account = account(owner, wanted);
        let (own, owner) = (account.clone(), owner.clone());
        self.ask(move |keyring| keyring.set(&owner, &own, &secret))?;
        lock(&self.inner.memory).remove(&account);
        Ok(())
    }

    /// For this run alone, whatever the keyring has.
    pub fn set_for_now(&self, owner: &Owner, wanted: Wanted, secret: Secret) {
        let remembered = Remembered { secret, owner: owner.clone(), keep: false };
        lock(&self.inner.memory).insert(account(owner, wanted), remembered);
    }

    /// Forgets it. An error says that a keyring may still have it.
    pub fn remove(&self, owner: &Owner, wanted: Wanted) -> Result<(), Unusable> {
        let account = account(owner, wanted);
        lock(&self.inner.memory).remove(&account);
        match self.ask(move |keyring| keyring.remove(&account)) {
            // What was never there is not kept there.
            Err(Unusable::Absent(_)) => Ok(()),
            removed => removed,
        }
    }

    /// Forgets everything that was ever given for a server, and what it asks for now.
    pub fn remove_server(&self, owner: &Owner, wanted: &[Wanted]) -> Result<(), Unusable> {
        lock(&self.inner.memory).retain(|_, remembered| remembered.owner != *owner);
        let named: Vec<String> = wanted.iter().map(|wanted| account(owner, *wanted)).collect();
        let owner = owner.clone();
        match self.ask(move |keyring| keyring.remove_all(&owner, &named)) {
            Err(Unusable::Absent(_)) => Ok(()),
            removed => removed,
        }
    }

    /// Gives a server what was given for another, as when it gets a new name.
    pub fn copy(&self, from: &Owner, to: &Owner, wanted: &[Wanted]) {
        for wanted in wanted {
            if let Some(secret) = self.get(from, *wanted) {
                self.set(to, *wanted, secret);
            }
        }
    }

    fn failed_within(&self, time: Duration) -> bool {
        lock(&self.inner.failed).is_some_and(|failed| failed.elapsed() < time)
    }

    /// Asks the thread of the keyring, which the first question starts.
    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Keyring) -> Result<T, Unusable> + Send + 'static,
    ) -> Result<T, Unusable> {
        match self.standing() {
            Standing::Memory(why @ Unusable::Absent(_)) => return Err(why),
            Standing::Memory(Unusable::Slow) if self.failed_within(SLOW_FOR) => return Err(Unusable::Slow),
            _ => {}
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
            *lock(&self.inner.failed) = Some(Instant::now());
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
    /// It answers, perhaps after everybody had stopped waiting: what was given meanwhile is kept now. Whoever asks for a
    /// secret meanwhile finds it in memory; one that was given anew meanwhile stays there.
    fn flush(&self, keyring: &Keyring) {
        let waiting: Vec<(String, Remembered)> = {
            let memory = lock(&self.memory);
            let wanted = memory.iter().filter(|(_, remembered)| remembered.keep);
            wanted.map(|(account, remembered)| (account.clone(), remembered.clone())).collect()
        };
        for (account, remembered) in waiting {
            if keyring.set(&remembered.owner, &account, &remembered.secret).is_err() {
                continue;
            }
            let mut memory = lock(&self.memory);
            if memory.get(&account).is_some_and(|now| now.secret.expose() == remembered.secret.expose()) {
                memory.remove(&account);
            }
        }
        *lock(&self.standing) = Standing::Keyring;
        *lock(&self.failed) = None;
    }

    fn revive(&self, keyring: &Keyring) {
        let was_slow = *lock(&self.standing) == Standing::Memory(Unusable::Slow);
        if was_slow {
            self.flush(keyring);
        }
    }
}

fn account(owner: &Owner, wanted: Wanted) -> String {
    match wanted {
        Wanted::Secret(name) => format!("{owner}/{name}"),
        Wanted::Input(id) => format!("{owner}/input:{id}"),
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
