//! Bytes that a server sent as base64 within a result.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The base64 text that stands at a place of a call's result.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ContentRequest {
    pub call: u64,
    /// A JSON pointer into the result.
    pub pointer: String,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ContentPartRequest {
    pub call: u64,
    pub pointer: String,
    pub offset: u64,
}

/// As what a page may show bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum Appearance {
    Image,
    Audio,
    /// As bytes, and not otherwise.
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Content {
    /// Bytes, decoded.
    pub size: u64,
    /// What they are by their own signature; whatever the server says of them.
    pub media: Option<String>,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub appearance: Appearance,
    /// Why they are not shown as what they are meant to be.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ContentPart {
    pub offset: u64,
    /// None beyond the end.
    pub base64: String,
    pub size: u64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SaveContentRequest {
    pub call: u64,
    pub pointer: String,
    /// What the file could be called; the person decides.
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SavedContent {
    /// Where it was written; none where the person decided against it.
    pub path: Option<String>,
}
