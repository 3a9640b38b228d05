//! When a message is sent again to a server that was too busy for it.

use std::time::Duration;

use reqwest::header::RETRY_AFTER;

use super::response::Response;

/// The longest pause between two tries of our own choice, and the longest that a server may ask for.
const OWN_PAUSE: Duration = Duration::from_secs(10);
const WISHED_PAUSE: Duration = Duration::from_secs(60);

/// How long to wait before a try: as the server says, or a little longer each time.
pub(super) fn pause(response: &Response, tries: u32, backoff: u32) -> Duration {
    let said = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    match said.and_then(wished) {
        Some(wished) => wished.min(WISHED_PAUSE),
        None => own(tries, backoff),
    }
}

fn own(tries: u32, backoff: u32) -> Duration {
    let seconds = (f64::from(backoff) / 1000.0).powi(tries.min(20) as i32);
    Duration::from_secs_f64(seconds.min(OWN_PAUSE.as_secs_f64()))
}

/// What `Retry-After` says: seconds, or a date.
fn wished(said: &str) -> Option<Duration> {
    let said = said.trim();
    let seconds = said.parse::<u64>().ok().map(Duration::from_secs);
    let until = || httpdate::parse_http_date(said).ok()?.duration_since(std::time::SystemTime::now()).ok();
    seconds.or_else(until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_as_they_are_told_to_and_never_beyond_the_longest() {
        let pauses = |backoff: u32| [1, 2, 3].map(|tries| own(tries, backoff).as_millis());
        assert_eq!(pauses(1500), [1500, 2250, 3375], "as ever");
        assert_eq!(pauses(1000), [1000, 1000, 1000], "no longer each time");
        assert_eq!(pauses(10_000), [10_000, 10_000, 10_000], "this is as long as we ever wait");
        assert_eq!(own(u32::MAX, u32::MAX), OWN_PAUSE);
    }
}
