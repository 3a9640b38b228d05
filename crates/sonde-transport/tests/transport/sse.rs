//! Whatever the chunks, the same bytes give the same events; and every byte is accounted for.

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use sonde_transport::{Ended, Event, SseCounts, SseItem, SseParser};

const LONGEST: usize = 64 << 20;

/// What a stream gave: its items, the event that broke off, what became of each byte.
type Seen = (Vec<SseItem>, Option<Event>, SseCounts);

fn read<'a>(longest: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Seen {
    let mut parser = SseParser::new(longest);
    let mut items = Vec::new();
    let mut fed = 0;
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let (item, taken) = parser.take(chunk);
            assert!(taken > 0, "every call makes progress");
            items.extend(item);
            fed += taken as u64;
            assert_eq!(parser.counts().bytes(), fed, "every byte is counted, at every moment");
            chunk = &chunk[taken..];
        }
    }
    let broken = parser.finish();
    assert_eq!(parser.finish(), None, "an end is an end");
    assert_eq!(parser.counts().bytes(), fed, "the end of a stream has no bytes");
    (items, broken, parser.counts())
}

/// The whole events of a stream.
fn events(stream: impl AsRef<[u8]>) -> Vec<Event> {
    let (items, _, counts) = read(LONGEST, [stream.as_ref()]);
    let events: Vec<_> = items
        .into_iter()
        .filter_map(|item| match item {
            SseItem::Event(event) => Some(event),
            SseItem::Comment => None,
        })
        .collect();
    assert_eq!(counts.events, events.len() as u64, "each is counted");
    events
}

/// The data of the whole events of a stream that has nothing else.
fn data(stream: impl AsRef<[u8]>) -> Vec<String> {
    let text = |event: Event| String::from_utf8(event.data.unwrap()).unwrap();
    events(stream).into_iter().map(text).collect()
}

fn only(stream: impl AsRef<[u8]>) -> Event {
    let mut events = events(stream);
    assert_eq!(events.len(), 1, "one event: {events:?}");
    events.remove(0)
}

fn empty() -> Event {
    Event { data: None, cut: None, name: None, id: None, long_id: None, retry: None, ended: Ended::Whole }
}

fn of_data(data: &str) -> Event {
    Event { data: Some(data.into()), ..empty() }
}

#[test]
fn the_examples_of_the_standard_are_read_as_it_says() {
    assert_eq!(data("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"], "lines of data are joined");
    let stream = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
    let expected = [
        Event { id: Some("1".into()), ..of_data("first event") },
        Event { id: Some(String::new()), ..of_data("second event") },
        of_data(" third event"),
    ];
    assert_eq!(events(stream), expected, "a field without a colon is empty, and of two spaces one stays");
    assert_eq!(data("data\n\ndata\ndata\n\ndata:"), ["", "\n"], "data that is empty is data; the last one broke off");
    assert_eq!(data("data:test\n\ndata: test\n\n"), ["test", "test"], "the space after the colon is optional");
}

#[test]
fn a_line_ends_by_any_of_the_three_ways() {
    for end in ["\n", "\r\n", "\r"] {
        let stream = ["event: a", "id: 7", "data: x", "data: y", "", "data: z", "", ""].join(end);
        let first = Event { name: Some("a".into()), id: Some("7".into()), ..of_data("x\ny") };
        assert_eq!(events(&stream), [first, of_data("z")], "by {end:?}");
    }
    assert_eq!(data("data: a\r\rdata: b\n\r\ndata: c\r\n\ndata: d\n\r"), ["a", "b", "c", "d"], "and by all of them");
    assert_eq!(data("data: a\r\n\r\ndata: b\r\n\r\n"), ["a", "b"], "a pair of them is one end, not a blank line");
}

#[test]
fn an_event_is_given_out_at_the_carriage_return_that_ends_it() {
    let mut parser = SseParser::new(LONGEST);
    let (item, taken) = parser.take(b"data: a\r\r");
    assert_eq!(
        (item, taken),
        (Some(SseItem::Event(of_data("a"))), 9),
        "nobody waits for a line feed that may not come"
    );
    assert_eq!(parser.take(b"\n"), (None, 1), "which then is no line");
    assert_eq!(parser.take(b"\n"), (None, 1), "and this is a blank one, that ends nothing");
}

#[test]
fn a_byte_order_mark_is_skipped_once_and_only_at_the_start() {
    assert_eq!(data("\u{feff}data: a\n\n"), ["a"], "at the start");
    assert_eq!(data("\u{feff}\u{feff}data: a\n\n"), [""; 0], "the second one belongs to the name of a field");
    assert_eq!(data("\n\u{feff}data: a\n\n"), [""; 0], "as does one in the middle");
    assert_eq!(data(b"\xef\xbbdata: a\n\ndata: b\n\n"), ["b"], "and half of one");
    assert_eq!(data(b"\xef\xbb\n\ndata: b\n\n"), ["b"], "or a line of it");
}

#[test]
fn comments_are_told_and_not_kept() {
    let (items, _, counts) = read(LONGEST, [b":\n: ping\r\ndata: a\n:in between\ndata: b\n\n".as_slice()]);
    let comment = SseItem::Comment;
    assert_eq!(items, [comment.clone(), comment.clone(), comment, SseItem::Event(of_data("a\nb"))]);
    let expected = SseCounts { data: 3, comments: 18, framing: 18, dropped: 0, events: 1, comment_lines: 3 };
    assert_eq!(counts, expected, "three lines of comments, and a line end that became data");
}

#[test]
fn fields_that_nobody_knows_are_dropped_and_counted() {
    let (items, _, counts) = read(LONGEST, [b"foo: bar\nDATA: a\ndata : b\nretries: 5\nda\nfoo\n\n".as_slice()]);
    assert_eq!(items, [], "names are compared as they are written");
    assert_eq!((counts.dropped, counts.framing), (8 + 7 + 8 + 10 + 2 + 3, 7), "all but the line ends");
    let (items, _, counts) = read(LONGEST, [br#"{"jsonrpc":"2.0","id":1,"result":{}}"#.as_slice()]);
    assert_eq!((items.len(), counts.dropped), (0, 36), "a message that is no event is none");
}

#[test]
fn an_event_without_data_counts_for_its_id_and_its_retry() {
    assert_eq!(only("id: 1\n\n"), Event { id: Some("1".into()), ..empty() }, "a priming event");
    assert_eq!(only("id: 1\ndata:\n\n"), Event { id: Some("1".into()), ..of_data("") }, "and the usual form of one");
    assert_eq!(only("retry: 10\n\n"), Event { retry: Some(10), ..empty() }, "a time to wait");
    assert_eq!(events("event: x\n\n\n\r\r"), [], "a name alone is nothing");
    assert_eq!(only("event: x\n\ndata: a\n\n"), of_data("a"), "and does not go over to the next event");
}

#[test]
fn of_two_fields_of_a_name_the_last_one_counts() {
    let event = only("event: a\nevent: b\nid: 1\nid: 2\nretry: 1\nretry: 2\ndata: x\n\n");
    let expected = Event { name: Some("b".into()), id: Some("2".into()), retry: Some(2), ..of_data("x") };
    assert_eq!(event, expected);
    assert_eq!(only("event: a\nevent:\ndata: x\n\n"), of_data("x"), "an empty name is that of a message");
}

#[test]
fn an_id_with_nul_is_none() {
    assert_eq!(events("id: a\0b\n\n"), [], "as if it were not there");
    assert_eq!(only("id: 1\nid: \0\ndata: x\n\n").id.as_deref(), Some("1"), "it does not replace one that is good");
    assert_eq!(events(format!("id: {}\0\n\n", "x".repeat(5000))), [], "wherever it stands");
}

#[test]
fn an_id_is_kept_up_to_a_kibibyte_and_a_name_is_clipped_there() {
    let [fits, over] = [1024, 1025].map(|length| "x".repeat(length));
    assert_eq!(only(format!("id: {fits}\n\n")).id.as_deref(), Some(&*fits), "exactly the limit");
    let long = only(format!("id: 1\nid: {over}\ndata: a\n\n"));
    assert_eq!(long, Event { long_id: Some(1025), ..of_data("a") }, "one byte more is told, and replaces what was");
    assert_eq!(only(format!("id: {over}\nid: 2\n\n")), Event { id: Some("2".into()), ..empty() }, "as it is replaced");
    let (_, _, counts) = read(LONGEST, [format!("id: {}\n\n", "x".repeat(1 << 20)).as_bytes()]);
    assert_eq!(counts.dropped, (1 << 20) - 1024, "what was not kept is counted");
    assert_eq!(only(format!("event: {over}\ndata: a\n\n")).name.as_deref(), Some(&*fits), "a clipped name");
    let half = only(format!("event: {}ü\ndata: a\n\n", "x".repeat(1023)));
    assert_eq!(half.name, Some("x".repeat(1023)), "has no half character at its end");
}

#[test]
fn retry_is_digits_and_nothing_else() {
    for nothing in ["", "-1", "+1", "1.5", "1e3", "1 ", " 1", "0x10", "١", "soon"] {
        assert_eq!(events(format!("retry: {nothing}\n\n")), [], "`{nothing}`");
    }
    assert_eq!(only("retry: 0099\n\n").retry, Some(99));
    assert_eq!(only(format!("retry: {}\n\n", "9".repeat(40))).retry, Some(u64::MAX), "as much as can be said");
    assert_eq!(only("retry: 5\nretry: x\n\n").retry, Some(5), "what is no number is no field");
}

#[test]
fn what_is_no_text_stays_as_it_is_in_the_data_and_is_replaced_in_ids() {
    let event = only(b"id: \xff\nevent: \xfe\ndata: \xfd\n\n");
    assert_eq!(event.data.as_deref(), Some(b"\xfd".as_slice()), "whoever reads the message says what is wrong with it");
    assert_eq!((event.id.as_deref(), event.name.as_deref()), (Some("\u{fffd}"), Some("\u{fffd}")));
}

#[test]
fn an_event_that_the_end_of_the_stream_broke_off_is_told_apart() {
    let broken = |stream: &str| read(LONGEST, [stream.as_bytes()]).1;
    let half = |event: Event| Some(Event { ended: Ended::InTheMiddle, ..event });
    assert_eq!(broken("data: a\n\n"), None, "nothing is left");
    assert_eq!(broken("data: a\n"), half(of_data("a")), "without its blank line");
    assert_eq!(broken("data: a\ndata: b"), half(of_data("a\nb")), "within a line");
    assert_eq!(broken("retry: 5\nid: 1\nid: 2"), half(Event { id: Some("1".into()), retry: Some(5), ..empty() }));
    for nothing in ["", "\u{feff}", ": comment", "dat", "event: a\n", "id: 1", "\r"] {
        assert_eq!(broken(nothing), None, "{nothing:?}");
    }
    assert_eq!(read(LONGEST, [b"data: a\n".as_slice()]).2.events, 0, "it is not counted among the whole ones");
}

#[test]
fn data_over_the_limit_keeps_prefix_length_and_digest_and_the_next_event_is_whole() {
    let (items, broken, counts) =
        read(10, [b"id: 1\ndata: 01234\ndata: 56789\n\ndata: 0123\ndata: 56789\n\ndata: 01234567890".as_slice()]);
    let whole = b"01234\n56789";
    let cut = |whole: &[u8]| Some(sonde_protocol::Cut { size: 11, sha256: Sha256::digest(whole).into() });
    let first = Event { id: Some("1".into()), cut: cut(whole), ..of_data("01234\n5678") };
    assert_eq!(
        items,
        [SseItem::Event(first), SseItem::Event(of_data("0123\n56789"))],
        "ten bytes, line feeds included"
    );
    let last = Event { cut: cut(b"01234567890"), ended: Ended::InTheMiddle, ..of_data("0123456789") };
    assert_eq!(broken, Some(last), "also where it broke off");
    assert_eq!((counts.data, counts.dropped), (11 + 10 + 11, 0), "the digest stands for what was cut");
}

#[test]
fn an_event_of_a_million_lines_and_one_of_a_single_line_are_as_long_as_they_are() {
    let lines = "data: 0123456789\n".repeat(1_000_000) + "\n";
    let single = format!("data: {}\n\n", "x".repeat(16 << 20));
    for (stream, length) in [(lines, 11_000_000 - 1), (single, 16 << 20)] {
        let (items, _, counts) = read(LONGEST, stream.as_bytes().chunks(16 << 10));
        let [SseItem::Event(Event { data: Some(data), cut: None, .. })] = &*items else { panic!("one whole event") };
        assert_eq!((data.len(), counts.data), (length, length as u64), "with a line feed between each two");
    }
}

/// Pieces that together make streams, good and bad.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let words: &[&[u8]] = &[
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b":",
        b": ",
        b" ",
        b"data",
        b"data:",
        b"data: ",
        b"id: ",
        b"id",
        b"event: ",
        b"retry: ",
        b"retry: 12",
        b"5",
        b"abcdefgh",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xef",
        b"\xbb",
        b"foo: ",
        b"datax",
    ];
    prop::collection::vec(prop::sample::select(words), 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_chunks_give_the_same_items_and_counts(
        stream in prop_oneof![pieces(), prop::collection::vec(any::<u8>(), 0..200)],
        longest in 0..30_usize,
        size in 1..9_usize,
        place in any::<prop::sample::Index>(),
    ) {
        let whole = read(longest, [stream.as_slice()]);
        prop_assert_eq!(&read(longest, stream.chunks(size)), &whole, "chunks of {}", size);
        let (before, after) = stream.split_at(place.index(stream.len() + 1));
        prop_assert_eq!(&read(longest, [before, after]), &whole, "two chunks, the first of {}", before.len());
        let (items, broken, counts) = whole;
        let mut events: Vec<Event> = Vec::from_iter(broken);
        events.extend(items.into_iter().filter_map(|item| match item {
            SseItem::Event(event) => Some(event),
            SseItem::Comment => None,
        }));
        let size = |event: &Event| event.cut.map_or(event.data.as_ref().map_or(0, Vec::len) as u64, |cut| cut.size);
        prop_assert_eq!(counts.data, events.iter().map(size).sum::<u64>(), "data is what the events have");
    }

    #[test]
    fn streams_are_read_as_the_standard_reads_them(stream in pieces()) {
        let seen = events(&stream).into_iter().filter_map(|event| Some((event.data?, event.name)));
        prop_assert_eq!(seen.collect::<Vec<_>>(), by_the_standard(&stream));
    }
}

/// Data and names of the events of a stream, by the letter of the standard: all of it at once, line by line.
fn by_the_standard(stream: &[u8]) -> Vec<(Vec<u8>, Option<String>)> {
    let stream = stream.strip_prefix("\u{feff}".as_bytes()).unwrap_or(stream);
    let (mut lines, mut line, mut at) = (Vec::new(), Vec::new(), 0);
    while at < stream.len() {
        let is_pair = stream[at..].starts_with(b"\r\n");
        match stream[at] {
            b'\r' | b'\n' => lines.push(std::mem::take(&mut line)),
            byte => line.push(byte),
        }
        at += if is_pair { 2 } else { 1 };
    }
    let (mut seen, mut data, mut name) = (Vec::new(), Vec::new(), String::new());
    for line in lines {
        if line.is_empty() {
            let name = std::mem::take(&mut name);
            if data.pop().is_some() {
                seen.push((std::mem::take(&mut data), Some(name).filter(|name| !name.is_empty())));
            }
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = colon.map_or((&*line, &b""[..]), |colon| (&line[..colon], &line[colon + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => data.extend([value, b"\n"].concat()),
            b"event" => name = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
    }
    seen
}
