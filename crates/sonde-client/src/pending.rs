//! Requests without an answer, found by their id or by their progress token.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::call::CallError;
use crate::options::Patience;
use crate::slot::Slot;
use crate::wire::Token;

/// The open requests of one connection.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Those whose id is a number, which ours are. A number and its text are one id only where the text is how we
    /// would write the number, so two different texts never meet here.
    numbered: HashMap<u64, Waiting, BuildHasherDefault<Mix>>,
    /// Those that a person gave another id.
    worded: HashMap<Box<str>, Waiting>,
    /// Progress tokens that are not the id of their request.
    tokens: HashMap<Box<str>, Key>,
    next: u64,
    /// No request is given up before this moment. May be too early, never too late.
    earliest: Option<Instant>,
    /// Set when the connection is over, so that nothing is entered that nobody would end.
    closed: bool,
}

/// Who waits for an answer, and until when.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub slot: Arc<Slot>,
    pub patience: Patience,
    pub started: Instant,
    /// When the server last said anything about it.
    pub heard: Instant,
    pub withdrawal: Withdrawal,
    pub token: Token,
}

/// How the server is told that nobody waits any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Withdrawal {
    /// By `notifications/cancelled`.
    Notify,
    /// By `tasks/cancel`, once the server has named the task.
    Task,
    /// Not at all: `initialize` must not be cancelled.
    Never,
}

/// An id on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Number(u64),
    Text(Box<str>),
}

impl Default for Pending {
    fn default() -> Self {
        Pending {
            numbered: HashMap::default(),
            worded: HashMap::new(),
            tokens: HashMap::new(),
            next: 1,
            earliest: None,
            closed: false,
        }
    }
}

impl Pending {
    pub fn next_id(&mut self) -> u64 {
        let id = self.next;
        self.next += 1;
        id
    }

    /// Enters a request before it is sent, so that no answer can be too early.
    pub fn open(&mut self, id: &str, waiting: Waiting) -> Result<Alarm, CallError> {
        if self.closed {
            return Err(CallError::Lost);
        }
        let due = waiting.due();
        if let Token::Given(token) = &waiting.token {
            self.tokens.insert(token.clone(), key(id));
        }
        match key(id) {
            Key::Number(number) => {
                // A person may have chosen it; ours must not be used twice. We never come near the others.
                if number < FARTHEST {
                    self.next = self.next.max(number + 1);
                }
                self.numbered.insert(number, waiting);
            }
            Key::Text(text) => {
                self.worded.insert(text, waiting);
            }
        }
        if self.earliest.is_none_or(|earliest| due < earliest) {
            self.earliest = Some(due);
            return Ok(Alarm::Earlier);
        }
        Ok(Alarm::AsBefore)
    }

    pub fn contains(&self, id: &str) -> bool {
        match key(id) {
            Key::Number(number) => self.numbered.contains_key(&number),
            Key::Text(text) => self.worded.contains_key(&text),
        }
    }

    /// Takes out the request with that id.
    pub fn take(&mut self, id: &str) -> Option<Waiting> {
        let waiting = match number(id) {
            Some(number) => self.numbered.remove(&number),
            None if self.worded.is_empty() => None,
            None => self.worded.remove(id),
        }?;
        if let Token::Given(token) = &waiting.token {
            self.tokens.remove(token);
        }
        Some(waiting)
    }

    /// The request that reports progress under that token.
    pub fn by_token(&mut self, token: &str) -> Option<&mut Waiting> {
        match self.tokens.get(token) {
            Some(Key::Number(number)) => self.numbered.get_mut(number),
            Some(Key::Text(text)) => self.worded.get_mut(text),
            None => self.numbered.get_mut(&number(token)?).filter(|waiting| waiting.token == Token::Ours),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.numbered.is_empty() && self.worded.is_empty()
    }

    /// The only open request, where there is but one.
    pub fn only(&self) -> Option<Box<RawValue>> {
        if self.numbered.len() + self.worded.len() != 1 {
            return None;
        }
        let text = match (self.numbered.keys().next(), self.worded.keys().next()) {
            (Some(number), _) => number.to_string(),
            (None, text) => text?.to_string(),
        };
        RawValue::from_string(text).ok()
    }

    pub fn earliest(&self) -> Option<Instant> {
        self.earliest
    }

    /// Takes out what has waited too long.
    pub fn expire(&mut self, now: Instant) -> Vec<(Box<str>, Waiting)> {
        let numbered: Vec<String> =
            self.numbered.iter().filter(|(_, waiting)| waiting.due() <= now).map(|(id, _)| id.to_string()).collect();
        let worded = self.worded.iter().filter(|(_, waiting)| waiting.due() <= now).map(|(id, _)| id.to_string());
        let ids: Vec<String> = numbered.into_iter().chain(worded.collect::<Vec<_>>()).collect();
        let expired = ids.into_iter().filter_map(|id| self.take(&id).map(|waiting| (id.into(), waiting))).collect();
        self.earliest = self.numbered.values().chain(self.worded.values()).map(Waiting::due).min();
        expired
    }

    /// The connection is over: everything that is open, and nothing is entered any more.
    pub fn close(&mut self) -> Vec<Waiting> {
        self.closed = true;
        self.tokens.clear();
        self.numbered
            .drain()
            .map(|(_, waiting)| waiting)
            .chain(self.worded.drain().map(|(_, waiting)| waiting))
            .collect()
    }
}

/// Whether the clock must be watched from an earlier moment than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alarm {
    Earlier,
    AsBefore,
}

impl Waiting {
    /// When it has waited too long.
    fn due(&self) -> Instant {
        let limit = after(self.started, self.patience.limit);
        match self.patience.silence {
            Some(silence) => limit.min(after(self.heard, silence)),
            None => limit,
        }
    }

    /// Why it has.
    pub fn overdue(&self, now: Instant) -> CallError {
        match self.patience.silence {
            Some(silence) if now < after(self.started, self.patience.limit) => CallError::Silent(silence),
            _ => CallError::TimedOut(self.patience.limit),
        }
    }
}

/// Ids beyond this are not counted on from: some servers read numbers as floats, which are exact only up to 2^53.
const FARTHEST: u64 = 1 << 52;

/// A moment so far away that nobody will wait for it.
const NEVER: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

fn after(start: Instant, duration: Duration) -> Instant {
    start + duration.min(NEVER)
}

fn key(id: &str) -> Key {
    number(id).map_or_else(|| Key::Text(id.into()), Key::Number)
}

/// The number, where the text is exactly how we would write it.
fn number(id: &str) -> Option<u64> {
    let digits = id.as_bytes();
    let canonical = matches!(digits, [b'0'] | [b'1'..=b'9', ..]) && digits.len() < 20;
    if canonical && digits.iter().all(u8::is_ascii_digit) { id.parse().ok() } else { None }
}

/// Spreads numbers that follow each other. Only we enter them, so nobody can choose where they fall.
#[derive(Debug, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(now: Instant, patience: Patience, token: Token) -> Waiting {
        Waiting { slot: Arc::default(), patience, started: now, heard: now, withdrawal: Withdrawal::Notify, token }
    }

    fn seconds(limit: u64, silence: Option<u64>) -> Patience {
        Patience { silence: silence.map(Duration::from_secs), limit: Duration::from_secs(limit) }
    }

    #[test]
    fn an_id_is_found_only_as_it_was_written() {
        let mut pending = Pending::default();
        let now = Instant::now();
        for id in ["1", "\"1\"", "1.0", "01", "-1", "18446744073709551616"] {
            pending.open(id, waiting(now, seconds(1, None), Token::None)).expect("the connection is open");
        }
        for stranger in ["\"01\"", "1e0", "+1", " 1", "2", "true", ""] {
            assert!(pending.take(stranger).is_none(), "{stranger} was never sent");
        }
        for id in ["18446744073709551616", "-1", "01", "1.0", "\"1\"", "1"] {
            assert!(pending.take(id).is_some(), "{id} was sent");
            assert!(pending.take(id).is_none(), "{id} is answered once");
        }
    }

    #[test]
    fn a_number_that_a_person_used_is_not_used_again() {
        let mut pending = Pending::default();
        pending.open("41", waiting(Instant::now(), seconds(1, None), Token::None)).expect("the connection is open");
        assert_eq!(pending.next_id(), 42);
    }

    #[test]
    fn progress_renews_the_silence_and_never_the_limit() {
        let mut pending = Pending::default();
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        pending.open("1", waiting(start, seconds(10, Some(4)), Token::Ours)).expect("the connection is open");
        assert_eq!(pending.earliest(), Some(at(4)));
        assert!(pending.expire(at(3)).is_empty());
        for second in [3, 6, 9] {
            pending.by_token("1").expect("its token is its id").heard = at(second);
            assert!(pending.expire(at(second)).is_empty(), "there was progress at {second} s");
        }
        let expired = pending.expire(at(10));
        let (id, waiting) = expired.first().expect("the limit is over");
        assert_eq!(&**id, "1");
        assert_eq!(waiting.overdue(at(10)), CallError::TimedOut(Duration::from_secs(10)));
        assert_eq!(waiting.overdue(at(8)), CallError::Silent(Duration::from_secs(4)));
        assert_eq!(pending.earliest(), None, "nothing is waited for");
    }

    #[test]
    fn only_an_earlier_end_wakes_whoever_watches_the_clock() {
        let mut pending = Pending::default();
        let now = Instant::now();
        let mut open = |id: &str, limit| pending.open(id, waiting(now, seconds(limit, None), Token::None));
        assert_eq!(open("1", 600), Ok(Alarm::Earlier));
        assert_eq!(open("2", 600), Ok(Alarm::AsBefore));
        assert_eq!(open("3", 5), Ok(Alarm::Earlier));
        assert_eq!(open("4", u64::MAX), Ok(Alarm::AsBefore), "a limit without end is none");
    }

    #[test]
    fn a_token_of_a_persons_own_leads_to_its_request() {
        let mut pending = Pending::default();
        let given = Token::Given("\"mine\"".into());
        pending.open("1", waiting(Instant::now(), seconds(1, None), given)).expect("the connection is open");
        assert!(pending.by_token("\"mine\"").is_some());
        assert!(pending.by_token("1").is_none(), "the id is no token of this request");
        pending.take("1");
        assert!(pending.by_token("\"mine\"").is_none(), "a token ends with its request");
    }

    #[test]
    fn nothing_is_entered_after_the_end() {
        let mut pending = Pending::default();
        pending.close();
        let late = pending.open("1", waiting(Instant::now(), seconds(1, None), Token::None));
        assert_eq!(late, Err(CallError::Lost), "nobody would ever end it");
    }
}
