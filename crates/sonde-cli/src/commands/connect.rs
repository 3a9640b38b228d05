//! `sonde connect`

use std::sync::Arc;

use serde_json::Value;
use sonde_app::{Launch, LogView, ServerDetail};

use super::follow::Follower;
use super::pick;
use crate::arguments::{Connect, Format, Place};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};
use crate::output::capabilities::in_words;
use crate::output::content::member;
use crate::output::json::JsonText;
use crate::session;

pub async fn run(place: &Place, connect: Connect, console: &Arc<Console>) -> Result<Exit, Failure> {
    let server = pick::one_server(&connect.target, connect.named.as_slice())?;
    session::run(place, Some(&connect.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let detail = session.app.describe(&id).map_err(Failure::after_ready)?;
        match console.format {
            Format::Json => console.print_line(&as_json(&detail))?,
            Format::Text => console.print(&as_text(console.out, &detail))?,
        }
        if !connect.follow {
            return Ok(Exit::Ok);
        }
        let view = LogView { connection: session.app.connection(&id), ..LogView::default() };
        Follower::from(view, 0).follow(session, &id).await
    })
    .await
}

fn as_text(surface: Surface, detail: &ServerDetail) -> String {
    let info: Value =
        detail.server_info.as_deref().and_then(|info| serde_json::from_str(info).ok()).unwrap_or_default();
    let word = |name: &str| member(&info, name).map(|text| surface.line(text).into_owned());
    let mut lines: Vec<(&str, String)> = vec![("server", detail.summary.id.clone())];
    let name = [word("name"), word("version")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    lines.push(("says it is", if name.is_empty() { "nothing about itself".to_owned() } else { name }));
    for (label, name) in [("title", "title"), ("about", "description"), ("website", "websiteUrl")] {
        lines.extend(word(name).map(|text| (label, text)));
    }
    // Without an `initialize` nobody agreed on the revision that we go by.
    let assumed = if detail.summary.latency_ms.is_none() { " (assumed, nothing was negotiated)" } else { "" };
    lines.push(("revision", format!("{}{assumed}", detail.summary.revision.as_deref().unwrap_or("none"))));
    lines.extend(detail.summary.latency_ms.map(|ms| ("answered in", format!("{ms:.1} ms"))));
    lines.extend(detail.summary.pid.map(|pid| ("process", pid.to_string())));
    lines.extend(reached(surface, detail));
    lines.extend(declared(surface, "declares", detail.server_capabilities.as_deref().unwrap_or("{}")));
    lines.extend(declared(surface, "we declare", &detail.client_capabilities));
    let mut text: String = lines
        .iter()
        .map(|(label, value)| format!("{}{value}", surface.dim(&format!("{label:<13}"))).trim_end().to_owned() + "\n")
        .collect();
    if let Some(instructions) = &detail.instructions {
        text.push_str(&format!("{}\n", surface.dim("instructions")));
        text.extend(surface.block(instructions).lines().map(|line| format!("  {line}\n")));
    }
    text
}

/// What there is to know of a connection by HTTP.
fn reached(surface: Surface, detail: &ServerDetail) -> Vec<(&'static str, String)> {
    let Launch::Url(launch) = &detail.launch else { return Vec::new() };
    let mut lines =
        vec![("url", surface.line(&launch.url).into_owned()), ("transport", detail.summary.transport.clone())];
    lines.push(("session", detail.session.clone().unwrap_or_else(|| "none".to_owned())));
    if let Some(tls) = &detail.tls {
        let version = tls.version.as_deref().unwrap_or("TLS");
        lines.push(("encrypted", surface.line(&format!("{version}, {}", tls.trusted)).into_owned()));
        lines.push(("certificate", surface.line(&format!("{} by {}", tls.subject, tls.issuer)).into_owned()));
        lines.push(("valid until", tls.not_after.clone()));
        lines.push(("sha256", tls.fingerprint.clone()));
    }
    lines
}

/// One capability in a line, the label before the first.
fn declared(surface: Surface, label: &'static str, capabilities: &str) -> Vec<(&'static str, String)> {
    let words = in_words(capabilities);
    if words.is_empty() {
        return vec![(label, "nothing".to_owned())];
    }
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels.zip(words).map(|(label, words)| (label, surface.line(&words).into_owned())).collect()
}

/// What both sides said, as they said it.
fn as_json(detail: &ServerDetail) -> String {
    let mut json = JsonText::object();
    json.value("server", &detail.summary.id)
        .value("protocolVersion", &detail.summary.revision)
        .raw_or_null("serverInfo", detail.server_info.as_deref())
        .raw_or_null("capabilities", detail.server_capabilities.as_deref())
        .raw("clientCapabilities", &detail.client_capabilities)
        .value("instructions", &detail.instructions)
        .value("latency_ms", &detail.summary.latency_ms)
        .value("pid", &detail.summary.pid)
        .value("transport", &detail.summary.transport)
        .value("session", &detail.session)
        .value("tls", &detail.tls);
    json.finish()
}
