//! What a person is asked before a server is started or spoken to, and whether they have said yes.

use std::path::{Path, PathBuf};

use sonde_registry::{
    Approval, CommandLine, Definition, EnvFile, Fingerprint, LaunchShape, Reach, Reference, ServerSpec, Verdict,
};
use tokio::sync::Semaphore;

use super::Server;
use super::launch::Start;
use super::risks::{self, Looked};
use super::variables;
use crate::api::error::ApiError;
use crate::api::servers::UrlLaunch;
use crate::app::App;
use crate::explain::{self, Machine};
use crate::text::visible;

/// A server that waits for a person's yes. Only a native dialog or a terminal may give it.
#[derive(Debug)]
pub struct PendingApproval {
    pub server: String,
    /// The file that asks for it.
    pub file: Option<String>,
    /// Why they are asked again, where they were asked before.
    pub again: Option<String>,
    pub asked: Asked,
    /// What they should look at twice, the worst first.
    pub risks: Vec<String>,
    approval: Approval,
}

/// What a person is asked about.
#[derive(Debug)]
pub enum Asked {
    Command {
        binary: String,
        /// What the binary is a link to.
        links_to: Option<String>,
        /// As they are run, but for secrets, inputs and variables of ours that look secret, which stay as they are written.
        args: Vec<String>,
        folder: String,
        /// Its own variables.
        env_names: Vec<String>,
        /// The values of those that are no secrets, as they are written.
        env_values: Vec<(String, String)>,
        /// In words, which of our variables each of its own takes.
        env_taken: Vec<String>,
        /// Ours that it may see.
        env_passthrough: Vec<String>,
        env_file: Option<AskedFile>,
    },
    Url(UrlLaunch),
}

/// A file of further variables.
#[derive(Debug)]
pub struct AskedFile {
    pub path: String,
    /// The names that it sets, or why it can't be read.
    pub names: Result<Vec<String>, String>,
}

impl PendingApproval {
    /// Everything that decides what will run or who will be spoken to, each argument by itself, nothing cut, and no
    /// character in it that could hide another. Risks and reasons are not among them.
    pub fn facts(&self) -> Vec<(String, String)> {
        let mut facts = vec![("server".to_owned(), self.server.clone())];
        let from = ("from".to_owned(), self.file.clone().unwrap_or_else(|| "built in".to_owned()));
        match &self.asked {
            Asked::Command {
                binary,
                links_to,
                args,
                folder,
                env_names,
                env_values,
                env_taken,
                env_passthrough,
                env_file,
            } => {
                facts.push(("program".to_owned(), binary.clone()));
                facts.extend(links_to.iter().map(|target| ("links to".to_owned(), target.clone())));
                facts.push(("folder".to_owned(), folder.clone()));
                facts.push(("variables".to_owned(), listed(env_names)));
                if !env_taken.is_empty() {
                    facts.push(("of yours".to_owned(), env_taken.join(", ")));
                }
                if !env_passthrough.is_empty() {
                    facts.push(("passed through".to_owned(), env_passthrough.join(", ")));
                }
                if let Some(file) = env_file {
                    facts.push(("variables from".to_owned(), file.path.clone()));
                    facts.push(match &file.names {
                        Ok(names) => ("which sets".to_owned(), listed(names)),
                        Err(problem) => ("which fails".to_owned(), problem.clone()),
                    });
                }
                facts.push(from);
                // Last, so that however many and long they are, they push nothing else out of sight.
                facts.extend((1..).zip(args).map(|(number, arg)| (format!("argument {number}"), arg.clone())));
                facts.extend(env_values.iter().map(|(name, value)| (format!("variable {name}"), value.clone())));
            }
            Asked::Url(launch) => {
                facts.extend(launch.facts().map(|(name, value)| (name.to_owned(), value)));
                facts.push(from);
            }
        }
        facts.into_iter().map(|(name, value)| (name, visible(&value))).collect()
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl Server {
    /// What a person should look at twice before they say yes, as far as that is known without reading any file.
    pub(crate) fn risks(&self, start: Option<&Start>, project: &Path) -> Vec<String> {
        match (&self.spec.reach, start) {
            (Reach::Command(line), Some(Start::Process(launch))) => {
                self.risks_of_command(line, Some(&launch.binary), project)
            }
            (Reach::Command(line), _) => self.risks_of_command(line, None, project),
            (Reach::Url(remote), _) => risks::of_remote(remote),
        }
    }

    /// `binary` is what its command is found to be.
    pub(crate) fn risks_of_command(&self, line: &CommandLine, binary: Option<&Path>, project: &Path) -> Vec<String> {
        self.risks_with_file(line, binary.unwrap_or(Path::new(&line.command)), &[], project)
    }

    /// `names` are those that a file of variables sets.
    fn risks_with_file(&self, line: &CommandLine, binary: &Path, names: &[String], project: &Path) -> Vec<String> {
        risks::of_command(&Looked {
            target: &target(binary),
            binary,
            args: &line.args,
            written: &line.written,
            folder: &self.folder_of(line),
            env: &line.written_env,
            env_passthrough: &line.env_passthrough,
            from_file: names,
            project,
        })
    }
}

/// What a yes is given for. `env_file` is what is known of it by now.
pub(super) fn fingerprint(considered: &ServerSpec, start: &Start, env_file: Option<&EnvFile>) -> Fingerprint {
    match &considered.reach {
        Reach::Command(line) => Fingerprint::of(&LaunchShape {
            binary: start.binary(),
            target: &target(start.binary()),
            args: &line.args,
            written_args: line.written.get(1..).unwrap_or_default(),
            folder: start.folder(),
            env: &variables::guarded(line),
            env_passthrough: &line.env_passthrough,
            env_file,
        }),
        Reach::Url(remote) => Fingerprint::of_remote(remote),
    }
}

/// The program itself, with every link on the way followed.
fn target(binary: &Path) -> PathBuf {
    binary.canonicalize().unwrap_or_else(|_| binary.to_owned())
}

/// Who judge at once. More would only wait for each other's disk, on a thread each.
static JUDGES: Semaphore = Semaphore::const_new(4);

impl App {
    /// Refuses a server that nobody has allowed to start like this. Leaves in its standing what a person should know.
    pub(super) async fn require_approval(
        &self,
        server: &Server,
        start: &Start,
        fingerprint: Fingerprint,
    ) -> Result<(), ApiError> {
        if !server.spec.needs_approval() {
            return Ok(());
        }
        let (approvals, id) = (self.inner.approvals.clone(), server.spec.id.clone());
        // Nobody closes it.
        let judging = JUDGES.acquire().await.ok();
        // A program that was replaced is read whole, which takes its time.
        let judged = tokio::task::spawn_blocking(move || approvals.judge(&id, &fingerprint)).await;
        drop(judging);
        let verdict = judged
            .map_err(|error| explain::unforeseen(&server.spec, &error))?
            .map_err(|error| explain::approvals(&error))?;
        let notices = match &verdict {
            Verdict::Allowed { replaced_scripts } => replaced_scripts.iter().map(|path| replaced(path)).collect(),
            _ => Vec::new(),
        };
        server.standing().notices = notices;
        let binary = matches!(start, Start::Process(_)).then(|| start.binary());
        match (&verdict, again(&verdict)) {
            (Verdict::Allowed { .. }, _) => Ok(()),
            (_, Some(why)) => Err(explain::unapproved(&server.spec, binary).fact("changed", why)),
            (_, None) => Err(explain::unapproved(&server.spec, binary)),
        }
    }

    /// What a person must see before they allow the server to start. After [`App::look_for_program`]. Reads the program,
    /// the files among its arguments, and for the names in it the file of variables.
    pub fn pending_approval(&self, id: &str) -> Result<PendingApproval, ApiError> {
        let server = self.server(id)?;
        let considered = self.considered(&server)?;
        let start = server.launch_as(&considered, &self.inner.posture, &self.inner.search)?;
        let mut env_file = considered.env_file().cloned();
        let names = env_file.as_mut().map(EnvFile::look);
        let fingerprint = fingerprint(&considered, &start, env_file.as_ref());
        let verdict = self.inner.approvals.judge(&server.spec.id, &fingerprint);
        let verdict = verdict.map_err(|error| explain::approvals(&error))?;
        let (asked, risks) = match &considered.reach {
            Reach::Command(line) => {
                // What the entry says itself is nearer.
                let is_own = |name: &String| line.env.iter().any(|(own, _)| own == name);
                let from_file = names.iter().flatten().flatten().filter(|name| !is_own(name)).cloned();
                let from_file: Vec<String> = from_file.collect();
                let risks = server.risks_with_file(line, start.binary(), &from_file, &self.inner.project);
                let file = env_file.zip(names).map(|(file, names)| AskedFile { path: shown_path(&file.path), names });
                (asked(line, &start, file), risks)
            }
            Reach::Url(remote) => (Asked::Url(server.shown(remote)), risks::of_remote(remote)),
        };
        let program = matches!(start, Start::Process(_)).then(|| target(start.binary()));
        let scripts = scripts(&considered, &start);
        let approval = self.inner.approvals.take_down(&fingerprint, &self.inner.project, program, scripts);
        Ok(PendingApproval {
            server: server.spec.id.to_string(),
            file: server.spec.origin.file.as_deref().map(|file| Machine::here().path(file)),
            again: again(&verdict),
            asked,
            risks,
            approval: approval.map_err(|error| explain::approvals(&error))?,
        })
    }

    /// Writes the approval down: for exactly what was shown, whatever the configuration says by now.
    pub fn approve(&self, approval: &PendingApproval) -> Result<(), ApiError> {
        let server = self.server(&approval.server)?;
        let what = match &approval.asked {
            Asked::Command { binary, .. } => binary,
            Asked::Url(url) => &url.origin,
        };
        tracing::info!(server = %approval.server, what, "approved by a person");
        let allowed = self.inner.approvals.allow(&server.spec.id, &approval.approval);
        allowed.map_err(|error| explain::approvals(&error))?;
        server.is_approved();
        Ok(())
    }
}

/// The references of an entry that decide what is run or who is spoken to, as they are written. The value of a plain
/// variable or header may change as tokens do.
pub(crate) fn deciding(definition: &Definition) -> Vec<String> {
    let mut found = Vec::new();
    definition.entry.each_text("", &mut |field, text| {
        let is_plain = match field.split_once('.') {
            Some(("env", name)) => !risks::loads_code(name),
            Some((holder, _)) => holder == "headers",
            None => false,
        };
        if !is_plain {
            found.extend(Reference::all_in(text).iter().map(Reference::to_string));
        }
    });
    found
}

fn asked(line: &CommandLine, start: &Start, env_file: Option<AskedFile>) -> Asked {
    let target = target(start.binary());
    let written = line.written.iter().skip(1).map(String::as_str).chain(std::iter::repeat(""));
    Asked::Command {
        binary: shown_path(start.binary()),
        links_to: (target != start.binary()).then(|| shown_path(&target)),
        args: line.args.iter().zip(written).map(|(arg, written)| variables::shown(written, arg)).collect(),
        folder: variables::shown(line.written_folder.as_deref().unwrap_or_default(), &shown_path(start.folder())),
        env_names: line.env.iter().map(|(name, _)| name.clone()).collect(),
        env_values: variables::plain(line),
        env_taken: variables::taken(line),
        env_passthrough: line.env_passthrough.clone(),
        env_file,
    }
}

/// The files among the arguments: what an interpreter would run.
fn scripts(considered: &ServerSpec, start: &Start) -> Vec<PathBuf> {
    let Reach::Command(line) = &considered.reach else { return Vec::new() };
    line.args.iter().map(|arg| start.folder().join(arg)).filter(|path| path.is_file()).collect()
}

fn shown_path(path: &Path) -> String {
    path.display().to_string()
}

/// Changes that are told one by one.
const MOST_TOLD: usize = 5;

fn again(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Allowed { .. } | Verdict::Unknown => None,
        Verdict::Changed(what) => Some(match &what.iter().map(|part| visible(part)).collect::<Vec<_>>()[..] {
            [] => "something of this was not so when it was last approved".to_owned(),
            [part] => format!("{part} was not so when it was last approved"),
            [parts @ .., last] if parts.len() < MOST_TOLD => {
                format!("{} and {last} were not so when it was last approved", parts.join(", "))
            }
            parts => {
                let (told, rest) = parts.split_at(MOST_TOLD);
                format!("{} and {} more were not so when it was last approved", told.join(", "), rest.len())
            }
        }),
        Verdict::ReplacedProgram(path) => {
            Some(format!("`{}` is not the program that was approved: it was replaced", path.display()))
        }
        Verdict::ChangedVariables(path) => {
            Some(format!("the file of variables `{}` is not what it was when it was approved", path.display()))
        }
    }
}

fn replaced(script: &Path) -> String {
    format!("`{}` is not what it was when this server was approved", visible(&script.display().to_string()))
}
