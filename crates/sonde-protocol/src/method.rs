//! Every method of the protocol: who may send it, since when, and what must have been declared for it.
//!
//! One table for all revisions. Nothing else compares revisions or names the capability of a method.

use crate::capabilities::Capabilities;
use crate::frame::Direction;
use crate::revision::Revision;
use crate::revision::Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25};

/// What the two sides agreed on.
#[derive(Debug, Clone)]
pub struct Agreement {
    pub revision: Revision,
    pub client: Capabilities,
    pub server: Capabilities,
}

/// Why a message does not fit what was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objection {
    /// No revision has a method of that name.
    UnknownMethod,
    /// Only the other side sends it.
    WrongSender,
    NotInRevision {
        since: Revision,
    },
    /// `by` did not declare the capability that the message needs.
    Undeclared {
        by: Party,
        capability: &'static str,
    },
}

/// One of the two sides of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Party {
    Client,
    Server,
}

/// One line of the table.
#[derive(Debug)]
pub struct Method {
    pub name: &'static str,
    pub shape: Shape,
    pub senders: &'static [Party],
    pub since: Revision,
    pub needs: Option<Need>,
    /// The capability of the receiver without which the request must not be made a task.
    pub as_task: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Request,
    Notification,
}

/// A capability that must have been declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    pub by: Holder,
    pub capability: &'static str,
    /// Earlier revisions have the method without the capability.
    pub since: Revision,
}

/// Which end of a message must have declared a capability. Some methods are sent by both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    Sender,
    Receiver,
}

/// The method of that name, in whatever revision.
pub fn method(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

impl Agreement {
    /// Why `sender` should not have sent, or should not send, a message of that method.
    pub fn objection(&self, sender: Party, name: &str) -> Option<Objection> {
        let Some(method) = method(name) else { return Some(Objection::UnknownMethod) };
        if !method.senders.contains(&sender) {
            return Some(Objection::WrongSender);
        }
        if self.revision < method.since {
            return Some(Objection::NotInRevision { since: method.since });
        }
        let need = method.needs.filter(|need| need.since <= self.revision)?;
        let by = match need.by {
            Holder::Sender => sender,
            Holder::Receiver => sender.other(),
        };
        self.undeclared(by, need.capability)
    }

    /// Why `sender` should not ask for a request of that method to be a task.
    pub fn task_objection(&self, sender: Party, name: &str) -> Option<Objection> {
        if !self.revision.rules().tasks {
            return Some(Objection::NotInRevision { since: V2025_11_25 });
        }
        match method(name).and_then(|method| method.as_task) {
            Some(capability) => self.undeclared(sender.other(), capability),
            None => Some(Objection::Undeclared { by: sender.other(), capability: "tasks.requests" }),
        }
    }

    /// What a side declared.
    pub fn capabilities(&self, party: Party) -> &Capabilities {
        match party {
            Party::Client => &self.client,
            Party::Server => &self.server,
        }
    }

    fn undeclared(&self, by: Party, capability: &'static str) -> Option<Objection> {
        (!self.capabilities(by).declares(capability)).then_some(Objection::Undeclared { by, capability })
    }
}

impl Party {
    pub fn other(self) -> Self {
        match self {
            Party::Client => Party::Server,
            Party::Server => Party::Client,
        }
    }
}

impl From<Direction> for Party {
    /// Who sends what travels in that direction; we are the client.
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Out => Party::Client,
            Direction::In => Party::Server,
        }
    }
}

impl std::fmt::Display for Party {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Party::Client => "client",
            Party::Server => "server",
        })
    }
}

impl std::fmt::Display for Objection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Objection::UnknownMethod => formatter.write_str("no revision of the protocol has this method"),
            Objection::WrongSender => formatter.write_str("only the other side sends this method"),
            Objection::NotInRevision { since } => {
                write!(formatter, "it is not in the agreed revision, only since {since}")
            }
            Objection::Undeclared { by, capability } => {
                write!(formatter, "the {by} did not declare the capability `{capability}`")
            }
        }
    }
}

impl std::error::Error for Objection {}

const CLIENT: &[Party] = &[Party::Client];
const SERVER: &[Party] = &[Party::Server];
const BOTH: &[Party] = &[Party::Client, Party::Server];

/// All methods of all revisions.
pub const METHODS: &[Method] = &[
    request("initialize", CLIENT),
    request("ping", BOTH),
    request("tools/list", CLIENT).of_receiver("tools"),
    request("tools/call", CLIENT).of_receiver("tools").taken_as_task_by("tasks.requests.tools.call"),
    request("resources/list", CLIENT).of_receiver("resources"),
    request("resources/templates/list", CLIENT).of_receiver("resources"),
    request("resources/read", CLIENT).of_receiver("resources"),
    request("resources/subscribe", CLIENT).of_receiver("resources.subscribe"),
    request("resources/unsubscribe", CLIENT).of_receiver("resources.subscribe"),
    request("prompts/list", CLIENT).of_receiver("prompts"),
    request("prompts/get", CLIENT).of_receiver("prompts"),
    request("completion/complete", CLIENT).of_receiver("completions").declared_since(V2025_03_26),
    request("logging/setLevel", CLIENT).of_receiver("logging"),
    request("roots/list", SERVER).of_receiver("roots"),
    request("sampling/createMessage", SERVER)
        .of_receiver("sampling")
        .taken_as_task_by("tasks.requests.sampling.createMessage"),
    request("elicitation/create", SERVER)
        .since(V2025_06_18)
        .of_receiver("elicitation")
        .taken_as_task_by("tasks.requests.elicitation.create"),
    request("tasks/get", BOTH).since(V2025_11_25).of_receiver("tasks"),
    request("tasks/result", BOTH).since(V2025_11_25).of_receiver("tasks"),
    request("tasks/list", BOTH).since(V2025_11_25).of_receiver("tasks.list"),
    request("tasks/cancel", BOTH).since(V2025_11_25).of_receiver("tasks.cancel"),
    notification("notifications/initialized", CLIENT),
    notification("notifications/cancelled", BOTH),
    notification("notifications/progress", BOTH),
    notification("notifications/message", SERVER).of_sender("logging"),
    notification("notifications/tools/list_changed", SERVER).of_sender("tools.listChanged"),
    notification("notifications/resources/list_changed", SERVER).of_sender("resources.listChanged"),
    notification("notifications/resources/updated", SERVER).of_sender("resources.subscribe"),
    notification("notifications/prompts/list_changed", SERVER).of_sender("prompts.listChanged"),
    notification("notifications/roots/list_changed", CLIENT).of_sender("roots.listChanged"),
    notification("notifications/elicitation/complete", SERVER).since(V2025_11_25).of_receiver("elicitation.url"),
    notification("notifications/tasks/status", BOTH).since(V2025_11_25).of_sender("tasks"),
];

const fn request(name: &'static str, senders: &'static [Party]) -> Method {
    Method { name, shape: Shape::Request, senders, since: V2024_11_05, needs: None, as_task: None }
}

const fn notification(name: &'static str, senders: &'static [Party]) -> Method {
    Method { shape: Shape::Notification, ..request(name, senders) }
}

impl Method {
    const fn since(self, since: Revision) -> Self {
        Method { since, ..self }
    }

    const fn of_receiver(self, capability: &'static str) -> Self {
        Method { needs: Some(Need { by: Holder::Receiver, capability, since: self.since }), ..self }
    }

    const fn of_sender(self, capability: &'static str) -> Self {
        Method { needs: Some(Need { by: Holder::Sender, capability, since: self.since }), ..self }
    }

    /// The capability came later than the method did.
    const fn declared_since(self, since: Revision) -> Self {
        match self.needs {
            Some(need) => Method { needs: Some(Need { since, ..need }), ..self },
            None => self,
        }
    }

    const fn taken_as_task_by(self, capability: &'static str) -> Self {
        Method { as_task: Some(capability), ..self }
    }
}
