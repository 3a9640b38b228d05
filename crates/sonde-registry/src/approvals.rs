//! Which command lines a person has allowed to run, and which addresses to be spoken to.

mod evidence;
mod fingerprint;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::private;
use crate::spec::ServerId;
use evidence::{Evidence, Hashes};

pub use fingerprint::{Fingerprint, LaunchShape};

/// The file of approvals. Read anew for each question, since the command line may have added one. Whoever changes it
/// by hand is asked again, and nothing else comes of it.
#[derive(Debug, Clone)]
pub struct Approvals {
    path: PathBuf,
    /// Large programs are read once, however many servers run them.
    hashes: Arc<Hashes>,
}

/// What a person is asked to allow, taken down when it was shown: the launch, and the files that it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    fingerprint: String,
    /// None for an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<Evidence>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scripts: Vec<Evidence>,
}

/// How a launch stands to what was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may start. The files among its arguments that are no longer what they were are named.
    Allowed { replaced_scripts: Vec<PathBuf> },
    /// Nobody was ever asked.
    Unknown,
    /// Something else was allowed.
    Changed,
    /// The same was allowed, but another program stands in its place.
    ReplacedProgram(PathBuf),
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

#[derive(Default, Serialize, Deserialize)]
struct Approved {
    /// Server to approval. One that is not as we write it is no approval; those of other servers are kept as they are.
    approved: BTreeMap<String, Box<RawValue>>,
}

/// What stands in the file.
enum Found {
    Approvals(Approved),
    /// Something that we did not write.
    Broken,
}

/// More files among the arguments are not looked at.
const MOST_SCRIPTS: usize = 32;

impl Approvals {
    pub fn at(path: PathBuf) -> Self {
        Approvals { path, hashes: Arc::default() }
    }

    /// Takes down what is shown to a person: `program` with all links followed, and files among the arguments.
    /// Reads the whole of each, unless it was read before.
    pub fn take_down(
        &self,
        fingerprint: &Fingerprint,
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
        Ok(Approval { fingerprint: fingerprint.as_str().to_owned(), program, scripts })
    }

    /// Whether the server may start with this fingerprint. Reads a program only where it seems to be another one.
    pub fn judge(&self, server: &ServerId, fingerprint: &Fingerprint) -> Result<Verdict, ApprovalsError> {
        let Found::Approvals(mut found) = self.read()? else { return Ok(Verdict::Unknown) };
        let Some(text) = found.approved.remove(server.as_str()) else { return Ok(Verdict::Unknown) };
        // Earlier versions wrote the fingerprint alone, which says nothing of the program's content.
        let Ok(approval) = serde_json::from_str::<Approval>(text.get()) else { return Ok(Verdict::Changed) };
        if approval.fingerprint != fingerprint.as_str() || approval.program.is_some() != fingerprint.is_of_a_command() {
            return Ok(Verdict::Changed);
        }
        if let Some(program) = approval.program.filter(|program| !self.hashes.still_holds(program)) {
            return Ok(Verdict::ReplacedProgram(program.path));
        }
        let replaced = approval.scripts.into_iter().filter(|script| !self.hashes.still_holds(script));
        Ok(Verdict::Allowed { replaced_scripts: replaced.map(|script| script.path).collect() })
    }

    /// Allows the server to start with exactly this, and no longer with what was allowed before.
    pub fn allow(&self, server: &ServerId, approval: &Approval) -> Result<(), ApprovalsError> {
        let mut approved = match self.read()? {
            Found::Approvals(approved) => approved,
            Found::Broken => {
                self.put_aside()?;
                Approved::default()
            }
        };
        let text = serde_json::value::to_raw_value(approval).map_err(|error| self.unwritable(error.into()))?;
        approved.approved.insert(server.as_str().to_owned(), text);
        self.write(&approved)
    }

    /// Whoever starts the server again is asked again.
    pub fn forget(&self, server: &ServerId) -> Result<(), ApprovalsError> {
        // A broken file allows nothing, so there is nothing to forget.
        let Found::Approvals(mut approved) = self.read()? else { return Ok(()) };
        match approved.approved.remove(server.as_str()) {
            Some(_) => self.write(&approved),
            None => Ok(()),
        }
    }

    fn read(&self) -> Result<Found, ApprovalsError> {
        match private::read(&self.path) {
            Ok(Some(bytes)) => Ok(serde_json::from_slice(&bytes).map_or(Found::Broken, Found::Approvals)),
            Ok(None) => Ok(Found::Approvals(Approved::default())),
            Err(source) => Err(ApprovalsError::Read { path: self.path.clone(), source }),
        }
    }

    fn write(&self, approved: &Approved) -> Result<(), ApprovalsError> {
        let text = serde_json::to_vec_pretty(approved).map_err(|error| self.unwritable(error.into()))?;
        private::write(&self.path, &text).map_err(|error| self.unwritable(error))
    }

    /// A file that we can't read may still be of use to the person.
    fn put_aside(&self) -> Result<(), ApprovalsError> {
        std::fs::rename(&self.path, self.path.with_extension("json.broken")).map_err(|error| self.unwritable(error))
    }

    fn unwritable(&self, source: std::io::Error) -> ApprovalsError {
        ApprovalsError::Write { path: self.path.clone(), source }
    }
}
