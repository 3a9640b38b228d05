//! `note`: writes a resource, and whoever subscribed to it is told.

use rmcp::model::{JsonObject, ResourceUpdatedNotificationParam, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::{arguments::Arguments, resources::NOTE_URI, server::DemoServer};

/// A note is one, and not a store for whatever a client has.
const LONGEST: usize = 64 * 1024;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "text": { "type": "string", "description": "What the note says from now on", "maxLength": LONGEST },
    });
    Tool::new(
        "note",
        "Writes the resource `demo://note`, and tells whoever subscribed to it",
        object_schema(properties, &["text"]),
    )
    .with_title("Write a note")
    .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false))
}

pub(super) async fn call(
    arguments: Option<JsonObject>,
    server: &DemoServer,
    peer: &rmcp::Peer<rmcp::RoleServer>,
) -> Outcome {
    let arguments = Arguments::new(arguments, &["text"])?;
    let note = arguments.text("text")?;
    if note.len() > LONGEST {
        return Err(format!("argument `text` must have at most {LONGEST} bytes"));
    }
    server.lists.write_note(note);
    if !server.subscriptions.has(NOTE_URI) {
        return Ok(text("written; nobody has subscribed to it"));
    }
    let told = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(NOTE_URI)).await;
    told.map_err(|error| format!("written, but nobody could be told: {error}"))?;
    Ok(text("written and told"))
}
