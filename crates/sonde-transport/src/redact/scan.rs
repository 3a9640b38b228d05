//! The automaton over bytes that come one after another, each with the place where it stands.

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};

use super::decode::{Place, Sink};
use super::{End, Redactor};

/// Where a secret stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub secret: usize,
}

/// Places in one text that are told apart. A text with more of them was made to have them.
const MOST_SPANS: usize = 50_000;

pub(super) struct Scan<'a> {
    redactor: &'a Redactor,
    state: Option<StateID>,
    /// The newest bytes, as many as the longest form has, and where each of them begins.
    newest: Vec<(u8, usize)>,
    /// How many bytes came.
    count: usize,
    spans: Vec<Span>,
    /// The size of the whole text.
    size: usize,
}

impl<'a> Scan<'a> {
    pub fn new(redactor: &'a Redactor, size: usize) -> Self {
        let state = redactor.automaton.start_state(Anchored::No).ok();
        let newest = vec![(0, 0); redactor.longest.max(1).next_power_of_two()];
        Scan { redactor, state, newest, count: 0, spans: Vec::new(), size }
    }

    /// Where the byte stands that came `back` bytes before the newest one; 1 is the newest itself.
    fn start_of(&self, back: usize) -> usize {
        self.newest.get(self.count.wrapping_sub(back) & (self.newest.len() - 1)).map_or(0, |(_, start)| *start)
    }

    /// How much of the text may be kept, where it goes on behind its end.
    fn kept(&self) -> usize {
        let held = self.count.min(self.newest.len());
        let tail: Vec<u8> = (1..=held)
            .rev()
            .filter_map(|back| self.newest.get(self.count.wrapping_sub(back) & (self.newest.len() - 1)))
            .map(|(byte, _)| *byte)
            .collect();
        let begun = self.redactor.forms.iter().map(|form| begun(&form.bytes, &tail)).max().unwrap_or(0);
        if begun == 0 { self.size } else { self.start_of(begun) }
    }
}

impl Sink for Scan<'_> {
    type Found = (Vec<Span>, usize);

    #[inline]
    fn put(&mut self, byte: u8, place: Place) {
        let Some(state) = self.state else { return };
        let automaton = &self.redactor.automaton;
        let state = automaton.next_state(Anchored::No, state, byte);
        self.state = Some(state);
        let mask = self.newest.len() - 1;
        if let Some(slot) = self.newest.get_mut(self.count & mask) {
            *slot = (byte, place.start);
        }
        self.count += 1;
        if automaton.is_special(state) && automaton.is_match(state) {
            let matches = (0..automaton.match_len(state)).map(|index| automaton.match_pattern(state, index));
            let forms = matches.filter_map(|pattern| self.redactor.forms.get(pattern.as_usize()));
            let Some(form) = forms.max_by_key(|form| form.bytes.len()) else { return };
            let span = Span { start: self.start_of(form.bytes.len()), end: place.end, secret: form.secret };
            push(&mut self.spans, span);
        }
    }

    fn finish(self, end: End) -> (Vec<Span>, usize) {
        let kept = match end {
            End::Whole => self.size,
            End::Cut => self.kept(),
        };
        (self.spans, kept)
    }
}

/// Adds a span that ends behind all others.
fn push(spans: &mut Vec<Span>, span: Span) {
    let full = spans.len() >= MOST_SPANS;
    match spans.last_mut() {
        // Two secrets that overlap are hidden together, under the name of the longer one.
        Some(last) if full || span.start < last.end => {
            if span.end - span.start > last.end - last.start {
                last.secret = span.secret;
            }
            last.start = last.start.min(span.start);
            last.end = last.end.max(span.end);
        }
        _ => spans.push(span),
    }
}

/// In order and apart, none of it behind `kept`.
pub(super) fn united(mut spans: Vec<Span>, kept: usize) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut apart: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans.into_iter().filter(|span| span.start < kept) {
        push(&mut apart, Span { end: span.end.min(kept), ..span });
    }
    apart
}

/// How many bytes at the end of `tail` are the beginning of `form`.
fn begun(form: &[u8], tail: &[u8]) -> usize {
    let longest = tail.len().min(form.len().saturating_sub(1));
    (1..=longest).rev().find(|length| form.get(..*length).is_some_and(|head| tail.ends_with(head))).unwrap_or(0)
}
