//! `slow`: progress while it runs, and an end when it is cancelled.

use std::time::Duration;

use rmcp::{
    RoleServer,
    model::{JsonObject, ProgressNotificationParam, ProgressToken, Tool, ToolAnnotations},
    service::RequestContext,
};
use serde_json::json;
use tokio::time::Instant;

use super::{Outcome, object_schema, text};
use crate::arguments::Arguments;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "seconds": {
            "type": "number",
            "description": "How long to take",
            "default": 5,
            "minimum": 0,
            "maximum": 600,
        },
        "steps": {
            "type": "integer",
            "description": "How many times to report progress on the way",
            "default": 10,
            "minimum": 1,
            "maximum": 1000,
        },
    });
    Tool::new("slow", "Takes its time, reports progress and can be cancelled", object_schema(properties, &[]))
        .with_title("Take a while")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) async fn call(arguments: Option<JsonObject>, context: &RequestContext<RoleServer>) -> Outcome {
    let arguments = Arguments::new(arguments, &["seconds", "steps"])?;
    let seconds = arguments.number_or("seconds", 5.0, 0.0..=600.0)?;
    let steps = arguments.integer_or("steps", 10, 1..=1000)?;
    let steps = u32::try_from(steps).map_err(|error| error.to_string())?;

    let start = Instant::now();
    tokio::select! {
        done = run(Duration::from_secs_f64(seconds), steps, context) => {
            done?;
            let took = start.elapsed().as_secs_f64();
            Ok(text(format!("took {took:.2} s in {steps} steps")))
        }
        () = context.ct.cancelled() => {
            Err(format!("cancelled after {:.2} s", start.elapsed().as_secs_f64()))
        }
    }
}

/// Waits for each step from the common start, so that the time of reporting does not add up.
async fn run(total: Duration, steps: u32, context: &RequestContext<RoleServer>) -> Result<(), String> {
    let start = Instant::now();
    let token = context.meta.get_progress_token();
    for step in 1..=steps {
        tokio::time::sleep_until(start + total * step / steps).await;
        if let Some(token) = &token {
            report(token, step, steps, context).await?;
        }
    }
    Ok(())
}

async fn report(
    token: &ProgressToken,
    step: u32,
    steps: u32,
    context: &RequestContext<RoleServer>,
) -> Result<(), String> {
    let progress = ProgressNotificationParam::new(token.clone(), f64::from(step))
        .with_total(f64::from(steps))
        .with_message(format!("step {step} of {steps}"));
    context.peer.notify_progress(progress).await.map_err(|error| format!("progress could not be sent: {error}"))
}
