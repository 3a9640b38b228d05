//! The events of one answer: rmcp's, completed where the dialects differ, and between them the raw lines of `noise`
//! and `flood`.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame};
use tokio::runtime::Handle;

use super::kept::Keeper;
use crate::{
    dialect,
    output::{Batch, Waiting, WholeLines},
};

pub(crate) struct Events {
    /// Gives one whole event per frame. Gone once it has ended.
    from_rmcp: Option<BoxBody<Bytes, Infallible>>,
    /// Lines of the call itself. They have no event id, for they are not kept for a second delivery.
    lines: Waiting,
    /// Whether the answer to `initialize` may still come.
    greets: Greets,
    /// rmcp repeats the event that the client names as its last one; the client has it.
    known: Option<Vec<u8>>,
    /// For the stream of a request, which may break off before its answer.
    keeper: Option<Keeper>,
    /// Whether the client has an event to come back behind.
    is_numbered: bool,
    /// Whether the call has asked to end this stream before its answer.
    hangs_up: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Greets {
    Yes,
    No,
}

impl Events {
    pub(crate) fn new(
        from_rmcp: BoxBody<Bytes, Infallible>,
        lines: Waiting,
        greets: Greets,
        last_event_id: Option<&str>,
    ) -> Self {
        let known = last_event_id.map(|id| format!("\nid: {id}\n").into_bytes());
        Self { from_rmcp: Some(from_rmcp), lines, greets, known, keeper: None, is_numbered: false, hangs_up: false }
    }

    /// Should the client go away, its answer is kept for it.
    pub(crate) fn kept_by(mut self, keeper: Keeper) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// The event as it leaves; `None` for the one that the client has already.
    fn passed(&mut self, event: Bytes) -> Option<Bytes> {
        if self.known.as_ref().is_some_and(|id| dialect::contains(&event, id)) {
            self.known = None;
            return None;
        }
        self.lines.announce(&event);
        if let Some(keeper) = &mut self.keeper {
            keeper.remember(event.clone());
            self.is_numbered = true;
        }
        if self.greets == Greets::Yes
            && let Some(greeting) = greeting(&event)
        {
            self.greets = Greets::No;
            return Some(greeting.into());
        }
        Some(event)
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        // Lines first: they were written before the answer was made, which ends the stream.
        while let Poll::Ready(Some(batch)) = self.lines.poll(context) {
            match batch {
                Batch::Lines(lines) => return Poll::Ready(Some(Ok(Frame::data(as_events(&lines))))),
                Batch::HangUp => self.hangs_up = true,
            }
        }
        // What is left is kept as if the client had gone; only a kept stream has numbered events.
        if self.hangs_up && self.is_numbered {
            return Poll::Ready(None);
        }
        loop {
            let Some(from_rmcp) = &mut self.from_rmcp else { return Poll::Ready(None) };
            let Some(Ok(frame)) = ready!(Pin::new(from_rmcp).poll_frame(context)) else {
                self.from_rmcp = None;
                return Poll::Ready(None);
            };
            let passed = match frame.into_data() {
                Ok(event) => self.passed(event).map(Frame::data),
                Err(trailers) => Some(trailers),
            };
            if let Some(frame) = passed {
                return Poll::Ready(Some(Ok(frame)));
            }
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let (Some(rest), Some(keeper)) = (self.from_rmcp.take(), self.keeper.take())
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(keeper.read_on(rest));
        }
    }
}

fn as_events(lines: &WholeLines) -> Bytes {
    let lines = lines.as_bytes();
    let mut events = Vec::with_capacity(lines.len() + lines.len() / 8);
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        events.extend_from_slice(b"data: ");
        events.extend_from_slice(line);
        events.push(b'\n');
    }
    events.into()
}

fn greeting(event: &[u8]) -> Option<Vec<u8>> {
    const FIELD: &[u8] = b"data: ";
    let data = event.strip_prefix(FIELD)?;
    let (message, rest) = data.split_at_checked(data.iter().position(|byte| *byte == b'\n')? + 1)?;
    Some([FIELD, &dialect::greeting(message)?, rest].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_becomes_an_event() {
        let events = as_events(&WholeLines::new(b"one\ntwo".to_vec()));
        assert_eq!(events, b"data: one\n\ndata: two\n\n".as_slice());
    }

    #[test]
    fn a_greeting_keeps_the_other_fields_of_its_event() {
        let event = b"data: {\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}\nid: 0\n\n";
        let completed = greeting(event).expect("this answers initialize");
        assert!(completed.ends_with(b"}\nid: 0\n\n"), "got {}", String::from_utf8_lossy(&completed));
        assert!(dialect::contains(&completed, b"\"tasks\":"), "the capability is told");
        assert_eq!(greeting(b"data: \nid: 0\nretry: 3000\n\n"), None, "an event without a message is no greeting");
    }
}
