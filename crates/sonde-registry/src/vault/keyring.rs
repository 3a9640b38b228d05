//! The keyring of the system: Secret Service, Keychain or Credential Manager. Every call may take its time.

use keyring::{Entry, Error};

use super::owner::Owner;
use crate::secret::Secret;

/// Under which all of ours stands.
const SERVICE: &str = "sonde";

/// Why the keyring does not keep a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    #[error("there is no keyring: {0}")]
    Absent(String),
    #[error("the keyring is locked, or does not let us in")]
    Locked,
    #[error("the keyring does not answer")]
    Slow,
    #[error("the keyring gives back something else than what was put into it")]
    Foreign,
    /// Only this one; others may be kept.
    #[error("the keyring does not take it: {0}")]
    Item(String),
}

impl Unusable {
    /// What it means, and what can be done about it.
    pub fn notice(&self) -> String {
        let hint = match self {
            Unusable::Absent(_) => "start one, such as gnome-keyring or KWallet, and then Sonde again",
            Unusable::Locked | Unusable::Slow => "unlock it and give the secret again",
            Unusable::Foreign | Unusable::Item(_) => "look at it with the tool of your system",
        };
        format!("{self}; secrets are kept in memory until Sonde ends ({hint})")
    }
}

/// A keyring that has shown that it keeps what it is given.
pub(super) struct Keyring(());

impl Keyring {
    /// Writes, reads and removes something: whatever is said about a keyring, only this shows that it is one.
    pub fn open() -> Result<Self, Unusable> {
        if let Err(error) = Entry::store_status() {
            return Err(unusable(error));
        }
        let keyring = Keyring(());
        let mark = probe_mark();
        let account = format!("probe-{mark}");
        keyring.put(&account, &mark)?;
        let found = keyring.find(&account);
        keyring.remove(&account)?;
        match found? {
            Some(found) if found == mark => Ok(keyring),
            _ => Err(Unusable::Foreign),
        }
    }

    pub fn get(&self, account: &str) -> Result<Option<Secret>, Unusable> {
        Ok(self.find(account)?.map(Secret::new))
    }

    /// Keeps it, and notes that the server has it: not every keyring can be asked what it holds.
    pub fn set(&self, owner: &Owner, account: &str, secret: &Secret) -> Result<(), Unusable> {
        let mut noted = self.noted(owner)?;
        if !noted.iter().any(|there| there == account) {
            noted.push(account.to_owned());
            self.put(owner.as_str(), &noted.join("\n"))?;
        }
        self.put(account, secret.expose())
    }

    pub fn remove(&self, account: &str) -> Result<(), Unusable> {
        match entry(account)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(unusable(&error)),
        }
    }

    /// Everything that was noted for the server, and what is named beside.
    pub fn remove_all(&self, owner: &Owner, named: &[String]) -> Result<(), Unusable> {
        for account in self.noted(owner)?.iter().chain(named) {
            self.remove(account)?;
        }
        self.remove(owner.as_str())
    }

    /// Names of accounts are no secrets; an owner has no `/` in it, so none of them is the note itself.
    fn noted(&self, owner: &Owner) -> Result<Vec<String>, Unusable> {
        let own = format!("{owner}/");
        let note = self.find(owner.as_str())?.unwrap_or_default();
        Ok(note.lines().filter(|account| account.starts_with(&own)).map(str::to_owned).collect())
    }

    fn put(&self, account: &str, text: &str) -> Result<(), Unusable> {
        entry(account)?.set_password(text).map_err(|error| unusable(&error))
    }

    fn find(&self, account: &str) -> Result<Option<String>, Unusable> {
        match entry(account)?.get_password() {
            Ok(text) => Ok(Some(text)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(unusable(&error)),
        }
    }
}

fn entry(account: &str) -> Result<Entry, Unusable> {
    Entry::new(SERVICE, account).map_err(|error| unusable(&error))
}

/// In words of ours where we have some: those of a library may quote what it was given.
fn unusable(error: &Error) -> Unusable {
    match error {
        Error::NoStorageAccess(_) => Unusable::Locked,
        Error::PlatformFailure(error) => Unusable::Absent(error.to_string()),
        Error::NoDefaultStore => Unusable::Absent("none could be reached".to_owned()),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => Unusable::Item("it is no text".to_owned()),
        Error::TooLong(_, most) => Unusable::Item(format!("it has more than {most} characters")),
        Error::Ambiguous(items) => Unusable::Item(format!("{} items have the same name", items.len())),
        Error::Invalid(..) => Unusable::Item("its name can't be used".to_owned()),
        _ => Unusable::Absent("it can't be used".to_owned()),
    }
}

/// Another one each time, so that two programs can look at once.
fn probe_mark() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    let random = std::hash::RandomState::new().build_hasher().finish();
    format!("{}-{random:016x}", std::process::id())
}
