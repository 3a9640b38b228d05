//! `sonde complete`

use std::sync::Arc;

use serde_json::{Value, json};
use sonde_app::{Answer, Ask};

use super::pick;
use crate::arguments::{Complete, Format, Object, Place};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::content::as_it_came;
use crate::session;

pub async fn run(place: &Place, complete: Complete, console: &Arc<Console>) -> Result<Exit, Failure> {
    let server = pick::one_server(&complete.target, complete.named.as_slice())?;
    let params = params(&complete);
    let meta = Object::text_of(&complete.meta)?;
    session::run(place, Some(&complete.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let mut ask = Ask::new(&id, "completion/complete");
        ask.params = Some(params);
        ask.meta = meta;
        ask.anyway = complete.anyway;
        let ended = session.result_of(ask, "completion/complete").await?;
        let Answer::Result(result) = &ended.answer else { return Ok(Exit::Ok) };
        if console.format == Format::Json {
            console.print_line(result.get())?;
            return Ok(Exit::Ok);
        }
        let read: Value = serde_json::from_str(result.get()).unwrap_or_default();
        let completion = &read["completion"];
        let Some(values) = completion["values"].as_array() else {
            console.print_line(&as_it_came(console.out, result))?;
            return Ok(Exit::Ok);
        };
        for value in values {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            console.print_line(&console.out.line(&text))?;
        }
        let more = completion["hasMore"].as_bool() == Some(true);
        match completion["total"].as_u64() {
            Some(total) if total > values.len() as u64 => {
                console.say(&format!("sonde: {} of {total} are shown; type more to see others", values.len()));
            }
            _ if more => console.say("sonde: there are more; type more to see others"),
            _ => {}
        }
        Ok(Exit::Ok)
    })
    .await
}

fn params(complete: &Complete) -> String {
    let reference = match (&complete.prompt, &complete.template) {
        (Some(prompt), _) => json!({ "type": "ref/prompt", "name": prompt }),
        (None, template) => json!({ "type": "ref/resource", "uri": template }),
    };
    let (name, value) = &complete.argument;
    let mut params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
    if !complete.context.is_empty() {
        let known: serde_json::Map<String, Value> =
            complete.context.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        params["context"] = json!({ "arguments": known });
    }
    params.to_string()
}
