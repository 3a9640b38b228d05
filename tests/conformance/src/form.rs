//! The person at the form: accepts what a server asks, as it stands.

use anyhow::Result;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sonde_app::{App, Question, Reply};

use crate::errand::told;

/// Answers each question of a server, for as long as the app lasts.
pub async fn answer_each(app: App) {
    let mut news = app.question_changes();
    loop {
        news.mark_unchanged();
        for question in app.questions() {
            if let Err(error) = answer(&app, &question).await {
                eprintln!("sonde-conformance: `{}` was not answered: {error:#}", question.method);
            }
        }
        if news.changed().await.is_err() {
            return;
        }
    }
}

async fn answer(app: &App, question: &Question) -> Result<()> {
    app.answer(question.number, reply(&question.method, question.params.as_deref())?).await.map_err(told)
}

/// A form is accepted with its defaults; there is nobody here for anything else.
fn reply(method: &str, params: Option<&str>) -> Result<Reply> {
    if method != "elicitation/create" {
        let message = format!("`{method}` is not answered here");
        return Ok(Reply::Error { code: -32603, message, data: None });
    }
    let params: Value = serde_json::from_str(params.unwrap_or("null"))?;
    let properties = params["requestedSchema"]["properties"].as_object();
    let defaults = properties.into_iter().flatten().filter_map(|(name, schema)| Some((name, schema.get("default")?)));
    let content: Map<String, Value> = defaults.map(|(name, value)| (name.clone(), value.clone())).collect();
    let result = json!({ "action": "accept", "content": content }).to_string();
    Ok(Reply::Result(RawValue::from_string(result)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_accepted_with_the_defaults_of_its_fields() {
        let properties = json!({
            "name": { "type": "string", "default": "Ada" }, "score": { "type": "number", "default": 95.5 },
            "free": { "type": "string" }, "no": { "type": "boolean", "default": false },
        });
        let params = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": properties } });
        let Reply::Result(result) = reply("elicitation/create", Some(&params.to_string())).unwrap() else {
            unreachable!("a form is answered by a result")
        };
        let expected = json!({ "action": "accept", "content": { "name": "Ada", "score": 95.5, "no": false } });
        assert_eq!(serde_json::from_str::<Value>(result.get()).unwrap(), expected);
    }

    #[test]
    fn what_is_no_form_is_refused() {
        let refused = reply("sampling/createMessage", None).unwrap();
        assert!(matches!(refused, Reply::Error { .. }), "nobody lends a model here");
    }
}
