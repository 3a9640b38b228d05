//! Ways to somewhere else.

use super::exchange::Exchange;
use super::peer::{Act, House, Then};
use super::request::Request;

/// H9, H10, H11. `go {status, how}` sends the client away. `/hop/N` sends it to `/hop/N-1`, and `/hop/0` answers.
pub async fn redirect(house: &House, exchange: &mut Exchange<'_>, request: &Request) -> Act {
    let hop = request.target.strip_prefix("/hop/").and_then(|number| number.parse::<u32>().ok());
    let ours = format!("http://127.0.0.1:{}", house.port);
    let to = match (hop, request.tool()) {
        (Some(0), _) => return Ok(None),
        (Some(hop), _) => format!("/hop/{}", hop - 1),
        (None, Some("go")) => match request.how() {
            "stranger" => format!("http://127.0.0.1:{}/steal", house.stranger),
            "without-scheme" => format!("//127.0.0.1:{}/steal", house.stranger),
            "host" => format!("http://localhost:{}/steal", house.port),
            "user" => format!("http://user:word@127.0.0.1:{}/steal", house.stranger),
            "file" => "file:///etc/passwd".to_owned(),
            "ftp" => format!("ftp://127.0.0.1:{}/steal", house.stranger),
            "script" => "javascript:alert(1)".to_owned(),
            "broken" => "http://[::1".to_owned(),
            "empty" => String::new(),
            "loop" => request.target.clone(),
            "absolute" => format!("{ours}/hop/0"),
            hops => format!("/hop/{hops}"),
        },
        _ => return Ok(None),
    };
    let status = format!("{} Elsewhere", request.number("status", 307));
    let headers: &[_] = if request.how() == "nowhere" { &[] } else { &[("Location", to.as_str())] };
    exchange.answer(&status, headers, b"").await?;
    Ok(Some(Then::Next))
}
