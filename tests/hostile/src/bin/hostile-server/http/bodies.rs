//! Bodies without an end, of another length than they say, or a byte at a time.

use std::io;
use std::time::Duration;

use super::exchange::Exchange;
use super::peer::{self, Act, Then};
use super::request::Request;

/// One of a flood.
const BLOCK: usize = 256 << 10;

/// H1. `go {how, bytes}` is answered with a text of so many bytes: the length told before (`length`), in chunks
/// (`chunked`), or up to the end of the connection (`close`).
pub async fn endless(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let whole = peer::text(request, "");
    // The text goes between its quotation marks, so that whoever reads all of it has a good answer.
    let (before, after) = whole.split_at(whole.find(r#""}]"#).map_or(0, |place| place));
    let bytes = request.number("bytes", 1 << 20);
    let length = (whole.len() as u64 + bytes).to_string();
    let framing = match request.how() {
        "length" => Some(("Content-Length", length.as_str())),
        "chunked" => Some(("Transfer-Encoding", "chunked")),
        _ => None,
    };
    let headers = [Some(("Content-Type", "application/json")), framing].into_iter().flatten().collect::<Vec<_>>();
    exchange.head("200 OK", &headers).await?;
    let framing = if request.how() == "chunked" { Framing::Chunks } else { Framing::Nothing };
    framing.send(exchange, before.as_bytes()).await?;
    framing.fill(exchange, bytes).await?;
    framing.send(exchange, after.as_bytes()).await?;
    if framing == Framing::Chunks {
        exchange.end().await?;
    }
    exchange.body.whole = true;
    Ok(Some(if request.how() == "close" { Then::Close } else { Then::Next }))
}

/// H2. `go {how, status, bytes}`: an error with a body that is a flood (`flood`), or that begins and never goes on
/// (`silence`).
pub async fn endless_errors(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let status = format!("{} Not Now", request.number("status", 500));
    let headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")];
    exchange.head(&status, &headers).await?;
    exchange.chunk(br#"{"jsonrpc":"2.0","error":{"code":-32000,"message":""#).await?;
    if request.how() == "flood" {
        Framing::Chunks.fill(exchange, request.number("bytes", 1 << 20)).await?;
    }
    exchange.wait_for_the_end().await?;
    Ok(Some(Then::Close))
}

/// H3. `go {how}`: a body whose length is not what the headers say. Behind the short one stands what a careless client
/// takes for the answer to its next request.
pub async fn wrong_lengths(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let body = peer::text(request, "gone");
    let smuggled = peer::text(request, "smuggled");
    let behind = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{smuggled}",
        smuggled.len()
    );
    let (right, chunked) = (body.len(), ("Transfer-Encoding", "chunked"));
    let lengths: Vec<String> = match request.how() {
        "short" => vec![(right - 5).to_string()],
        "long" => vec![(right + 100).to_string()],
        "negative" => vec!["-5".to_owned()],
        "text" => vec!["all of it".to_owned()],
        "huge" => vec!["99999999999999999999999".to_owned()],
        "twice" => vec![right.to_string(), (right - 7).to_string()],
        "list" => vec![format!("{right}, {}", right - 7)],
        _ => vec![(right - 5).to_string()],
    };
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(lengths.iter().map(|length| ("Content-Length", length.as_str())));
    if request.how() == "with-chunks" {
        headers.push(chunked);
        exchange.head("200 OK", &headers).await?;
        exchange.chunk(body.as_bytes()).await?;
        exchange.raw(b"0\r\n\r\n").await?;
    } else {
        exchange.head("200 OK", &headers).await?;
        exchange.part(body.as_bytes()).await?;
    }
    if matches!(request.how(), "short" | "with-chunks" | "twice" | "list") {
        exchange.raw(behind.as_bytes()).await?;
        return Ok(Some(Then::Next));
    }
    Ok(Some(Then::Close))
}

/// H4. `go {how, gap_ms}` and, in the form `slow`, also `initialize`: a byte of the headers at a time, or of the body.
pub async fn slow(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    let slow = request.variant() == "slow" && request.rpc() == "initialize";
    if request.tool() != Some("go") && !slow {
        return Ok(None);
    }
    let gap = Duration::from_millis(request.number("gap_ms", 100));
    let body = peer::reply(request);
    if request.how() == "body" {
        let length = body.len().to_string();
        exchange.head("200 OK", &[("Content-Type", "application/json"), ("Content-Length", &length)]).await?;
        for byte in body.bytes() {
            exchange.part(&[byte]).await?;
            tokio::time::sleep(gap).await;
        }
        exchange.body.whole = true;
        return Ok(Some(Then::Next));
    }
    for byte in "HTTP/1.1 200 OK\r\nX-Slow: ".bytes().chain(std::iter::repeat(b'.')) {
        exchange.raw(&[byte]).await?;
        tokio::time::sleep(gap).await;
    }
    Ok(Some(Then::Close))
}

/// What stands between the parts of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Nothing,
    Chunks,
}

impl Framing {
    async fn send(self, exchange: &mut Exchange<'_>, bytes: &[u8]) -> io::Result<()> {
        match self {
            Framing::Nothing => exchange.part(bytes).await,
            Framing::Chunks => exchange.chunk(bytes).await,
        }
    }

    /// So many bytes of text, without holding them all.
    async fn fill(self, exchange: &mut Exchange<'_>, mut bytes: u64) -> io::Result<()> {
        let block = vec![b'x'; BLOCK];
        while bytes > 0 {
            let length = usize::try_from(bytes).unwrap_or(BLOCK).min(BLOCK);
            self.send(exchange, block.get(..length).unwrap_or(&block)).await?;
            bytes -= length as u64;
        }
        Ok(())
    }
}
