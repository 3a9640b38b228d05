//! Progress: which tokens are in use, and how far each has come.

use std::collections::{HashMap, VecDeque};

use serde_json::value::RawValue;

use super::{clip, contains};
use crate::finding::{Code, Finding};
use crate::frame::Direction;
use crate::members::Members;

/// Tokens that are remembered, in use or not. Of more, the oldest are forgotten and then unknown.
const MOST: usize = 10_000;
/// A longer token is no name but a load.
const LONGEST: usize = 1024;

/// The tokens of one connection. A token belongs to the direction of the request that carried it.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    known: HashMap<(Direction, Box<str>), Token>,
    order: VecDeque<(Direction, Box<str>)>,
}

#[derive(Debug)]
struct Token {
    active: bool,
    newest: Option<f64>,
}

impl Tokens {
    /// The token of a request, which is in use from now on.
    pub fn open(&mut self, direction: Direction, params: &RawValue, findings: &mut Vec<Finding>) -> Option<Box<str>> {
        // Most requests have none, and their parameters may be long.
        if !contains(params, "\"progressToken\"") {
            return None;
        }
        let meta = Members::read(params, &["_meta"])?.get("_meta")?;
        let token = Members::read(meta, &["progressToken"])?.raw("progressToken")?;
        if !token.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit()) {
            let message = format!("`progressToken` is {}, neither a string nor an integer", super::kind(token));
            findings.push(Finding::new(Code::BadParams, message));
            return None;
        }
        if token.len() > LONGEST {
            return None;
        }
        let key = (direction, Box::from(token));
        if self.known.get(&key).is_some_and(|known| known.active) {
            let message = format!("the progress token {} belongs to a request that is still open", clip(token));
            findings.push(Finding::new(Code::ReusedToken, message));
        }
        if self.known.insert(key.clone(), Token { active: true, newest: None }).is_none() {
            self.order.push_back(key);
            if self.order.len() > MOST
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
        Some(token.into())
    }

    /// The request of a token was answered.
    pub fn close(&mut self, direction: Direction, token: &str) {
        if let Some(token) = self.known.get_mut(&(direction, Box::from(token))) {
            token.active = false;
        }
    }

    /// Progress was told by whoever works on the request, so against its direction.
    pub fn progress(&mut self, direction: Direction, params: Option<&RawValue>, findings: &mut Vec<Finding>) {
        let members = params.and_then(|params| Members::read(params, &["progressToken", "progress"]));
        let Some((token, progress)) =
            members.and_then(|members| Some((members.raw("progressToken")?, members.raw("progress")?)))
        else {
            findings.push(Finding::new(Code::BadParams, "`progressToken` or `progress` is missing"));
            return;
        };
        let Ok(progress) = progress.parse::<f64>() else {
            findings.push(Finding::new(Code::BadParams, format!("`progress` is {}", super::kind(progress))));
            return;
        };
        let Some(known) = self.known.get_mut(&(direction.reverse(), Box::from(token))) else {
            let message = format!("no request on this connection has the progress token {}", clip(token));
            findings.push(Finding::new(Code::UnknownToken, message));
            return;
        };
        if !known.active {
            findings.push(Finding::new(Code::LateProgress, "the request of this progress was answered before"));
        }
        match known.newest {
            Some(newest) if progress <= newest => {
                let message = format!("progress went from {newest} to {progress}");
                findings.push(Finding::new(Code::ProgressBackwards, message));
            }
            _ => known.newest = Some(progress),
        }
    }
}
