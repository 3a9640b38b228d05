//! Rows of the log: a line for a person, the whole row for a program.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sonde_app::{
    ApiError, App, Direction, FrameDetail, FrameRequest, HttpDetail, LogRow, RowKind, RowRequest, RowStatus, SseEvent,
};

use super::content::size;
use super::table::one_line;
use crate::console::Surface;

/// `12  14:03:22.123  demo  ->  tools/call echo · ok · 1.2 ms · 120 B`
pub fn line(surface: Surface, row: &LogRow) -> String {
    let time = row.time.get(11..23).unwrap_or(&row.time);
    let arrow = match row.dir {
        Direction::Out => "->",
        Direction::In => "<-",
    };
    let what = match row.kind {
        RowKind::Exchange | RowKind::Notification | RowKind::Orphan => {
            let words = [row.method.as_deref(), row.target.as_deref()];
            let words = words.into_iter().flatten().map(one_line).collect::<Vec<_>>().join(" ");
            if row.kind == RowKind::Orphan { format!("orphan {words}") } else { words }
        }
        RowKind::Unparsable => format!("unparsable {}", target(row)),
        RowKind::Stderr => format!("stderr {}", target(row)),
        RowKind::Mark => format!("mark {}", target(row)),
        RowKind::Http => http(row),
    };
    let mut facts = vec![what];
    facts.extend(row.status.map(|status| status_word(status).to_owned()));
    if row.kind != RowKind::Http {
        facts.extend(row.code.map(|code| format!("code {code}")));
    }
    facts.extend(row.dur_ms.map(|ms| format!("{ms:.1} ms")));
    if !matches!(row.kind, RowKind::Mark | RowKind::Stderr) {
        facts.push(size(u64::try_from(row.size).unwrap_or(0)));
    }
    facts.extend(row.findings.iter().map(|finding| format!("! {}", finding.code)));
    let words = format!("{} {arrow} {}", row.server, facts.join(" · "));
    format!("{:>6}  {}  {}\n", row.seq, surface.dim(time), surface.line(&words))
}

/// `GET /mcp 405`
fn http(row: &LogRow) -> String {
    let words = [row.method.as_deref(), row.target.as_deref()].into_iter().flatten().map(one_line);
    words.chain(row.code.map(|code| code.to_string())).collect::<Vec<_>>().join(" ")
}

fn target(row: &LogRow) -> String {
    one_line(row.target.as_deref().unwrap_or_default())
}

fn status_word(status: RowStatus) -> &'static str {
    match status {
        RowStatus::Pending => "pending",
        RowStatus::Ok => "ok",
        RowStatus::ToolError => "tool error",
        RowStatus::ProtocolError => "protocol error",
        RowStatus::Cancelled => "cancelled",
        RowStatus::Late => "late",
        RowStatus::Timeout => "timed out",
        RowStatus::Unanswered => "unanswered",
        RowStatus::Lost => "lost",
    }
}

/// A row with the bytes of its frames, and the HTTP exchanges that they travelled in.
#[derive(Serialize)]
pub struct WholeRow {
    #[serde(flatten)]
    pub row: LogRow,
    pub frames: Vec<WholeFrame>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<HttpDetail>,
}

#[derive(Serialize)]
pub struct WholeFrame {
    pub dir: Direction,
    pub time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// There where the frame was longer than what was kept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// The number of its HTTP exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<SseEvent>,
}

#[derive(Serialize)]
pub struct Cut {
    size: i64,
    sha256: Option<String>,
}

pub async fn whole(app: &App, seq: i64) -> Result<WholeRow, ApiError> {
    let detail = app.read_row(RowRequest { seq }).await?;
    let mut frames = Vec::new();
    for frame in detail.frames {
        frames.push(whole_frame(app, seq, frame).await?);
    }
    Ok(WholeRow { row: detail.row, frames, http: detail.http })
}

/// A front door is given the first part of a frame; the rest is fetched.
async fn whole_frame(app: &App, seq: i64, frame: FrameDetail) -> Result<WholeFrame, ApiError> {
    let cut = (frame.kept < frame.size).then(|| Cut { size: frame.size, sha256: frame.digest.clone() });
    let (text, base64) = match frame.shown < frame.kept {
        false => (frame.text, frame.base64),
        true => match String::from_utf8(bytes(app, seq, frame.index).await?) {
            Ok(text) => (Some(text), None),
            Err(bytes) => (None, Some(STANDARD.encode(bytes.as_bytes()))),
        },
    };
    let FrameDetail { dir, time, http, event, .. } = frame;
    Ok(WholeFrame { dir, time, text, base64, cut, http, event })
}

async fn bytes(app: &App, seq: i64, index: u32) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    loop {
        let part = app.read_frame(FrameRequest { seq, index, offset: bytes.len() as i64 }).await?;
        // What we are given is our own base64, so it can be read.
        let part = STANDARD.decode(part.base64).unwrap_or_default();
        if part.is_empty() {
            return Ok(bytes);
        }
        bytes.extend(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_http_exchange_is_a_line_with_its_status_code() {
        let row = LogRow {
            seq: 7,
            time: "2025-01-02T03:04:05.678901234Z".to_owned(),
            connection: 1,
            server: "remote".to_owned(),
            dir: Direction::Out,
            kind: RowKind::Http,
            method: Some("GET".to_owned()),
            target: Some("/mcp".to_owned()),
            id: Some("2".to_owned()),
            status: Some(RowStatus::Pending),
            code: None,
            dur_ms: None,
            size: 0,
            findings: Vec::new(),
        };
        let plain = Surface::plain(None);
        assert_eq!(line(plain, &row), "     7  03:04:05.678  remote -> GET /mcp · pending · 0 B\n", "not answered yet");
        let row = LogRow { status: Some(RowStatus::Ok), code: Some(405), dur_ms: Some(1.25), ..row };
        assert_eq!(line(plain, &row), "     7  03:04:05.678  remote -> GET /mcp 405 · ok · 1.2 ms · 0 B\n");
    }
}
