//! What is JSON stays JSON: where a marker may stand in it.

use super::scan::Span;

/// A span, and what must stand around its marker.
pub(super) struct Fitted {
    pub span: Span,
    pub open: &'static str,
    pub close: &'static str,
}

/// Moves the ends of spans so that no escape is cut in two, and gives quotes to what stood outside of a string.
pub(super) fn fit(text: &[u8], spans: Vec<Span>) -> Vec<Fitted> {
    let is_json = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
    if !is_json {
        return spans.into_iter().map(|span| Fitted { span, open: "", close: "" }).collect();
    }
    let mut walk = Walk { text, at: 0, in_string: false };
    let mut fitted: Vec<Fitted> = Vec::with_capacity(spans.len());
    for Span { mut start, mut end, secret } in spans {
        let behind = fitted.last().map_or(0, |last| last.span.end);
        let before = walk.to(start);
        start = before.escape.map_or(start, |(escape, _)| escape);
        let after = walk.to(end);
        end = after.escape.map_or(end, |(_, escape)| escape);
        // A number may hold two secrets.
        if end <= behind {
            continue;
        }
        if !before.in_string {
            let rest = text.get(behind..start).unwrap_or_default();
            start -= rest.iter().rev().take_while(|byte| is_of_a_word(**byte)).count();
        }
        if !after.in_string {
            let rest = text.get(end..).unwrap_or_default();
            end += rest.iter().take_while(|byte| is_of_a_word(**byte)).count();
        }
        let quote = |in_string: bool| if in_string { "" } else { "\"" };
        match fitted.last_mut() {
            Some(last) if start < behind => {
                last.span.end = end;
                last.close = quote(after.in_string);
            }
            _ => fitted.push(Fitted {
                span: Span { start, end, secret },
                open: quote(before.in_string),
                close: quote(after.in_string),
            }),
        }
    }
    fitted
}

struct Walk<'a> {
    text: &'a [u8],
    /// Behind the last quote or escape that was passed.
    at: usize,
    in_string: bool,
}

/// What is at a place.
struct Around {
    in_string: bool,
    /// The escape within which it lies.
    escape: Option<(usize, usize)>,
}

impl Walk<'_> {
    fn to(&mut self, place: usize) -> Around {
        while let Some(found) = self.text.get(self.at..place).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
            let start = self.at + found;
            if self.text.get(start) == Some(&b'"') {
                self.in_string = !self.in_string;
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
                return Around { in_string: self.in_string, escape: Some((start, end)) };
            }
            self.at = end;
        }
        Around { in_string: self.in_string, escape: None }
    }
}

/// Numbers and the words of JSON.
fn is_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)
}
