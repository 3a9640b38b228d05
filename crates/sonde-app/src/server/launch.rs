//! What exactly would be started, and whether a person has allowed it.

use std::path::{Path, PathBuf};

use sonde_registry::{self as registry, CommandLine, Fingerprint, HeaderSpec, Proxy, Reach, RemoteSpec};
use sonde_transport::{
    Dialect, Header, HttpLimits, Launch, LineLimits, Proxying, Remote, SearchPath, Secrecy, Trust, mask_header,
    shown_address, shown_url, variables,
};

use super::Server;
use crate::api::error::ApiError;
use crate::api::servers::{ServerState, ShownHeader, UrlLaunch};
use crate::app::App;
use crate::explain;
use crate::posture::Posture;

/// What is done to reach a server.
#[derive(Debug)]
pub(crate) enum Start {
    Process(Launch),
    Remote(Box<Remote>),
}

impl Start {
    /// What a person reads while it begins.
    pub fn first_phase(&self) -> &'static str {
        match self {
            Start::Process(_) => "starting the process",
            Start::Remote(_) => "connecting",
        }
    }

    /// What is run; nothing where nothing is.
    fn binary(&self) -> &Path {
        match self {
            Start::Process(launch) => &launch.binary,
            Start::Remote(_) => Path::new(""),
        }
    }

    fn args(&self) -> &[String] {
        match self {
            Start::Process(launch) => &launch.args,
            Start::Remote(_) => &[],
        }
    }
}

/// A server that waits for a person's yes. Only a native dialog or a terminal may give it.
#[derive(Debug)]
pub struct PendingApproval {
    pub server: String,
    /// The file that asks for it.
    pub file: Option<String>,
    pub asked: Asked,
    fingerprint: Fingerprint,
}

/// What a person is asked about.
#[derive(Debug)]
pub enum Asked {
    Command { binary: String, args: Vec<String>, folder: String, env_names: Vec<String> },
    Url(UrlLaunch),
}

impl Server {
    /// Decides how the server would be reached as things stand now. Nothing is started and nothing connected.
    pub fn launch(&self, posture: &Posture, search: &SearchPath) -> Result<Start, ApiError> {
        match &self.spec.reach {
            Reach::Command(line) => self.process(line, posture, search).map(Start::Process),
            Reach::Url(remote) => Ok(Start::Remote(Box::new(self.remote(remote, posture)))),
        }
    }

    fn process(&self, line: &CommandLine, posture: &Posture, search: &SearchPath) -> Result<Launch, ApiError> {
        let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
        let located = search.resolve(&line.command, &self.folder, &mut env);
        let binary = located.map_err(|error| explain::launch(&self.spec, &self.folder, &error))?.binary;
        let longest_line = posture.longest_line.unwrap_or(LineLimits::MESSAGE.longest);
        Ok(Launch { binary, args: line.args.clone(), folder: self.folder.clone(), env, longest_line })
    }

    fn remote(&self, remote: &RemoteSpec, posture: &Posture) -> Remote {
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| self.folder.join(path));
        let limits = HttpLimits::default();
        Remote {
            url: remote.url.clone(),
            shown: match remote.written.contains("${") {
                true => shown_address(&remote.written),
                false => shown_url(&remote.url),
            },
            dialect: match remote.dialect {
                registry::Dialect::Auto => Dialect::Auto,
                registry::Dialect::Http => Dialect::Streamable,
                registry::Dialect::Sse => Dialect::Sse,
            },
            headers: remote.headers.iter().map(header).collect(),
            secrets: secrets(remote),
            proxy: match &remote.proxy {
                Proxy::System => Proxying::System,
                Proxy::Never => Proxying::None,
                Proxy::By(url) => Proxying::By(url.to_string()),
            },
            trust: Trust {
                authorities: file(&remote.ca_file),
                certificate: file(&remote.client_certificate),
                key: file(&remote.client_key),
                pinned: remote.trust,
            },
            retries: remote.retries,
            limits: HttpLimits {
                message: posture.longest_line.unwrap_or(limits.message),
                connect: limits.connect.min(posture.connect_limit),
                ..limits
            },
        }
    }

    pub(super) fn fail_to_start(&self, problem: ApiError) {
        let mut standing = self.standing();
        if matches!(standing.state, ServerState::Stopped | ServerState::Failed) {
            standing.enter(ServerState::Failed);
            standing.problem = Some(problem);
        }
    }

    fn asked(&self, start: &Start) -> Asked {
        match &self.spec.reach {
            Reach::Command(line) => Asked::Command {
                binary: start.binary().display().to_string(),
                args: start.args().to_vec(),
                folder: self.folder.display().to_string(),
                env_names: env_names(line),
            },
            Reach::Url(remote) => Asked::Url(self.shown(remote)),
        }
    }

    fn fingerprint(&self, start: &Start) -> Fingerprint {
        match &self.spec.reach {
            Reach::Command(line) => Fingerprint::of(start.binary(), start.args(), &self.folder, &env_names(line)),
            Reach::Url(remote) => Fingerprint::of_remote(remote),
        }
    }

    /// An address and the way there, as a person may see them.
    pub(super) fn shown(&self, remote: &RemoteSpec) -> UrlLaunch {
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| self.folder.join(path).display().to_string());
        let digits = |pin: &[u8; 32]| pin.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        UrlLaunch {
            url: shown_address(&remote.written),
            origin: remote.origin(),
            dialect: remote.dialect.as_str().to_owned(),
            headers: remote.headers.iter().map(shown_header).collect(),
            proxy: remote.proxy.shown(),
            ca_file: file(&remote.ca_file),
            client_certificate: file(&remote.client_certificate),
            client_key: file(&remote.client_key),
            trust: remote.trust.as_ref().map(|pin| format!("sha256:{}", digits(pin))),
        }
    }
}

fn env_names(line: &CommandLine) -> Vec<String> {
    let own = line.env.iter().map(|(name, _)| name.clone());
    own.chain(line.env_passthrough.iter().cloned()).collect()
}

/// What must not be written down: a shorter value would hide more of a log than it protects.
fn secrets(remote: &RemoteSpec) -> Vec<String> {
    const SHORTEST: usize = 6;
    let tokens = remote.headers.iter().filter(|header| header.secret).map(|header| &header.value);
    // The scheme of an authorization is no secret.
    let tokens = tokens.map(|value| value.rsplit(' ').next().unwrap_or(value));
    let filled = remote.filled.iter().flat_map(|value| forms(remote, value));
    let values = filled.chain(tokens.map(str::to_owned));
    values.filter(|value| value.len() >= SHORTEST).collect()
}

/// A value as it was given, and as it stands in the path or in the query of an address.
fn forms(remote: &RemoteSpec, value: &str) -> [String; 3] {
    let (mut path, mut query) = (remote.url.clone(), remote.url.clone());
    path.set_path(value);
    query.set_query(Some(value));
    let path = path.path().trim_start_matches('/').to_owned();
    [value.to_owned(), path, query.query().unwrap_or_default().to_owned()]
}

fn header(header: &HeaderSpec) -> Header {
    Header { name: header.name.clone(), value: header.value.clone(), secret: header.secret }
}

fn shown_header(header: &HeaderSpec) -> ShownHeader {
    let secrecy = if header.secret { Secrecy::Kept } else { Secrecy::ByName };
    ShownHeader { name: header.name.clone(), value: mask_header(&header.name, &header.value, secrecy) }
}

impl App {
    pub(super) fn require_approval(&self, server: &Server, start: &Start) -> Result<(), ApiError> {
        let id = &server.spec.id;
        if !server.spec.needs_approval() {
            return Ok(());
        }
        let allowed = self.inner.approvals.allows(id, &server.fingerprint(start));
        if allowed.map_err(|error| explain::approvals(&error))? {
            return Ok(());
        }
        let binary = matches!(start, Start::Process(_)).then(|| start.binary());
        Err(explain::unapproved(&server.spec, binary))
    }

    /// Looks for a server's program everywhere, the login shell's PATH included, so that whoever decides by what was
    /// found decides by all of it.
    pub async fn look_for_program(&self, id: &str) {
        let Ok(server) = self.server(id) else { return };
        if let Reach::Command(line) = &server.spec.reach {
            let env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
            self.inner.search.settle(&line.command, &server.folder, &env).await;
        }
    }

    /// What a person must see before they allow the server to start. After [`App::look_for_program`].
    pub fn pending_approval(&self, id: &str) -> Result<PendingApproval, ApiError> {
        let server = self.server(id)?;
        let start = server.launch(&self.inner.posture, &self.inner.search)?;
        Ok(PendingApproval {
            server: server.spec.id.to_string(),
            file: server.spec.origin.file.as_ref().map(|file| file.display().to_string()),
            asked: server.asked(&start),
            fingerprint: server.fingerprint(&start),
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
        self.inner.approvals.allow(&server.spec.id, &approval.fingerprint).map_err(|error| explain::approvals(&error))
    }
}
