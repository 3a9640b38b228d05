//! Servers as a front door sees them.

use std::sync::Arc;

use serde_json::value::RawValue;
use sonde_registry::{self as registry, CommandLine, Dialect, Reach};
use sonde_transport::{RemoteEnd, process_facts};

use super::launch::Start;
use super::shelves::{Shelf, Shelves};
use super::{Live, Server};
use crate::api::catalog::CatalogName;
use crate::api::changes::Nothing;
use crate::api::error::ApiError;
use crate::api::servers::{
    CommandLaunch, Launch, Layer, ListSize, Origin, ProcessFacts, ServerDetail, ServerList, ServerRequest,
    ServerSummary,
};
use crate::app::App;
use crate::explain::Machine;
use crate::log;
use crate::shown;
use crate::text::clip;

/// Characters of a text that cross the door; the log has the whole of it.
const LARGEST_TEXT: usize = 256 << 10;

impl App {
    pub(crate) async fn list_servers(&self, _request: Nothing) -> Result<ServerList, ApiError> {
        Ok(self.servers())
    }

    /// Every server and how it stands.
    pub fn servers(&self) -> ServerList {
        let present = self.inner.roster.now();
        let mut servers: Vec<ServerSummary> = present.servers.iter().map(|server| server.summary()).collect();
        ServerList {
            arrangement: self.arrange(&mut servers),
            servers,
            problems: present.problems.to_vec(),
            keeper: self.keeper(),
        }
    }

    pub(crate) async fn describe_server(&self, request: ServerRequest) -> Result<ServerDetail, ApiError> {
        self.describe(&request.server)
    }

    /// All there is to know of a server.
    pub fn describe(&self, id: &str) -> Result<ServerDetail, ApiError> {
        let server = self.server(id)?;
        let launch = match &server.spec.reach {
            Reach::Command(line) => Launch::Command(self.command_launch(&server, line)),
            Reach::Url(remote) => Launch::Url(server.shown_to_page(remote)),
        };
        let declared = self.posture(&server).map(|posture| posture.capabilities.get().to_owned());
        let summary = server.summary();
        let process = summary.pid.and_then(process);
        let differences = server.differences();
        let standing = server.standing();
        let handshake = standing.live.as_ref().map(|live| &live.handshake);
        let remote = standing.live.as_ref().and_then(|live| live.remote.as_ref());
        let json = |raw: &Option<Box<RawValue>>| raw.as_ref().map(|raw| clip(raw.get(), LARGEST_TEXT));
        Ok(ServerDetail {
            summary,
            launch,
            server_info: handshake.and_then(|handshake| json(&handshake.server_info)),
            server_capabilities: handshake.and_then(|handshake| json(&handshake.server_capabilities)),
            client_capabilities: match handshake {
                Some(handshake) => handshake.client_capabilities.get().to_owned(),
                None => declared.unwrap_or_else(|_| "{}".to_owned()),
            },
            instructions: handshake
                .and_then(|handshake| handshake.instructions.as_deref().map(|text| clip(text, LARGEST_TEXT))),
            offered_revision: handshake
                .filter(|handshake| handshake.negotiated)
                .map(|handshake| handshake.offered.to_string()),
            definitions: standing.live.as_ref().map(|live| sizes(&live.shelves)).unwrap_or_default(),
            session: remote.and_then(|remote| remote.session()),
            tls: remote.and_then(|remote| remote.tls()).map(log::http::tls),
            exit: standing.exit.clone(),
            stderr_tail: standing.stderr_tail.clone(),
            process,
            notices: standing.notices.clone(),
            differences,
        })
    }

    fn command_launch(&self, server: &Server, line: &CommandLine) -> CommandLaunch {
        let launch = match server.launch(&self.inner.posture, &self.inner.search) {
            Ok(Start::Process(launch)) => Some(launch),
            Ok(Start::Remote(_)) | Err(_) => None,
        };
        // As it is written down: a variable that is filled in may be a secret.
        CommandLaunch {
            command: line.written.first().cloned().unwrap_or_default(),
            args: line.shown().into_iter().skip(1).collect(),
            folder: server.shown_folder(),
            resolved: launch.as_ref().and_then(|launch| shown::binary(&server.spec, &launch.binary)),
            env_names: launch.iter().flat_map(|launch| &launch.env).map(|(name, _)| name.clone()).collect(),
        }
    }
}

impl From<&registry::Origin> for Origin {
    fn from(origin: &registry::Origin) -> Self {
        let machine = Machine::here();
        Origin { layer: Layer::from(origin.layer), file: origin.file.as_deref().map(|file| machine.path(file)) }
    }
}

impl From<registry::Layer> for Layer {
    fn from(layer: registry::Layer) -> Self {
        match layer {
            registry::Layer::BuiltIn => Layer::BuiltIn,
            registry::Layer::Global => Layer::Global,
            registry::Layer::Ancestor => Layer::Ancestor,
            registry::Layer::Project => Layer::Project,
            registry::Layer::Typed => Layer::Typed,
        }
    }
}

/// What the lists come to that are there.
fn sizes(shelves: &Shelves) -> Vec<ListSize> {
    fn of<T>(catalog: CatalogName, shelf: &Option<Arc<Shelf<T>>>, definition: fn(&T) -> &RawValue) -> Option<ListSize> {
        let list = &shelf.as_ref()?.list;
        let bytes = list.iter().map(|entry| definition(entry).get().len() as u64).sum();
        Some(ListSize { catalog, entries: u32::try_from(list.len()).unwrap_or(u32::MAX), bytes })
    }
    let sizes = [
        of(CatalogName::Tools, &shelves.tools, |offered| &offered.tool.definition),
        of(CatalogName::Resources, &shelves.resources, |resource| &resource.definition),
        of(CatalogName::Templates, &shelves.templates, |template| &template.definition),
        of(CatalogName::Prompts, &shelves.prompts, |prompt| &prompt.definition),
    ];
    sizes.into_iter().flatten().collect()
}

/// What the system tells of a server's processes; none where it tells nothing.
fn process(pid: u32) -> Option<ProcessFacts> {
    let facts = process_facts(pid)?;
    Some(ProcessFacts { pid, started: facts.started_ms, memory: Some(facts.memory), processes: facts.processes })
}

impl Server {
    /// As it is spoken, or configured.
    fn transport(&self, live: Option<&Live>) -> &'static str {
        let spoken = live.and_then(|live| live.remote.as_ref()).map(RemoteEnd::spoken);
        if spoken == Some(sonde_transport::Dialect::Sse) {
            return "sse";
        }
        match &self.spec.reach {
            Reach::Command(_) => "stdio",
            Reach::Url(remote) => match remote.dialect {
                Dialect::Auto | Dialect::Http => "http",
                Dialect::Sse => "sse",
            },
        }
    }

    fn summary(&self) -> ServerSummary {
        let changed = !self.differences().is_empty();
        let flaw = self.flaw();
        let standing = self.standing();
        let live = standing.live.as_ref();
        let shelves = live.map(|live| &live.shelves);
        let count = |length: Option<usize>| length.and_then(|length| u32::try_from(length).ok());
        ServerSummary {
            id: self.spec.id.to_string(),
            name: self.spec.name.clone(),
            origin: Origin::from(&self.spec.origin),
            overrides: self.spec.overrides.iter().map(Origin::from).collect(),
            enabled: self.spec.enabled,
            auto_start: self.spec.auto_start,
            changed,
            restarts: standing.restarts,
            retry: standing.retry.clone(),
            transport: self.transport(live).to_owned(),
            state: standing.state,
            since: standing.since_ms,
            phase: standing.phase.clone(),
            revision: live.map(|live| live.handshake.revision.to_string()),
            pid: standing.pid,
            latency_ms: live
                .filter(|live| live.handshake.negotiated)
                .map(|live| live.handshake.latency.as_secs_f64() * 1e3),
            tool_count: count(shelves.and_then(|shelves| Some(shelves.tools.as_ref()?.list.len()))),
            resource_count: count(shelves.and_then(|shelves| Some(shelves.resources.as_ref()?.list.len()))),
            template_count: count(shelves.and_then(|shelves| Some(shelves.templates.as_ref()?.list.len()))),
            prompt_count: count(shelves.and_then(|shelves| Some(shelves.prompts.as_ref()?.list.len()))),
            catalog_revision: standing.catalog_revision,
            news_revision: standing.news_revision,
            log_level: live.and_then(|live| live.log_level.clone()),
            problem: standing.problem.clone(),
            flaw,
            list_problems: shelves.map(Shelves::problems).unwrap_or_default(),
        }
    }
}
