//! What a server asks of us: answered by a rule, by the person at the terminal, or declined.

mod conversation;
mod field;
mod form;
mod sampling;
mod terminal;
mod url;

use std::collections::HashSet;

use serde_json::json;
use serde_json::value::to_raw_value;
use sonde_app::{Question, Reply};

use crate::session::Session;
pub use terminal::Terminal;
pub use url::consent;

/// Why a question is declined without asking anybody.
const NOBODY: &str = "there is no terminal to ask at, and no rule of --answer for it";

/// The JSON-RPC code of a sampling request that a person refused.
const REFUSED: i64 = -1;

/// Looks after the questions of every server for as long as the session lasts.
pub struct Attendant {
    session: Session,
    /// Numbers of the questions that have been dealt with and that the core still lists.
    done: HashSet<u64>,
    /// How many were settled without a person.
    settled: u64,
}

/// A server may ask any number of questions; beyond this many, not each is told.
const MOST_TOLD: u64 = 20;

impl Attendant {
    pub fn new(session: &Session) -> Self {
        Attendant { session: session.clone(), done: HashSet::new(), settled: 0 }
    }

    pub async fn attend(mut self) {
        let mut changes = self.session.app.question_changes();
        loop {
            changes.borrow_and_update();
            self.settle_without_a_person().await;
            let Some(question) = self.open().into_iter().next() else {
                if changes.changed().await.is_err() {
                    return;
                }
                continue;
            };
            self.done.insert(question.number);
            let session = self.session.clone();
            let mut talk = std::pin::pin!(conversation::hold(&session, &question));
            let reply = loop {
                tokio::select! {
                    reply = &mut talk => break Some(reply),
                    changed = changes.changed() => {
                        self.settle_without_a_person().await;
                        if changed.is_err() || !self.is_pending(question.number) {
                            break None;
                        }
                    }
                }
            };
            match reply {
                Some(reply) => self.send(&question, reply).await,
                None => session.console.say("\nsonde: the server took its question back"),
            }
        }
    }

    /// Answers what a rule answers, and declines the rest where nobody can be asked.
    async fn settle_without_a_person(&mut self) {
        let console = self.session.console.clone();
        for question in self.open() {
            let rule = self.session.rules.as_ref().as_ref();
            let reply = rule.and_then(|rules| rules.reply(&question.method, question.params.as_deref()));
            let (reply, how) = match reply {
                Some(reply) => (reply, "answered by a rule".to_owned()),
                None if console.can_ask() => continue,
                None => (decline(&question), format!("{} ({NOBODY})", refused_as(&question))),
            };
            self.tell(&question, &how);
            self.done.insert(question.number);
            self.send(&question, reply).await;
        }
    }

    fn tell(&mut self, question: &Question, how: &str) {
        let console = &self.session.console;
        self.settled += 1;
        if self.settled <= MOST_TOLD {
            let asked = format!("`{}` asked `{}`", question.server, question.method);
            console.say(&format!("sonde: {}: {how}", console.err.line(&asked)));
        } else if self.settled == MOST_TOLD + 1 {
            console
                .say("sonde: it asks more and more; the rest is answered like that without a word, and is in the log");
        }
    }

    /// What still waits for us, oldest first.
    fn open(&mut self) -> Vec<Question> {
        let questions = self.session.app.questions();
        // What the core has forgotten need not be remembered here.
        self.done.retain(|done| questions.iter().any(|question| question.number == *done));
        questions.into_iter().filter(|question| !self.done.contains(&question.number)).collect()
    }

    fn is_pending(&self, number: u64) -> bool {
        self.session.app.questions().iter().any(|question| question.number == number)
    }

    async fn send(&self, question: &Question, reply: Reply) {
        if let Err(error) = self.session.app.answer(question.number, reply).await {
            let console = &self.session.console;
            console.say(&format!("sonde: the answer was not sent: {}", console.err.line(&error.message)));
        }
    }
}

fn refused_as(question: &Question) -> &'static str {
    match question.method.as_str() {
        "elicitation/create" => "declined",
        _ => "refused",
    }
}

/// The answer where nobody answers.
fn decline(question: &Question) -> Reply {
    match question.method.as_str() {
        "elicitation/create" => action("decline"),
        "sampling/createMessage" => refuse(),
        _ => Reply::Error { code: REFUSED, message: "nobody is there to answer".to_owned(), data: None },
    }
}

fn refuse() -> Reply {
    Reply::Error { code: REFUSED, message: "User rejected sampling request".to_owned(), data: None }
}

fn action(action: &str) -> Reply {
    result(&json!({ "action": action }))
}

fn result(value: &impl serde::Serialize) -> Reply {
    match to_raw_value(value) {
        Ok(raw) => Reply::Result(raw),
        Err(error) => Reply::Error { code: -32603, message: error.to_string(), data: None },
    }
}

/// The params as a tree; what can't be read has no members.
fn read(params: Option<&str>) -> serde_json::Value {
    params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or_default()
}
