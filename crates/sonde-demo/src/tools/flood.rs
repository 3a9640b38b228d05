//! `flood`: more notifications than anyone reads, as fast as the client takes them.

use rmcp::{
    RoleServer,
    model::{JsonObject, Tool, ToolAnnotations},
    service::RequestContext,
};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::{
    arguments::Arguments,
    flood::{BATCH_BYTES, Flood, LONGEST_LINE},
    output::{Output, WholeLines},
    server::DemoServer,
};

const MOST: u64 = 1_000_000;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "count": {
            "type": "integer",
            "description": "How many notifications to send",
            "default": 1000,
            "minimum": 0,
            "maximum": MOST,
        },
        "size": {
            "type": "integer",
            "description": "About how many bytes each notification has",
            "default": 100,
            "minimum": 1,
            "maximum": LONGEST_LINE,
        },
    });
    Tool::new(
        "flood",
        "Sends numbered log messages as fast as they are read, then answers",
        object_schema(properties, &[]),
    )
    .with_title("Flood")
    .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

pub(super) async fn call(
    arguments: Option<JsonObject>,
    server: &DemoServer,
    context: &RequestContext<RoleServer>,
) -> Outcome {
    let arguments = Arguments::new(arguments, &["count", "size"])?;
    let count = arguments.integer_or("count", 1000, 0..=MOST)?;
    let size = arguments.integer_or("size", 100, 1..=LONGEST_LINE as u64)?;
    let size = usize::try_from(size).map_err(|error| error.to_string())?;
    if !server.levels.want("info") {
        return Ok(text("sent 0 notifications, because the log level is above `info`"));
    }

    let output = server.output_of(context)?;
    let mut flood = Flood::new(count, size);
    // Dropping a write that waits is safe: a batch is either queued whole or not at all.
    tokio::select! {
        biased;
        () = context.ct.cancelled() => Err("cancelled".to_owned()),
        sent = send(&mut flood, &output) => {
            sent.map_err(|error| format!("notifications could not be sent: {error}"))?;
            Ok(text(format!("sent {} notifications", flood.rendered())))
        }
    }
}

async fn send(flood: &mut Flood, output: &Output) -> std::io::Result<()> {
    while !flood.is_over() {
        let mut batch = Vec::with_capacity(BATCH_BYTES + LONGEST_LINE);
        flood.fill(&mut batch)?;
        output.write(WholeLines::new(batch)).await?;
    }
    Ok(())
}
