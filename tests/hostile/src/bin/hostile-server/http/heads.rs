//! Heads: headers that are too many, too large or forbidden; statuses that mean something; types that mean nothing.

use super::exchange::Exchange;
use super::peer::{self, Act, House, Then};
use super::request::Request;

/// H6. `go {how}`: ten thousand headers (`many`), one of ten mebibytes (`large`), a carriage return, a line feed or a
/// NUL inside a value (`cr`, `lf`, `nul`), a name that is none (`name`). In the form `twice`, two sessions at once.
pub async fn odd_headers(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.variant() == "twice" && request.rpc() == "initialize" {
        let sessions = [("Mcp-Session-Id", "first-of-two"), ("Mcp-Session-Id", "second-of-two")];
        exchange.json("200 OK", &sessions, &peer::reply(request)).await?;
        return Ok(Some(Then::Next));
    }
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let body = peer::reply(request);
    let count = usize::try_from(request.number("count", 10_000)).unwrap_or(10_000);
    let more = match request.how() {
        "many" => (0..count).map(|number| format!("X-Many-{number}: value {number}\r\n")).collect(),
        "large" => format!("X-Large: {}\r\n", "x".repeat(count)),
        "cr" => "X-Odd: one\rSet-Cookie: two\r\n".to_owned(),
        "lf" => "X-Odd: one\nX-Injected: two\r\n".to_owned(),
        "nul" => "X-Odd: one\0two\r\n".to_owned(),
        "name" => "X Odd Name: value\r\n".to_owned(),
        // What a terminal or a page would take for an order.
        _ => "X-Odd: \u{1b}[2J<b>\u{202e}\r\n".to_owned(),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n");
    exchange.raw(head.as_bytes()).await?;
    // The number of this answer is not among its headers, so nobody can compare its body with the log's.
    exchange.raw(body.as_bytes()).await?;
    Ok(Some(Then::Close))
}

/// H7. `go {status, after}`: too busy, with the values of `Retry-After` between bars. In the form `busy` the list of
/// tools is refused twice before it is given; in the form `patient` it is never given.
pub async fn too_busy(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    let (status, after) = match (request.variant(), request.rpc(), request.tool()) {
        ("busy", "tools/list", _) if house.count("busy") <= 2 => (503, "0"),
        ("patient", "tools/list", _) => (503, "1000000000000"),
        (_, _, Some("go")) => (request.number("status", 429), request.argument("after").as_str().unwrap_or("")),
        _ => return Ok(None),
    };
    let headers: Vec<_> =
        after.split('|').filter(|value| !value.is_empty()).map(|value| ("Retry-After", value)).collect();
    let headers = [headers, vec![("Content-Type", "text/plain")]].concat();
    exchange.answer(&format!("{status} Busy"), &headers, b"come back later").await?;
    Ok(Some(Then::Next))
}

/// H8. A call of `go` makes it forget its sessions; in the form `loop` it never knows any.
pub async fn lost_sessions(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() == Some("go") && !house.is_forgotten(request) {
        house.forget();
        return Ok(None);
    }
    let known = request.header("mcp-session-id").is_none();
    if house.is_forgotten(request) || (request.variant() == "loop" && !known) {
        exchange.answer("404 Not Found", &[("Content-Type", "text/plain")], b"no such session").await?;
        return Ok(Some(Then::Next));
    }
    Ok(None)
}

/// H12. `go {how}`: a good answer under the wrong type, under none or under two; a page to log in; nothing at all.
pub async fn wrong_types(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let body = peer::reply(request);
    let page = "<!doctype html><title>Log in</title><script>alert(1)</script><form>who are you?</form>";
    let (types, body): (&[&str], &str) = match request.how() {
        "wrong" => (&["image/png"], &body),
        "none" => (&[], &body),
        "twice" => (&["application/json", "text/html"], &body),
        "broken" => (&["application//json;;;"], &body),
        "page" => (&["text/html"], page),
        "empty" => (&["application/json"], ""),
        "bare" => (&[], ""),
        "not-json" => (&["application/json"], "certainly, here it is:"),
        "not-events" => (&["text/event-stream"], &body),
        _ => (&["application/json; charset=utf-8"], &body),
    };
    let types: Vec<_> = types.iter().map(|kind| ("Content-Type", *kind)).collect();
    exchange.answer("200 OK", &types, body.as_bytes()).await?;
    Ok(Some(Then::Next))
}

/// H17. The answer to `initialize` has a session id that is none; the form says which.
pub async fn odd_sessions(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.rpc() != "initialize" {
        return Ok(None);
    }
    let session = match request.variant() {
        "spaces" => "one two three".to_owned(),
        "control" => "one\u{1}two".to_owned(),
        "tab" => "one\ttwo".to_owned(),
        "long" => "s".repeat(8 << 10),
        "wide" => "sé漢".to_owned(),
        "delete" => "one\u{7f}two".to_owned(),
        _ => String::new(),
    };
    exchange.json("200 OK", &[("Mcp-Session-Id", &session)], &peer::reply(request)).await?;
    Ok(Some(Then::Next))
}

/// X2. Says again what it was told in its headers: in a header, in a result, in an error, in a refusal.
pub async fn repeats(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let told = ["authorization", "x-api-key"].map(|name| request.header(name).unwrap_or_default()).join(" and ");
    let quoted = serde_json::Value::from(told.as_str());
    let id = &request.message["id"];
    match request.how() {
        "header" => {
            let body = peer::text(request, "it stands in the head");
            exchange.json("200 OK", &[("X-Echo", told.as_str())], &body).await?;
        }
        "error" => {
            let error = format!(r#"{{"code":-32000,"message":{quoted},"data":{{"again":{quoted}}}}}"#);
            exchange.json("200 OK", &[], &format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)).await?;
        }
        "refusal" => {
            let challenge = format!("Bearer error_description=\"{told}\"");
            exchange.answer("401 Unauthorized", &[("WWW-Authenticate", challenge.as_str())], told.as_bytes()).await?;
        }
        _ => exchange.json("200 OK", &[], &peer::text(request, &told)).await?,
    }
    Ok(Some(Then::Next))
}
