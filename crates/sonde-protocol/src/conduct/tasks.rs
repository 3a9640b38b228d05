//! Tasks: which there are, and whether their states follow each other as they may.

use std::collections::{HashMap, VecDeque};

use serde_json::value::RawValue;

use super::clip;
use crate::finding::{Code, Finding};
use crate::frame::Direction;
use crate::members::Members;

/// Tasks whose state is remembered; of more, the oldest are forgotten.
const MOST: usize = 1000;
const LONGEST_ID: usize = 1024;

/// The tasks of both sides. A task belongs to the direction in which its state is told.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    states: HashMap<(Direction, Box<str>), State>,
    order: VecDeque<(Direction, Box<str>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

const STATES: &[(&str, State)] = &[
    ("working", State::Working),
    ("input_required", State::InputRequired),
    ("completed", State::Completed),
    ("failed", State::Failed),
    ("cancelled", State::Cancelled),
];

impl State {
    fn is_end(self) -> bool {
        !matches!(self, State::Working | State::InputRequired)
    }

    fn name(self) -> &'static str {
        STATES.iter().find(|(_, state)| *state == self).map_or("", |(name, _)| name)
    }
}

/// The result of a task stands alone, so it must name its task.
pub(super) fn judge_result(result: &RawValue, findings: &mut Vec<Finding>) {
    const RELATED: &str = "io.modelcontextprotocol/related-task";
    let meta = Members::read(result, &["_meta"]).and_then(|members| members.get("_meta"));
    if meta.and_then(|meta| Members::read(meta, &[RELATED])?.get(RELATED)).is_none() {
        findings.push(Finding::new(Code::BadResult, format!("`_meta` has no `{RELATED}`")));
    }
}

impl Tasks {
    /// The answer to a request that was made a task.
    pub fn created(&mut self, direction: Direction, result: &RawValue, findings: &mut Vec<Finding>) {
        let Some(task) = Members::read(result, &["task"]).and_then(|members| members.get("task")) else {
            findings.push(Finding::new(Code::BadResult, "the request was made a task, but the result has no `task`"));
            return;
        };
        if let Some((key, state)) = self.read(direction, task, findings) {
            if state != State::Working {
                let message = format!("a task begins with `working`, not with `{}`", state.name());
                findings.push(Finding::new(Code::TaskMove, message));
            }
            self.remember(key, state);
        }
    }

    /// The state of a task was told.
    pub fn observe(&mut self, direction: Direction, task: &RawValue, findings: &mut Vec<Finding>) {
        let Some((key, state)) = self.read(direction, task, findings) else { return };
        if let Some(before) = self.states.get(&key).copied()
            && before.is_end()
            && before != state
        {
            let message = format!("the task went from `{}` to `{}`", before.name(), state.name());
            findings.push(Finding::new(Code::TaskMove, message));
        }
        self.remember(key, state);
    }

    fn read(
        &mut self,
        direction: Direction,
        task: &RawValue,
        findings: &mut Vec<Finding>,
    ) -> Option<((Direction, Box<str>), State)> {
        const NAMES: &[&str] = &["taskId", "status", "createdAt", "lastUpdatedAt", "ttl"];
        let Some(members) = Members::read(task, NAMES) else {
            findings.push(Finding::new(Code::BadResult, "the task is not an object"));
            return None;
        };
        let missing: Vec<_> = NAMES.iter().filter(|name| members.get(name).is_none()).copied().collect();
        if !missing.is_empty() {
            findings.push(Finding::new(Code::BadResult, format!("the task has no `{}`", missing.join("`, `"))));
        }
        let id = members.string("taskId").filter(|id| id.len() <= LONGEST_ID)?;
        let status = members.string("status")?;
        let Some((_, state)) = STATES.iter().find(|(name, _)| *name == status) else {
            findings.push(Finding::new(Code::TaskMove, format!("`{}` is no state of a task", clip(&status))));
            return None;
        };
        Some(((direction, id.into()), *state))
    }

    fn remember(&mut self, key: (Direction, Box<str>), state: State) {
        if self.states.insert(key.clone(), state).is_none() {
            self.order.push_back(key);
            if self.order.len() > MOST
                && let Some(oldest) = self.order.pop_front()
            {
                self.states.remove(&oldest);
            }
        }
    }
}
