//! Rows on their way to the disk.

use std::collections::BTreeMap;

use sonde_protocol::{Channel, ConnectionId, Direction, Finding, Frame, HttpExchange};

use crate::row::{RowKind, RowStatus};

/// Characters of an id or a method that a row shows; the frame has the rest.
const LONGEST_NAME: usize = 200;

/// What one transaction will write.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The sequence number of `rows[0]`, and the id of `frames[0]`.
    pub first_row: i64,
    pub first_frame: i64,
    pub rows: Vec<NewRow>,
    pub frames: Vec<NewFrame>,
    /// How rows of earlier batches stand now, by their sequence numbers.
    pub updates: BTreeMap<i64, RowState>,
    /// Findings for rows of earlier batches whose state nobody remembers.
    pub remarks: Vec<(i64, Finding)>,
    /// The newest word on each HTTP exchange.
    pub http: BTreeMap<(ConnectionId, u32), Box<HttpExchange>>,
    pub ended: Vec<(ConnectionId, i64)>,
}

#[derive(Debug)]
pub(crate) struct NewRow {
    pub connection: ConnectionId,
    pub server: i64,
    pub at_ns: i64,
    pub direction: Direction,
    pub kind: RowKind,
    pub method: Option<String>,
    pub target: Option<String>,
    pub id: Option<String>,
    pub request: Option<i64>,
    pub state: RowState,
}

/// The part of a row that an answer changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowState {
    pub status: Option<RowStatus>,
    pub code: Option<i64>,
    pub dur_ns: Option<i64>,
    pub size: i64,
    pub findings: Vec<Finding>,
    pub response: Option<i64>,
    /// Set where the answer says better than the request what the exchange was about.
    pub answer_target: Option<String>,
}

#[derive(Debug)]
pub(crate) struct NewFrame {
    pub row: i64,
    pub frame: Frame,
}

impl Batch {
    /// Changes a row where it is: in this batch, or on disk already.
    pub fn change(&mut self, seq: i64, state: RowState) {
        match self.row_mut(seq) {
            Some(row) => row.state = state,
            None => {
                self.updates.insert(seq, state);
            }
        }
    }

    /// Adds a finding to a row that nothing else will change.
    pub fn remark(&mut self, seq: i64, finding: Finding) {
        if let Some(row) = self.row_mut(seq) {
            row.state.findings.push(finding);
        } else if let Some(state) = self.updates.get_mut(&seq) {
            state.findings.push(finding);
        } else {
            self.remarks.push((seq, finding));
        }
    }

    fn row_mut(&mut self, seq: i64) -> Option<&mut NewRow> {
        let place = usize::try_from(seq - self.first_row).ok()?;
        self.rows.get_mut(place)
    }
}

/// The facts of the frame that a message came in.
pub(crate) struct Seen {
    pub connection: ConnectionId,
    pub direction: Direction,
    pub channel: Channel,
    pub frame_id: i64,
    pub at_ns: i64,
    pub now_ns: u64,
    pub size: i64,
}

impl Seen {
    pub fn row(&self, kind: RowKind, method: Option<&str>) -> NewRow {
        NewRow {
            connection: self.connection,
            server: 0,
            at_ns: self.at_ns,
            direction: self.direction,
            kind,
            method: method.map(clip),
            target: None,
            id: None,
            request: Some(self.frame_id),
            state: RowState::default(),
        }
    }

    pub fn state(&self, findings: Vec<Finding>) -> RowState {
        RowState { size: self.size, findings, ..RowState::default() }
    }
}

impl NewRow {
    pub fn about(self, target: Option<String>) -> Self {
        NewRow { target, ..self }
    }

    pub fn with_id(self, id: &str) -> Self {
        NewRow { id: Some(clip(id)), ..self }
    }
}

pub(crate) fn clip(text: &str) -> String {
    let start = prefix(text);
    if start.len() == text.len() { text.to_owned() } else { format!("{start}…") }
}

/// As much of a text as [`clip`] shows.
pub(crate) fn prefix(text: &str) -> &str {
    // A character has at least one byte, so most texts need not be counted.
    if text.len() <= LONGEST_NAME {
        return text;
    }
    text.char_indices().nth(LONGEST_NAME).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The beginning of a line that is not a message, as text.
pub(crate) fn preview(bytes: &[u8]) -> String {
    const LONGEST: usize = 400;
    let mut text = String::from_utf8_lossy(bytes.get(..LONGEST).unwrap_or(bytes)).trim_end().to_owned();
    if bytes.len() > LONGEST {
        text.push('…');
    }
    text
}
