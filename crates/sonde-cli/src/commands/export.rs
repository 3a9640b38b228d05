//! `sonde export`

use std::io::Write as _;
use std::sync::Arc;

use sonde_app::Shapes;

use crate::arguments::{Export, Format, Place};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::table::Table;
use crate::session;

pub async fn run(place: &Place, export: Export, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| {
        if export.list {
            return list(console, &session.app.shapes());
        }
        let servers = (!export.servers.is_empty()).then_some(&*export.servers);
        let exported = session.app.export(servers, &export.shape).map_err(|error| Failure::told(Exit::Usage, error))?;
        if let Some(file) = &export.file {
            // What another client keeps there is never lost by this.
            let written = std::fs::File::create_new(file).and_then(|mut file| file.write_all(exported.text.as_bytes()));
            written.map_err(|error| {
                let failure = Failure::usage(format!("`{}` can't be written: {error}", file.display()));
                failure.hint("a file that is there is not replaced: add to it by hand, or name another")
            })?;
        }
        match (console.format, &export.file) {
            (Format::Json, _) => console.print_line(&serde_json::to_string(&exported)?)?,
            (Format::Text, None) => console.print(&exported.text)?,
            (Format::Text, Some(file)) => console.say(&format!("written to `{}`", file.display())),
        }
        if console.format == Format::Text {
            exported.notices.iter().for_each(|notice| console.say(&format!("note: {}", console.err.line(notice))));
        }
        Ok(Exit::Ok)
    })
    .await
}

fn list(console: &Console, shapes: &Shapes) -> Result<Exit, Failure> {
    if console.format == Format::Json {
        console.print_line(&serde_json::to_string(shapes)?)?;
        return Ok(Exit::Ok);
    }
    let mut table = Table::new(&["SHAPE", "CLIENT", "FILE"]);
    for shape in &shapes.shapes {
        let file = shape.file.as_deref().unwrap_or_default();
        table.add(vec![shape.id.clone(), shape.name.clone(), console.out.line(file).into_owned()]);
    }
    console.print(&table.render(console.out))?;
    Ok(Exit::Ok)
}
