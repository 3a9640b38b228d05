//! Event streams: ones that end at once for ever, ones that are too large, ones that say nothing, a thousand at a time.

use std::io;
use std::time::Duration;

use serde_json::json;

use super::exchange::Exchange;
use super::peer::{self, Act, House, Then};
use super::request::Request;

/// E1. The open stream says `retry: 0` (`retry`), or nothing (`empty`), and ends, however often it is opened. In the
/// form `poll` a call of `go` is answered in the same way, and never.
pub async fn closes_for_ever(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    let polled = request.variant() == "poll" && request.tool() == Some("go");
    if request.method != "GET" && !polled {
        return Ok(None);
    }
    if request.variant() == "poll" && request.method == "GET" && request.header("last-event-id").is_none() {
        return Ok(None);
    }
    exchange.stream().await?;
    match request.variant() {
        "retry" => exchange.chunk(b"retry: 0\n\n").await?,
        "poll" => exchange.chunk(format!("retry: 0\nid: poll-{}\ndata:\n\n", house.count("poll")).as_bytes()).await?,
        _ => {}
    }
    exchange.end().await?;
    Ok(Some(Then::Next))
}

/// E5. `go {how, bytes}`: an event of so many bytes in one line (`event`) or in so many lines (`lines`), or comments of
/// so many bytes (`comments`), and then the answer.
pub async fn large_events(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let bytes = request.number("bytes", 1 << 20);
    exchange.stream().await?;
    match request.how() {
        "event" => {
            exchange.chunk(b"data: \"").await?;
            repeat(exchange, &[b'x'; 64 << 10], bytes / (64 << 10)).await?;
            exchange.chunk(b"\"\n\n").await?;
        }
        "lines" => {
            // White space between two tokens may be as long as it likes: the whole is one good message.
            exchange.chunk(b"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\n").await?;
            repeat(exchange, &b"data:\n".repeat(1000), bytes / 1000).await?;
            exchange.chunk(b"data: \"params\":{\"level\":\"info\",\"data\":\"lines\"}}\n\n").await?;
        }
        _ => {
            let comment = [b":".as_slice(), &[b'c'; 62], b"\n"].concat().repeat(1024);
            repeat(exchange, &comment, bytes / comment.len() as u64).await?;
        }
    }
    exchange.event(None, &peer::text(request, "gone")).await?;
    exchange.end().await?;
    Ok(Some(Then::Next))
}

async fn repeat(exchange: &mut Exchange<'_>, bytes: &[u8], times: u64) -> io::Result<()> {
    for _ in 0..times {
        exchange.chunk(bytes).await?;
    }
    Ok(())
}

/// E8. The form is the status of every attempt to open a stream.
pub async fn no_stream(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.method != "GET" {
        return Ok(None);
    }
    let status = format!("{} No Stream", request.variant());
    let headers = [("Content-Type", "text/plain"), ("WWW-Authenticate", "Bearer realm=\"streams\"")];
    exchange.answer(&status, &headers, b"not here").await?;
    Ok(Some(Then::Next))
}

/// E11. The open stream has comments and nothing else: `go {count}` sends so many, and one message behind them.
pub async fn kept_alive(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() == Some("go") {
        for _ in 0..request.number("count", 100) {
            house.push(": still here\n\n".to_owned()).await;
        }
        let data = json!("behind the comments");
        house.push(format!("data: {}\n\n", peer::notification(&data))).await;
        return Ok(None);
    }
    if request.method != "GET" {
        return Ok(None);
    }
    follow(house, exchange).await
}

/// Opens the stream and sends what is pushed into it, until somebody opens another.
pub async fn follow(house: &House, exchange: &mut Exchange<'_>) -> Act {
    let mut pushed = house.open();
    exchange.stream().await?;
    while let Some(event) = pushed.recv().await {
        exchange.chunk(event.as_bytes()).await?;
    }
    exchange.end().await?;
    Ok(Some(Then::Next))
}

/// E12. Every call of `go {together}` is answered by a stream of its own. The first so many stay open until all of them
/// are, or for a while.
pub async fn parallel(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    house.diary.note("opened", json!({}));
    exchange.stream().await?;
    exchange.event(None, &peer::notification(&json!("open"))).await?;
    if house.count("opened") < request.number("together", 1) {
        // Nobody who opens fewer at once has to wait for ever.
        tokio::time::timeout(Duration::from_secs(5), house.gathered.subscribe().wait_for(|all| *all)).await.ok();
    } else {
        house.gathered.send_replace(true);
    }
    house.diary.note("closing", json!({}));
    exchange.event(None, &peer::text(request, "gone")).await?;
    exchange.end().await?;
    Ok(Some(Then::Next))
}
