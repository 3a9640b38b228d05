//! Which command lines a person has allowed to run, and which addresses to be spoken to.

mod evidence;
mod file;
mod fingerprint;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::env_file::{EnvContent, EnvFile};
use crate::spec::ServerId;
use evidence::{Evidence, Hashes};
use file::ApprovalsFile;

pub(crate) use evidence::hexadecimal;
pub use fingerprint::{Fingerprint, LaunchShape, LaunchVariable};

/// The file of approvals. Looked at anew for each question, since the command line may have added one. What somebody
/// wrote there who is not us is no approval, unless they know how to make one: then they had the person's rights already.
#[derive(Debug, Clone)]
pub struct Approvals {
    file: Arc<ApprovalsFile>,
    /// Large programs are read once, however many servers run them.
    hashes: Arc<Hashes>,
}

/// What a person is asked to allow, taken down when it was shown: the launch, and the files that it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    fingerprint: String,
    /// The project that it was shown in. Earlier versions did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<PathBuf>,
    /// None for an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<Evidence>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scripts: Vec<Evidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    env_file: Option<ApprovedVariables>,
    /// What the fingerprint is made of, to tell what changed. Nothing is judged by it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    parts: BTreeMap<String, String>,
}

/// A file of variables whose names were shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ApprovedVariables {
    path: PathBuf,
    /// None where it could not be read then.
    sha256: Option<String>,
}

/// How a launch stands to what was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may start. The files among its arguments that are no longer what they were are named.
    Allowed { replaced_scripts: Vec<PathBuf> },
    /// Nobody was ever asked.
    Unknown,
    /// Something else was allowed. What differs is named, as far as it is known.
    Changed(Vec<String>),
    /// The same was allowed, but another program stands in its place.
    ReplacedProgram(PathBuf),
    /// The same was allowed, but its file of variables holds something else.
    ChangedVariables(PathBuf),
}

#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    #[error("the approvals `{}` can't be read", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the program `{}` can't be read", path.display())]
    Program { path: PathBuf, source: std::io::Error },
    #[error("the approvals `{}` can't be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// More files among the arguments are not looked at.
const MOST_SCRIPTS: usize = 32;
/// Projects in which a server is approved at the same time, each in its own way.
const MOST_PROJECTS: usize = 16;

impl Approvals {
    pub fn at(path: PathBuf) -> Self {
        Approvals { file: Arc::new(ApprovalsFile::at(path)), hashes: Arc::default() }
    }

    /// Takes down what is shown to a person within a project: `program` with all links followed, and files among the
    /// arguments. Reads the whole of each, unless it was read before.
    pub fn take_down(
        &self,
        fingerprint: &Fingerprint,
        project: &Path,
        program: Option<PathBuf>,
        scripts: Vec<PathBuf>,
    ) -> Result<Approval, ApprovalsError> {
        let program = program
            .map(|path| {
                self.hashes.evidence(&path).map_err(|source| ApprovalsError::Program { path: path.clone(), source })
            })
            .transpose()?;
        // A script that can't be read can't be watched over either; what would run is known without it.
        let scripts = scripts.iter().take(MOST_SCRIPTS).filter_map(|path| self.hashes.evidence(path).ok()).collect();
        Ok(Approval {
            fingerprint: fingerprint.as_str().to_owned(),
            project: Some(project.to_owned()),
            program,
            scripts,
            env_file: fingerprint.env_file().map(ApprovedVariables::of),
            parts: fingerprint.parts().clone(),
        })
    }

    /// Whether the server may start with this fingerprint. Reads a program only where it seems to be another one. What
    /// is unread of a file of variables is not judged.
    pub fn judge(&self, server: &ServerId, fingerprint: &Fingerprint) -> Result<Verdict, ApprovalsError> {
        let Some(approvals) = self.file.approvals_of(server)? else { return Ok(Verdict::Unknown) };
        let is_meant = |approval: &Approval| {
            approval.fingerprint == fingerprint.as_str()
                && approval.program.is_some() == fingerprint.is_of_a_command()
                && approval.env_file.is_some() == fingerprint.env_file().is_some()
        };
        let mut refused = None;
        // The newest first: it says best why an older one does not hold.
        for approval in approvals.iter().filter(|approval| is_meant(approval)).rev() {
            match self.verdict(approval.clone(), fingerprint) {
                allowed @ Verdict::Allowed { .. } => return Ok(allowed),
                verdict => refused = refused.or(Some(verdict)),
            }
        }
        // That of another project may differ in more.
        let differences = approvals.iter().rev().map(|approval| approval.differences(fingerprint));
        Ok(refused.unwrap_or_else(|| Verdict::Changed(differences.min_by_key(Vec::len).unwrap_or_default())))
    }

    /// What comes of an approval of the same fingerprint.
    fn verdict(&self, approval: Approval, fingerprint: &Fingerprint) -> Verdict {
        if let Some(program) = approval.program.filter(|program| !self.hashes.still_holds(program)) {
            return Verdict::ReplacedProgram(program.path);
        }
        if let (Some(approved), Some(now)) = (approval.env_file, fingerprint.env_file())
            && !approved.still_holds(now)
        {
            return Verdict::ChangedVariables(now.path.clone());
        }
        let replaced = approval.scripts.into_iter().filter(|script| !self.hashes.still_holds(script));
        Verdict::Allowed { replaced_scripts: replaced.map(|script| script.path).collect() }
    }

    /// Allows the server to start with exactly this, and no longer with what was allowed before in the same project, or
    /// in whatever other way.
    pub fn allow(&self, server: &ServerId, approval: &Approval) -> Result<(), ApprovalsError> {
        self.file.change(server, |approvals| {
            approvals.retain(|other| {
                other.project.is_some()
                    && other.project != approval.project
                    && other.fingerprint != approval.fingerprint
            });
            let too_many = (approvals.len() + 1).saturating_sub(MOST_PROJECTS);
            approvals.drain(..too_many);
            approvals.push(approval.clone());
        })
    }

    /// Whoever starts the server again is asked again.
    pub fn forget(&self, server: &ServerId) -> Result<(), ApprovalsError> {
        self.file.change(server, Vec::clear)
    }
}

impl Approval {
    /// What is not as it was.
    fn differences(&self, now: &Fingerprint) -> Vec<String> {
        if self.parts.is_empty() {
            return Vec::new();
        }
        let names: BTreeSet<&String> = self.parts.keys().chain(now.parts().keys()).collect();
        names.into_iter().filter(|name| self.parts.get(*name) != now.parts().get(*name)).cloned().collect()
    }
}

impl ApprovedVariables {
    fn of(file: &EnvFile) -> Self {
        let sha256 = match &file.content {
            EnvContent::Sha256(sha256) => Some(sha256.clone()),
            EnvContent::Unread | EnvContent::Unreadable => None,
        };
        ApprovedVariables { path: file.path.clone(), sha256 }
    }

    fn still_holds(&self, now: &EnvFile) -> bool {
        self.path == now.path
            && match &now.content {
                EnvContent::Unread => true,
                EnvContent::Unreadable => self.sha256.is_none(),
                EnvContent::Sha256(sha256) => self.sha256.as_ref() == Some(sha256),
            }
    }
}
