//! The words of the log: what a row can be and how it can stand.

use sonde_protocol::{ConnectionId, Direction, Finding};

/// One line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub seq: i64,
    pub connection: ConnectionId,
    pub server: String,
    /// Nanoseconds since 1970.
    pub at_ns: i64,
    pub direction: Direction,
    pub kind: RowKind,
    pub method: Option<String>,
    pub target: Option<String>,
    pub id: Option<String>,
    pub status: Option<RowStatus>,
    pub code: Option<i64>,
    pub dur_ns: Option<i64>,
    /// Bytes on the wire, request and answer together.
    pub size: i64,
    pub findings: Vec<Finding>,
}

macro_rules! stored {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$of])* $variant = $number),* }

        impl $name {
            pub(crate) fn number(self) -> i64 {
                self as i64
            }

            pub(crate) fn from_number(number: i64) -> Option<Self> {
                match number { $($number => Some($name::$variant),)* _ => None }
            }
        }
    };
}

stored! {
    /// The numbers are on disk: never change one.
    RowKind {
        Exchange = 0,
        Notification = 1,
        /// An answer to nothing that was asked.
        Orphan = 2,
        Unparsable = 3,
        Stderr = 4,
        Mark = 5,
        /// An HTTP exchange that carried no message of ours.
        Http = 6,
    }
}

stored! {
    /// The numbers are on disk: never change one.
    RowStatus {
        Pending = 0,
        Ok = 1,
        ToolError = 2,
        ProtocolError = 3,
        Cancelled = 4,
        /// Answered after the requestor had given up.
        Late = 5,
        Timeout = 6,
        /// The connection ended in good order without an answer.
        Unanswered = 7,
        /// The recording process died before an answer came.
        Lost = 8,
    }
}

pub(crate) fn direction_number(direction: Direction) -> i64 {
    match direction {
        Direction::Out => 0,
        Direction::In => 1,
    }
}

pub(crate) fn direction_from(number: i64) -> Direction {
    if number == 0 { Direction::Out } else { Direction::In }
}
