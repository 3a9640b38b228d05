//! The file that approvals are kept in, which the window and terminals share.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::evidence::Identity;
use super::{Approval, ApprovalsError};
use crate::private;
use crate::spec::ServerId;

#[derive(Debug)]
pub(super) struct ApprovalsFile {
    path: PathBuf,
    /// What was read last, and the identity of the file then: a hundred servers that start at once read it once.
    known: Mutex<Option<(Identity, Arc<Approved>)>>,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Approved {
    /// Server to its approvals, the oldest first. One that is not as we write it is no approval; those of other servers
    /// are kept as they are.
    approved: BTreeMap<String, Box<RawValue>>,
}

/// What stands in the file.
enum Found {
    Approvals(Arc<Approved>),
    /// Something that we did not write.
    Broken,
}

/// What may stand for one server. Earlier versions kept a single approval, and the first ones the fingerprint alone,
/// which says nothing of the program's content.
#[derive(Deserialize)]
#[serde(untagged)]
enum OfServer {
    Many(Vec<Approval>),
    One(Box<Approval>),
}

impl ApprovalsFile {
    pub fn at(path: PathBuf) -> Self {
        ApprovalsFile { path, known: Mutex::default() }
    }

    /// None where nobody was ever asked.
    pub fn approvals_of(&self, server: &ServerId) -> Result<Option<Vec<Approval>>, ApprovalsError> {
        let Found::Approvals(found) = self.read()? else { return Ok(None) };
        Ok(found.approved.get(server.as_str()).map(|text| approvals_in(text)))
    }

    /// Changes the approvals of a server. Nobody else changes the file meanwhile, in whichever process.
    pub fn change(&self, server: &ServerId, change: impl FnOnce(&mut Vec<Approval>)) -> Result<(), ApprovalsError> {
        let _until_written = self.lock()?;
        let (mut approved, is_broken) = match self.read()? {
            Found::Approvals(approved) => (Approved::clone(&approved), false),
            Found::Broken => (Approved::default(), true),
        };
        let before = approved.approved.remove(server.as_str());
        let mut approvals = before.as_deref().map(approvals_in).unwrap_or_default();
        change(&mut approvals);
        if approvals.is_empty() && before.is_none() {
            // A broken file allows nothing, so there is nothing to forget.
            return Ok(());
        }
        if !approvals.is_empty() {
            let text = serde_json::value::to_raw_value(&approvals).map_err(|error| self.unwritable(error.into()))?;
            approved.approved.insert(server.as_str().to_owned(), text);
        }
        if is_broken {
            self.put_aside()?;
        }
        self.write(&approved)
    }

    fn read(&self) -> Result<Found, ApprovalsError> {
        let unreadable = |source| ApprovalsError::Read { path: self.path.clone(), source };
        // Taken before the content: if it is replaced in between, the next one to ask reads it again.
        let identity = self.path.metadata().and_then(|facts| Identity::of(&facts)).ok();
        let mut known = self.known();
        if let (Some((then, approved)), Some(now)) = (&*known, &identity)
            && then == now
        {
            return Ok(Found::Approvals(approved.clone()));
        }
        *known = None;
        let Some(bytes) = private::read(&self.path).map_err(unreadable)? else {
            return Ok(Found::Approvals(Arc::default()));
        };
        let Ok(approved) = serde_json::from_slice(&bytes).map(Arc::<Approved>::new) else { return Ok(Found::Broken) };
        *known = identity.map(|identity| (identity, approved.clone()));
        Ok(Found::Approvals(approved))
    }

    fn write(&self, approved: &Approved) -> Result<(), ApprovalsError> {
        let text = serde_json::to_vec_pretty(approved).map_err(|error| self.unwritable(error.into()))?;
        *self.known() = None;
        private::write(&self.path, &text).map_err(|error| self.unwritable(error))
    }

    /// The lock has a file of its own, because the file of approvals is replaced and not written. It is held until that
    /// file is closed, also by a process that is killed.
    fn lock(&self) -> Result<File, ApprovalsError> {
        let mut options = std::fs::OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let locked = options.open(self.path.with_extension("lock")).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| self.unwritable(error))
    }

    /// A file that we can't read may still be of use to the person.
    fn put_aside(&self) -> Result<(), ApprovalsError> {
        std::fs::rename(&self.path, self.path.with_extension("json.broken")).map_err(|error| self.unwritable(error))
    }

    fn unwritable(&self, source: std::io::Error) -> ApprovalsError {
        ApprovalsError::Write { path: self.path.clone(), source }
    }

    fn known(&self) -> MutexGuard<'_, Option<(Identity, Arc<Approved>)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn approvals_in(text: &RawValue) -> Vec<Approval> {
    match serde_json::from_str(text.get()) {
        Ok(OfServer::Many(approvals)) => approvals,
        Ok(OfServer::One(approval)) => vec![*approval],
        Err(_not_ours) => Vec::new(),
    }
}
