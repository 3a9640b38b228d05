//! What exactly would be started, or spoken to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sonde_registry::{self as registry, CommandLine, HeaderSpec, Proxy, Reach, RemoteSpec, ServerSpec};
use sonde_transport::{
    Dialect, Header, HttpLimits, Launch, LineLimits, Platform, Proxying, Remote, SearchPath, Secrecy, Trust,
    mask_header, shown_address, shown_url, variables,
};

use super::{Server, approval};
use crate::api::error::{ApiError, ErrorCode};
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
    pub fn binary(&self) -> &Path {
        match self {
            Start::Process(launch) => &launch.binary,
            Start::Remote(_) => Path::new(""),
        }
    }

    /// Where it is run; nowhere where nothing is.
    pub fn folder(&self) -> &Path {
        match self {
            Start::Process(launch) => &launch.folder,
            Start::Remote(_) => Path::new(""),
        }
    }
}

/// A way that a person has allowed, and the entry with everything filled in that it was made of.
pub(crate) struct AllowedStart {
    pub start: Start,
    pub filled: ServerSpec,
}

impl Server {
    /// Decides how the server would be reached as things stand now. Nothing is started and nothing connected.
    /// Secrets and inputs stay as they are written.
    pub fn launch(&self, posture: &Posture, search: &SearchPath) -> Result<Start, ApiError> {
        self.launch_as(&self.spec, posture, search)
    }

    /// The same with what was filled in.
    pub fn launch_as(&self, filled: &ServerSpec, posture: &Posture, search: &SearchPath) -> Result<Start, ApiError> {
        self.refuse_flawed()?;
        match &filled.reach {
            Reach::Command(line) => self.process(line, posture, search).map(Start::Process),
            Reach::Url(remote) => Ok(Start::Remote(Box::new(self.remote(remote, posture)))),
        }
    }

    fn process(&self, line: &CommandLine, posture: &Posture, search: &SearchPath) -> Result<Launch, ApiError> {
        let folder = self.folder_of(line);
        // A file of variables has no say in which program it is: it is read only after that one was approved.
        let own = line.env.get(..line.written_env.len()).unwrap_or(&line.env);
        let mut own = variables(std::env::vars_os(), &line.env_passthrough, own);
        let located = search.resolve(&line.command, &folder, &mut own);
        let located = located.map_err(|error| explain::launch(&self.spec, &folder, &error))?;
        let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
        Platform::HERE.equip(&located, &mut env);
        let longest_line = posture.longest_line.unwrap_or(LineLimits::MESSAGE.longest);
        Ok(Launch { binary: located.binary, args: line.args.clone(), folder, env, longest_line })
    }

    /// Where a command of this server runs.
    pub(crate) fn folder_of(&self, line: &CommandLine) -> PathBuf {
        match &line.folder {
            Some(filled) => self.project.join(filled),
            None => self.folder.clone(),
        }
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
            backoff: remote.backoff,
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

    /// It would be running already if a person had allowed it.
    pub(super) fn await_approval(&self, problem: ApiError) {
        let mut standing = self.standing();
        if standing.state == ServerState::Stopped {
            standing.problem = Some(problem);
        }
    }

    /// Nobody waits for a person any more.
    pub(super) fn is_approved(&self) {
        let mut standing = self.standing();
        let was_awaited = standing.problem.as_ref().is_some_and(|problem| problem.code == ErrorCode::ApprovalNeeded);
        if standing.state == ServerState::Stopped && was_awaited {
            standing.problem = None;
        }
    }

    /// Nothing is missing any more: a start that failed for want of it is past.
    pub(crate) fn is_given_all(&self) {
        let mut standing = self.standing();
        let was_missing = standing.problem.as_ref().is_some_and(|problem| problem.code == ErrorCode::InputNeeded);
        if standing.state == ServerState::Failed && was_missing {
            standing.enter(ServerState::Stopped);
            standing.problem = None;
        }
    }

    /// An address and the way there, as a person may see them.
    pub(crate) fn shown(&self, remote: &RemoteSpec) -> UrlLaunch {
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
    /// Looks for a server's program everywhere, the login shell's PATH included, so that whoever decides by what was
    /// found decides by all of it.
    pub async fn look_for_program(&self, id: &str) {
        let Ok(server) = self.server(id) else { return };
        // Whoever goes on is told what is missing.
        let Ok(considered) = self.considered_soon(&server).await else { return };
        if let Reach::Command(line) = &considered.reach {
            let env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
            self.inner.search.settle(&line.command, &server.folder_of(line), &env).await;
        }
    }

    /// How the server is reached now, everything filled in, if a person has allowed it to be.
    pub(super) async fn allowed_launch(
        &self,
        server: &Arc<Server>,
        posture: &Posture,
    ) -> Result<AllowedStart, ApiError> {
        // Whoever does not allow it need not be asked for its secrets, nor is any file of theirs read.
        let considered = self.considered_soon(server).await?;
        let shown = server.launch_as(&considered, posture, &self.inner.search)?;
        let unread = considered.env_file();
        self.require_approval(server, &shown, approval::fingerprint(&considered, &shown, unread)).await?;
        let filled = self.filled(server).await?;
        let start = server.launch_as(&filled, posture, &self.inner.search)?;
        // What was filled in by now decides, and what was read by now.
        let read = filled.env_file();
        if read.is_some() || start.binary() != shown.binary() || start.folder() != shown.folder() {
            self.require_approval(server, &start, approval::fingerprint(&considered, &start, read)).await?;
        }
        Ok(AllowedStart { start, filled })
    }
}
