//! `sonde prompt`

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use sonde_app::{Answer, Ask};

use super::{pages, pick};
use crate::arguments::{Format, Object, Place, Prompt};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::content;
use crate::session::{self, error_of};

pub async fn run(place: &Place, prompt: Prompt, console: &Arc<Console>) -> Result<Exit, Failure> {
    let (server, name) = pick::dotted(&prompt.target, &prompt.words, "prompt")?;
    let params = params(&prompt, &name)?;
    let meta = Object::text_of(&prompt.given.meta)?;
    session::run(place, Some(&prompt.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let ask = || {
            let mut ask = Ask::new(&id, "prompts/get");
            ask.params = Some(params.clone());
            ask.meta = meta.clone();
            ask.anyway = prompt.anyway;
            ask
        };
        let limit = prompt.target.timeout;
        let ended = pages::through(session, &id, limit, async || session.ask(ask(), &name).await).await?;
        if let Some(failure) = error_of(&ended) {
            return Err(failure);
        }
        if let Answer::Result(result) = &ended.answer {
            match console.format {
                Format::Json => console.print_line(result.get())?,
                Format::Text => console.print_line(&content::prompt(console.out, result))?,
            }
        }
        Ok(Exit::Ok)
    })
    .await
}

/// The arguments of a prompt are strings; whoever wants to send something else says so.
fn params(prompt: &Prompt, name: &str) -> Result<String, Failure> {
    let text = prompt.given.arguments()?;
    let arguments: Object = serde_json::from_str(&text)?;
    let is_text = |value: &RawValue| value.get().starts_with('"');
    if let Some((name, _)) = arguments.0.iter().find(|(_, value)| !is_text(value))
        && !prompt.anyway
    {
        let failure = Failure::usage(format!("the argument `{name}` is no string, and those of a prompt are"));
        return Err(failure.hint(format!("write `--arg {name}=TEXT`, or send it like that with --anyway")));
    }
    let mut params = Object::default();
    params.put("name", to_raw_value(name)?);
    if !arguments.0.is_empty() {
        params.put("arguments", RawValue::from_string(text)?);
    }
    Ok(serde_json::to_string(&params)?)
}
