//! What an approval is given for, as one hash.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::expand::Reference;
use crate::reach::RemoteSpec;

/// Another binary, argument, folder or variable is another launch, and another host, way or header is another server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    hash: String,
    of_a_command: bool,
}

/// What a command would do, as far as an approval is concerned.
#[derive(Debug, Clone, Copy)]
pub struct LaunchShape<'a> {
    /// As it is started.
    pub binary: &'a Path,
    /// The same with all links followed: a link that points elsewhere is another program.
    pub target: &'a Path,
    /// With everything filled in but secrets and inputs.
    pub args: &'a [String],
    pub folder: &'a Path,
    /// The names of its own variables, each with what of its value must not change unseen.
    pub env: &'a [(String, String)],
    pub env_passthrough: &'a [String],
}

impl Fingerprint {
    pub fn of(launch: &LaunchShape) -> Self {
        let mut parts = Parts::default();
        parts.add(launch.binary.as_os_str().as_encoded_bytes());
        parts.add(launch.target.as_os_str().as_encoded_bytes());
        parts.add(launch.folder.as_os_str().as_encoded_bytes());
        parts.count(launch.args.len());
        launch.args.iter().for_each(|arg| parts.add(arg.as_bytes()));
        parts.count(launch.env.len());
        for (name, value) in launch.env {
            parts.add(name.as_bytes());
            parts.add(value.as_bytes());
        }
        launch.env_passthrough.iter().for_each(|name| parts.add(name.as_bytes()));
        Fingerprint { hash: parts.finish(), of_a_command: true }
    }

    /// For an address: who is spoken to, how, by which way, with which headers and trusting whom. Values of headers may
    /// change as tokens do, but not to other variables of ours; another path on the same server is the same server.
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
        parts.add(taken_in(&remote.written).as_bytes());
        let headers = remote.headers.iter();
        let mut headers: Vec<(String, String)> =
            headers.map(|header| (header.name.to_ascii_lowercase(), taken_in(&header.written))).collect();
        headers.sort();
        for (name, taken) in headers {
            parts.add(name.as_bytes());
            parts.add(taken.as_bytes());
        }
        Fingerprint { hash: parts.finish(), of_a_command: false }
    }

    pub fn as_str(&self) -> &str {
        &self.hash
    }

    pub(super) fn is_of_a_command(&self) -> bool {
        self.of_a_command
    }
}

/// What a text takes from our surroundings. Secrets and inputs are the server's own.
fn taken_in(written: &str) -> String {
    let taken = Reference::all_in(written).into_iter().filter(|reference| !reference.is_given());
    taken.map(|reference| format!("{reference} ")).collect()
}

/// Each part goes in with its length, so that no two launches can look alike.
#[derive(Default)]
struct Parts(Sha256);

impl Parts {
    fn add(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn finish(self) -> String {
        super::evidence::hexadecimal(&self.0.finalize())
    }
}
