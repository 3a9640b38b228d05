//! Whatever two sides say to each other, in whatever order: what is found wrong with it stays a short list of sentences.

use sonde_protocol::{Asked, Conduct, Correlator, Direction, Message, Settled, parse};

use crate::message::check_findings;

/// More is no conversation that a fuzzer could learn from.
const MOST_LINES: usize = 200;

/// Each line is a frame: one that begins with `>` is ours, any other the server's; the first byte is not part of it.
pub fn run(data: &[u8]) {
    let mut both = Both::default();
    for line in data.split(|byte| *byte == b'\n').take(MOST_LINES) {
        let Some((sender, frame)) = line.split_first() else { continue };
        let direction = if *sender == b'>' { Direction::Out } else { Direction::In };
        both.hear(direction, frame);
    }
    let left = both.open.drain().len();
    assert!(left <= MOST_LINES * 1000, "only what was asked is open");
}

#[derive(Default)]
struct Both {
    conduct: Conduct,
    open: Correlator<Asked>,
}

impl Both {
    fn hear(&mut self, direction: Direction, frame: &[u8]) {
        let (message, mut findings) = parse(frame);
        if let Message::Batch(items) = &message {
            self.conduct.batch(items, &mut findings);
            for item in items {
                let mut findings = item.findings.clone();
                self.tell(direction, &item.message, &mut findings);
                check_findings(&findings);
            }
        } else {
            self.tell(direction, &message, &mut findings);
        }
        check_findings(&findings);
    }

    fn tell(&mut self, direction: Direction, message: &Message<'_>, findings: &mut Vec<sonde_protocol::Finding>) {
        let before = self.conduct.agreement().is_some();
        let mut is_agreement = false;
        match message {
            Message::Request(request) => {
                let asked = self.conduct.request(direction, request, findings);
                self.open.open(direction, request.id, &request.method, 0, asked);
            }
            Message::Notification(notification) => self.conduct.notification(direction, notification, findings),
            Message::Response(response) => {
                if let Some(id) = response.id
                    && let Settled::Answered(exchange) = self.open.answer(direction, id)
                {
                    is_agreement = &*exchange.method == "initialize";
                    self.conduct.answer(direction, &exchange.method, exchange.payload, response, findings);
                }
            }
            Message::Batch(_) | Message::Opaque => {}
        }
        assert!(before || is_agreement || self.conduct.agreement().is_none(), "an agreement comes with an answer");
    }
}
