//! What a person is asked before a server is started or spoken to, and whether they have said yes.

use std::path::{Path, PathBuf};

use sonde_registry::{Approval, CommandLine, Fingerprint, LaunchShape, Reach, Reference, Verdict};

use super::Server;
use super::launch::Start;
use super::risks::{self, Looked};
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
        /// As they are run, but for secrets and inputs, which stay as they are written.
        args: Vec<String>,
        folder: String,
        /// Its own variables.
        env_names: Vec<String>,
        /// Ours that it may see.
        env_passthrough: Vec<String>,
    },
    Url(UrlLaunch),
}

impl PendingApproval {
    /// Everything that decides what will run or who will be spoken to, each argument by itself, nothing cut, and no
    /// character in it that could hide another. Risks and reasons are not among them.
    pub fn facts(&self) -> Vec<(String, String)> {
        let mut facts = vec![("server".to_owned(), self.server.clone())];
        let from = ("from".to_owned(), self.file.clone().unwrap_or_else(|| "built in".to_owned()));
        match &self.asked {
            Asked::Command { binary, links_to, args, folder, env_names, env_passthrough } => {
                facts.push(("program".to_owned(), binary.clone()));
                facts.extend(links_to.iter().map(|target| ("links to".to_owned(), target.clone())));
                facts.push(("folder".to_owned(), folder.clone()));
                facts.push(("variables".to_owned(), listed(env_names)));
                if !env_passthrough.is_empty() {
                    facts.push(("passed through".to_owned(), env_passthrough.join(", ")));
                }
                facts.push(from);
                // Last, so that however many and long they are, they push nothing else out of sight.
                facts.extend((1..).zip(args).map(|(number, arg)| (format!("argument {number}"), arg.clone())));
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
    /// What a person should look at twice before they say yes.
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
        let binary = binary.unwrap_or(Path::new(&line.command));
        risks::of_command(&Looked {
            target: &target(binary),
            binary,
            args: &line.args,
            folder: &self.folder,
            env: &line.env,
            env_passthrough: &line.env_passthrough,
            project,
        })
    }

    fn asked(&self, start: &Start) -> Asked {
        match &self.spec.reach {
            Reach::Command(line) => {
                let target = target(start.binary());
                Asked::Command {
                    binary: start.binary().display().to_string(),
                    links_to: (target != start.binary()).then(|| target.display().to_string()),
                    args: line.args.clone(),
                    folder: self.folder.display().to_string(),
                    env_names: line.env.iter().map(|(name, _)| name.clone()).collect(),
                    env_passthrough: line.env_passthrough.clone(),
                }
            }
            Reach::Url(remote) => Asked::Url(self.shown(remote)),
        }
    }

    fn fingerprint(&self, start: &Start) -> Fingerprint {
        match &self.spec.reach {
            Reach::Command(line) => Fingerprint::of(&LaunchShape {
                binary: start.binary(),
                target: &target(start.binary()),
                args: &line.args,
                folder: &self.folder,
                env: &guarded_variables(line),
                env_passthrough: &line.env_passthrough,
            }),
            Reach::Url(remote) => Fingerprint::of_remote(remote),
        }
    }

    /// The files among the arguments: what an interpreter would run, and where variables come from.
    fn scripts(&self) -> Vec<PathBuf> {
        let Reach::Command(line) = &self.spec.reach else { return Vec::new() };
        let paths = line.args.iter().map(|arg| self.folder.join(arg));
        paths.chain(line.env_file.clone()).filter(|path| path.is_file()).collect()
    }
}

/// The program itself, with every link on the way followed.
fn target(binary: &Path) -> PathBuf {
    binary.canonicalize().unwrap_or_else(|_| binary.to_owned())
}

/// The names of the server's variables. A value may change as tokens do, unless it decides which code is run.
fn guarded_variables(line: &CommandLine) -> Vec<(String, String)> {
    let value = |name: &str, value: &str| if risks::loads_code(name) { value.to_owned() } else { String::new() };
    line.env.iter().map(|(name, given)| (name.clone(), value(name, given))).collect()
}

impl App {
    /// Refuses a server that nobody has allowed to start like this. Leaves in its standing what a person should know.
    pub(super) async fn require_approval(&self, server: &Server, start: &Start) -> Result<(), ApiError> {
        if !server.spec.needs_approval() {
            return Ok(());
        }
        let (approvals, id, fingerprint) =
            (self.inner.approvals.clone(), server.spec.id.clone(), server.fingerprint(start));
        // A program that was replaced is read whole, which takes its time.
        let judged = tokio::task::spawn_blocking(move || approvals.judge(&id, &fingerprint)).await;
        let verdict = judged
            .map_err(|error| explain::unforeseen(&server.spec, &error))?
            .map_err(|error| explain::approvals(&error))?;
        let notices = match &verdict {
            Verdict::Allowed { replaced_scripts } => replaced_scripts.iter().map(|path| replaced(path)).collect(),
            Verdict::Unknown | Verdict::Changed | Verdict::ReplacedProgram(_) => Vec::new(),
        };
        server.standing().notices = notices;
        let binary = matches!(start, Start::Process(_)).then(|| start.binary());
        match (&verdict, again(&verdict)) {
            (Verdict::Allowed { .. }, _) => Ok(()),
            (_, Some(why)) => Err(explain::unapproved(&server.spec, binary).fact("changed", why)),
            (_, None) => Err(explain::unapproved(&server.spec, binary)),
        }
    }

    /// What a person must see before they allow the server to start. After [`App::look_for_program`].
    pub fn pending_approval(&self, id: &str) -> Result<PendingApproval, ApiError> {
        let server = self.server(id)?;
        let start = server.launch(&self.inner.posture, &self.inner.search)?;
        let fingerprint = server.fingerprint(&start);
        let verdict = self.inner.approvals.judge(&server.spec.id, &fingerprint);
        let verdict = verdict.map_err(|error| explain::approvals(&error))?;
        let program = matches!(start, Start::Process(_)).then(|| target(start.binary()));
        let approval = self.inner.approvals.take_down(&fingerprint, program, server.scripts());
        Ok(PendingApproval {
            server: server.spec.id.to_string(),
            file: server.spec.origin.file.as_deref().map(|file| Machine::here().path(file)),
            again: again(&verdict),
            asked: server.asked(&start),
            risks: server.risks(Some(&start), &self.inner.project),
            approval: approval.map_err(|error| explain::approvals(&error))?,
        })
    }

    /// A person who said yes did not see the values of secrets and inputs. Where one decides what is run or who is spoken
    /// to, another value needs another yes.
    pub(crate) fn ask_again_about(&self, server: &Server, given: &Reference) -> Result<(), ApiError> {
        let mut decides = false;
        server.spec.definition.entry.each_text("", &mut |field, text| {
            let is_plain = match field.split_once('.') {
                Some(("env", name)) => !risks::loads_code(name),
                Some((holder, _)) => holder == "headers",
                None => false,
            };
            decides |= !is_plain && Reference::all_in(text).contains(given);
        });
        match decides {
            true => self.inner.approvals.forget(&server.spec.id).map_err(|error| explain::approvals(&error)),
            false => Ok(()),
        }
    }

    /// Writes the approval down: for exactly what was shown, whatever the configuration says by now.
    pub fn approve(&self, approval: &PendingApproval) -> Result<(), ApiError> {
        let server = self.server(&approval.server)?;
        let what = match &approval.asked {
            Asked::Command { binary, .. } => binary,
            Asked::Url(url) => &url.origin,
        };
        tracing::info!(server = %approval.server, what, "approved by a person");
        self.inner.approvals.allow(&server.spec.id, &approval.approval).map_err(|error| explain::approvals(&error))
    }
}

fn again(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Allowed { .. } | Verdict::Unknown => None,
        Verdict::Changed => Some("something of this was not so when it was last approved".to_owned()),
        Verdict::ReplacedProgram(path) => {
            Some(format!("`{}` is not the program that was approved: it was replaced", path.display()))
        }
    }
}

fn replaced(script: &Path) -> String {
    format!("`{}` is not what it was when this server was approved", visible(&script.display().to_string()))
}
