//! The correlator against a list that is searched from end to end.

use sonde_protocol::{Correlator, Direction, Id, Settled};

/// Ids that a careless reader would take for one another; further ones are made of numbers.
const IDS: &[&str] = &["1", "1.0", "\"1\"", "1e0", "-0", "0", "\"\\u0031\"", "9007199254740993", "null", ""];

/// Each three bytes are one event: what happens, to which id, and how often.
pub fn run(data: &[u8]) {
    let mut correlator = Correlator::default();
    let mut model = Model::default();
    for (number, event) in data.chunks_exact(3).enumerate() {
        let (what, id, count) = (event[0], event[1], event[2]);
        let direction = if what & 1 == 0 { Direction::Out } else { Direction::In };
        // Many ids in a row, so that the memory of answered ones overflows within a short input.
        let repeat = if id >= 0xf0 { u32::from(count) + 1 } else { 1 };
        for step in 0..repeat {
            let id = name(id, u32::from(count) + step);
            apply(&mut correlator, &mut model, what >> 1, direction, &id, number);
        }
    }
    for direction in [Direction::Out, Direction::In] {
        let open = model.open.iter().filter(|open| open.direction == direction).count();
        assert_eq!(correlator.open_requests(direction), open, "what is open");
    }
    correlator.payloads_mut().for_each(|payload| *payload += 1);
    let mut left: Vec<_> =
        correlator.drain().into_iter().map(|exchange| (exchange.payload, exchange.abandoned)).collect();
    let mut wanted: Vec<_> = model.open.iter().map(|open| (open.payload + 1, open.abandoned)).collect();
    left.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(left, wanted, "what is left at the end");
    assert!(correlator.drain().is_empty(), "an end is an end");
}

fn name(id: u8, number: u32) -> String {
    IDS.get(usize::from(id)).map_or_else(|| format!("{}", u32::from(id) * 1000 + number), |id| (*id).to_owned())
}

#[derive(Default)]
struct Model {
    open: Vec<Open>,
    /// Every answer there ever was, oldest first.
    answered: Vec<(Direction, String)>,
}

struct Open {
    direction: Direction,
    id: String,
    payload: usize,
    abandoned: bool,
}

impl Model {
    fn position(&self, direction: Direction, id: &str) -> Option<usize> {
        self.open.iter().position(|open| open.direction == direction && open.id == id)
    }
}

/// `direction` is the way of the request, also where its answer is meant.
fn apply(
    correlator: &mut Correlator<usize>,
    model: &mut Model,
    what: u8,
    direction: Direction,
    id: &str,
    payload: usize,
) {
    let known = model.position(direction, id);
    match what % 4 {
        0 => {
            let earlier = correlator.open(direction, Id(id), "ping", payload as u64, payload);
            let wanted = known.map(|known| model.open.remove(known).payload);
            assert_eq!(earlier.map(|earlier| earlier.payload), wanted, "an id that is used again gives up the earlier");
            model.open.push(Open { direction, id: id.to_owned(), payload, abandoned: false });
        }
        1 => match (correlator.answer(direction.reverse(), Id(id)), known) {
            (Settled::Answered(exchange), Some(known)) => {
                let open = model.open.remove(known);
                assert_eq!((exchange.payload, exchange.abandoned), (open.payload, open.abandoned), "its own request");
                assert_eq!(exchange.opened_ns, open.payload as u64, "with its time");
                model.answered.push((direction, open.id));
            }
            (Settled::Duplicate, None) => {
                assert!(model.answered.iter().any(|(way, known)| *way == direction && known == id), "it was answered");
            }
            (Settled::Unknown, None) => {
                let mut newest = model.answered.iter().rev().filter(|(way, _)| *way == direction).take(1024);
                let first = model.answered.iter().filter(|(way, known)| *way == direction && known == id).count() == 1;
                assert!(!first || !newest.any(|(_, known)| known == id), "what was just answered is remembered");
            }
            (settled, known) => panic!("{settled:?} for an id that is open: {}", known.is_some()),
        },
        2 => {
            let abandoned = correlator.abandon(direction, Id(id)).map(|exchange| exchange.payload);
            assert_eq!(abandoned, known.map(|known| model.open[known].payload), "only what is open can be given up");
            if let Some(known) = known {
                model.open[known].abandoned = true;
            }
        }
        _ => {
            let payload = correlator.payload(direction, Id(id)).copied();
            assert_eq!(payload, known.map(|known| model.open[known].payload), "what is kept with an open request");
        }
    }
}
