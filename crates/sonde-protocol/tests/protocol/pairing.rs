//! Answers and requests, by verbatim id and direction.

use sonde_protocol::{Correlator, Direction, Id, Settled};

fn opened(ids: &[&str]) -> Correlator<usize> {
    let mut correlator = Correlator::default();
    for (number, id) in ids.iter().enumerate() {
        assert!(correlator.open(Direction::Out, Id(id), "ping", 0, number).is_none(), "{id} was not open before");
    }
    correlator
}

#[test]
fn an_answer_to_nothing_is_unknown_and_a_second_one_is_a_duplicate() {
    let mut correlator = opened(&["7"]);
    assert!(matches!(correlator.answer(Direction::In, Id("8")), Settled::Unknown), "no request carried id 8");
    assert!(matches!(correlator.answer(Direction::In, Id("7")), Settled::Answered(_)));
    assert!(matches!(correlator.answer(Direction::In, Id("7")), Settled::Duplicate), "7 was answered before");
}

#[test]
fn ids_that_are_written_differently_are_different() {
    let ids = ["1", "1.0", "\"1\"", "1e0", "9007199254740992", "9007199254740993", "\"\\u0031\""];
    let mut correlator = opened(&ids);
    for (number, id) in ids.iter().enumerate().rev() {
        match correlator.answer(Direction::In, Id(id)) {
            Settled::Answered(exchange) => assert_eq!(exchange.payload, number, "{id} answers its own request"),
            other => panic!("{id} is open: {other:?}"),
        }
    }
}

#[test]
fn the_ids_of_the_two_sides_never_meet() {
    let mut correlator = Correlator::default();
    correlator.open(Direction::Out, Id("1"), "tools/list", 10, "ours");
    correlator.open(Direction::In, Id("1"), "ping", 20, "theirs");
    let Settled::Answered(theirs) = correlator.answer(Direction::Out, Id("1")) else { panic!("we answer theirs") };
    assert_eq!((theirs.payload, &*theirs.method), ("theirs", "ping"), "our answer settles the server's request");
    let Settled::Answered(ours) = correlator.answer(Direction::In, Id("1")) else { panic!("they answer ours") };
    assert_eq!((ours.payload, ours.opened_ns), ("ours", 10), "and theirs settles ours");
}

#[test]
fn an_abandoned_request_is_still_found_by_its_late_answer() {
    let mut correlator = opened(&["1"]);
    assert!(correlator.abandon(Direction::Out, Id("1")).is_some());
    assert!(correlator.abandon(Direction::In, Id("1")).is_none(), "the server has no such request");
    let Settled::Answered(exchange) = correlator.answer(Direction::In, Id("1")) else { panic!("it is open") };
    assert!(exchange.abandoned, "so that the log can call it late");
}

#[test]
fn an_id_that_is_used_again_gives_up_the_earlier_request() {
    let mut correlator = opened(&["1"]);
    let earlier = correlator.open(Direction::Out, Id("1"), "ping", 5, 99).expect("1 was open");
    assert_eq!(earlier.payload, 0, "the earlier one can no longer be answered");
    let Settled::Answered(exchange) = correlator.answer(Direction::In, Id("1")) else { panic!("1 is open") };
    assert_eq!(exchange.payload, 99, "the answer is for the newer one");
    assert!(correlator.open(Direction::Out, Id("1"), "ping", 6, 100).is_none(), "an answered id is not open");
    assert!(
        matches!(correlator.answer(Direction::In, Id("1")), Settled::Answered(_)),
        "nor a duplicate when asked anew"
    );
}

#[test]
fn answered_ids_are_forgotten_in_the_end_and_open_ones_never() {
    let mut correlator = opened(&["\"kept\""]);
    for number in 0..5000 {
        let id = number.to_string();
        correlator.open(Direction::Out, Id(&id), "ping", 0, number);
        assert!(matches!(correlator.answer(Direction::In, Id(&id)), Settled::Answered(_)));
    }
    assert!(matches!(correlator.answer(Direction::In, Id("4999")), Settled::Duplicate), "the newest is remembered");
    assert!(matches!(correlator.answer(Direction::In, Id("0")), Settled::Unknown), "memory is bounded");
    assert_eq!(correlator.drain().len(), 1, "what was never answered is still open");
}

#[test]
fn open_requests_are_counted_for_each_side() {
    let mut correlator = opened(&["1", "2", "3"]);
    correlator.open(Direction::In, Id("1"), "ping", 0, 9);
    let counts =
        |correlator: &Correlator<usize>| [Direction::Out, Direction::In].map(|way| correlator.open_requests(way));
    assert_eq!(counts(&correlator), [3, 1], "three of ours, one of theirs");
    correlator.answer(Direction::In, Id("2"));
    assert!(correlator.abandon(Direction::Out, Id("3")).is_some());
    assert_eq!(counts(&correlator), [2, 1], "an answer closes one; giving up does not");
    correlator.drain();
    assert_eq!(counts(&correlator), [0, 0], "the end closes all");
}

#[test]
fn what_is_kept_with_open_requests_can_be_changed_in_place() {
    let mut correlator = opened(&["1", "2"]);
    correlator.open(Direction::In, Id("1"), "ping", 0, 7);
    correlator.payloads_mut().for_each(|payload| *payload += 10);
    *correlator.payload(Direction::Out, Id("2")).expect("2 is open") += 100;
    assert!(correlator.payload(Direction::In, Id("2")).is_none(), "the server has no such request");
    let mut kept: Vec<usize> = correlator.drain().into_iter().map(|exchange| exchange.payload).collect();
    kept.sort_unstable();
    assert_eq!(kept, [10, 17, 111], "all of both sides, and the one that was meant");
}

#[test]
fn an_answered_id_is_remembered_beside_others_and_for_its_own_side() {
    let mut correlator = opened(&["1", "2", "3"]);
    assert!(!correlator.was_answered(Direction::Out, Id("1")), "it is open");
    for id in ["1", "2"] {
        assert!(matches!(correlator.answer(Direction::In, Id(id)), Settled::Answered(_)));
    }
    for id in ["1", "2"] {
        assert!(correlator.was_answered(Direction::Out, Id(id)), "{id} was answered");
        assert!(!correlator.was_answered(Direction::In, Id(id)), "the server never asked with {id}");
        assert!(matches!(correlator.answer(Direction::In, Id(id)), Settled::Duplicate), "a second answer to {id}");
    }
    assert!(!correlator.was_answered(Direction::Out, Id("3")), "nobody has answered it yet");
}
