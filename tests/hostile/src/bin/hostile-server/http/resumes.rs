//! Streams that break and are taken up again, or that say things twice.

use serde_json::json;

use super::exchange::Exchange;
use super::peer::{self, Act, House, Then};
use super::request::Request;
use super::streams::follow;

/// The answer that a broken stream still owes, by the id of the last event before the break: `CALL.anything`.
fn owed(request: &Request) -> Option<String> {
    let id = request.header("last-event-id")?.split('.').next()?;
    let result = json!({ "content": [{ "type": "text", "text": "resumed" }] });
    Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
}

/// E2. `go {how}`: the stream ends in the middle of the event with the answer. With an id before it (`resume`), the
/// answer comes when the stream is taken up again; without one (`lost`), never. The connection ends in order, but for
/// `cut`, where even the last chunk is missing.
pub async fn half_an_event(_house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if let (Some(answer), "GET") = (owed(request), request.method.as_str()) {
        exchange.stream().await?;
        exchange.event(Some("resumed"), &answer).await?;
        exchange.end().await?;
        return Ok(Some(Then::Next));
    }
    if request.tool() != Some("go") {
        return Ok(None);
    }
    exchange.stream().await?;
    if request.how() == "resume" {
        let first = format!("retry: 10\nid: {}.1\ndata:\n\n", request.message["id"]);
        exchange.chunk(first.as_bytes()).await?;
    }
    let answer = peer::text(request, "never whole");
    let (half, _) = answer.split_at(answer.len() / 2);
    exchange.chunk(format!("data: {half}").as_bytes()).await?;
    if request.how() == "cut" {
        return Ok(Some(Then::Close));
    }
    exchange.end().await?;
    Ok(Some(Then::Next))
}

/// E3. Behind an event with an id comes a chunk that is none, however often the stream is taken up again.
pub async fn broken_chunks(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    let resumed = request.method == "GET" && request.header("last-event-id").is_some();
    if request.tool() != Some("go") && !resumed {
        return Ok(None);
    }
    exchange.stream().await?;
    exchange.chunk(b"retry: 0\nid: broken\ndata:\n\n").await?;
    exchange.raw(b"this is no length\r\n").await?;
    Ok(Some(Then::Close))
}

/// E4. `go {retry}`: the stream says how long to wait before it is taken up again, and ends. Then it answers.
pub async fn odd_pauses(_house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if let (Some(answer), "GET") = (owed(request), request.method.as_str()) {
        exchange.stream().await?;
        exchange.event(None, &answer).await?;
        exchange.end().await?;
        return Ok(Some(Then::Next));
    }
    if request.tool() != Some("go") {
        return Ok(None);
    }
    exchange.stream().await?;
    let retry = request.argument("retry").as_str().unwrap_or_default();
    let event = format!("retry: {retry}\nid: {}.1\ndata:\n\n", request.message["id"]);
    exchange.chunk(event.as_bytes()).await?;
    exchange.end().await?;
    Ok(Some(Then::Next))
}

/// E6. `go` is answered behind every oddity that the rules of event streams know. As `id`, the stream ends after an
/// event with an id that nobody may send back, and answers when it is taken up again.
pub async fn odd_fields(_house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if let (Some(answer), "GET") = (owed(request), request.method.as_str()) {
        exchange.stream().await?;
        exchange.event(None, &answer).await?;
        exchange.end().await?;
        return Ok(Some(Then::Next));
    }
    if request.tool() != Some("go") {
        return Ok(None);
    }
    exchange.stream().await?;
    if request.how() == "id" {
        let good = format!("retry: 10\nid: {}.good\ndata:\n\n", request.message["id"]);
        exchange.chunk(good.as_bytes()).await?;
        let size = usize::try_from(request.number("bytes", 1 << 20)).unwrap_or(1 << 20);
        exchange.chunk(format!("id: {}\n: and with a NUL\nid: one\0two\n\n", "i".repeat(size)).as_bytes()).await?;
        exchange.end().await?;
        return Ok(Some(Then::Next));
    }
    for (bytes, _) in hostile::script::odd_events() {
        exchange.chunk(&bytes).await?;
    }
    exchange.event(None, &peer::text(request, "gone")).await?;
    exchange.end().await?;
    Ok(Some(Then::Next))
}

/// E7. `go {how}`: the answer comes on the open stream too (`streams`), or the stream breaks and everything that was in
/// it comes again when it is taken up (`replay`).
pub async fn twice(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    let told = peer::notification(&json!("told twice"));
    if request.method == "GET" {
        let Some(answer) = owed(request) else { return follow(house, exchange).await };
        let id = request.header("last-event-id").unwrap_or_default().to_owned();
        exchange.stream().await?;
        exchange.event(Some(&id), &told).await?;
        exchange.event(None, &answer).await?;
        exchange.event(None, &answer).await?;
        exchange.end().await?;
        return Ok(Some(Then::Next));
    }
    match (request.tool(), request.how()) {
        (Some("go"), "streams") => {
            let answer = peer::text(request, "gone");
            house.push(format!("data: {answer}\n\n")).await;
            exchange.stream().await?;
            exchange.event(None, &answer).await?;
            exchange.end().await?;
        }
        (Some("go"), _) => {
            exchange.stream().await?;
            exchange.chunk(b"retry: 10\n").await?;
            exchange.event(Some(&format!("{}.1", request.message["id"])), &told).await?;
            exchange.end().await?;
        }
        _ => return Ok(None),
    }
    Ok(Some(Then::Next))
}
