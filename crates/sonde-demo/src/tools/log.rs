//! `log`: a message of every level that the client wants.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::{
    arguments::Arguments,
    client::Client,
    levels::{LEVELS, Levels},
};

pub(super) fn describe() -> Tool {
    let properties = json!({
        "message": {
            "type": "string",
            "description": "What the messages say",
            "default": "this was logged on purpose",
        },
    });
    Tool::new(
        "log",
        "Logs a message of every level that is wanted, `debug` to `emergency`",
        object_schema(properties, &[]),
    )
    .with_title("Write log messages")
    .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) async fn call(arguments: Option<JsonObject>, levels: &Levels, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["message"])?;
    let message = arguments.optional_text("message")?.unwrap_or("this was logged on purpose");
    let mut sent = 0;
    for level in LEVELS.iter().copied().filter(|level| levels.want(level)) {
        let data = json!({ "text": message, "level": level });
        client.tell("notifications/message", json!({ "level": level, "logger": "log", "data": data })).await?;
        sent += 1;
    }
    Ok(text(format!("sent {sent} of {} messages", LEVELS.len())))
}
