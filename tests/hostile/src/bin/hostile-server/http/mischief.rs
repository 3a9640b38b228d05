//! Which case does what with a request, before the well-behaved half sees it.

use std::io;

use super::exchange::Exchange;
use super::peer::{self, House, Then};
use super::request::Request;
use super::{bodies, bombs, breaks, heads, legacy, redirects, resumes, streams};

pub async fn answer(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> io::Result<Then> {
    let act = match house.case.as_str() {
        "H1" => bodies::endless(exchange, request).await?,
        "H2" => bodies::endless_errors(exchange, request).await?,
        "H3" => bodies::wrong_lengths(exchange, request).await?,
        "H4" => bodies::slow(exchange, request).await?,
        "H5" => bombs::compressed(exchange, request).await?,
        "H6" => heads::odd_headers(exchange, request).await?,
        "H7" => heads::too_busy(house, exchange, request).await?,
        "H8" => heads::lost_sessions(house, exchange, request).await?,
        "H9" | "H10" | "H11" => redirects::redirect(house, exchange, request).await?,
        "H12" => heads::wrong_types(exchange, request).await?,
        "H13" => breaks::one_request_each(exchange, request).await?,
        "H15" => breaks::break_off(exchange, request).await?,
        "H17" => heads::odd_sessions(exchange, request).await?,
        "E1" => streams::closes_for_ever(house, exchange, request).await?,
        "E2" => resumes::half_an_event(house, exchange, request).await?,
        "E3" => resumes::broken_chunks(exchange, request).await?,
        "E4" => resumes::odd_pauses(house, exchange, request).await?,
        "E5" => streams::large_events(exchange, request).await?,
        "E6" => resumes::odd_fields(house, exchange, request).await?,
        "E7" => resumes::twice(house, exchange, request).await?,
        "E8" => streams::no_stream(exchange, request).await?,
        "E9" | "E10" => legacy::endpoints(house, exchange, request).await?,
        "E11" => streams::kept_alive(house, exchange, request).await?,
        "E12" => streams::parallel(house, exchange, request).await?,
        "X2" => heads::repeats(exchange, request).await?,
        _ => None,
    };
    match act {
        Some(then) => Ok(then),
        None => peer::answer(house, exchange, request).await,
    }
}
