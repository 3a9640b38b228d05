//! What exactly would be started, or spoken to.

use std::path::{Path, PathBuf};

use sonde_registry::{self as registry, CommandLine, HeaderSpec, Proxy, Reach, RemoteSpec, ServerSpec};
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
    pub fn binary(&self) -> &Path {
        match self {
            Start::Process(launch) => &launch.binary,
            Start::Remote(_) => Path::new(""),
        }
    }
}

impl Server {
    /// Decides how the server would be reached as things stand now. Nothing is started and nothing connected.
    /// Secrets and inputs stay as they are written.
    pub fn launch(&self, posture: &Posture, search: &SearchPath) -> Result<Start, ApiError> {
        self.launch_as(&self.spec, posture, search)
    }

    /// The same with what was filled in.
    pub fn launch_as(&self, filled: &ServerSpec, posture: &Posture, search: &SearchPath) -> Result<Start, ApiError> {
        match &filled.reach {
            Reach::Command(line) => self.process(line, posture, search).map(Start::Process),
            Reach::Url(remote) => Ok(Start::Remote(Box::new(self.remote(remote, posture)))),
        }
    }

    fn process(&self, line: &CommandLine, posture: &Posture, search: &SearchPath) -> Result<Launch, ApiError> {
        let folder = match &line.folder {
            Some(filled) => self.project.join(filled),
            None => self.folder.clone(),
        };
        let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
        let located = search.resolve(&line.command, &folder, &mut env);
        let binary = located.map_err(|error| explain::launch(&self.spec, &folder, &error))?.binary;
        let longest_line = posture.longest_line.unwrap_or(LineLimits::MESSAGE.longest);
        Ok(Launch { binary, args: line.args.clone(), folder, env, longest_line })
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
        if let Reach::Command(line) = &server.spec.reach {
            let env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
            self.inner.search.settle(&line.command, &server.folder, &env).await;
        }
    }

    /// How the server is reached now, everything filled in, if a person has allowed it to be.
    pub(super) async fn allowed_launch(&self, server: &Server, posture: &Posture) -> Result<Start, ApiError> {
        // Whoever does not allow it need not be asked for its secrets.
        let shown = server.launch(posture, &self.inner.search)?;
        self.require_approval(server, &shown).await?;
        let filled = self.filled(server).await?;
        let start = server.launch_as(&filled, posture, &self.inner.search)?;
        if start.binary() != shown.binary() {
            self.require_approval(server, &start).await?;
        }
        Ok(start)
    }
}
