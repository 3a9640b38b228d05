//! Bytes in, events out, with a cap: the event stream format of the WHATWG standard. Whatever the chunks, the same
//! bytes give the same events.

use sonde_protocol::Cut;

use crate::capped::Capped;
use crate::lines::LineLimits;

/// The longest id that is kept, and as much of a name.
const SHORT: usize = 1 << 10;

const MARK: &[u8] = "\u{feff}".as_bytes();

/// What a stream says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SseItem {
    Event(Event),
    /// A line that says nothing, and that somebody is there. Its text is not kept.
    Comment,
}

/// What stood between two blank lines. A browser would not hear of one without data; but its id and the time to wait
/// count all the same, and MCP begins streams with such an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The lines of data, with a line feed between them. None where there was no field `data`; without anything in
    /// it, it is empty.
    pub data: Option<Vec<u8>>,
    /// Set when `data` is only the first part.
    pub cut: Option<Cut>,
    /// Clipped after a kibibyte. None where it has none and is a `message`.
    pub name: Option<String>,
    /// Of at most a kibibyte on the wire. An empty one takes back the ids before it.
    pub id: Option<String>,
    /// The length of an id that was too long, and that nobody may repeat.
    pub long_id: Option<u64>,
    /// Milliseconds; any number at all.
    pub retry: Option<u64>,
    pub ended: Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Whole,
    /// By the end of the stream. It never happened, by the standard: its id must not be used.
    InTheMiddle,
}

/// What became of each byte; the first four add up to all that was taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SseCounts {
    /// As long as the data of all events together, whole or cut.
    pub data: u64,
    /// Of comments, without their line ends.
    pub comments: u64,
    /// Names of fields, ids and the like, and line ends.
    pub framing: u64,
    /// Fields that the standard does not know, and what was too long to keep.
    pub dropped: u64,
    /// That were given out whole.
    pub events: u64,
    pub comment_lines: u64,
}

impl SseCounts {
    /// Every byte that was taken.
    pub fn bytes(&self) -> u64 {
        self.data + self.comments + self.framing + self.dropped
    }
}

/// Reads a stream of events. Holds at most the data of one, and a few kibibytes.
#[derive(Debug)]
pub struct SseParser {
    counts: SseCounts,
    /// How much of a byte order mark has been seen; None once it is too late for one.
    mark: Option<usize>,
    /// The last line was ended by a carriage return, so a line feed that follows belongs to it.
    returned: bool,
    place: Place,
    /// Of the field, unless that is data.
    value: Value,
    data: Capped,
    event: Begun,
}

/// Where in a line.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the name of the field: how much of it there is, and what it is so far.
    Name(usize, [u8; LONGEST_NAME]),
    /// Right behind the colon, where one space is no part of the value.
    Colon(Field),
    Value(Field),
}

const LONGEST_NAME: usize = 5;
const LINE_START: Place = Place::Name(0, [0; LONGEST_NAME]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Comment,
    Data,
    Event,
    Id,
    Retry,
    Unknown,
}

/// The value of a short field.
#[derive(Debug, Default)]
struct Value {
    /// All of it, or the first kibibyte.
    bytes: Vec<u8>,
    length: u64,
    /// Anywhere, also in what is not kept.
    has_nul: bool,
}

/// What is known of the event so far, but for its data.
#[derive(Debug, Default)]
struct Begun {
    has_data: bool,
    name: Option<String>,
    id: Option<String>,
    long_id: Option<u64>,
    retry: Option<u64>,
}

impl SseParser {
    /// Keeps at most `longest` bytes of an event's data.
    pub fn new(longest: usize) -> Self {
        SseParser {
            counts: SseCounts::default(),
            mark: Some(0),
            returned: false,
            place: LINE_START,
            value: Value::default(),
            data: Capped::new(LineLimits::up_to(longest)),
            event: Begun::default(),
        }
    }

    /// Takes the next chunk up to where an event or a comment ends. Gives it, if any, and how many bytes were taken;
    /// call again with the rest.
    pub fn take(&mut self, chunk: &[u8]) -> (Option<SseItem>, usize) {
        let mut taken = self.mark.map_or(0, |seen| self.byte_order_mark(seen, chunk));
        while let Some(rest) = chunk.get(taken..).filter(|rest| !rest.is_empty()) {
            if std::mem::take(&mut self.returned) && rest[0] == b'\n' {
                self.counts.framing += 1;
                taken += 1;
                continue;
            }
            let Some(end) = memchr::memchr2(b'\r', b'\n', rest) else {
                self.part(rest);
                return (None, chunk.len());
            };
            self.part(&rest[..end]);
            self.counts.framing += 1;
            self.returned = rest[end] == b'\r';
            taken += end + 1;
            if let Some(item) = self.end_line() {
                return (Some(item), taken);
            }
        }
        (None, taken)
    }

    /// The stream is over: the event that it broke off. Of a line that broke off only data counts.
    pub fn finish(&mut self) -> Option<Event> {
        self.place = LINE_START;
        self.end_event(Ended::InTheMiddle)
    }

    /// Bytes of the event so far that it holds.
    pub(crate) fn held(&self) -> usize {
        self.data.held()
    }

    pub fn counts(&self) -> SseCounts {
        self.counts
    }

    /// Takes what there is of a byte order mark at the very start.
    fn byte_order_mark(&mut self, seen: usize, chunk: &[u8]) -> usize {
        let expected = &MARK[seen..];
        let same = expected.iter().zip(chunk).take_while(|(expected, byte)| expected == byte).count();
        self.counts.framing += same as u64;
        let seen = seen + same;
        if seen < MARK.len() && same == chunk.len() {
            self.mark = Some(seen);
            return same;
        }
        self.mark = None;
        if seen < MARK.len() {
            // The line begins with them after all.
            self.counts.framing -= seen as u64;
            self.part(&MARK[..seen]);
        }
        same
    }

    /// Takes a part of a line.
    fn part(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match self.place {
                Place::Name(length, name) => bytes = self.name(length, name, bytes),
                Place::Colon(field) => {
                    self.place = Place::Value(field);
                    if bytes[0] == b' ' {
                        *self.framing_of(field) += 1;
                        bytes = &bytes[1..];
                    }
                }
                Place::Value(field) => return self.value(field, bytes),
            }
        }
    }

    /// Takes a part of a field's name, with the colon that ends it. Gives what follows.
    fn name<'a>(&mut self, length: usize, mut name: [u8; LONGEST_NAME], bytes: &'a [u8]) -> &'a [u8] {
        // No field that is known has a longer name, so nobody need look for its colon.
        let room = &bytes[..bytes.len().min(LONGEST_NAME + 1 - length)];
        let colon = room.iter().position(|byte| *byte == b':');
        let part = &room[..colon.unwrap_or(room.len())];
        let whole = length + part.len();
        self.counts.framing += part.len() as u64;
        for (to, from) in name.iter_mut().skip(length).zip(part) {
            *to = *from;
        }
        if colon.is_some() {
            let field = self.begin(whole, &name);
            *self.framing_of(field) += 1;
            self.place = Place::Colon(field);
            return &bytes[part.len() + 1..];
        }
        self.place = Place::Name(whole, name);
        if whole > LONGEST_NAME {
            let field = self.begin(whole, &name);
            self.place = Place::Value(field);
        }
        &bytes[part.len()..]
    }

    /// The name of a field is known.
    fn begin(&mut self, length: usize, name: &[u8]) -> Field {
        let field = match name.get(..length) {
            Some(b"") => Field::Comment,
            Some(b"data") => Field::Data,
            Some(b"event") => Field::Event,
            Some(b"id") => Field::Id,
            Some(b"retry") => Field::Retry,
            _ => Field::Unknown,
        };
        if field == Field::Unknown {
            self.counts.framing -= length as u64;
            self.counts.dropped += length as u64;
        }
        if field == Field::Data && std::mem::replace(&mut self.event.has_data, true) {
            // The end of the line before stands in the data now.
            self.counts.framing -= 1;
            self.counts.data += 1;
            self.data.append(b"\n");
        }
        self.value.bytes.clear();
        (self.value.length, self.value.has_nul) = (0, false);
        field
    }

    fn framing_of(&mut self, field: Field) -> &mut u64 {
        match field {
            Field::Comment => &mut self.counts.comments,
            Field::Unknown => &mut self.counts.dropped,
            Field::Data | Field::Event | Field::Id | Field::Retry => &mut self.counts.framing,
        }
    }

    fn value(&mut self, field: Field, bytes: &[u8]) {
        let size = bytes.len() as u64;
        match field {
            Field::Data => {
                self.counts.data += size;
                self.data.append(bytes);
            }
            Field::Event | Field::Id | Field::Retry => {
                let kept = bytes.len().min(SHORT - self.value.bytes.len());
                self.value.bytes.extend_from_slice(&bytes[..kept]);
                self.value.length += size;
                self.value.has_nul |= memchr::memchr(0, bytes).is_some();
                self.counts.framing += kept as u64;
                self.counts.dropped += size - kept as u64;
            }
            Field::Comment | Field::Unknown => *self.framing_of(field) += size,
        }
    }

    fn end_line(&mut self) -> Option<SseItem> {
        let field = match std::mem::replace(&mut self.place, LINE_START) {
            Place::Name(0, _) => return self.end_event(Ended::Whole).map(SseItem::Event),
            // A field without a colon has an empty value.
            Place::Name(length, name) => self.begin(length, &name),
            Place::Colon(field) | Place::Value(field) => field,
        };
        let Value { bytes, length, has_nul } = &self.value;
        let is_long = *length > SHORT as u64;
        let text = || String::from_utf8_lossy(bytes);
        match field {
            Field::Comment => {
                self.counts.comment_lines += 1;
                return Some(SseItem::Comment);
            }
            Field::Event => {
                let name = text();
                // What was clipped may end in half a character.
                let name = if is_long { name.trim_end_matches(char::REPLACEMENT_CHARACTER) } else { &name };
                self.event.name = (!name.is_empty()).then(|| name.to_owned());
            }
            Field::Id if *has_nul => {}
            Field::Id if is_long => (self.event.id, self.event.long_id) = (None, Some(*length)),
            Field::Id => (self.event.id, self.event.long_id) = (Some(text().into_owned()), None),
            Field::Retry if is_long => {}
            Field::Retry => self.event.retry = number(bytes).or(self.event.retry),
            Field::Data | Field::Unknown => {}
        }
        None
    }

    fn end_event(&mut self, ended: Ended) -> Option<Event> {
        let Begun { has_data, name, id, long_id, retry } = std::mem::take(&mut self.event);
        if !has_data && id.is_none() && long_id.is_none() && retry.is_none() {
            return None;
        }
        self.counts.events += u64::from(ended == Ended::Whole);
        let (data, cut) = self.data.end();
        Some(Event { data: has_data.then_some(data), cut, name, id, long_id, retry, ended })
    }
}

/// Digits and nothing else. More than anybody could wait is as much as can be said.
fn number(text: &[u8]) -> Option<u64> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    let add = |sum: u64, digit: Option<u64>| Some(sum.saturating_mul(10).saturating_add(digit?));
    if text.is_empty() { None } else { text.iter().map(digit).try_fold(0, add) }
}
