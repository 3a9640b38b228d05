//! What is JSON stays JSON: where a marker may stand in it.

use super::scan::Span;

/// A span, and what must stand around its marker.
pub(super) struct Fitted {
    pub span: Span,
    pub open: &'static str,
    pub close: &'static str,
}

/// Whether each span became one marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Whole,
    InPieces,
}

const MOST_PIECES: usize = 50_000;

impl Fitted {
    /// The marker alone, whatever that makes of the text.
    pub fn bare(span: Span) -> Self {
        Fitted { span, open: "", close: "" }
    }

    fn quoted(span: Span) -> Self {
        Fitted { span, open: "\"", close: "\"" }
    }
}

/// Moves the ends of spans so that no escape is cut in two, and gives quotes to what stood outside of a string. Where a
/// span reaches over the end of a string, what it has of strings and words is hidden, and the signs between them stay;
/// that may still say it, which is told.
pub(super) fn fit(text: &[u8], spans: &[Span]) -> (Vec<Fitted>, Hidden) {
    let is_json = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
    if !is_json {
        return (spans.iter().copied().map(Fitted::bare).collect(), Hidden::Whole);
    }
    let mut hidden = Hidden::Whole;
    let mut walk = Walk { text, at: 0, in_string: false, quotes: 0 };
    let mut fitted: Vec<Fitted> = Vec::with_capacity(spans.len());
    for Span { mut start, mut end, secret } in spans.iter().copied() {
        let behind = fitted.last().map_or(0, |last| last.span.end);
        let before = walk.to(start);
        start = before.escape.map_or(start, |(escape, _)| escape);
        let after = walk.to(end);
        end = after.escape.map_or(end, |(_, escape)| escape);
        // A number may hold two secrets.
        if end <= behind {
            continue;
        }
        start = start.max(behind);
        if !before.in_string {
            let rest = text.get(behind..start).unwrap_or_default();
            start -= rest.iter().rev().take_while(|byte| is_of_a_word(**byte)).count();
        }
        if !after.in_string {
            let rest = text.get(end..).unwrap_or_default();
            end += rest.iter().take_while(|byte| is_of_a_word(**byte)).count();
        }
        let span = Span { start, end, secret };
        let within = text.get(start..end).unwrap_or_default();
        let is_value = matches!((within.first(), within.last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')));
        match (before.in_string, after.in_string) {
            (true, true) if before.quotes == after.quotes => fitted.push(Fitted::bare(span)),
            (false, false) if before.quotes == after.quotes || is_value => fitted.push(Fitted::quoted(span)),
            // A text with so many of them was made to have them, and need not stay JSON.
            _ if fitted.len() > MOST_PIECES => fitted.push(Fitted::bare(span)),
            (in_string, _) => {
                hidden = Hidden::InPieces;
                pieces(text, span, in_string, &mut fitted);
            }
        }
    }
    (fitted, hidden)
}

/// What a span has of strings and of words.
fn pieces(text: &[u8], span: Span, mut in_string: bool, fitted: &mut Vec<Fitted>) {
    let mut at = span.start;
    while let Some(rest) = text.get(at..span.end).filter(|rest| !rest.is_empty()) {
        let length = match in_string {
            true => string_length(rest),
            false => rest.iter().take_while(|byte| is_of_a_word(**byte)).count(),
        };
        let piece = Span { start: at, end: at + length, ..span };
        match in_string {
            _ if length == 0 => {}
            true => fitted.push(Fitted::bare(piece)),
            false => fitted.push(Fitted::quoted(piece)),
        }
        // Behind it stands a quote, or a sign between strings and words.
        in_string ^= text.get(piece.end) == Some(&b'"');
        at = piece.end + 1;
    }
}

/// How much of a text is before the end of the string that it begins in.
fn string_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        if text.get(at + found) == Some(&b'"') {
            return at + found;
        }
        at += found + 2;
    }
    text.len()
}

struct Walk<'a> {
    text: &'a [u8],
    /// Behind the last quote or escape that was passed.
    at: usize,
    in_string: bool,
    /// How many quotes were passed.
    quotes: usize,
}

/// What is at a place.
struct Around {
    in_string: bool,
    quotes: usize,
    /// The escape within which it lies.
    escape: Option<(usize, usize)>,
}

impl Walk<'_> {
    fn to(&mut self, place: usize) -> Around {
        while let Some(found) = self.text.get(self.at..place).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
            let start = self.at + found;
            if self.text.get(start) == Some(&b'"') {
                self.in_string = !self.in_string;
                self.quotes += 1;
                self.at = start + 1;
                continue;
            }
            let length = match self.text.get(start + 1) {
                _ if !self.in_string => 1,
                Some(b'u') => 6,
                _ => 2,
            };
            let end = (start + length).min(self.text.len());
            if end > place {
                return Around { in_string: self.in_string, quotes: self.quotes, escape: Some((start, end)) };
            }
            self.at = end;
        }
        Around { in_string: self.in_string, quotes: self.quotes, escape: None }
    }
}

/// Numbers and the words of JSON.
fn is_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)
}
