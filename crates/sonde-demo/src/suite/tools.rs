//! The tools of the suite.

use std::{sync::Arc, time::Duration};

use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, JsonObject, ResourceContents, Tool},
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{forms, reconnection};
use crate::{
    arguments::{Arguments, Refusal},
    client::Client,
    resources::{PIXEL, TONE},
    server::DemoServer,
    tools::{Outcome, as_schema, object_schema, said_by, text},
};

/// Between two messages of one call.
const PAUSE: Duration = Duration::from_millis(50);

/// The tools without arguments, each with what it does.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "answers with a text"),
    ("test_image_content", "answers with an image"),
    ("test_audio_content", "answers with a sound"),
    ("test_embedded_resource", "answers with a whole resource"),
    ("test_multiple_content_types", "answers with a text, an image and a resource"),
    ("test_tool_with_logging", "logs three messages and answers"),
    ("test_error_handling", "always fails"),
    ("test_tool_with_progress", "reports 0, 50 and 100 of 100 and answers"),
    ("test_elicitation_sep1034_defaults", "asks for a form with defaults"),
    ("test_elicitation_sep1330_enums", "asks for a form with every kind of choice"),
    ("test_reconnection", "ends its stream before it answers, so that the client has to come back"),
];

const SCHEMA_TOOL: &str = "json_schema_2020_12_tool";

pub(crate) fn all() -> Vec<Tool> {
    let plain = |(name, does): &(&'static str, &str)| {
        Tool::new(*name, format!("Conformance: {does}"), object_schema(json!({}), &[]))
    };
    let mut all: Vec<Tool> = PLAIN.iter().map(plain).collect();
    let with_text = |name: &'static str, does: &str, argument: &str, description: &str| {
        let properties = json!({ argument: { "type": "string", "description": description } });
        Tool::new(name, format!("Conformance: {does}"), object_schema(properties, &[argument]))
    };
    all.push(with_text("test_sampling", "asks the client's model", "prompt", "The prompt to send to the LLM"));
    all.push(with_text("test_elicitation", "asks a person", "message", "The message to show the user"));
    all.push(Tool::new(SCHEMA_TOOL, "Conformance: has a schema with keywords of 2020-12", schema()));
    all
}

/// `None` for a name that is not the suite's.
pub(crate) async fn call(
    name: &str,
    arguments: Option<JsonObject>,
    server: &DemoServer,
    context: &RequestContext<RoleServer>,
) -> Option<Outcome> {
    let client = Client::of(context);
    let outcome = match name {
        "test_simple_text" => Ok(text("This is a simple text response for testing.")),
        "test_image_content" => Ok(holding(vec![image()])),
        "test_audio_content" => Ok(holding(vec![ContentBlock::audio(TONE.trim_end(), "audio/wav")])),
        "test_embedded_resource" => {
            let resource = ResourceContents::text("This is an embedded resource content.", "test://embedded-resource");
            Ok(holding(vec![ContentBlock::resource(resource)]))
        }
        "test_multiple_content_types" => Ok(mixed()),
        "test_tool_with_logging" => log(server, &client).await,
        "test_error_handling" => Err("This tool intentionally returns an error for testing".to_owned()),
        "test_tool_with_progress" => progress(&client).await,
        "test_sampling" => sample(arguments, &client).await,
        "test_elicitation" => ask_with_message(arguments, &client).await,
        "test_elicitation_sep1034_defaults" => ask("Please review the defaults", forms::defaults(), &client).await,
        "test_elicitation_sep1330_enums" => ask("Please choose", forms::enums(), &client).await,
        "test_reconnection" => reconnection::call(server.output_of(context), &client).await,
        SCHEMA_TOOL => Ok(text(json!({ "arguments": arguments }).to_string())),
        _ => return None,
    };
    Some(outcome)
}

fn holding(content: Vec<ContentBlock>) -> CallToolResult {
    CallToolResult::success(content)
}

fn image() -> ContentBlock {
    ContentBlock::image(PIXEL.trim_end(), "image/png")
}

fn mixed() -> CallToolResult {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    let resource = ResourceContents::text(data, "test://mixed-content-resource").with_mime_type("application/json");
    holding(vec![ContentBlock::text("Multiple content types test:"), image(), ContentBlock::resource(resource)])
}

async fn log(server: &DemoServer, client: &Client) -> Outcome {
    for (number, said) in
        ["Tool execution started", "Tool processing data", "Tool execution completed"].into_iter().enumerate()
    {
        if number > 0 {
            client.unless_cancelled(tokio::time::sleep(PAUSE)).await?;
        }
        if server.levels.want("info") {
            client.tell("notifications/message", json!({ "level": "info", "data": said })).await?;
        }
    }
    Ok(text("Three messages were logged."))
}

async fn progress(client: &Client) -> Outcome {
    for step in [0, 50, 100] {
        if step > 0 {
            client.unless_cancelled(tokio::time::sleep(PAUSE)).await?;
        }
        client.begin_step(step, 100, format!("{step} of 100")).await?;
    }
    Ok(text("Progress was reported three times."))
}

async fn sample(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["prompt"])?;
    let content = json!({ "type": "text", "text": arguments.text("prompt")? });
    client.offers("sampling")?;
    let params = json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 100 });
    let answer = client.ask("sampling/createMessage", Some(params)).await?;
    Ok(text(format!("LLM response: {}", said_by(&answer))))
}

async fn ask_with_message(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["message"])?;
    let answer = ask_form(arguments.text("message")?, forms::plain(), client).await?;
    let (action, content) = (&answer["action"], &answer["content"]);
    Ok(text(format!("User response: action={action}, content={content}")))
}

async fn ask(message: &str, form: Value, client: &Client) -> Outcome {
    let answer = ask_form(message, form, client).await?;
    let (action, content) = (answer["action"].as_str().unwrap_or("nothing"), &answer["content"]);
    Ok(text(format!("Elicitation completed: action={action}, content={content}")))
}

async fn ask_form(message: &str, form: Value, client: &Client) -> Result<Value, Refusal> {
    client.offers("elicitation")?;
    client.ask("elicitation/create", Some(json!({ "message": message, "requestedSchema": form }))).await
}

/// Word for word the suite's, which looks at each keyword.
fn schema() -> Arc<JsonObject> {
    let address = json!({
        "$anchor": "addressDef",
        "type": "object",
        "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
    });
    as_schema(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    }))
}
