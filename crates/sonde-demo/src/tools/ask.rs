//! `ask`: a form for a person, with every kind of field that the revision knows.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{Outcome, object_schema, text};
use crate::{arguments::Arguments, client::Client};

pub(super) fn describe() -> Tool {
    let properties = json!({
        "message": {
            "type": "string",
            "description": "What the form says above its fields",
            "default": "Tell the demo about yourself",
        },
    });
    let output = json!({
        "action": { "type": "string", "enum": ["accept", "decline", "cancel"], "description": "What the person did" },
        "content": { "type": "object", "description": "What they filled in" },
    });
    Tool::new("ask", "Asks a person to fill in a form with every kind of field", object_schema(properties, &[]))
        .with_title("Ask a person")
        .with_raw_output_schema(object_schema(output, &["action"]))
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(false).open_world(true))
}

pub(super) async fn call(arguments: Option<JsonObject>, client: &Client) -> Outcome {
    let arguments = Arguments::new(arguments, &["message"])?;
    let message = arguments.optional_text("message")?.unwrap_or("Tell the demo about yourself");
    let Some(elicitation) = &client.capabilities().elicitation else {
        return Err("the client does not offer to ask a person: it did not declare `elicitation`".to_owned());
    };
    if elicitation.form.is_none() && elicitation.url.is_some() {
        return Err("the client shows pages and no forms: it declared `elicitation.url` alone".to_owned());
    }
    let params = json!({ "message": message, "requestedSchema": form(client) });
    let answer = client.ask("elicitation/create", Some(params)).await?;
    let action = answer["action"].as_str().unwrap_or("nothing").to_owned();
    let mut result = text(match &answer["content"] {
        Value::Null => format!("the person chose `{action}`"),
        content => format!("the person chose `{action}` and filled in {content}"),
    });
    result.structured_content = Some(answer);
    Ok(result)
}

fn form(client: &Client) -> Value {
    let mut properties = json!({
        "name": { "type": "string", "title": "Name", "description": "At least two letters", "minLength": 2, "maxLength": 40 },
        "email": { "type": "string", "title": "E-mail", "format": "email" },
        "page": { "type": "string", "title": "Home page", "format": "uri" },
        "birthday": { "type": "string", "title": "Birthday", "format": "date" },
        "reminder": { "type": "string", "title": "Remind me at", "format": "date-time" },
        "age": { "type": "integer", "title": "Age", "minimum": 0, "maximum": 150 },
        "height": { "type": "number", "title": "Height in metres", "minimum": 0.3, "maximum": 2.8 },
        "news": { "type": "boolean", "title": "Send me news", "default": false },
        "size": { "type": "string", "title": "Size", "enum": ["S", "M", "L"], "enumNames": ["Small", "Medium", "Large"] },
    });
    if client.speaks("2025-11-25") {
        properties["city"] = json!({ "type": "string", "title": "City", "default": "Vienna" });
        properties["drink"] = json!({
            "type": "string", "title": "Drink", "enum": ["coffee", "tea", "water"], "default": "tea",
        });
        properties["colour"] = json!({
            "type": "string",
            "title": "Colour",
            "oneOf": [{ "const": "#f80", "title": "Orange" }, { "const": "#08f", "title": "Blue" }],
        });
        properties["fruits"] = json!({
            "type": "array",
            "title": "Fruits",
            "minItems": 1,
            "maxItems": 2,
            "items": { "type": "string", "enum": ["apple", "pear", "plum"] },
        });
        properties["days"] = json!({
            "type": "array",
            "title": "Days",
            "items": { "anyOf": [{ "const": "sat", "title": "Saturday" }, { "const": "sun", "title": "Sunday" }] },
            "default": ["sun"],
        });
    }
    json!({ "type": "object", "properties": properties, "required": ["name"] })
}
