//! Connections that end in the middle of something.

use std::io;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::exchange::{Connection, Exchange};
use super::peer::{self, Act, House, Then};
use super::request::Request;

/// H15. `go {how}`: a reset instead of an answer (`headers`), in the middle of its headers (`head`) or of its body
/// (`body`, `chunk`), or right behind it (`after`).
pub async fn break_off(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let body = peer::reply(request);
    let (half, _) = body.split_at(body.len() / 2);
    match request.how() {
        "headers" => {}
        "head" => exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: appli").await?,
        "body" => {
            let length = body.len().to_string();
            exchange.head("200 OK", &[("Content-Type", "application/json"), ("Content-Length", &length)]).await?;
            exchange.part(half.as_bytes()).await?;
        }
        "chunk" => {
            let headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")];
            exchange.head("200 OK", &headers).await?;
            exchange.chunk(half.as_bytes()).await?;
        }
        _ => exchange.json("200 OK", &[], &body).await?,
    }
    // What was written has to be on its way first: a reset overtakes what still lies in the socket.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    Ok(Some(Then::Reset))
}

/// H15. Reads the beginning of a handshake and goes.
pub async fn reset_the_handshake(mut stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    let mut hello = [0; 16];
    stream.read_exact(&mut hello).await?;
    house.diary.note("handshake", serde_json::json!({}));
    Connection::plain(stream)?.reset()
}

/// H13. In the form `changing` every request needs a connection, and so a handshake, of its own.
pub async fn one_request_each(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.variant() != "changing" || request.id().is_none() {
        return Ok(None);
    }
    exchange.json("200 OK", &[("Connection", "close")], &peer::reply(request)).await?;
    Ok(Some(Then::Close))
}
