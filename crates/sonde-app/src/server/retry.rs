//! How often, and after which pauses, a server that ended by itself is started again.

use std::time::Duration;

/// The pauses between tries: each twice as long as the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    pub first: Duration,
    pub longest: Duration,
    /// Tries in a row; after that a person must start it.
    pub most: u32,
    /// A connection that lived this long was a good one, and what follows it is no longer in a row with what was before.
    pub good: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { first: Duration::from_secs(1), longest: Duration::from_secs(60), most: 5, good: Duration::from_secs(60) }
    }
}

/// The tries in a row so far.
#[derive(Debug, Default)]
pub(super) struct Tries {
    made: u32,
}

/// One try that is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Try {
    /// From 1 on.
    pub attempt: u32,
    pub pause: Duration,
}

impl Tries {
    /// The next try after a connection that was ready for `lived`, if one is left.
    pub fn next(&mut self, pace: &Pace, lived: Option<Duration>) -> Option<Try> {
        if lived.is_some_and(|lived| lived >= pace.good) {
            self.made = 0;
        }
        if self.made >= pace.most {
            return None;
        }
        let pause = pace.first.saturating_mul(1u32.checked_shl(self.made).unwrap_or(u32::MAX)).min(pace.longest);
        self.made += 1;
        Some(Try { attempt: self.made, pause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(tries: &mut Tries, pace: &Pace) -> Vec<u64> {
        std::iter::from_fn(|| tries.next(pace, None)).map(|next| next.pause.as_secs()).collect()
    }

    #[test]
    fn the_pauses_double_up_to_a_minute_and_the_tries_have_an_end() {
        let mut tries = Tries::default();
        assert_eq!(pauses(&mut tries, &Pace::default()), [1, 2, 4, 8, 16], "five in a row and no more");
        let patient = Pace { most: 40, ..Pace::default() };
        let long = pauses(&mut Tries::default(), &patient);
        assert_eq!(long.get(5..8), Some([32, 60, 60].as_slice()), "never longer than a minute");
        assert_eq!(long.len(), 40, "also where the doubling is beyond any number");
    }

    #[test]
    fn a_connection_that_lived_begins_the_count_anew() {
        let (pace, mut tries) = (Pace::default(), Tries::default());
        for attempt in 1..=5 {
            let brief = Some(pace.good - Duration::from_millis(1));
            assert_eq!(tries.next(&pace, brief).map(|next| next.attempt), Some(attempt), "it lived too short");
        }
        assert_eq!(tries.next(&pace, None), None, "enough");
        let again = tries.next(&pace, Some(pace.good));
        assert_eq!(again, Some(Try { attempt: 1, pause: pace.first }), "that was a good one");
    }
}
