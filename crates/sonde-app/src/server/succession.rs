//! What follows a server when its configuration changes while it runs, and how the two differ.

use std::sync::Arc;

use sonde_registry::ServerSpec;

use super::Server;
use crate::api::configuration::Difference;
use crate::api::error::ApiError;
use crate::api::servers::{ConfigProblem, ServerState};
use crate::differences::differences;
use crate::explain;

/// How a server stands to what is written down now.
#[derive(Default)]
pub(crate) struct Succession {
    pub next: Next,
    /// What a person knows of it: what it was last connected with, or what they looked at since. None is its own.
    seen: Option<Box<ServerSpec>>,
    /// It was connected since the app began.
    was_connected: bool,
    /// Why its file can't be read now; it goes by what that file said before.
    pub file: Option<ConfigProblem>,
    /// Another one stands in its place: it must not start any more.
    pub retired: bool,
}

/// Who comes after a server, once it has stopped.
#[derive(Clone, Default)]
pub(crate) enum Next {
    #[default]
    Same,
    /// The configuration is another.
    Heir(Arc<Server>),
    /// It is in no file any more.
    Gone,
}

impl Succession {
    /// It is being connected: a person knows it as it is.
    pub fn connected(&mut self) {
        self.seen = None;
        self.was_connected = true;
    }
}

impl Server {
    /// Takes it out of service, unless something of it runs. What waits to start it again has no say any more.
    pub fn retire(&self) -> bool {
        let mut standing = self.standing();
        if !matches!(standing.state, ServerState::Stopped | ServerState::Failed) {
            return false;
        }
        standing.succession.retired = true;
        standing.give_up();
        true
    }

    /// Takes over from a server what a person knows of it.
    pub fn inherit(&self, from: &Server) {
        let from_standing = from.standing();
        let mut standing = self.standing();
        standing.catalog_revision = from_standing.catalog_revision + 1;
        standing.connection = from_standing.connection;
        standing.succession.was_connected = from_standing.succession.was_connected;
        let seen = from_standing.succession.seen.as_deref().unwrap_or(&from.spec);
        standing.succession.seen = Some(Box::new(seen.clone()));
    }

    pub fn is_followed(&self) -> bool {
        !matches!(self.standing().succession.next, Next::Same)
    }

    /// As it is written down now; none where it is in no file any more.
    pub fn newest(self: &Arc<Self>) -> Option<Arc<Server>> {
        match &self.standing().succession.next {
            Next::Same => Some(self.clone()),
            Next::Heir(heir) => Some(heir.clone()),
            Next::Gone => None,
        }
    }

    /// What is wrong with what is written down: an error where it can't be started as it is, a warning where it can.
    pub fn flaw(&self) -> Option<ConfigProblem> {
        let own = self.spec.flaw.as_deref().map(|problem| explain::configuration(problem, self.spec.origin.layer));
        own.or_else(|| self.standing().succession.file.clone())
    }

    /// Refuses to start a server whose entry can't be used.
    pub fn refuse_flawed(&self) -> Result<(), ApiError> {
        match &self.spec.flaw {
            None => Ok(()),
            Some(problem) => Err(explain::configuration(problem, self.spec.origin.layer).error),
        }
    }

    /// How what is written down differs from what a person knows.
    pub fn differences(&self) -> Vec<Difference> {
        let standing = self.standing();
        if standing.succession.seen.is_none() && matches!(standing.succession.next, Next::Same) {
            return Vec::new();
        }
        let seen = standing.succession.seen.as_deref().unwrap_or(&self.spec);
        match &standing.succession.next {
            Next::Same => differences(seen, Some(&self.spec)),
            Next::Heir(heir) => differences(seen, Some(&heir.spec)),
            Next::Gone => differences(seen, None),
        }
    }

    /// A person has seen how it differs.
    pub fn dismiss_differences(&self) {
        let mut standing = self.standing();
        standing.succession.seen = match &standing.succession.next {
            Next::Heir(heir) => Some(Box::new(heir.spec.clone())),
            Next::Same | Next::Gone => None,
        };
    }

    /// A person has changed it here, and so knows it, unless they know it as it was when it was connected.
    pub fn changed_by_hand(&self) {
        let mut standing = self.standing();
        if !standing.succession.was_connected && matches!(standing.succession.next, Next::Same) {
            standing.succession.seen = None;
        }
    }
}
