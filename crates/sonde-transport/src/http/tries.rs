//! When a message is sent again to a server that was too busy for it.

use std::time::Duration;

use reqwest::header::RETRY_AFTER;

use super::response::Response;

/// The longest pause between two tries of our own choice, and the longest that a server may ask for.
const OWN_PAUSE: Duration = Duration::from_secs(10);
const WISHED_PAUSE: Duration = Duration::from_secs(60);

/// How long to wait before a try: as the server says, or a little longer each time.
pub(super) fn pause(response: &Response, tries: u32) -> Duration {
    let said = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    match said.and_then(wished) {
        Some(wished) => wished.min(WISHED_PAUSE),
        None => Duration::from_secs_f64(1.5_f64.powi(tries.min(20) as i32)).min(OWN_PAUSE),
    }
}

/// What `Retry-After` says: seconds, or a date.
fn wished(said: &str) -> Option<Duration> {
    let said = said.trim();
    let seconds = said.parse::<u64>().ok().map(Duration::from_secs);
    let until = || httpdate::parse_http_date(said).ok()?.duration_since(std::time::SystemTime::now()).ok();
    seconds.or_else(until)
}
