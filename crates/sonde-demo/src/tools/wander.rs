//! `wander`: progress towards an end that nobody knows.

use std::time::Duration;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::{arguments::Arguments, client::Client};

pub(super) fn describe() -> Tool {
    let properties = json!({
        "seconds": {
            "type": "number",
            "description": "How long to take",
            "default": 3,
            "minimum": 0,
            "maximum": 600,
        },
    });
    Tool::new("wander", "Reports progress in fractions and without a total", object_schema(properties, &[]))
        .with_title("Wander about")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) async fn call(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["seconds"])?;
    let seconds = arguments.number_or("seconds", 3.0, 0.0..=600.0)?;
    let step = Duration::from_secs_f64(seconds / 10.0);
    let mut walked = 0.0;
    for stage in 1..=10 {
        client.unless_cancelled(tokio::time::sleep(step)).await?;
        walked += 0.75 / f64::from(stage);
        client.wander(walked, format!("{walked:.2} km so far")).await?;
    }
    Ok(text(format!("walked {walked:.2} km")))
}
