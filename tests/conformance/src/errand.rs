//! What is done with the server of a scenario.

use anyhow::{Context, Error, Result, anyhow, bail};
use sonde_app::{Answer, ApiError, App, Ask, CallStatus, Catalog, DataFolder, Gate, Setup, TypedUrl};

use crate::arguments;
use crate::form;
use crate::offer::Offer;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// Connect, and look at the tools.
    Look,
    /// The same, then call each tool with as little as its schema lets.
    CallEach,
    /// The same, then give one tool the schema of another, as it came.
    EchoSchema,
}

/// The tool whose schema is given back, and the tool that takes it.
const SHOWN: &str = "json_schema_2020_12_tool";
const ECHO: &str = "json_schema_echo";

impl Errand {
    pub fn of(scenario: &str) -> Self {
        match scenario {
            "initialize" => Errand::Look,
            "json-schema-2020-12-preservation" => Errand::EchoSchema,
            _ => Errand::CallEach,
        }
    }
}

pub async fn run(url: &str, errand: Errand) -> Result<()> {
    let folder = tempfile::tempdir().context("a temporary folder can't be made")?;
    let data = DataFolder::open(Some(folder.path().join("data")))?;
    let mut setup = Setup::here(data, Some(folder.path().to_owned()))?.for_terminal();
    // Nothing but the server of the suite: not even what this person has configured.
    setup.config = None;
    setup.typed = Some(TypedUrl { url: url.to_owned(), ..TypedUrl::default() }.into());
    let app = App::open(setup).await.map_err(told)?;
    let answering = tokio::spawn(form::answer_each(app.clone()));
    let outcome = converse(&app, errand).await;
    answering.abort();
    app.close().await;
    outcome
}

async fn converse(app: &App, errand: Errand) -> Result<()> {
    let server = app.typed().context("the address is not one of a server")?;
    app.connect(&server).await.map_err(told)?;
    app.until_ready(&server).await.map_err(told)?;
    // A server of the suite may have tools without declaring that it has any.
    let listing = app.list(&server, Catalog::Tools, Gate::Open).await.map_err(told)?;
    let offers = listing.entries.iter().map(|entry| Offer::read(entry)).collect::<Result<Vec<_>>>()?;
    match errand {
        Errand::Look => {}
        Errand::CallEach => {
            for offer in &offers {
                call(app, &server, &offer.name, arguments::least(&offer.input_schema)).await?;
            }
        }
        Errand::EchoSchema => {
            let shown = offers.iter().find(|offer| offer.name == SHOWN);
            let shown = shown.with_context(|| format!("`{SHOWN}` is not among the tools"))?;
            let schema = shown.input_schema.get();
            call(app, &server, ECHO, Some(format!(r#"{{"schema":{schema}}}"#))).await?;
        }
    }
    app.disconnect(&server).await.map_err(told)?;
    Ok(())
}

/// Calls a tool that must answer. Without arguments there is no such member.
async fn call(app: &App, server: &str, tool: &str, arguments: Option<String>) -> Result<()> {
    let name = serde_json::to_string(tool)?;
    let params = match arguments {
        Some(arguments) => format!(r#"{{"name":{name},"arguments":{arguments}}}"#),
        None => format!(r#"{{"name":{name}}}"#),
    };
    let ask = Ask { params: Some(params), ..Ask::new(server, "tools/call") };
    let ended = app.begin(ask).await.map_err(told)?.end().await.map_err(told)?;
    if let (Answer::Error { raw, .. }, CallStatus::ProtocolError) = (&ended.answer, ended.status) {
        bail!("`{tool}` was refused: {}", raw.get());
    }
    Ok(())
}

pub fn told(error: ApiError) -> Error {
    anyhow!("{error}")
}
