//! How soon a stream that ended is opened again: as the server wishes, but no storm.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Nobody is called again sooner than this, nor later because a server said so.
const FLOOR: Duration = Duration::from_millis(500);
const CEILING: Duration = Duration::from_secs(60);
/// What is waited where the server does not say.
const USUAL: Duration = Duration::from_secs(1);
/// From here on a server is polled as often as it likes: it says when, and says something new each time.
const ORDERLY: Duration = Duration::from_secs(1);
/// Fruitless attempts in a row that are made without a longer pause.
const IN_A_ROW: u32 = 4;
const LONG_PAUSE: Duration = Duration::from_secs(12);
/// Fruitless attempts of all streams of a connection, beside the one that opened the first of them.
const MOST_PER_MINUTE: usize = 9;
const MINUTE: Duration = Duration::from_secs(60);

/// Longer each time, until it is the longest.
fn long_pause(fruitless: u32) -> Duration {
    LONG_PAUSE.saturating_mul(1 << (fruitless.saturating_sub(IN_A_ROW) / 4).min(3)).min(CEILING)
}

/// How a stream ended, as far as it matters for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Yield {
    /// Messages came.
    Something,
    /// It told a new event id and ended in good order.
    Poll,
    Nothing,
}

/// The patience with one stream.
#[derive(Debug, Default)]
pub(super) struct Pace {
    fruitless: u32,
    /// What the server asked for.
    retry: Option<Duration>,
}

/// The fruitless attempts of all streams of a connection in the last minute.
#[derive(Debug, Default)]
pub(super) struct Attempts(VecDeque<Instant>);

impl Pace {
    /// The server's wish for the next pause.
    pub fn wish(&mut self, milliseconds: u64) {
        self.retry = Some(Duration::from_millis(milliseconds).min(CEILING));
    }

    pub fn is_fruitless(&self) -> bool {
        self.fruitless >= IN_A_ROW
    }

    /// How long to wait from `now` on, after a stream that ended like this.
    pub fn pause(&mut self, yielded: Yield, attempts: &mut Attempts, now: Instant) -> Duration {
        let wished = self.retry.unwrap_or(USUAL).max(FLOOR);
        let orderly = match yielded {
            Yield::Something => wished >= ORDERLY,
            Yield::Poll => self.retry.is_some_and(|retry| retry >= ORDERLY),
            Yield::Nothing => false,
        };
        if orderly {
            self.fruitless = 0;
            return wished;
        }
        self.fruitless = if yielded == Yield::Something { 0 } else { self.fruitless + 1 };
        // The first time that a stream breaks may happen to anybody.
        let wait = match self.fruitless {
            1 => wished,
            0 | 2 | 3 => wished.max(attempts.until_free(now)),
            many => wished.max(long_pause(many)).max(attempts.until_free(now)),
        };
        attempts.note(now + wait);
        wait
    }
}

impl Attempts {
    fn until_free(&mut self, now: Instant) -> Duration {
        while self.0.front().is_some_and(|earliest| *earliest + MINUTE <= now) {
            self.0.pop_front();
        }
        let over = (self.0.len() + 1).saturating_sub(MOST_PER_MINUTE);
        match over.checked_sub(1).and_then(|last| self.0.get(last)) {
            Some(blocking) => (*blocking + MINUTE).saturating_duration_since(now),
            None => Duration::ZERO,
        }
    }

    fn note(&mut self, at: Instant) {
        // Those of parallel streams may be out of order by a little; only the last minute is kept.
        if self.0.len() == 4 * MOST_PER_MINUTE {
            self.0.pop_front();
        }
        self.0.push_back(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moments, in seconds, at which a stream that never brings anything is opened again within `span`.
    fn storm(retry: Option<u64>, span: Duration, yielded: Yield) -> Vec<f64> {
        let (mut pace, mut attempts) = (Pace::default(), Attempts::default());
        let start = Instant::now();
        let mut now = start;
        let mut connects = Vec::new();
        retry.into_iter().for_each(|retry| pace.wish(retry));
        while now < start + span {
            now += pace.pause(yielded, &mut attempts, now);
            connects.push((now - start).as_secs_f64());
        }
        connects
    }

    #[test]
    fn a_storm_makes_at_most_ten_connects_in_any_minute() {
        for retry in [None, Some(0), Some(1), Some(700), Some(5000)] {
            let connects = storm(retry, Duration::from_secs(600), Yield::Nothing);
            let busiest =
                connects.iter().map(|from| connects.iter().filter(|at| **at >= *from && **at < from + 60.0).count());
            // The first connect of all, which opened the stream, is one more.
            assert!(busiest.max().unwrap_or(0) < 10, "retry {retry:?}: {connects:?}");
        }
    }

    #[test]
    fn an_orderly_poll_is_made_whenever_the_server_says() {
        let connects = storm(Some(2000), Duration::from_secs(60), Yield::Poll);
        assert_eq!(connects.len(), 30, "each after two seconds: {connects:?}");
        for yielded in [Yield::Poll, Yield::Something] {
            let connects = storm(Some(0), Duration::from_secs(60), yielded);
            let soon = connects.iter().filter(|at| **at < 60.0).count();
            assert!(soon < 10, "no server may ask for a storm: {yielded:?} {connects:?}");
        }
    }

    #[test]
    fn what_a_server_wishes_has_bounds() {
        let mut pace = Pace::default();
        pace.wish(u64::MAX);
        assert_eq!(pace.pause(Yield::Something, &mut Attempts::default(), Instant::now()), CEILING);
        pace.wish(0);
        assert_eq!(pace.pause(Yield::Something, &mut Attempts::default(), Instant::now()), FLOOR);
    }

    #[test]
    fn many_streams_that_break_again_and_again_are_one_storm() {
        let mut attempts = Attempts::default();
        let start = Instant::now();
        // When each stream breaks next, and how patient everybody is with it.
        let mut streams: Vec<(Instant, Pace)> = (0..50).map(|_| (start, Pace::default())).collect();
        streams.iter_mut().for_each(|(_, pace)| pace.wish(0));
        let mut connects = Vec::new();
        for _ in 0..200 {
            let Some((at, pace)) = streams.iter_mut().min_by_key(|(at, _)| *at) else { break };
            *at += pace.pause(Yield::Nothing, &mut attempts, *at);
            connects.push((*at - start).as_secs_f64());
        }
        // Each stream may try once at once; after that all of them share one budget.
        let soon = connects.iter().filter(|at| **at < 60.0).count();
        assert!(soon <= 50 + 10, "{soon} connects in the first minute");
    }
}
