//! Secrets out of bytes: known values, in every form in which a server may say them again.
//!
//! The values themselves, their UTF-16 and their base64 are looked for by one automaton; escapes of JSON and of
//! addresses are undone on the way to it, so that it does not matter which characters were escaped, and how.

mod decode;
mod fit;
mod forms;
mod scan;

use aho_corasick::nfa::contiguous::NFA;

use decode::{Json, Percent, Plus};
use fit::{Fitted, Hidden, fit};
use forms::Form;
use scan::{Scan, Span};

/// Takes known values out of bytes. It takes time in proportion to the bytes, and memory for nothing but its answer.
pub struct Redactor {
    automaton: NFA,
    /// In the order of the automaton's patterns.
    forms: Vec<Form>,
    /// What stands in the place of each secret, in the order in which they were given.
    markers: Vec<String>,
    /// Bytes of the longest form.
    longest: usize,
    /// Whether a `+` may stand for a character of a secret.
    has_space: bool,
}

/// How bytes end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Whole,
    /// There were more of them. What may be the beginning of a secret is taken away from the end.
    Cut,
}

impl Redactor {
    /// A shorter value would hide more of a log than it protects.
    pub const SHORTEST: usize = 6;

    /// None where there is nothing to hide. Of a value that is given twice the first name counts.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let (mut forms, mut markers): (Vec<Form>, Vec<String>) = Default::default();
        for (name, value) in secrets {
            if value.len() < Self::SHORTEST {
                continue;
            }
            forms.extend(forms::of(value, markers.len()));
            markers.push(marker(name));
        }
        // The sort is stable, so the first name stays.
        forms.sort_by(|one, other| one.bytes.cmp(&other.bytes));
        forms.dedup_by(|one, other| one.bytes == other.bytes);
        if forms.is_empty() {
            return None;
        }
        let automaton = NFA::new(forms.iter().map(|form| &form.bytes)).ok()?;
        let longest = forms.iter().map(|form| form.bytes.len()).max().unwrap_or_default();
        let has_space = forms.iter().any(|form| form.bytes.contains(&b' '));
        let mut redactor = Redactor { automaton, forms, markers, longest, has_space };
        // A name may be a secret, or may hold one.
        let told: Vec<bool> =
            redactor.markers.iter().map(|marker| !redactor.spans(marker.as_bytes(), End::Whole).0.is_empty()).collect();
        for (marker, told) in redactor.markers.iter_mut().zip(told) {
            if told {
                *marker = SHORT.to_owned();
            }
        }
        Some(redactor)
    }

    /// The bytes without secrets; None where there are none in them.
    pub fn redact(&self, bytes: &[u8], end: End) -> Option<Vec<u8>> {
        let (spans, kept) = self.spans(bytes, end);
        let kept = bytes.get(..kept).unwrap_or(bytes);
        match spans.is_empty() {
            true => (kept.len() < bytes.len()).then(|| kept.to_vec()),
            false => {
                let (fitted, hidden) = fit(kept, &spans);
                let clean = self.replaced(kept, fitted);
                // Where pieces alone were hidden, and the rest still says it, it is hidden whole: secrecy comes first.
                let tells = hidden == Hidden::InPieces && !self.spans(&clean, End::Whole).0.is_empty();
                Some(if tells { self.replaced(kept, spans.into_iter().map(Fitted::bare).collect()) } else { clean })
            }
        }
    }

    /// Where secrets stand, in order and apart, and how many bytes there are before what may be the beginning of one.
    fn spans(&self, bytes: &[u8], end: End) -> (Vec<Span>, usize) {
        let mut spans = Vec::new();
        let mut kept = bytes.len();
        let mut take = |(found, whole): (Vec<Span>, usize)| {
            spans.extend(found);
            kept = kept.min(whole);
        };
        let scan = || Scan::new(self, bytes.len());
        let has = |wanted: &[u8]| memchr::memmem::find(bytes, wanted).is_some();
        let (escaped, encoded, plus) = (has(b"\\"), has(b"%"), self.has_space && has(b"+"));
        take(decode::all(bytes, scan(), end));
        if escaped {
            take(decode::all(bytes, Json::before(scan()), end));
        }
        // Text that is JSON within JSON, and once more.
        if escaped && has(br"\\") {
            take(decode::all(bytes, Json::before(Json::before(scan())), end));
        }
        if escaped && has(br"\\\\") {
            take(decode::all(bytes, Json::before(Json::before(Json::before(scan()))), end));
        }
        if encoded {
            take(decode::all(bytes, Percent::before(scan(), Plus::IsItself), end));
        }
        if encoded && has(b"%25") {
            let within = Percent::before(scan(), Plus::IsItself);
            take(decode::all(bytes, Percent::before(within, Plus::IsItself), end));
        }
        if plus {
            take(decode::all(bytes, Percent::before(scan(), Plus::IsSpace), end));
        }
        if escaped && encoded {
            take(decode::all(bytes, Json::before(Percent::before(scan(), Plus::IsItself)), end));
        }
        if escaped && plus {
            take(decode::all(bytes, Json::before(Percent::before(scan(), Plus::IsSpace)), end));
        }
        (scan::united(spans, kept), kept)
    }

    fn replaced(&self, bytes: &[u8], spans: Vec<Fitted>) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 64 * spans.len().min(1024));
        let mut behind = 0;
        for Fitted { span, open, close } in spans {
            out.extend_from_slice(bytes.get(behind..span.start).unwrap_or_default());
            // A server that knows the secret must not make many bytes of few.
            let grown = out.len() > span.start + MOST_GROWTH;
            let marker = self.markers.get(span.secret).filter(|_| !grown).map_or(SHORT, String::as_str);
            out.extend_from_slice(open.as_bytes());
            out.extend_from_slice(marker.as_bytes());
            out.extend_from_slice(close.as_bytes());
            behind = span.end;
        }
        out.extend_from_slice(bytes.get(behind..).unwrap_or_default());
        out
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Redactor").field("secrets", &self.markers.len()).finish_non_exhaustive()
    }
}

/// Bytes by which markers may make a text longer. From there on they are shorter than any secret.
const MOST_GROWTH: usize = 64 << 10;
const SHORT: &str = "***";

/// Keeps what is JSON valid, whatever the name.
fn marker(name: &str) -> String {
    const LONGEST: usize = 64;
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-.:".contains(character);
    let name: String =
        name.chars().take(LONGEST).map(|character| if plain(character) { character } else { '_' }).collect();
    format!("‹secret:{name}›")
}

#[cfg(test)]
mod tests;
