//! A server at an address: the way there, what it answers, and what it publishes.

use std::time::Duration;

use serde_json::Value;
use sonde_protocol::{HttpExchange, TlsFacts, challenges};
use sonde_transport::{Document, Published, Reached, Remote, reach};
use time::OffsetDateTime;

use super::report::Report;
use crate::app::App;
use crate::server::{Server, Start, Trial};
use crate::text::{clip, visible};

/// What follows once it may be spoken to.
pub(super) const STEPS: [&str; 5] = ["look up the host", "connect", "encrypt", "ask `initialize` by HTTP", "negotiate"];

/// Characters of a document that are shown.
const SHOWN: usize = 300;
/// A certificate that ends sooner is worth a word.
const SOON: i64 = 14 * 24 * 3600;

const PROTECTED: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

pub(super) async fn look_from_outside(remote: &Remote, report: &mut Report) {
    let (addresses, looked_up, attempts) = match reach(remote).await {
        Reached::Directly { addresses, looked_up, attempts } => (addresses, looked_up, attempts),
        Reached::ByProxy => {
            report.skip("look up the host", "a proxy does it");
            report.skip("connect", "a proxy does it");
            return;
        }
    };
    let host = remote.url.host_str().unwrap_or_default();
    match &addresses {
        Ok(found) => {
            report.timed("look up the host", looked_up, format!("`{host}` has {}", counted(found.len(), "address")));
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            report.fact("addresses", found.join("\n"));
        }
        Err(problem) => {
            report.ill("look up the host", format!("`{host}` was not found: {problem}"));
            report.skip("connect", "not done, because the host is not known");
            return;
        }
    }
    let refused: Vec<String> = attempts
        .iter()
        .filter_map(|attempt| Some(format!("{}: {}", attempt.address, attempt.outcome.as_ref().err()?)))
        .collect();
    let connected = attempts.iter().find_map(|attempt| Some((attempt.address, attempt.outcome.as_ref().ok()?)));
    match connected {
        Some((address, took)) => report.timed("connect", *took, format!("{address} takes connections")),
        None => report.ill("connect", "none of its addresses takes connections"),
    }
    if !refused.is_empty() {
        report.fact("refused", refused.join("\n"));
    }
}

/// What the trial saw of encryption and HTTP.
pub(super) fn read_exchanges(remote: &Remote, trial: &Trial, report: &mut Report) {
    let answered = trial.exchanges.iter().find(|exchange| exchange.response.is_some());
    match (remote.url.scheme(), answered.and_then(|exchange| exchange.tls.as_ref())) {
        ("https", Some(tls)) => read_tls(tls, answered.and_then(|exchange| exchange.phases.tls), report),
        ("https", None) => report.ill("encrypt", "no encrypted connection came about, or nothing is known of it"),
        _ => report.skip("encrypt", "the address is not encrypted"),
    }
    let Some(exchange) = answered else {
        report.ill("ask `initialize` by HTTP", "there was no answer");
        return;
    };
    read_head(exchange, trial.first_answer.as_deref(), report);
}

fn read_tls(tls: &TlsFacts, took: Option<u64>, report: &mut Report) {
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let version = tls.version.as_deref().unwrap_or("TLS");
    let took = took.map(Duration::from_nanos);
    match tls.not_after - now < SOON {
        true => report.odd(
            "encrypt",
            took,
            format!("{version}; the certificate ends on {}", day(tls.not_after)),
            "the server's certificate must be renewed soon",
        ),
        false => match took {
            Some(took) => report.timed("encrypt", took, format!("{version}, trusted {}", tls.trusted)),
            None => report.well("encrypt", format!("{version}, trusted {}", tls.trusted)),
        },
    }
    report.fact("certificate of", visible(&tls.subject));
    report.fact("issued by", visible(&tls.issuer));
    report.fact("names", visible(&tls.names.join(", ")));
    report.fact("valid", format!("{} to {}", day(tls.not_before), day(tls.not_after)));
    report.fact("fingerprint", format!("sha256:{}", tls.fingerprint));
}

fn read_head(exchange: &HttpExchange, body: Option<&str>, report: &mut Report) {
    const NAME: &str = "ask `initialize` by HTTP";
    let Some(head) = &exchange.response else { return };
    let headers = head.headers.pairs();
    let header = |wanted: &str| {
        let found = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| visible(&clip(value, SHOWN)))
    };
    let found = format!("{} {}", head.version, head.status);
    match (head.status, exchange.phases.first_byte) {
        (200..300, Some(took)) => report.timed(NAME, Duration::from_nanos(took), found),
        (200..300, None) => report.well(NAME, found),
        _ => report.ill(NAME, found),
    }
    report.fact("content type", header("content-type").unwrap_or_else(|| "not said".to_owned()));
    if let Some(body) = body {
        report.fact("first bytes", visible(body));
    }
    for challenge in headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate")) {
        for challenge in challenges(&challenge.1) {
            let params = challenge.params.iter().map(|(name, value)| format!("{name}={value}"));
            let words: Vec<String> = std::iter::once(challenge.scheme.clone()).chain(params).collect();
            report.fact("asks for", visible(&clip(&words.join(" · "), SHOWN)));
            report.fact("which means", meaning(&challenge.scheme, challenge.param("error")));
        }
    }
}

/// What a challenge wants of us.
fn meaning(scheme: &str, error: Option<&str>) -> String {
    let wants = match scheme.to_ascii_lowercase().as_str() {
        "bearer" => "a token in the header `Authorization`, most often one by OAuth",
        "basic" => "a user and a password in the header `Authorization`",
        _ => "credentials of this scheme in the header `Authorization`",
    };
    match error {
        Some("invalid_token") => format!("{wants}; the one that was sent is not valid, or has expired"),
        Some("insufficient_scope") => format!("{wants}; the one that was sent is not enough"),
        _ => wants.to_owned(),
    }
}

/// What its origin publishes about how to get in.
pub(super) async fn read_documents(app: &App, server: &Server, launch: &Start, remote: &Remote, report: &mut Report) {
    let own = remote.url.path();
    let mut paths = vec![PROTECTED.to_owned(), SERVER.to_owned(), OPENID.to_owned()];
    if own != "/" {
        paths.insert(0, format!("{PROTECTED}{own}"));
    }
    match app.published(server, launch, &paths).await {
        Ok(documents) => documents.iter().for_each(|document| read_document(remote, document, report)),
        Err(error) => report.skip("read well-known documents", &error.message),
    }
}

fn read_document(remote: &Remote, document: &Document, report: &mut Report) {
    let path = document.url.find("/.well-known").and_then(|start| document.url.get(start..));
    let name = format!("read {}", path.unwrap_or(&document.url));
    let published = match &document.answer {
        Ok(published) => published,
        Err(failure) => return report.skip(&name, &visible(&failure.to_string())),
    };
    let Published { status, content_type, body, cut } = published;
    if !(200..300).contains(status) {
        return report.skip(&name, &format!("HTTP {status}: not published"));
    }
    let text = String::from_utf8_lossy(body);
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(members)) if !cut => {
            let resource = members.get("resource").and_then(Value::as_str);
            match resource.filter(|resource| !covers(resource, remote)) {
                Some(other) => report.odd(
                    &name,
                    Some(document.took),
                    format!("it describes another resource: {}", visible(&clip(other, SHOWN))),
                    "the document must name the address of this server, or tokens for it are refused",
                ),
                None => report.timed(&name, document.took, "published"),
            }
            for member in ["resource", "authorization_servers", "issuer", "authorization_endpoint", "scopes_supported"]
            {
                if let Some(value) = members.get(member) {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    report.fact(member, visible(&clip(&value, SHOWN)));
                }
            }
        }
        _ => {
            let said = content_type.as_deref().unwrap_or("of no said type");
            let found = format!("HTTP {status}, but no JSON object ({})", visible(said));
            report.odd(&name, Some(document.took), found, "a page that answers everything hides what is not there");
            report.fact("first bytes", visible(&clip(&text, SHOWN)));
        }
    }
}

/// Whether a token for that resource is one for this server.
fn covers(resource: &str, remote: &Remote) -> bool {
    let own = remote.url.as_str().trim_end_matches('/');
    let resource = resource.trim_end_matches('/');
    own == resource || own.strip_prefix(resource).is_some_and(|rest| rest.starts_with(['/', '?']))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}es") }
}

fn day(seconds: i64) -> String {
    OffsetDateTime::from_unix_timestamp(seconds).map_or_else(|_| "?".to_owned(), |time| time.date().to_string())
}
