//! Whatever the chunks, the same bytes give the same lines.

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use sonde_protocol::{Channel, Cut, Record};
use sonde_transport::{LineLimits, LineSplitter, Repeat};

use crate::harness::{Started, frame_of, launch, start, text, within};

/// What is left of a line: its bytes, how it was cut, whether it was ended by a line feed.
type Seen = (Vec<u8>, Option<Cut>, bool);

fn split<'a>(limits: LineLimits, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut splitter = LineSplitter::new(limits);
    let mut lines = Vec::new();
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let (line, taken) = splitter.take(chunk);
            assert!(taken > 0, "every call makes progress");
            lines.extend(line);
            chunk = &chunk[taken..];
        }
    }
    lines.extend(splitter.finish());
    assert!(splitter.finish().is_none(), "an end is an end");
    lines.into_iter().map(|line| (line.bytes, line.cut, line.terminated)).collect()
}

/// The lines of `bytes` as the contract defines them, found in the plainest way.
fn expected(limits: LineLimits, bytes: &[u8]) -> Vec<Seen> {
    let mut parts: Vec<_> = bytes.split(|byte| *byte == b'\n').map(|part| (part, true)).collect();
    let (rest, _) = parts.pop().unwrap();
    if !rest.is_empty() {
        parts.push((rest, false));
    }
    let line = |(part, terminated): (&[u8], bool)| {
        if part.len() <= limits.longest {
            return (part.to_vec(), None, terminated);
        }
        let cut = Cut { size: part.len() as u64, sha256: Sha256::digest(part).into() };
        (part[..limits.prefix.min(part.len())].to_vec(), Some(cut), terminated)
    };
    parts.into_iter().map(line).collect()
}

#[test]
fn a_long_line_keeps_prefix_length_and_digest_and_the_next_one_is_whole() {
    let limits = LineLimits { longest: 100, prefix: 10 };
    let long = [b"0123456789".as_slice(), &b"x".repeat(1_000_000)].concat();
    let stream = [b"before\n".as_slice(), &long, b"\nafter\n", &b"y".repeat(100), b"\n", &b"z".repeat(101)].concat();
    let lines = split(limits, stream.chunks(64));
    assert_eq!(lines, expected(limits, &stream));
    assert_eq!(lines[1].0, b"0123456789", "the prefix");
    assert_eq!(lines[1].1.unwrap().size, 1_000_010, "the exact length");
    assert_eq!(lines[2], (b"after".to_vec(), None, true), "the next line is whole");
    assert_eq!(lines[3].1, None, "a line of exactly the limit is not cut");
    assert!(lines[4].1.is_some() && !lines[4].2, "one byte more is, and this one broke off");
}

#[test]
fn ends_of_streams_are_told_apart() {
    let whole = |text: &str, terminated| (text.as_bytes().to_vec(), None, terminated);
    let lines = |text: &'static [u8]| split(LineLimits::MESSAGE, [text]);
    assert_eq!(lines(b""), [], "a stream that says nothing");
    assert_eq!(lines(b"a\n"), [whole("a", true)], "one that ends after a line");
    assert_eq!(lines(b"a\nb"), [whole("a", true), whole("b", false)], "one that ends within a line");
    assert_eq!(lines(b"\n\r\n"), [whole("", true), whole("\r", true)], "empty lines are lines, and CR stays");
}

#[test]
fn a_message_split_at_any_byte_is_the_message() {
    let stream = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"ü\"}\r\n{\"half".as_bytes();
    let whole = split(LineLimits::MESSAGE, [stream]);
    assert_eq!(whole.len(), 2, "one line and what broke off");
    for place in 0..=stream.len() {
        let (before, after) = stream.split_at(place);
        assert_eq!(split(LineLimits::MESSAGE, [before, after]), whole, "split at {place}");
    }
}

#[test]
fn the_limit_of_a_server_bounds_the_prefix_too() {
    let limits = LineLimits::up_to(1000);
    assert_eq!((limits.longest, limits.prefix), (1000, 1000), "what is kept of a line is never more than a line");
    let limits = LineLimits::up_to(200 << 20);
    assert_eq!((limits.longest, limits.prefix), (200 << 20, 1 << 20), "and never more than the usual part");
}

#[test]
fn the_usual_limits_are_what_the_documents_say() {
    let (message, stderr) = (LineLimits::MESSAGE, LineLimits::STDERR);
    assert_eq!(
        (message.longest, message.prefix),
        (67_108_864, 1_048_576),
        "64 MiB of a message, 1 MiB of a longer one"
    );
    assert_eq!((stderr.longest, stderr.prefix), (1_048_576, 65_536), "1 MiB of stderr, 64 KiB of more");
}

#[test]
fn a_long_line_gives_back_room_that_is_worth_a_copy() {
    // What is behind a line when it ends: its buffer doubles when the second chunk does not fit.
    let room = |first: usize, second: usize| {
        let mut splitter = LineSplitter::new(LineLimits::MESSAGE);
        assert!(splitter.take(&b"x".repeat(first)).0.is_none());
        assert!(splitter.take(&b"y".repeat(second)).0.is_none());
        let line = splitter.take(b"\n").0.unwrap();
        assert_eq!(line.bytes.len(), first + second, "nothing of the line is given back");
        line.bytes.capacity() - line.bytes.len()
    };
    assert_eq!(room(1 << 20, 1), 0, "nobody holds twice what a long line has");
    assert_eq!(room(129 << 10, 1 << 10), 128 << 10, "this much may stay");
    assert_eq!(room(100 << 10, 28 << 10), 72 << 10, "and less is not worth a copy");
}

#[tokio::test]
async fn a_line_that_stands_still_exactly_at_the_limit_goes_on_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let line = "head -c 204800 /dev/zero | tr '\\0' x";
    let script = format!("{line}; echo full >&2; read go; printf 'more\\nafter\\n'");
    let mut launch = launch("/bin/sh", &["-c", &script], folder.path());
    launch.longest_line = 204_800;
    let Started { mut link, mut records } = start(&launch).await.unwrap();
    let go_on = async {
        // Recorded once all of the line is written, so that the reader has come to stand at its end.
        while !matches!(records.recv().await.unwrap(), Record::Frame(frame) if frame.channel == Channel::Stderr) {}
        link.outbound.send(b"go".to_vec(), Repeat::Never).await.unwrap();
    };
    let (long, ()) = tokio::join!(within("the long line", link.inbound.next()), within("the full line", go_on));
    let long = frame_of(long.unwrap()).body;
    assert_eq!((long.size(), long.terminated), (204_804, true), "no byte of it is lost, and it has its end");
    assert!(long.cut.is_some(), "it is longer than may be");
    assert_eq!(
        text(&frame_of(within("the next line", link.inbound.next()).await.unwrap())),
        "after",
        "the next one is whole"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_of_the_bytes_gives_the_same_lines(
        bytes in proptest::collection::vec(prop_oneof![4 => any::<u8>(), 1 => Just(b'\n')], 0..400),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
        longest in 0..60usize,
        prefix in 0..80usize,
    ) {
        let limits = LineLimits { longest, prefix: prefix.min(longest) };
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        let wanted = expected(limits, &bytes);
        prop_assert_eq!(split(limits, chunks), wanted.clone());
        prop_assert_eq!(split(limits, bytes.chunks(1)), wanted, "one byte at a time");
    }
}
