//! The log: rows, and a row's frames.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::http::{HttpDetail, SseEvent};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum Direction {
    Out,
    In,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum RowKind {
    Exchange,
    Notification,
    Orphan,
    Unparsable,
    Stderr,
    Mark,
    /// An HTTP exchange that carried no message of ours: it opened a stream, or ended a session.
    Http,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum RowStatus {
    Pending,
    Ok,
    ToolError,
    ProtocolError,
    Cancelled,
    Late,
    Timeout,
    Unanswered,
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Finding {
    pub code: String,
    pub severity: Severity,
    pub message: String,
    /// The rule that was broken, as the specification names it.
    pub rule: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct LogRow {
    pub seq: i64,
    /// RFC 3339 with nanoseconds, UTC.
    pub time: String,
    pub connection: i64,
    pub server: String,
    pub dir: Direction,
    pub kind: RowKind,
    pub method: Option<String>,
    /// Tool, uri or prompt; for stderr, marks and unparsable lines the text itself; for HTTP the path.
    pub target: Option<String>,
    /// Of a request, verbatim; for HTTP the number of the exchange.
    pub id: Option<String>,
    pub status: Option<RowStatus>,
    /// Of a JSON-RPC error; the status code where the row is an HTTP exchange.
    pub code: Option<i64>,
    pub dur_ms: Option<f64>,
    pub size: i64,
    pub findings: Vec<Finding>,
}

/// Which rows a log view shows; an absent field does not restrict.
#[derive(Debug, Default, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LogView {
    pub server: Option<String>,
    pub kind: Option<RowKind>,
    #[ts(optional)]
    pub connection: Option<i64>,
    /// Only rows whose `seq` is higher.
    #[ts(optional)]
    pub after: Option<i64>,
    /// Only what a server says of its work.
    #[ts(optional)]
    pub lines: Option<LineView>,
}

/// Log messages and stderr: which of them, how grave, and with which words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LineView {
    /// `notifications/message`.
    pub messages: bool,
    pub stderr: bool,
    /// The least level of a message; stderr has none.
    pub level: Option<String>,
    /// Only lines that have this in their first 64 KiB, whatever the case of its Latin letters.
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct LogRows {
    pub rows: Vec<LogRow>,
    /// How many there are beyond these.
    pub more: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct LogPage {
    /// How many rows the view has.
    pub total: i64,
    /// The place of the first row returned, counted from the oldest.
    pub first: i64,
    pub rows: Vec<LogRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct FrameDetail {
    pub index: u32,
    pub dir: Direction,
    pub time: String,
    pub size: i64,
    /// Bytes that were kept; less than `size` where the frame was cut on arrival.
    pub kept: i64,
    /// The first bytes of the frame, at most 256 KiB: as text if they are UTF-8, otherwise as base64.
    pub text: Option<String>,
    pub base64: Option<String>,
    pub shown: i64,
    /// Set where the frame itself was cut on arrival: its SHA-256.
    pub digest: Option<String>,
    /// The HTTP exchange that it travelled in.
    pub http: Option<u32>,
    /// Set where it was an event of a stream.
    pub event: Option<SseEvent>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct RowDetail {
    pub row: LogRow,
    pub frames: Vec<FrameDetail>,
    /// The HTTP exchanges that its frames travelled in, and those that followed them.
    pub http: Vec<HttpDetail>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct FramePart {
    pub offset: i64,
    pub base64: String,
    /// Bytes in this part; none beyond the end.
    pub size: i64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LogRequest {
    pub view: LogView,
    pub first: i64,
    pub count: i64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RowRequest {
    pub seq: i64,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct FrameRequest {
    pub seq: i64,
    pub index: u32,
    pub offset: i64,
}
