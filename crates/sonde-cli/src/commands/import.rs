//! `sonde import`

use std::path::PathBuf;
use std::sync::Arc;

use sonde_app::{
    ApiError, FoundFiles, ImportChoice, Importable, Imported, Launch, Offer, Source, Target, is_client, visible,
};

use super::servers::quoted;
use crate::arguments::{Format, Import, Place, bytes_of};
use crate::console::{Console, Surface};
use crate::failure::{Exit, Failure};
use crate::output::errors;
use crate::output::json::JsonText;
use crate::output::table::Table;
use crate::session;

pub async fn run(place: &Place, import: Import, console: &Arc<Console>) -> Result<Exit, Failure> {
    session::run(place, None, console, async |session| {
        let app = &session.app;
        let Some(named) = &import.source else {
            let found = app.find_files().await.map_err(refused)?;
            return list(console, &found);
        };
        let source = source(named)?;
        let offer = app.offer_of(source.clone()).await.map_err(refused)?;
        let plan = Plan::of(&import, &offer)?;
        if console.format == Format::Text {
            offer.problems.iter().for_each(|problem| console.say(&errors::text(console.err, problem)));
        }
        if import.dry_run {
            return plan.show(console, &offer);
        }
        let target = if import.into_project { Target::Project } else { Target::Global };
        let imported = match plan.choices.is_empty() {
            true => Imported { servers: Vec::new(), file: String::new(), notices: Vec::new() },
            false => app.import(source, plan.choices.clone(), target).await.map_err(refused)?,
        };
        plan.tell(console, &offer, &imported)
    })
    .await
}

/// A client by its name, else a file, else stdin.
fn source(named: &str) -> Result<Source, Failure> {
    if named == "-" {
        let text = String::from_utf8(bytes_of("-").map_err(Failure::usage)?);
        let text = text.map_err(|_| Failure::usage("stdin is not UTF-8"))?;
        return Ok(Source::Text { text, file_name: None });
    }
    let is_path = named.contains(['/', '\\', '.']);
    match !is_path && is_client(named) {
        true => Ok(Source::Client(named.to_owned())),
        false => {
            let path = std::path::absolute(PathBuf::from(named)).map_err(|error| Failure::usage(error.to_string()))?;
            Ok(Source::Path(path))
        }
    }
}

/// What is done with each server of an offer.
struct Plan {
    choices: Vec<ImportChoice>,
    /// Names that are left out, and why.
    skipped: Vec<(String, String)>,
}

impl Plan {
    fn of(import: &Import, offer: &Offer) -> Result<Self, Failure> {
        let replaced = import.replace.iter().map(|name| ("--replace", name));
        let renamed = import.rename.iter().map(|(name, _)| ("--rename", name));
        for (flag, name) in import.only.iter().map(|name| ("--only", name)).chain(replaced).chain(renamed) {
            if !offer.servers.iter().any(|server| server.name == *name) {
                let problem = offer.problems.iter().find(|problem| is_about(problem, name));
                let names: Vec<String> = offer.servers.iter().map(|server| visible(&server.name)).collect();
                let failure = match problem {
                    Some(problem) => Failure::told(Exit::Usage, problem.clone()),
                    None => Failure::usage(format!("{flag}: there is no server `{name}` to import"))
                        .hint(format!("there are: {}", names.join(", "))),
                };
                return Err(failure);
            }
        }
        let mut plan = Plan { choices: Vec::new(), skipped: Vec::new() };
        for server in &offer.servers {
            let name = &server.name;
            if !import.only.is_empty() && !import.only.contains(name) {
                continue;
            }
            let rename = import.rename.iter().find(|(old, _)| old == name).map(|(_, new)| new.clone());
            let replace = import.replace.contains(name);
            match (&server.conflict, replace || rename.is_some()) {
                (Some(conflict), false) if conflict.same => {
                    plan.skipped.push((name.clone(), "it is there already, and the same".to_owned()));
                }
                (Some(conflict), false) if import.only.contains(name) => {
                    let failure = Failure::usage(format!("there is a server `{}` already", conflict.server));
                    let hint = format!(
                        "--rename '{name}={}' gives it another name, --replace puts it in that one's place",
                        conflict.free
                    );
                    return Err(failure.hint(hint));
                }
                (Some(conflict), false) => {
                    let file = conflict.file.as_deref().unwrap_or("this program");
                    plan.skipped.push((name.clone(), format!("another of that name is in {file}")));
                }
                _ => plan.choices.push(ImportChoice { name: name.clone(), rename, replace }),
            }
        }
        Ok(plan)
    }

    fn show(&self, console: &Console, offer: &Offer) -> Result<Exit, Failure> {
        if console.format == Format::Json {
            let mut json = JsonText::object();
            json.value("dry_run", &true).value("offer", offer);
            json.raw("skipped", &self.skipped_json());
            console.print_line(&json.finish())?;
            return Ok(Exit::Ok);
        }
        let mut table = Table::new(&["SERVER", "COMMAND OR URL"]);
        for choice in &self.choices {
            let Some(server) = offer.servers.iter().find(|server| server.name == choice.name) else { continue };
            let name = choice.rename.as_ref().unwrap_or(&choice.name);
            table.add(vec![visible(name), reached(console.out, server)]);
            for risk in &server.risks {
                table.add(vec![String::new(), console.out.line(&format!("! {risk}")).into_owned()]);
            }
            if !server.secrets.is_empty() {
                let kept = format!("kept as secrets: {}", server.secrets.join(", "));
                table.add(vec![String::new(), console.out.line(&kept).into_owned()]);
            }
        }
        console.print(&table.render(console.out))?;
        self.say_skipped(console);
        Ok(Exit::Ok)
    }

    fn tell(&self, console: &Console, offer: &Offer, imported: &Imported) -> Result<Exit, Failure> {
        if console.format == Format::Json {
            let mut json = JsonText::object();
            json.value("servers", &imported.servers).value("file", &imported.file).value("notices", &imported.notices);
            json.raw("skipped", &self.skipped_json()).value("problems", &offer.problems);
            console.print_line(&json.finish())?;
            return Ok(Exit::Ok);
        }
        if !imported.servers.is_empty() {
            let servers = imported.servers.join(", ");
            console.print_line(&console.out.line(&format!("imported into {}: {servers}", imported.file)))?;
        }
        imported.notices.iter().for_each(|notice| console.say(&format!("note: {}", console.err.line(notice))));
        self.say_skipped(console);
        if !imported.servers.is_empty() {
            console.say("nothing was started; `sonde approve ID` lets one of them start");
        }
        Ok(Exit::Ok)
    }

    fn say_skipped(&self, console: &Console) {
        for (name, why) in &self.skipped {
            console.say(&console.err.line(&format!("left out: `{}`: {why}", visible(name))));
        }
        if self.skipped.iter().any(|(_, why)| why.starts_with("another")) {
            console.say("hint: --rename OLD=NEW gives it another name, --replace NAME puts it in the other's place");
        }
    }

    fn skipped_json(&self) -> String {
        let skipped = self.skipped.iter().map(|(name, why)| {
            let mut json = JsonText::object();
            json.value("name", name).value("why", why);
            json.finish()
        });
        format!("[{}]", skipped.collect::<Vec<_>>().join(","))
    }
}

fn list(console: &Console, found: &FoundFiles) -> Result<Exit, Failure> {
    if console.format == Format::Json {
        console.print_line(&serde_json::to_string(found)?)?;
        return Ok(Exit::Ok);
    }
    let mut table = Table::new(&["CLIENT", "FILE", "SERVERS"]);
    for file in &found.files {
        let line = |text: &str| console.out.line(text).into_owned();
        let servers = file.offer.servers.iter().map(|server| match &server.conflict {
            Some(conflict) if conflict.same => format!("{} (there already)", visible(&server.name)),
            Some(_) => format!("{} (name taken)", visible(&server.name)),
            None => visible(&server.name),
        });
        let servers: Vec<String> = servers.collect();
        let servers = if servers.is_empty() { "none".to_owned() } else { servers.join(", ") };
        table.add(vec![line(&file.client), line(&file.file), servers]);
    }
    console.print(&table.render(console.out))?;
    for problem in found.files.iter().flat_map(|file| &file.offer.problems) {
        console.say(&errors::text(console.err, problem));
    }
    match found.files.is_empty() {
        true => console
            .say(&format!("nothing was found in {} places; `sonde import FILE` reads any file", found.looked.len())),
        false => console.say("`sonde import CLIENT` or `sonde import FILE` brings them here; nothing is started by it"),
    }
    Ok(Exit::Ok)
}

fn reached(surface: Surface, server: &Importable) -> String {
    let text = match &server.launch {
        Launch::Command(launch) => {
            let words = std::iter::once(&launch.command).chain(&launch.args);
            words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
        }
        Launch::Url(launch) => launch.url.clone(),
    };
    surface.line(&text).into_owned()
}

fn is_about(problem: &ApiError, name: &str) -> bool {
    problem.context.iter().any(|fact| fact.name == "server" && fact.value == name)
}

/// Nothing was asked of a server: whatever is wrong is wrong with what was typed, or with a file.
fn refused(error: ApiError) -> Failure {
    Failure::told(Exit::Usage, error)
}
