//! The HTTP transports: Streamable HTTP, and HTTP with SSE as it was before.
//!
//! Start reading at [`open_http`], then `post.rs` for the way of one message, then `events.rs` for streams.

mod answer;
mod body;
mod connection;
mod courier;
mod direct;
mod events;
mod exchange;
mod failure;
mod farewell;
mod head;
mod legacy;
mod mask;
mod outbox;
mod pace;
mod phases;
mod post;
mod probe;
mod pulse;
mod remote;
mod response;
mod resume;
mod tls;
mod tries;
mod trouble;
mod until;
mod wire;

use tokio::sync::mpsc;

use crate::link::{Inbound, Link, Outbound, Peer, Taker};
use crate::stdio::StderrTail;
use crate::tap::Tap;
use connection::Connection;
pub(crate) use connection::lines_of_messages;
pub use failure::{HttpFailure, Moment};
pub use mask::{Secrecy, mask_header, shown_address, shown_url};
pub(crate) use outbox::Outbox;
pub use outbox::RemoteEnd;
pub use probe::{Attempt, Document, Published, Reached, documents, reach};
pub use remote::{Dialect, Header, HttpLimits, Proxying, Remote, Trust};
pub use tls::TrustError;
pub use wire::OpenError;
use wire::Wire;

/// Messages that may wait for the client.
const INBOX: usize = 256;

/// Gets ready to speak to a server. Nothing is sent before the first message is, but in HTTP with SSE, which begins
/// with its stream.
pub fn open_http(remote: &Remote, tap: Tap) -> Result<Link, OpenError> {
    let wire = Wire::open(remote, tap.clone())?;
    let (sender, receiver) = mpsc::channel(INBOX);
    let taker = Taker::default();
    let connection = Connection::start(wire, sender, taker.clone());
    if remote.dialect == Dialect::Sse {
        let opening = connection.clone();
        connection.tasks.spawn(async move {
            if let Err(failure) = legacy::open(&opening).await {
                opening.lose(failure);
            }
        });
    }
    Ok(Link {
        inbound: Inbound::remote(receiver, taker),
        outbound: Outbound::remote(Outbox::new(connection.clone())),
        peer: Peer::Remote(RemoteEnd::new(connection)),
        stderr: StderrTail::default(),
        tap,
    })
}
