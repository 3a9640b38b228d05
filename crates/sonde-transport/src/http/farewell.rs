//! The end of a session.

use std::time::Duration;

use reqwest::Method;
use tokio_util::sync::CancellationToken;

use super::answer::{Whole, ignored, read_whole};
use super::connection::Connection;
use super::failure::HttpFailure;
use super::remote::Dialect;
use super::until::Until;
use super::wire::{Asking, BOTH};

/// Tells the server that the session is over, where there is one. That it does not offer this is no fault.
pub(super) async fn say(connection: &Connection, limit: Duration) {
    let wire = &connection.wire;
    if wire.agreed().session.is_none() || *connection.spoken.borrow() == Dialect::Sse {
        return;
    }
    let asking = wire.empty(Method::DELETE, BOTH);
    let until = Until { closing: CancellationToken::new(), given_up: CancellationToken::new() };
    until.at_most(limit, delete(connection, asking, &until)).await;
}

async fn delete(connection: &Connection, asking: Asking, until: &Until) {
    let wire = &connection.wire;
    // What went wrong is in the log, and nothing follows from it.
    let Ok((exchange, response)) = wire.ask(asking, until).await else { return };
    let status = response.status();
    let Whole { traffic, .. } = read_whole(&exchange, response, connection, wire.remote.limits.error_body, until).await;
    let traffic = ignored(traffic);
    if status.is_success() || matches!(status.as_u16(), 404 | 405) {
        exchange.end(traffic, None).await;
        return;
    }
    let failure = HttpFailure::bare(status.as_u16());
    exchange.end(traffic, Some(&failure)).await;
}
