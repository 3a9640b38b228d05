//! Any chunks of the same bytes give the same events, as the standard reads them, and every byte is accounted for.

use sha2::{Digest, Sha256};
use sonde_protocol::Cut;
use sonde_transport::{Ended, Event, SseCounts, SseItem, SseParser};

use crate::framing::chunks;

/// What a stream gave: its items, the event that broke off, what became of each byte.
type Seen = (Vec<SseItem>, Option<Event>, SseCounts);

/// The first two bytes are the most that is kept of an event's data, and the seed of the chunks; the rest is the
/// stream.
pub fn run(data: &[u8]) {
    let [longest, seed, stream @ ..] = data else { return };
    let longest = usize::from(*longest);
    let wanted = read(longest, [stream]);
    assert_eq!(read(longest, stream.chunks(1)), wanted, "one byte at a time");
    assert_eq!(read(longest, chunks(stream, *seed)), wanted, "in chunks of any size");

    let (items, broken, counts) = wanted;
    let comments = items.iter().filter(|item| matches!(item, SseItem::Comment)).count();
    let whole = items.into_iter().filter_map(|item| match item {
        SseItem::Event(event) => Some(event),
        SseItem::Comment => None,
    });
    let events: Vec<Event> = whole.collect();
    assert_eq!(
        (counts.events, counts.comment_lines),
        (events.len() as u64, comments as u64),
        "what is given is counted"
    );
    assert!(events.iter().all(|event| event.ended == Ended::Whole), "only the last one breaks off");
    assert!(broken.iter().all(|event| event.ended == Ended::InTheMiddle), "and says so");
    events.iter().chain(&broken).for_each(|event| check(longest, event));
    let size = |event: &Event| event.cut.map_or(event.data.as_ref().map_or(0, Vec::len) as u64, |cut| cut.size);
    assert_eq!(events.iter().chain(&broken).map(size).sum::<u64>(), counts.data, "data is what the events have");

    let seen: Vec<_> = events.into_iter().filter_map(|event| Some((event.data?, event.cut, event.name))).collect();
    assert_eq!(seen, by_the_standard(longest, stream), "as the standard reads them");
}

fn read<'a>(longest: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Seen {
    let mut parser = SseParser::new(longest);
    let mut items = Vec::new();
    let mut fed = 0;
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let (item, taken) = parser.take(chunk);
            assert!(taken > 0, "every call makes progress");
            assert!(item.is_some() || taken == chunk.len(), "only an item ends a call early");
            items.extend(item);
            fed += taken as u64;
            assert_eq!(parser.counts().bytes(), fed, "every byte is counted, at every moment");
            chunk = &chunk[taken..];
        }
        assert_eq!(parser.take(&[]), (None, 0), "nothing in, nothing out");
    }
    let broken = parser.finish();
    assert!(parser.finish().is_none(), "an end is an end");
    (items, broken, parser.counts())
}

fn check(longest: usize, event: &Event) {
    let Event { data, cut, name, id, long_id, retry, .. } = event;
    let says_something = data.is_some() || id.is_some() || long_id.is_some() || retry.is_some();
    assert!(says_something, "an event that says nothing is none");
    assert!(data.as_ref().is_none_or(|data| data.len() <= longest), "no more is kept than may be");
    assert!(cut.is_none_or(|cut| cut.size > longest as u64), "only what is too long is cut");
    assert!(id.is_none() || long_id.is_none(), "an id was kept, or was too long");
    assert!(id.as_ref().is_none_or(|id| !id.contains(['\0', '\r', '\n'])), "an id can stand in a header");
    assert!(name.as_ref().is_none_or(|name| !name.is_empty() && !name.contains(['\r', '\n'])), "a name is a word");
}

/// Data, cut and names of the events, by the letter of the standard: all of it at once, line by line.
fn by_the_standard(longest: usize, stream: &[u8]) -> Vec<(Vec<u8>, Option<Cut>, Option<String>)> {
    let (mut seen, mut data, mut name) = (Vec::new(), Vec::new(), String::new());
    for line in lines(stream.strip_prefix("\u{feff}".as_bytes()).unwrap_or(stream)) {
        if line.is_empty() {
            let name = std::mem::take(&mut name);
            let mut whole = std::mem::take(&mut data);
            if whole.pop().is_some() {
                let is_long = whole.len() > longest;
                let cut = is_long.then(|| Cut { size: whole.len() as u64, sha256: Sha256::digest(&whole).into() });
                whole.truncate(longest);
                seen.push((whole, cut, Some(name).filter(|name| !name.is_empty())));
            }
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = colon.map_or((line, &[][..]), |colon| (&line[..colon], &line[colon + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => data.extend([value, b"\n"].concat()),
            // Longer names are clipped, which the standard does not know of.
            b"event" if value.len() > 1024 => {
                let clipped = String::from_utf8_lossy(&value[..1024]);
                name = clipped.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned();
            }
            b"event" => name = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
    }
    seen
}

/// The lines that were ended, in any of the three ways.
fn lines(mut rest: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        lines.push(&rest[..end]);
        rest = &rest[end + if rest[end..].starts_with(b"\r\n") { 2 } else { 1 }..];
    }
    lines
}
