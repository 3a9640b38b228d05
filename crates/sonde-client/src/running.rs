//! Our requests that became tasks of the server: which request they were, and who watches their progress.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::call::Progress;
use crate::pending::Waiting;
use crate::slot::Slot;
use crate::wire::Token;

/// Tasks that are remembered, and requests that were given up before their task had a name. The oldest go first.
const MOST: usize = 1000;
/// Longest id of a task that is taken for one.
const LONGEST_ID: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Running {
    tasks: VecDeque<Task>,
    abandoned: VecDeque<Box<str>>,
}

#[derive(Debug)]
struct Task {
    id: Box<str>,
    /// The request that began it.
    request: Box<str>,
    /// Progress goes on under the token of that request until the task is over.
    token: Box<str>,
    slot: Arc<Slot>,
}

impl Running {
    /// The server made a task of a request.
    pub fn begin(&mut self, task: &str, request: &str, waiting: &Waiting) {
        if task.len() > LONGEST_ID {
            return;
        }
        if self.tasks.len() == MOST {
            self.tasks.pop_front();
        }
        let token: Box<str> = match &waiting.token {
            Token::None => "".into(),
            Token::Ours => request.into(),
            Token::Given(token) => token.clone(),
        };
        self.tasks.push_back(Task { id: task.into(), request: request.into(), token, slot: waiting.slot.clone() });
    }

    /// Someone gave up a request before its task had a name.
    pub fn abandon(&mut self, request: &str) {
        if self.abandoned.len() == MOST {
            self.abandoned.pop_front();
        }
        self.abandoned.push_back(request.into());
    }

    /// True where the request was given up, so that its task is to be cancelled. It is told once.
    pub fn was_abandoned(&mut self, request: &str) -> bool {
        match self.abandoned.iter().position(|known| &**known == request) {
            Some(place) => self.abandoned.remove(place).is_some(),
            None => false,
        }
    }

    /// The task that a request began, while it runs.
    pub fn of_request(&self, request: &str) -> Option<Box<str>> {
        self.tasks.iter().rev().find(|task| &*task.request == request).map(|task| task.id.clone())
    }

    /// The request that began a task.
    pub fn request_of(&self, task: &str) -> Option<Box<str>> {
        self.tasks.iter().rev().find(|known| &*known.id == task).map(|task| task.request.clone())
    }

    /// Where a task reports its progress.
    pub fn slot_of(&self, task: &str) -> Option<Arc<Slot>> {
        self.tasks.iter().rev().find(|known| &*known.id == task).map(|task| task.slot.clone())
    }

    pub fn report(&self, token: &str, progress: Progress) {
        if let Some(task) = self.tasks.iter().find(|task| &*task.token == token) {
            task.slot.report(progress);
        }
    }

    /// A task is over: its token is none any more.
    pub fn end(&mut self, task: &str) {
        self.tasks.retain(|known| &*known.id != task);
    }

    pub fn has_any(&self) -> bool {
        !self.tasks.is_empty()
    }

    pub fn awaits(&self) -> bool {
        !self.abandoned.is_empty()
    }
}
