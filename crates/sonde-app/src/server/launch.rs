//! What exactly would be started, and whether a person has allowed it.

use sonde_registry::Fingerprint;
use sonde_transport::{Launch, LineLimits, resolve, variables};

use super::Server;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::ServerState;
use crate::app::App;
use crate::explain;
use crate::posture::Posture;

/// A launch that waits for a person's yes. Only a native dialog or a terminal may give it.
#[derive(Debug)]
pub struct PendingApproval {
    pub server: String,
    /// The file that asks for it.
    pub file: Option<String>,
    pub binary: String,
    pub args: Vec<String>,
    pub folder: String,
    pub env_names: Vec<String>,
    fingerprint: Fingerprint,
}

impl Server {
    /// Resolves the command as it stands now. Nothing is started.
    pub fn launch(&self, posture: &Posture) -> Result<Launch, ApiError> {
        let env = variables(std::env::vars_os(), &self.spec.env_passthrough, &self.spec.env);
        let binary = resolve(&self.spec.command, &self.folder, &env)
            .map_err(|error| explain::launch(&self.spec, &self.folder, &error))?;
        let longest_line = posture.longest_line.unwrap_or(LineLimits::MESSAGE.longest);
        Ok(Launch { binary, args: self.spec.args.clone(), folder: self.folder.clone(), env, longest_line })
    }

    pub(super) fn fail_to_start(&self, problem: ApiError) {
        let mut standing = self.standing();
        if matches!(standing.state, ServerState::Stopped | ServerState::Failed) {
            standing.enter(ServerState::Failed);
            standing.problem = Some(problem);
        }
    }

    fn env_names(&self) -> Vec<String> {
        let own = self.spec.env.iter().map(|(name, _)| name.clone());
        own.chain(self.spec.env_passthrough.iter().cloned()).collect()
    }

    fn fingerprint(&self, launch: &Launch) -> Fingerprint {
        Fingerprint::of(&launch.binary, &launch.args, &launch.folder, &self.env_names())
    }
}

impl App {
    pub(super) fn require_approval(&self, server: &Server, launch: &Launch) -> Result<(), ApiError> {
        let id = &server.spec.id;
        if !server.spec.needs_approval() {
            return Ok(());
        }
        let allowed = self.inner.approvals.allows(id, &server.fingerprint(launch));
        if allowed.map_err(|error| explain::approvals(&error))? {
            return Ok(());
        }
        let message = format!("server `{id}` would run a command that nobody has approved");
        Err(explain::facts(ApiError::new(ErrorCode::ApprovalNeeded, "Approval needed", message), &server.spec)
            .hint(format!("`sonde approve {id}` shows the whole command and asks, and so does the window's dialog"))
            .fact("program", launch.binary.display().to_string()))
    }

    /// What a person must see before they allow the server to start.
    pub fn pending_approval(&self, id: &str) -> Result<PendingApproval, ApiError> {
        let server = self.server(id)?;
        let launch = server.launch(&self.inner.posture)?;
        Ok(PendingApproval {
            server: server.spec.id.to_string(),
            file: server.spec.origin.file.as_ref().map(|file| file.display().to_string()),
            binary: launch.binary.display().to_string(),
            args: launch.args.clone(),
            folder: launch.folder.display().to_string(),
            env_names: server.env_names(),
            fingerprint: server.fingerprint(&launch),
        })
    }

    /// Writes the approval down: for exactly what was shown, whatever the configuration says by now.
    pub fn approve(&self, approval: &PendingApproval) -> Result<(), ApiError> {
        let server = self.server(&approval.server)?;
        tracing::info!(server = %approval.server, binary = %approval.binary, "approved by a person");
        self.inner.approvals.allow(&server.spec.id, &approval.fingerprint).map_err(|error| explain::approvals(&error))
    }
}
