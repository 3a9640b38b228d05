//! `sonde ping`

use std::sync::Arc;

use sonde_app::Ask;

use super::pick;
use crate::arguments::{Format, Ping, Place};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::json::JsonText;
use crate::session;

pub async fn run(place: &Place, ping: Ping, console: &Arc<Console>) -> Result<Exit, Failure> {
    let server = pick::one_server(&ping.target, ping.named.as_slice())?;
    session::run(place, Some(&ping.target), console, async |session| {
        let id = server.id(&session.app)?;
        session.ready(&id).await?;
        let mut times = Vec::new();
        for number in 1..=ping.count {
            let ended = session.result_of(Ask::new(&id, "ping"), "ping").await?;
            let ms = ended.elapsed.as_secs_f64() * 1e3;
            if console.format == Format::Text {
                console.print_line(&format!("{number}  {ms:.3} ms"))?;
            }
            times.push(ms);
        }
        if console.format == Format::Json {
            let mut json = JsonText::object();
            json.value("count", &times.len()).value("ms", &times);
            console.print_line(&json.finish())?;
        }
        Ok(Exit::Ok)
    })
    .await
}
