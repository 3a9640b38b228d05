//! A server that wants the person to visit a page.

use serde_json::Value;
use sonde_app::Reply;

use super::action;
use super::conversation::heading;
use crate::output::content::member;
use crate::session::Session;

pub async fn ask(session: &Session, server: &str, params: &Value) -> Reply {
    let message = member(params, "message").unwrap_or_default();
    let url = member(params, "url").unwrap_or_default();
    action(consent(session, server, message, url).await)
}

/// Shows the whole address and asks; gives `accept`, `decline` or `cancel`. Nothing is opened by itself.
pub async fn consent(session: &Session, server: &str, message: &str, url: &str) -> &'static str {
    let console = &session.console;
    let surface = console.err;
    console.say(&heading(surface, server, "wants you to open a page in your browser", message));
    console.say(&format!("  page: {}\n  host: {}", surface.line(url), surface.bold(&surface.line(host(url)))));
    let words = ["accept", "decline", "cancel"];
    let chosen = session.terminal.choice(console, "  accept, decline or cancel? ", &words).await;
    match chosen {
        Some("accept") => {
            console.say("  open the page yourself; Sonde opens nothing");
            "accept"
        }
        Some("decline") => "decline",
        _ => "cancel",
    }
}

/// The part that says whose page it is: without the name and password that can pretend to be one.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_what_a_browser_would_visit() {
        assert_eq!(host("https://example.com/a@b"), "example.com");
        assert_eq!(host("https://bank.example:x@evil.example:8443/?q"), "evil.example:8443");
        assert_eq!(host("https://evil.example\\@bank.example/"), "evil.example");
        assert_eq!(host("nonsense"), "nonsense");
    }
}
