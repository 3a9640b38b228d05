//! `report`: work in stages, as a call or as a task, with a question on the way.

use std::time::Duration;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::{Outcome, object_schema, text};
use crate::{
    arguments::{Arguments, Refusal},
    client::Client,
};

pub(super) fn describe() -> Tool {
    let properties = json!({
        "topic": { "type": "string", "description": "What the report is about" },
        "stages": {
            "type": "integer",
            "description": "In how many stages it is written",
            "default": 3,
            "minimum": 1,
            "maximum": 100,
        },
        "seconds": {
            "type": "number",
            "description": "How long all of them take together",
            "default": 3,
            "minimum": 0,
            "maximum": 600,
        },
        "ask": {
            "type": "boolean",
            "description": "Whether to ask a person who the readers are",
            "default": false,
        },
    });
    Tool::new("report", "Writes a report in stages; can be called as a task", object_schema(properties, &["topic"]))
        .with_title("Write a report")
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(false).open_world(false))
}

pub(super) async fn call(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["topic", "stages", "seconds", "ask"])?;
    let topic = arguments.text("topic")?;
    let stages = arguments.integer_or("stages", 3, 1..=100)?;
    let stages = u32::try_from(stages).map_err(|error| error.to_string())?;
    let seconds = arguments.number_or("seconds", 3.0, 0.0..=600.0)?;
    let readers = if arguments.flag("ask")? { readers(client).await? } else { "everybody".to_owned() };

    let each = Duration::from_secs_f64(seconds / f64::from(stages));
    for stage in 1..=stages {
        client.begin_step(stage, stages, format!("stage {stage} of {stages}")).await?;
        client.unless_cancelled(tokio::time::sleep(each)).await?;
    }
    Ok(text(format!("# {topic}\n\nA report for {readers}, written in {stages} stages. There is little to say.")))
}

async fn readers(client: &Client) -> Result<String, Refusal> {
    if client.capabilities().elicitation.is_none() {
        return Err("the client does not offer to ask a person: it did not declare `elicitation`".to_owned());
    }
    let readers = json!({ "type": "string", "title": "Readers", "enum": ["experts", "beginners", "children"] });
    let schema = json!({ "type": "object", "properties": { "readers": readers }, "required": ["readers"] });
    let params = json!({ "message": "Who will read this report?", "requestedSchema": schema });
    let answer = client.ask("elicitation/create", Some(params)).await?;
    Ok(answer["content"]["readers"].as_str().unwrap_or("whom it may concern").to_owned())
}
