//! The shapes a frame can have. All of them borrow from the frame, so nothing is copied and nothing is lost.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::finding::Finding;

#[derive(Debug)]
pub enum Message<'a> {
    Request(Request<'a>),
    Notification(Notification<'a>),
    Response(Response<'a>),
    /// A JSON array of messages, which only 2025-03-26 allows but any server may send; or several messages on one line.
    Batch(Vec<Item<'a>>),
    /// Not a message. The findings say why; the bytes stay in the frame.
    Opaque,
}

/// One message of a batch.
#[derive(Debug)]
pub struct Item<'a> {
    pub message: Message<'a>,
    /// What is wrong with this one.
    pub findings: Vec<Finding>,
    pub text: &'a str,
}

/// An id exactly as it was written, so that `1`, `1.0` and `"1"` stay three different ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id<'a>(pub &'a str);

#[derive(Debug)]
pub struct Request<'a> {
    pub id: Id<'a>,
    pub method: Cow<'a, str>,
    pub params: Option<&'a RawValue>,
}

#[derive(Debug)]
pub struct Notification<'a> {
    pub method: Cow<'a, str>,
    pub params: Option<&'a RawValue>,
}

#[derive(Debug)]
pub struct Response<'a> {
    /// None where the server could not tell which request it answers.
    pub id: Option<Id<'a>>,
    pub outcome: Outcome<'a>,
}

#[derive(Debug)]
pub enum Outcome<'a> {
    Result(&'a RawValue),
    Error(ErrorObject<'a>),
}

#[derive(Debug)]
pub struct ErrorObject<'a> {
    /// None where it is missing or not an integer.
    pub code: Option<i64>,
    pub message: Option<Cow<'a, str>>,
    pub raw: &'a RawValue,
}
