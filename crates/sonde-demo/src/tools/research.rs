//! `research`: work that can be done as a task and in no other way.

use std::time::Duration;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::{arguments::Arguments, client::Client};

/// How it may end beside by being cancelled.
const ENDS: &[&str] = &["found", "failed"];

const STAGES: u32 = 4;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "subject": { "type": "string", "description": "What to look for" },
        "end": { "type": "string", "description": "How it ends", "enum": ENDS, "default": "found" },
        "seconds": {
            "type": "number",
            "description": "How long it takes",
            "default": 4,
            "minimum": 0,
            "maximum": 3600,
        },
    });
    Tool::new("research", "Looks for something; can only be called as a task", object_schema(properties, &["subject"]))
        .with_title("Research as a task")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) async fn call(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["subject", "end", "seconds"])?;
    let subject = arguments.text("subject")?;
    let end = arguments.optional_text("end")?.unwrap_or("found");
    if !ENDS.contains(&end) {
        return Err(format!("argument `end` must be one of {ENDS:?}"));
    }
    let seconds = arguments.number_or("seconds", 4.0, 0.0..=3600.0)?;
    let each = Duration::from_secs_f64(seconds / f64::from(STAGES));
    for stage in 1..=STAGES {
        client.begin_step(stage, STAGES, format!("looking in place {stage} of {STAGES}")).await?;
        client.unless_cancelled(tokio::time::sleep(each)).await?;
    }
    match end {
        "failed" => Err(format!("there is nothing to be found about {subject}")),
        _ => Ok(text(format!("All there is to know about {subject} fits on a page."))),
    }
}
