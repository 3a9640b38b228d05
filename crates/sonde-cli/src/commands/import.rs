//! `sonde import`

use std::path::PathBuf;
use std::sync::Arc;

use sonde_app::{
    ApiError, Clear, ErrorCode, FoundFiles, ImportChoice, Importable, Imported, Lasting, Launch, Layer, Offer, Source,
    Target, is_client, visible,
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
            false => {
                let clear = if import.leave_secrets_out { Clear::LeftOut } else { Clear::Kept(Lasting::Required) };
                app.import(source, plan.choices.clone(), target, clear).await.map_err(unkept)?
            }
        };
        plan.tell(console, &offer, &imported)?;
        if offer.servers.is_empty() && offer.problems.is_empty() && console.format == Format::Text {
            console.say("sonde: there are no servers in it");
        }
        // Nothing came of it because nothing could be read.
        Ok(if offer.servers.is_empty() && !offer.problems.is_empty() { Exit::Usage } else { Exit::Ok })
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
    // A word that is neither is more likely a client whose name is another, and those are known.
    match !is_path && (is_client(named) || !std::path::Path::new(named).exists()) {
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
            let is_named = [&import.only, &import.replace].iter().any(|named| named.contains(name));
            if let Some(project) = &server.project {
                let is_ours = |other: &&Importable| other.name == *name && other.project.is_none();
                let is_first =
                    offer.servers.iter().find(|other| other.name == *name).is_some_and(|first| first == server);
                // Where two projects have one of that name, ours is meant, else the first.
                if !is_named || offer.servers.iter().find(is_ours).is_some() || !is_first {
                    plan.skipped
                        .push((name.clone(), format!("it is for the project {project}; --only {name} takes it")));
                    continue;
                }
            }
            let rename = import.rename.iter().find(|(old, _)| old == name).map(|(_, new)| new.clone());
            let replace = import.replace.contains(name);
            let project = server.project.clone();
            let target = if import.into_project { Layer::Project } else { Layer::Global };
            match (&server.conflict, replace || rename.is_some()) {
                // The same in another layer is not what was asked for; it is written, and which one counts is told.
                (Some(conflict), false) if conflict.same && conflict.layer != target && import.into_project => {
                    plan.choices.push(ImportChoice { name: name.clone(), project, rename, replace: true });
                }
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
                _ => plan.choices.push(ImportChoice { name: name.clone(), project, rename, replace }),
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
            let Some(server) =
                offer.servers.iter().find(|server| server.name == choice.name && server.project == choice.project)
            else {
                continue;
            };
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

    fn tell(&self, console: &Console, offer: &Offer, imported: &Imported) -> Result<(), Failure> {
        if console.format == Format::Json {
            let mut json = JsonText::object();
            json.value("servers", &imported.servers).value("file", &imported.file).value("notices", &imported.notices);
            json.raw("skipped", &self.skipped_json()).value("problems", &offer.problems);
            console.print_line(&json.finish())?;
            return Ok(());
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
        Ok(())
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

/// Where secrets can't be kept, there is another way.
fn unkept(error: ApiError) -> Failure {
    let is_about_secrets = error.code == ErrorCode::Storage && error.message.contains("can't be kept");
    refused(match is_about_secrets {
        true => error.hint(
            "start or unlock a keyring, or add --leave-secrets-out: the file gets references, and you give the values \
             with `sonde secret set` or, for one run, with --input NAME",
        ),
        false => error,
    })
}

/// Nothing was asked of a server: whatever is wrong is wrong with what was typed, or with a file.
fn refused(error: ApiError) -> Failure {
    Failure::told(Exit::Usage, error)
}
