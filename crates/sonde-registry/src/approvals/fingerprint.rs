//! What an approval is given for, as one hash.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::env_file::EnvFile;
use crate::expand::Reference;
use crate::reach::RemoteSpec;

/// Another binary, argument, folder or variable is another launch, and another address, way or header another server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    hash: String,
    kind: Kind,
    /// The hash has its path. What it holds is judged as soon as somebody may read it.
    env_file: Option<EnvFile>,
    /// What it is made of, each with the beginning of a hash, to tell what changed and for nothing else.
    parts: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Command,
    Address,
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
    /// The same as they are written.
    pub written_args: &'a [String],
    pub folder: &'a Path,
    pub env: &'a [LaunchVariable],
    pub env_passthrough: &'a [String],
    pub env_file: Option<&'a EnvFile>,
}

/// A variable of the server's own.
#[derive(Debug, Clone)]
pub struct LaunchVariable {
    pub name: String,
    /// As it is written: it must not take others of our variables unseen.
    pub written: String,
    /// What else of its value must not change unseen.
    pub guarded: String,
}

impl Fingerprint {
    pub fn of(launch: &LaunchShape) -> Self {
        let mut parts = Parts::default();
        parts.add("the program", launch.binary.as_os_str().as_encoded_bytes());
        parts.add("what the program links to", launch.target.as_os_str().as_encoded_bytes());
        parts.add("the folder", launch.folder.as_os_str().as_encoded_bytes());
        parts.count(launch.args.len());
        launch.args.iter().for_each(|arg| parts.add_unnamed(arg.as_bytes()));
        for (number, written) in (1..).zip(launch.written_args.iter().take(MOST_NAMED)) {
            // What a variable fills in may be a secret, which the hash of it alone could be guessed by.
            parts.name(format!("argument {number}"), written.as_bytes());
        }
        parts.count(launch.env.len());
        for variable in launch.env {
            parts.add_unnamed(variable.name.as_bytes());
            let value = [taken_in(&variable.written), variable.guarded.clone()];
            value.iter().for_each(|part| parts.add_unnamed(part.as_bytes()));
            parts.name(format!("the variable {}", variable.name), value.join("\0").as_bytes());
        }
        parts.count(launch.env_passthrough.len());
        launch.env_passthrough.iter().for_each(|name| parts.add_unnamed(name.as_bytes()));
        parts.name("what is passed through".to_owned(), launch.env_passthrough.join("\0").as_bytes());
        if let Some(file) = launch.env_file {
            parts.add("the file of variables", file.path.as_os_str().as_encoded_bytes());
        }
        Fingerprint { env_file: launch.env_file.cloned(), ..parts.finish(Kind::Command) }
    }

    /// For an address: who is spoken to, how, by which way, with which headers and trusting whom. Values of headers and
    /// what follows the `?` may change as tokens do, but not to other variables of ours; one host may have servers of
    /// many people, each at a path of its own.
    pub fn of_remote(remote: &RemoteSpec) -> Self {
        let mut parts = Parts::default();
        // No binary has such a path, so a command can't look like an address.
        parts.add_unnamed(b"\0url");
        parts.add("the host", remote.origin().as_bytes());
        parts.add("the path", remote.url.path().as_bytes());
        parts.add("the transport", remote.dialect.as_str().as_bytes());
        parts.add("the proxy", remote.proxy.shown().unwrap_or_default().as_bytes());
        parts.add("the certificate that is trusted", remote.trust.as_ref().map_or(&[][..], |pin| &pin[..]));
        for (name, path) in [
            ("the file of authorities", &remote.ca_file),
            ("the client's certificate", &remote.client_certificate),
            ("the client's key", &remote.client_key),
        ] {
            parts.add(name, path.as_ref().map_or(&[][..], |path| path.as_os_str().as_encoded_bytes()));
        }
        parts.add("what the address takes of your variables", taken_in(&remote.written).as_bytes());
        let headers = remote.headers.iter();
        let mut headers: Vec<(String, String)> =
            headers.map(|header| (header.name.to_ascii_lowercase(), taken_in(&header.written))).collect();
        headers.sort();
        for (name, taken) in headers {
            parts.add_unnamed(name.as_bytes());
            parts.add(&format!("the header {name}"), taken.as_bytes());
        }
        parts.finish(Kind::Address)
    }

    pub fn as_str(&self) -> &str {
        &self.hash
    }

    pub(super) fn is_of_a_command(&self) -> bool {
        self.kind == Kind::Command
    }

    pub(super) fn parts(&self) -> &BTreeMap<String, String> {
        &self.parts
    }

    pub(super) fn env_file(&self) -> Option<&EnvFile> {
        self.env_file.as_ref()
    }
}

/// What a text takes from our surroundings. Secrets and inputs are the server's own.
fn taken_in(written: &str) -> String {
    let taken = Reference::all_in(written).into_iter().filter(|reference| !reference.is_given());
    taken.map(|reference| format!("{reference} ")).collect()
}

/// Parts beyond which nothing is told of what changed.
const MOST_NAMED: usize = 100;

/// Each part goes in with its length, so that no two launches can look alike.
#[derive(Default)]
struct Parts {
    hash: Sha256,
    named: BTreeMap<String, String>,
}

impl Parts {
    fn add(&mut self, name: &str, bytes: &[u8]) {
        self.add_unnamed(bytes);
        self.name(name.to_owned(), bytes);
    }

    fn add_unnamed(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.hash.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.hash.update((count as u64).to_le_bytes());
    }

    fn name(&mut self, name: String, bytes: &[u8]) {
        if self.named.len() < 2 * MOST_NAMED {
            let hash = Sha256::digest(bytes);
            self.named.insert(name, super::hexadecimal(hash.get(..6).unwrap_or_default()));
        }
    }

    fn finish(self, kind: Kind) -> Fingerprint {
        let hash = super::hexadecimal(&self.hash.finalize());
        Fingerprint { hash, kind, env_file: None, parts: self.named }
    }
}
