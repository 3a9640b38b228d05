//! Which answer belongs to which request: by the verbatim id and the direction, never by the shape of the answer.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::frame::Direction;
use crate::message::Id;

/// Answered ids that are remembered so that a second answer can be told from a stray one.
const REMEMBERED: usize = 1024;

/// The open requests of one connection. `T` is whatever the caller wants back with the answer.
#[derive(Debug)]
pub struct Correlator<T> {
    ours: Side<T>,
    /// A server's ids never meet ours.
    theirs: Side<T>,
}

/// The requests of one direction.
#[derive(Debug)]
struct Side<T> {
    /// Requests that have no answer yet.
    open: HashMap<Box<str>, Exchange<T>>,
    /// The newest answered ids, oldest first in `order`.
    answered: HashSet<Box<str>>,
    order: VecDeque<Box<str>>,
}

#[derive(Debug)]
pub struct Exchange<T> {
    pub method: Box<str>,
    /// When the request was seen, by the monotonic clock.
    pub opened_ns: u64,
    /// Set when the requestor gave up; an answer that still comes is late.
    pub abandoned: bool,
    pub payload: T,
}

/// What an answer turned out to be.
#[derive(Debug)]
pub enum Settled<T> {
    Answered(Exchange<T>),
    /// The request was answered before.
    Duplicate,
    /// No request on this connection carried the id.
    Unknown,
}

impl<T> Default for Correlator<T> {
    fn default() -> Self {
        Correlator { ours: Side::default(), theirs: Side::default() }
    }
}

impl<T> Default for Side<T> {
    fn default() -> Self {
        Side { open: HashMap::new(), answered: HashSet::new(), order: VecDeque::new() }
    }
}

impl<T> Correlator<T> {
    /// How many requests that travelled in `direction` have no answer yet.
    pub fn open_requests(&self, direction: Direction) -> usize {
        match direction {
            Direction::Out => self.ours.open.len(),
            Direction::In => self.theirs.open.len(),
        }
    }

    /// A request was seen. Gives back an earlier open request with the same id, which can no longer be answered.
    pub fn open(
        &mut self,
        direction: Direction,
        id: Id<'_>,
        method: &str,
        now_ns: u64,
        payload: T,
    ) -> Option<Exchange<T>> {
        let exchange = Exchange { method: method.into(), opened_ns: now_ns, abandoned: false, payload };
        self.side(direction).open.insert(id.0.into(), exchange)
    }

    /// An answer was seen travelling in `direction`.
    pub fn answer(&mut self, direction: Direction, id: Id<'_>) -> Settled<T> {
        let side = self.side(direction.reverse());
        match side.open.remove_entry(id.0) {
            Some((id, exchange)) => {
                side.remember(id);
                Settled::Answered(exchange)
            }
            None if side.answered.contains(id.0) => Settled::Duplicate,
            None => Settled::Unknown,
        }
    }

    /// Whether a request of this id was answered before, as far as that is remembered.
    pub fn was_answered(&self, direction: Direction, id: Id<'_>) -> bool {
        let side = match direction {
            Direction::Out => &self.ours,
            Direction::In => &self.theirs,
        };
        side.answered.contains(id.0)
    }

    /// The requestor gave up waiting; the exchange stays open for a late answer.
    pub fn abandon(&mut self, direction: Direction, id: Id<'_>) -> Option<&mut Exchange<T>> {
        let exchange = self.side(direction).open.get_mut(id.0)?;
        exchange.abandoned = true;
        Some(exchange)
    }

    /// What the caller keeps with one open request.
    pub fn payload(&mut self, direction: Direction, id: Id<'_>) -> Option<&mut T> {
        self.side(direction).open.get_mut(id.0).map(|exchange| &mut exchange.payload)
    }

    /// What the caller keeps with each open request, to be changed in place.
    pub fn payloads_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let both = self.ours.open.values_mut().chain(self.theirs.open.values_mut());
        both.map(|exchange| &mut exchange.payload)
    }

    /// The connection is over: everything still open, in no particular order.
    pub fn drain(&mut self) -> Vec<Exchange<T>> {
        self.ours.open.drain().chain(self.theirs.open.drain()).map(|(_, exchange)| exchange).collect()
    }

    fn side(&mut self, direction: Direction) -> &mut Side<T> {
        match direction {
            Direction::Out => &mut self.ours,
            Direction::In => &mut self.theirs,
        }
    }
}

impl<T> Side<T> {
    fn remember(&mut self, id: Box<str>) {
        if self.order.len() == REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered.remove(&oldest);
        }
        if self.answered.insert(id.clone()) {
            self.order.push_back(id);
        }
    }
}
