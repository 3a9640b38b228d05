//! The correlator against two plain tables that forget nothing.

use std::collections::BTreeMap;

use sonde_protocol::{Correlator, Direction, Id, Settled};

/// Ids that a careless reader would take for one another; further ones are made of numbers.
const IDS: &[&str] = &["1", "1.0", "\"1\"", "1e0", "-0", "0", "\"\\u0031\"", "9007199254740993", "null", ""];

/// Answers of one side that are remembered at least.
const REMEMBERED: usize = 1024;

/// Enough to overflow the memory of both sides, and a fuzzer needs many short runs rather than few long ones.
const MOST_STEPS: u32 = 5000;

/// Each three bytes are one event: what happens, to which id, and how often.
pub fn run(data: &[u8]) {
    let mut both = Both::default();
    let mut budget = MOST_STEPS;
    for (number, event) in data.chunks_exact(3).enumerate() {
        let (what, id, count) = (event[0], event[1], event[2]);
        let direction = if what & 1 == 0 { Direction::Out } else { Direction::In };
        // Many ids in a row, so that the memory of answered ones overflows within a short input.
        let repeat = if id >= 0xf0 { u32::from(count) + 1 } else { 1 };
        let repeat = repeat.min(budget);
        budget -= repeat;
        for step in 0..repeat {
            let id = name(id, u32::from(count) + step);
            both.apply(what >> 1, direction, id, number);
        }
    }
    both.end();
}

fn name(id: u8, number: u32) -> String {
    IDS.get(usize::from(id)).map_or_else(|| format!("{}", u32::from(id) * 1000 + number), |id| (*id).to_owned())
}

/// The correlator, and what it should say.
#[derive(Default)]
struct Both {
    correlator: Correlator<usize>,
    open: BTreeMap<Key, Open>,
    answered: BTreeMap<Key, Answers>,
    /// Answers to each side so far.
    answers: [usize; 2],
}

/// Which side asked, and with which id.
type Key = (usize, String);

struct Open {
    payload: usize,
    abandoned: bool,
}

#[derive(Default)]
struct Answers {
    times: usize,
    /// How many answers its side had had by then.
    last: usize,
}

impl Both {
    /// `direction` is the way of the request, also where its answer is meant.
    fn apply(&mut self, what: u8, direction: Direction, id: String, payload: usize) {
        let side = usize::from(direction == Direction::In);
        let key = (side, id.clone());
        let id = Id(&id);
        match what % 4 {
            0 => {
                let earlier = self.correlator.open(direction, id, "ping", payload as u64, payload);
                let wanted = self.open.insert(key, Open { payload, abandoned: false });
                let (earlier, wanted) = (earlier.map(|it| it.payload), wanted.map(|it| it.payload));
                assert_eq!(earlier, wanted, "an id that is used again gives up the earlier request");
            }
            1 => self.answer(direction, key, id),
            2 => {
                let abandoned = self.correlator.abandon(direction, id).map(|exchange| exchange.payload);
                let wanted = self.open.get_mut(&key).map(|open| {
                    open.abandoned = true;
                    open.payload
                });
                assert_eq!(abandoned, wanted, "only what is open can be given up");
            }
            _ => {
                let payload = self.correlator.payload(direction, id).copied();
                assert_eq!(payload, self.open.get(&key).map(|open| open.payload), "what is kept with an open request");
            }
        }
    }

    fn answer(&mut self, direction: Direction, key: Key, id: Id<'_>) {
        let known = self.answered.get(&key);
        let was_answered = self.correlator.was_answered(direction, id);
        assert!(!was_answered || known.is_some(), "it was answered indeed");
        // One that was used and answered again may be forgotten as early as its first answer.
        let is_fresh = known.is_some_and(|known| known.times == 1 && self.answers[key.0] - known.last < REMEMBERED);
        assert!(was_answered || !is_fresh, "what was just answered is remembered");
        match (self.correlator.answer(direction.reverse(), id), self.open.remove(&key)) {
            (Settled::Answered(exchange), Some(open)) => {
                assert_eq!((exchange.payload, exchange.abandoned), (open.payload, open.abandoned), "its own request");
                assert_eq!(exchange.opened_ns, open.payload as u64, "with its time");
                self.answers[key.0] += 1;
                let last = self.answers[key.0];
                let known = self.answered.entry(key).or_default();
                *known = Answers { times: known.times + 1, last };
            }
            (Settled::Duplicate, None) => assert!(was_answered, "only what is remembered can be told from a stray"),
            (Settled::Unknown, None) => assert!(!was_answered, "and what is remembered is told"),
            (settled, open) => panic!("{settled:?} for an id that is open: {}", open.is_some()),
        }
    }

    fn end(mut self) {
        for (side, direction) in [Direction::Out, Direction::In].into_iter().enumerate() {
            let open = self.open.keys().filter(|(of, _)| *of == side).count();
            assert_eq!(self.correlator.open_requests(direction), open, "what is open");
        }
        self.correlator.payloads_mut().for_each(|payload| *payload += 1);
        let left = self.correlator.drain().into_iter().map(|exchange| (exchange.payload, exchange.abandoned));
        let mut left: Vec<_> = left.collect();
        let mut wanted: Vec<_> = self.open.values().map(|open| (open.payload + 1, open.abandoned)).collect();
        left.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(left, wanted, "what is left at the end");
        assert!(self.correlator.drain().is_empty(), "an end is an end");
    }
}
