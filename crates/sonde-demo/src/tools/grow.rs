//! `grow`: lists that change, and the notifications that say so.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::{arguments::Arguments, client::Client, lists::Lists};

const CHANGED: &[&str] =
    &["notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed"];

pub(super) fn describe() -> Tool {
    Tool::new(
        "grow",
        "Gives each list one more entry, called `bonus`, or takes it away again",
        object_schema(json!({}), &[]),
    )
    .with_title("Change the lists")
    .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false))
}

/// The tool that comes and goes.
pub(super) fn describe_bonus() -> Tool {
    Tool::new("bonus", "Is listed only while the lists are grown", object_schema(json!({}), &[])).with_title("Bonus")
}

pub(super) async fn call(arguments: Option<JsonObject>, lists: &Lists, client: &Client) -> Outcome {
    Arguments::new(arguments, &[])?;
    let grown = lists.change();
    for notification in CHANGED {
        client.tell(notification, json!({})).await?;
    }
    Ok(text(if grown { "each list has one more entry" } else { "each list is as it was" }))
}
