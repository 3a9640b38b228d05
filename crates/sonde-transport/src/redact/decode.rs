//! Escapes undone one byte after another, without losing the places of what comes out.

use super::End;

/// Where a byte stands in the text: a byte that was written as an escape has the place of the whole escape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub start: usize,
    pub end: usize,
}

/// Takes bytes in order.
pub(super) trait Sink {
    type Found;

    fn put(&mut self, byte: u8, place: Place);
    fn finish(self, end: End) -> Self::Found;
}

/// Puts all bytes into a sink.
pub(super) fn all<S: Sink>(bytes: &[u8], mut sink: S, end: End) -> S::Found {
    for (start, byte) in bytes.iter().enumerate() {
        sink.put(*byte, Place { start, end: start + 1 });
    }
    sink.finish(end)
}

/// Undoes the escapes of strings in JSON. What is no escape passes as it is.
pub(super) struct Json<S> {
    next: S,
    /// An escape that is not at its end, as it was written.
    begun: Begun<6>,
    /// The first half of a character that takes two escapes.
    half: Option<(u32, Place)>,
}

impl<S: Sink> Json<S> {
    pub fn before(next: S) -> Self {
        Json { next, begun: Begun::default(), half: None }
    }

    /// A character that was not written by a number.
    fn plain(&mut self, byte: u8, place: Place) {
        self.drop_half();
        self.next.put(byte, place);
    }

    fn number(&mut self, number: u32, place: Place) {
        match (self.half.take(), number) {
            (Some((high, first)), 0xdc00..0xe000) => {
                let number = 0x10000 + ((high - 0xd800) << 10) + (number - 0xdc00);
                self.character(number, Place { start: first.start, end: place.end });
            }
            (half, 0xd800..0xdc00) => {
                self.half = half;
                self.drop_half();
                self.half = Some((number, place));
            }
            (half, _) => {
                self.half = half;
                self.drop_half();
                self.character(number, place);
            }
        }
    }

    fn character(&mut self, number: u32, place: Place) {
        let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            self.next.put(byte, place);
        }
    }

    /// A half without the other is no character.
    fn drop_half(&mut self) {
        if let Some((_, place)) = self.half.take() {
            self.character(0xfffd, place);
        }
    }
}

impl<S: Sink> Sink for Json<S> {
    type Found = S::Found;

    #[inline]
    fn put(&mut self, byte: u8, place: Place) {
        match (self.begun.length, byte) {
            (0, b'\\') => self.begun.push(byte, place),
            (0, _) => self.plain(byte, place),
            (1, b'u') => self.begun.push(byte, place),
            (1, _) => {
                let start = self.begun.start();
                let meant = match byte {
                    b'"' | b'\\' | b'/' => Some(byte),
                    b'b' => Some(8),
                    b'f' => Some(12),
                    b'n' => Some(b'\n'),
                    b'r' => Some(b'\r'),
                    b't' => Some(b'\t'),
                    _ => None,
                };
                let (written, place_of_it) = self.begun.take();
                match meant {
                    Some(meant) => self.plain(meant, Place { start, end: place.end }),
                    None => {
                        written.into_iter().zip(place_of_it).take(1).for_each(|(byte, place)| self.plain(byte, place));
                        self.plain(byte, place);
                    }
                }
            }
            (5, digit) if digit.is_ascii_hexdigit() => {
                let start = self.begun.start();
                self.begun.push(byte, place);
                let (written, _) = self.begun.take();
                let number = written.iter().skip(2).fold(0, |number, digit| number << 4 | value(*digit));
                self.number(number, Place { start, end: place.end });
            }
            (_, digit) if digit.is_ascii_hexdigit() => self.begun.push(byte, place),
            (length, _) => {
                let (written, places) = self.begun.take();
                written.into_iter().zip(places).take(length).for_each(|(byte, place)| self.plain(byte, place));
                // What broke the escape may begin another.
                self.put(byte, place);
            }
        }
    }

    fn finish(mut self, end: End) -> S::Found {
        // Where the text goes on, nobody knows what was begun.
        if end == End::Whole {
            let length = self.begun.length;
            let (written, places) = self.begun.take();
            written.into_iter().zip(places).take(length).for_each(|(byte, place)| self.plain(byte, place));
            self.drop_half();
        }
        self.next.finish(end)
    }
}

/// What a `+` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plus {
    IsItself,
    /// As in forms.
    IsSpace,
}

/// Undoes the escapes of addresses.
pub(super) struct Percent<S> {
    next: S,
    plus: Plus,
    begun: Begun<3>,
}

impl<S: Sink> Percent<S> {
    pub fn before(next: S, plus: Plus) -> Self {
        Percent { next, plus, begun: Begun::default() }
    }

    fn give_back(&mut self) {
        let length = self.begun.length;
        let (written, places) = self.begun.take();
        written.into_iter().zip(places).take(length).for_each(|(byte, place)| self.next.put(byte, place));
    }
}

impl<S: Sink> Sink for Percent<S> {
    type Found = S::Found;

    #[inline]
    fn put(&mut self, byte: u8, place: Place) {
        match (self.begun.length, byte) {
            (0, b'%') => self.begun.push(byte, place),
            (0, b'+') if self.plus == Plus::IsSpace => self.next.put(b' ', place),
            (0, _) => self.next.put(byte, place),
            (1, digit) if digit.is_ascii_hexdigit() => self.begun.push(byte, place),
            (2, digit) if digit.is_ascii_hexdigit() => {
                let start = self.begun.start();
                let ([_, high, _], _) = self.begun.take();
                // Two digits are at most 255.
                let meant = u8::try_from(value(high) << 4 | value(digit)).unwrap_or_default();
                self.next.put(meant, Place { start, end: place.end });
            }
            _ => {
                self.give_back();
                self.put(byte, place);
            }
        }
    }

    fn finish(mut self, end: End) -> S::Found {
        if end == End::Whole {
            self.give_back();
        }
        self.next.finish(end)
    }
}

/// The bytes of an escape that is not at its end.
struct Begun<const LONGEST: usize> {
    bytes: [u8; LONGEST],
    places: [Place; LONGEST],
    length: usize,
}

impl<const LONGEST: usize> Default for Begun<LONGEST> {
    fn default() -> Self {
        Begun { bytes: [0; LONGEST], places: [Place { start: 0, end: 0 }; LONGEST], length: 0 }
    }
}

impl<const LONGEST: usize> Begun<LONGEST> {
    fn push(&mut self, byte: u8, place: Place) {
        if let (Some(own), Some(at)) = (self.bytes.get_mut(self.length), self.places.get_mut(self.length)) {
            (*own, *at) = (byte, place);
            self.length += 1;
        }
    }

    fn start(&self) -> usize {
        self.places.first().map_or(0, |place| place.start)
    }

    fn take(&mut self) -> ([u8; LONGEST], [Place; LONGEST]) {
        self.length = 0;
        (self.bytes, self.places)
    }
}

fn value(digit: u8) -> u32 {
    char::from(digit).to_digit(16).unwrap_or_default()
}
