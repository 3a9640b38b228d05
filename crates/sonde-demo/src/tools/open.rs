//! `open`: a page for a person, asked for by a request or by an error.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use rmcp::{
    ErrorData,
    model::{ErrorCode, JsonObject, Tool, ToolAnnotations},
};
use serde_json::{Value, json};

use super::{Outcome, object_schema, text};
use crate::{
    arguments::{Arguments, Refusal},
    client::Client,
};

/// The code of an error that asks for a page first.
const PAGE_REQUIRED: ErrorCode = ErrorCode(-32042);

/// A person takes a while on a page; this one takes so long.
const VISIT: Duration = Duration::from_secs(1);

/// The pages that were asked for.
#[derive(Default)]
pub(crate) struct Pages {
    asked: AtomicU64,
    /// Set by an error that asked for a page, cleared by the call that is tried again.
    is_required: AtomicBool,
}

/// Why there is no result: a sentence for the caller, or an error of the protocol.
pub(super) enum Failure {
    Refused(Refusal),
    PageRequired(ErrorData),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}

pub(super) fn describe() -> Tool {
    let properties = json!({
        "how": {
            "type": "string",
            "description": "`request` asks and waits; `error` fails with -32042 first and works when called again",
            "enum": ["request", "error"],
            "default": "request",
        },
    });
    Tool::new("open", "Sends a person to a page, as a server does that needs a login", object_schema(properties, &[]))
        .with_title("Send a person to a page")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(false).open_world(true))
}

pub(super) async fn call(
    arguments: Option<JsonObject>,
    pages: &Pages,
    client: &Client,
) -> Result<rmcp::model::CallToolResult, Failure> {
    let arguments = Arguments::new(arguments, &["how"])?;
    let how = arguments.optional_text("how")?.unwrap_or("request");
    if client.capabilities().elicitation.as_ref().is_none_or(|elicitation| elicitation.url.is_none()) {
        return Err("the client does not offer to show a page: it did not declare `elicitation.url`".to_owned().into());
    }
    match how {
        "request" => Ok(request(pages, client).await?),
        "error" if pages.is_required.fetch_not(Ordering::Relaxed) => Ok(text("the page was opened before")),
        "error" => Err(Failure::PageRequired(error(pages, client))),
        _ => Err("argument `how` must be `request` or `error`".to_owned().into()),
    }
}

async fn request(pages: &Pages, client: &Client) -> Outcome {
    let page = page(pages);
    let answer = client.ask("elicitation/create", Some(page.clone())).await?;
    let action = answer["action"].as_str().unwrap_or("nothing");
    if action == "accept" {
        client.tell("notifications/elicitation/complete", json!({ "elicitationId": page["elicitationId"] })).await?;
    }
    Ok(text(format!("the person chose `{action}`")))
}

fn error(pages: &Pages, client: &Client) -> ErrorData {
    let page = page(pages);
    let (client, id) = (client.clone(), page["elicitationId"].clone());
    tokio::spawn(async move {
        tokio::time::sleep(VISIT).await;
        // A client that is gone needs no news.
        client.tell("notifications/elicitation/complete", json!({ "elicitationId": id })).await.unwrap_or_default();
    });
    ErrorData::new(PAGE_REQUIRED, "a page has to be opened first", Some(json!({ "elicitations": [page] })))
}

fn page(pages: &Pages) -> Value {
    let id = format!("page-{}", pages.asked.fetch_add(1, Ordering::Relaxed) + 1);
    json!({
        "mode": "url",
        "elicitationId": id,
        "url": format!("https://example.com/sonde-demo?elicitation={id}"),
        "message": "Open this page to go on. It knows nothing of you, and the demo does not look whether you were there.",
    })
}
