//! `noise`: what a server does that prints to its own standard output.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::{Outcome, object_schema, text};
use crate::{
    arguments::{Arguments, Refusal},
    output::{Output, WholeLines},
};

const ON_STDOUT: &[u8] = b"Listening on stdio... (this line is not JSON)\n";
const ON_STDERR: &[u8] = b"noise: a line on stderr\n";

/// So many lines on stderr fit into a pipe, so a client that never reads stderr cannot stop us.
const MOST_LINES: u64 = 1000;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "lines": {
            "type": "integer",
            "description": "How many lines to write to each of stdout and stderr",
            "default": 1,
            "minimum": 1,
            "maximum": MOST_LINES,
        },
    });
    Tool::new(
        "noise",
        "Writes lines that are not JSON to stdout, and lines to stderr, then answers",
        object_schema(properties, &[]),
    )
    .with_title("Make noise")
    .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false))
}

/// Over HTTP, what would have been a line of stdout is an event on the stream of the call.
pub(super) async fn call(arguments: Option<JsonObject>, output: Result<Output, Refusal>) -> Outcome {
    let arguments = Arguments::new(arguments, &["lines"])?;
    let lines = arguments.integer_or("lines", 1, 1..=MOST_LINES)?;
    make(lines, &output?).await.map_err(|error| format!("noise could not be written: {error}"))?;
    Ok(text(format!("wrote {lines} lines to stdout and to stderr")))
}

async fn make(lines: u64, output: &Output) -> std::io::Result<()> {
    let mut stderr = tokio::io::stderr();
    for _ in 0..lines {
        // One line at a time, so that answers of other calls can fall between them.
        output.write(WholeLines::new(ON_STDOUT.to_vec())).await?;
        stderr.write_all(ON_STDERR).await?;
    }
    stderr.flush().await
}
