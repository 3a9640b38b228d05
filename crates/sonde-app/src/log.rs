//! The log as a front door sees it.

pub(crate) mod http;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sonde_protocol as protocol;
use sonde_store::{self as store, FrameHead, View};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::api::error::{ApiError, ErrorCode};
use crate::api::log::{
    Direction, Finding, FrameDetail, FramePart, FrameRequest, LineView, LogPage, LogRequest, LogRow, LogRows, LogView,
    RowDetail, RowKind, RowRequest, RowStatus, Severity,
};
use crate::app::App;
use crate::explain;

/// Rows that one page may have; a screen shows fewer than a hundred.
const MOST_ROWS: i64 = 500;
/// Bytes of a frame that are given at once.
const PART: i64 = 256 << 10;

impl App {
    pub async fn query_log(&self, request: LogRequest) -> Result<LogPage, ApiError> {
        if !(0..=MOST_ROWS).contains(&request.count) {
            let message = format!("{} rows were asked for; a page has at most {MOST_ROWS}", request.count);
            return Err(ApiError::new(ErrorCode::InvalidRequest, "Invalid request", message));
        }
        let LogView { server, kind, connection, after, lines } = request.view;
        let lines = lines.map(lines_from).transpose()?;
        let view = View { server, kind: kind.map(kind_from), connection, after, lines };
        let page = self.inner.store.page(&view, request.first, request.count).await;
        let page = page.map_err(|error| explain::storage(&error))?;
        Ok(LogPage { total: page.total, first: page.first, rows: page.rows.into_iter().map(row).collect() })
    }

    pub async fn read_row(&self, request: RowRequest) -> Result<RowDetail, ApiError> {
        let found = self.inner.store.row(request.seq, PART).await.map_err(|error| explain::storage(&error))?;
        let found = found.ok_or_else(|| no_row(request.seq))?;
        let frames = (0..).zip(found.frames).map(|(index, frame)| detail(index, frame)).collect();
        let http = found.http.into_iter().map(http::detail).collect();
        Ok(RowDetail { row: row(found.row), frames, http })
    }

    /// The requests that were open when the row came.
    pub(crate) async fn find_related(&self, request: RowRequest) -> Result<LogRows, ApiError> {
        let found = self.inner.store.open_during(request.seq).await.map_err(|error| explain::storage(&error))?;
        Ok(LogRows { rows: found.rows.into_iter().map(row).collect(), more: found.more })
    }

    pub async fn read_frame(&self, request: FrameRequest) -> Result<FramePart, ApiError> {
        let part = self.inner.store.frame_part(request.seq, request.index as usize, request.offset.max(0), PART).await;
        let bytes = part.map_err(|error| explain::storage(&error))?.ok_or_else(|| no_row(request.seq))?;
        Ok(FramePart { offset: request.offset, base64: STANDARD.encode(&bytes), size: bytes.len() as i64 })
    }
}

fn lines_from(lines: LineView) -> Result<store::Lines, ApiError> {
    let least = lines.level.as_deref().map(|name| {
        store::Level::named(name).ok_or_else(|| {
            ApiError::new(ErrorCode::InvalidRequest, "Invalid request", format!("there is no level `{name}`"))
        })
    });
    let text = lines.text.filter(|text| !text.is_empty());
    Ok(store::Lines { messages: lines.messages, stderr: lines.stderr, least: least.transpose()?, text })
}

fn no_row(seq: i64) -> ApiError {
    ApiError::new(ErrorCode::UnknownRow, "No such row", format!("the log has no row {seq}"))
}

fn detail(index: u32, frame: FrameHead) -> FrameDetail {
    let shown = frame.head.len() as i64;
    let (text, base64) = match as_text(&frame) {
        Some(text) => (Some(text), None),
        None => (None, Some(STANDARD.encode(&frame.head))),
    };
    FrameDetail {
        index,
        dir: direction(frame.direction),
        time: rfc3339(frame.at_ns),
        size: frame.size,
        kept: frame.kept,
        shown: text.as_ref().map_or(shown, |text| text.len() as i64),
        text,
        base64,
        digest: frame.sha256.map(|digest| digest.iter().map(|byte| format!("{byte:02x}")).collect()),
        http: frame.http,
        event: frame.event.map(http::event),
    }
}

/// The head as text, where it is UTF-8 but for a character that the cut went through.
fn as_text(frame: &FrameHead) -> Option<String> {
    match std::str::from_utf8(&frame.head) {
        Ok(text) => Some(text.to_owned()),
        Err(error) if error.error_len().is_none() && frame.size > frame.head.len() as i64 => {
            let whole = frame.head.get(..error.valid_up_to())?;
            String::from_utf8(whole.to_vec()).ok()
        }
        Err(_) => None,
    }
}

fn row(row: store::Row) -> LogRow {
    LogRow {
        seq: row.seq,
        time: rfc3339(row.at_ns),
        connection: row.connection.0,
        server: row.server,
        dir: direction(row.direction),
        kind: kind(row.kind),
        method: row.method,
        target: row.target,
        id: row.id,
        status: row.status.map(status),
        code: row.code,
        dur_ms: row.dur_ns.map(|ns| ns as f64 / 1e6),
        size: row.size,
        findings: row.findings.into_iter().map(finding).collect(),
    }
}

/// Always with nine decimals, so that times line up and sort as text.
fn rfc3339(at_ns: i64) -> String {
    let seconds = at_ns.div_euclid(1_000_000_000);
    let fraction = at_ns.rem_euclid(1_000_000_000);
    let whole = OffsetDateTime::from_unix_timestamp(seconds).ok().and_then(|time| time.format(&Rfc3339).ok());
    match whole.as_deref().and_then(|text| text.strip_suffix('Z')) {
        Some(text) => format!("{text}.{fraction:09}Z"),
        None => String::new(),
    }
}

fn finding(finding: protocol::Finding) -> Finding {
    Finding {
        code: finding.code.slug().to_owned(),
        severity: match finding.code.severity() {
            protocol::Severity::Note => Severity::Note,
            protocol::Severity::Warning => Severity::Warning,
            protocol::Severity::Error => Severity::Error,
        },
        message: finding.message,
        rule: finding.code.rule().map(str::to_owned),
    }
}

fn direction(direction: protocol::Direction) -> Direction {
    match direction {
        protocol::Direction::Out => Direction::Out,
        protocol::Direction::In => Direction::In,
    }
}

fn kind(kind: store::RowKind) -> RowKind {
    match kind {
        store::RowKind::Exchange => RowKind::Exchange,
        store::RowKind::Notification => RowKind::Notification,
        store::RowKind::Orphan => RowKind::Orphan,
        store::RowKind::Unparsable => RowKind::Unparsable,
        store::RowKind::Stderr => RowKind::Stderr,
        store::RowKind::Mark => RowKind::Mark,
        store::RowKind::Http => RowKind::Http,
    }
}

fn kind_from(kind: RowKind) -> store::RowKind {
    match kind {
        RowKind::Exchange => store::RowKind::Exchange,
        RowKind::Notification => store::RowKind::Notification,
        RowKind::Orphan => store::RowKind::Orphan,
        RowKind::Unparsable => store::RowKind::Unparsable,
        RowKind::Stderr => store::RowKind::Stderr,
        RowKind::Mark => store::RowKind::Mark,
        RowKind::Http => store::RowKind::Http,
    }
}

fn status(status: store::RowStatus) -> RowStatus {
    match status {
        store::RowStatus::Pending => RowStatus::Pending,
        store::RowStatus::Ok => RowStatus::Ok,
        store::RowStatus::ToolError => RowStatus::ToolError,
        store::RowStatus::ProtocolError => RowStatus::ProtocolError,
        store::RowStatus::Cancelled => RowStatus::Cancelled,
        store::RowStatus::Late => RowStatus::Late,
        store::RowStatus::Timeout => RowStatus::Timeout,
        store::RowStatus::Unanswered => RowStatus::Unanswered,
        store::RowStatus::Lost => RowStatus::Lost,
    }
}
