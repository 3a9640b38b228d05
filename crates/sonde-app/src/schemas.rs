//! Values against the schemas of tools. What a server wrote is checked on a thread of its own: however long it takes,
//! nobody waits for it longer than a moment, and the request can be sent all the same.

use std::sync::{Arc, Once};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use sonde_protocol::Schema;
use tokio::sync::{Semaphore, oneshot};

use crate::api::calls::Violation;

/// A schema that was compiled once, or why it can't be used.
pub(crate) enum Checker {
    Ready(Box<Schema>),
    Unusable(String),
}

/// What a check came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    pub violations: Vec<Violation>,
    /// Why nothing was checked, if nothing was.
    pub note: Option<String>,
}

/// Checks that run at once.
const MOST_CHECKS: usize = 2;
/// The protocol bounds a check by its steps, to about a quarter of a second; this is for a machine that has no time.
const LONGEST_CHECK: Duration = Duration::from_secs(5);
/// A value beyond this is not made into a tree.
const LARGEST_VALUE: usize = 1 << 20;

/// The threads that check, or rather the room for them.
#[derive(Clone)]
pub(crate) struct Checks {
    room: Arc<Semaphore>,
}

impl Default for Checks {
    fn default() -> Self {
        Checks { room: Arc::new(Semaphore::new(MOST_CHECKS)) }
    }
}

impl Checks {
    /// Compiles the first schema of this process, which takes longest, while nobody waits for it yet.
    pub fn warm(&self) {
        static WARM: Once = Once::new();
        WARM.call_once(|| {
            let thread = std::thread::Builder::new().name("schema check".to_owned()).spawn(|| {
                if let Ok(schema) = RawValue::from_string(r#"{"type":"object"}"#.to_owned()) {
                    Checker::compile(&schema);
                }
            });
            if let Err(error) = thread {
                tracing::debug!(%error, "the first schema will take its time");
            }
        });
    }

    /// Does the work on a thread of its own, and gives up on it when it takes too long. The runtime's own threads
    /// would not do: a program could not end before they have.
    pub async fn run(&self, work: impl FnOnce() -> Checked + Send + 'static) -> Checked {
        let check = async {
            let room = self.room.clone().acquire_owned().await.ok()?;
            let (done, checked) = oneshot::channel();
            let thread = std::thread::Builder::new().name("schema check".to_owned()).spawn(move || {
                // Whoever asked may have given up.
                done.send(work()).ok();
                drop(room);
            });
            match thread {
                Ok(_running) => checked.await.ok(),
                Err(error) => Some(Checked::not(&format!("no thread could be started: {error}"))),
            }
        };
        match tokio::time::timeout(LONGEST_CHECK, check).await {
            Ok(Some(checked)) => checked,
            Ok(None) => Checked::not("the check failed"),
            Err(_elapsed) => Checked::not("the schema is too complex"),
        }
    }
}

impl Checked {
    pub fn not(reason: &str) -> Self {
        Checked { violations: Vec::new(), note: Some(format!("not checked: {reason}")) }
    }

    pub fn violation(message: &str) -> Self {
        let violation = Violation { path: String::new(), place: String::new(), message: message.to_owned() };
        Checked { violations: vec![violation], note: None }
    }
}

impl Checker {
    pub fn compile(schema: &RawValue) -> Self {
        match Schema::compile(schema) {
            Ok(schema) => Checker::Ready(Box::new(schema)),
            Err(problem) => Checker::Unusable(problem.to_string()),
        }
    }

    pub fn check(&self, value: &RawValue) -> Checked {
        let schema = match self {
            Checker::Ready(schema) => schema,
            Checker::Unusable(problem) => return Checked::not(problem),
        };
        if value.get().len() > LARGEST_VALUE {
            return Checked::not(&format!("the value has {} bytes", value.get().len()));
        }
        match serde_json::from_str::<Value>(value.get()) {
            Ok(value) if !schema.can_check(&value) => Checked::not("the value is too large for this schema"),
            Ok(value) => {
                let violations = schema.check(&value).into_iter().map(|found| Violation {
                    path: found.path,
                    place: found.place,
                    message: found.message,
                });
                Checked { violations: violations.collect(), note: None }
            }
            Err(error) => Checked::not(&format!("the value can't be read: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_value_is_checked_and_a_schema_that_cannot_be_used_is_told() {
        let checker = Checker::compile(&raw(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#));
        assert_eq!(checker.check(&raw(r#"{"n":1}"#)), Checked::default(), "it is as it should be");
        let wrong = checker.check(&raw(r#"{"n":"one"}"#));
        assert_eq!((wrong.violations.len(), &*wrong.violations[0].path), (1, "/n"), "where it is not");
        let foreign = Checker::compile(&raw(r#"{"$schema":"https://example.com/other"}"#)).check(&raw("{}"));
        assert!(foreign.violations.is_empty(), "what nobody can check is not wrong");
        assert!(foreign.note.is_some_and(|note| note.contains("example.com/other")), "but it is said");
        let large = checker.check(&raw(&format!(r#"{{"x":"{}"}}"#, "y".repeat(LARGEST_VALUE))));
        assert!(large.note.is_some_and(|note| note.contains("bytes")), "a tree of any size is not built");
    }

    #[tokio::test]
    async fn many_checks_take_turns_and_one_that_dies_holds_nobody() {
        let checks = Checks::default();
        let dead = checks.run(|| panic!("a check that dies")).await;
        assert!(dead.note.is_some(), "it is told");
        let mut running = tokio::task::JoinSet::new();
        for number in 0..50 {
            let checks = checks.clone();
            running.spawn(async move { checks.run(move || Checked::violation(&number.to_string())).await });
        }
        assert_eq!(running.join_all().await.len(), 50, "more than there is room for at once");
    }
}
