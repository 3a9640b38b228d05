//! Which command lines a person has allowed to run, and which addresses to be spoken to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::private;
use crate::reach::RemoteSpec;
use crate::spec::ServerId;

/// What an approval is given for, as one hash: another binary, argument, folder or variable is another launch, and
/// another host, way or header is another server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(String);

impl Fingerprint {
    pub fn of(binary: &Path, args: &[String], folder: &Path, env_names: &[String]) -> Self {
        let mut parts = Parts::default();
        parts.add(binary.as_os_str().as_encoded_bytes());
        parts.add(folder.as_os_str().as_encoded_bytes());
        parts.add(&(args.len() as u64).to_le_bytes());
        args.iter().for_each(|arg| parts.add(arg.as_bytes()));
        env_names.iter().for_each(|name| parts.add(name.as_bytes()));
        parts.finish()
    }

    /// For an address: who is spoken to, how, by which way, with which headers and trusting whom. Values of headers may
    /// change as tokens do; another path on the same server is the same server.
    pub fn of_remote(remote: &RemoteSpec) -> Self {
        let mut parts = Parts::default();
        // No binary has such a path, so a command can't look like an address.
        parts.add(b"\0url");
        parts.add(remote.origin().as_bytes());
        parts.add(remote.dialect.as_str().as_bytes());
        parts.add(remote.proxy.shown().unwrap_or_default().as_bytes());
        parts.add(remote.trust.as_ref().map_or(&[][..], |pin| &pin[..]));
        for path in [&remote.ca_file, &remote.client_certificate, &remote.client_key] {
            parts.add(path.as_ref().map_or(&[][..], |path| path.as_os_str().as_encoded_bytes()));
        }
        let mut names: Vec<String> = remote.headers.iter().map(|header| header.name.to_ascii_lowercase()).collect();
        names.sort();
        names.iter().for_each(|name| parts.add(name.as_bytes()));
        parts.finish()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Each part goes in with its length, so that no two launches can look alike.
#[derive(Default)]
struct Parts(Sha256);

impl Parts {
    fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    #[error("the approvals `{}` can't be read", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the approvals `{}` are not valid", path.display())]
    Invalid { path: PathBuf, source: serde_json::Error },
    #[error("the approvals `{}` can't be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// The file of approvals. Read anew for each question, since the command line may have added one.
#[derive(Debug, Clone)]
pub struct Approvals {
    path: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct Approved {
    /// Server to fingerprint.
    approved: BTreeMap<String, String>,
}

impl Approvals {
    pub fn at(path: PathBuf) -> Self {
        Approvals { path }
    }

    pub fn allows(&self, server: &ServerId, fingerprint: &Fingerprint) -> Result<bool, ApprovalsError> {
        Ok(self.read()?.approved.get(server.as_str()).is_some_and(|approved| approved == fingerprint.as_str()))
    }

    /// Allows the server to start with exactly this fingerprint, and no longer with an earlier one.
    pub fn allow(&self, server: &ServerId, fingerprint: &Fingerprint) -> Result<(), ApprovalsError> {
        let mut approved = self.read()?;
        approved.approved.insert(server.as_str().to_owned(), fingerprint.as_str().to_owned());
        let text = serde_json::to_vec_pretty(&approved)
            .map_err(|source| ApprovalsError::Invalid { path: self.path.clone(), source })?;
        private::write(&self.path, &text).map_err(|source| ApprovalsError::Write { path: self.path.clone(), source })
    }

    fn read(&self) -> Result<Approved, ApprovalsError> {
        match private::read(&self.path) {
            Ok(Some(bytes)) => serde_json::from_slice(&bytes)
                .map_err(|source| ApprovalsError::Invalid { path: self.path.clone(), source }),
            Ok(None) => Ok(Approved::default()),
            Err(source) => Err(ApprovalsError::Read { path: self.path.clone(), source }),
        }
    }
}
