//! `test_reconnection`: a stream that ends before its answer.
//!
//! A server may end the stream of a request once the client has an event to come back behind, and the client gets its
//! answer on a stream that it opens for it. Over standard streams there is nothing to end, and the answer just comes.

use std::time::Duration;

use crate::{
    arguments::Refusal,
    client::Client,
    output::Output,
    tools::{Outcome, text},
};

/// Long enough that the client is back first, if it does not wait.
const AWAY: Duration = Duration::from_millis(500);

pub(super) async fn call(output: Result<Output, Refusal>, client: &Client) -> Outcome {
    output?.hang_up().await.map_err(|error| format!("the stream could not be ended: {error}"))?;
    client.unless_cancelled(tokio::time::sleep(AWAY)).await?;
    Ok(text("Reconnection test completed successfully"))
}
