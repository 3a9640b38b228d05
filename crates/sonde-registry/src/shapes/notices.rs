//! What a person should know about servers that were written down for another client.

use super::Shape;

/// One field of one server that is not there as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub server: String,
    /// The way to it, as in `env.API_KEY`.
    pub field: String,
    pub kind: NoticeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeKind {
    /// It was left out: the client has no word for it.
    Lost,
    /// It stands there, but the client is not known to read it.
    Unread,
    /// The client wants a word where we have none, and got this one.
    Chosen(String),
    /// A secret or an input stands there as this reference.
    Secret(String),
    /// A reference stands there as it was, and the client is not known to fill it in.
    Unfilled(String),
}

impl Notice {
    /// For a person; without the server, so that those of several servers can be told together.
    pub fn told(&self, shape: Shape) -> String {
        let (field, client) = (&self.field, shape.name());
        match &self.kind {
            NoticeKind::Lost => format!("`{field}` was left out: {client} has no word for it"),
            NoticeKind::Unread => format!("`{field}` is there, but {client} is not known to read it"),
            NoticeKind::Chosen(word) => format!("`{field}` is `{word}`, since {client} wants one to be named"),
            NoticeKind::Secret(reference) if shape == Shape::Sonde => {
                format!("the secret in `{field}` is not there, only `{reference}`: it stays in this machine's keyring")
            }
            NoticeKind::Secret(reference) => {
                format!("the secret in `{field}` is not there, only `{reference}`: give {client} its value there")
            }
            NoticeKind::Unfilled(reference) => {
                format!("`{reference}` in `{field}` is as it was, but {client} is not known to fill it in")
            }
        }
    }
}
