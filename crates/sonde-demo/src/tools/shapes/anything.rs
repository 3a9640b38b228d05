//! No schema to speak of.

use rmcp::model::Tool;
use serde_json::json;

pub(super) fn describe() -> Tool {
    super::shape(
        "anything",
        "Anything",
        "Takes any object: its schema says no more than that",
        json!({ "type": "object" }),
    )
}
