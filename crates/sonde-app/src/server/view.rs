//! Servers and tools as a front door sees them.

use sonde_client::Tool;
use sonde_registry as registry;

use super::Server;
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::{Launch, Layer, Origin, ServerDetail, ServerList, ServerRequest, ServerSummary};
use crate::api::tools::{ToolDetail, ToolHints, ToolList, ToolRequest, ToolSummary};
use crate::app::App;
use crate::text::clip;

/// Characters of a text that cross the door; the log has the whole of it.
const LARGEST_TEXT: usize = 256 << 10;
const LONGEST_NAME: usize = 500;
/// Characters of a description that a list shows.
const DESCRIPTION: usize = 300;

impl App {
    pub async fn list_servers(&self, _request: Nothing) -> Result<ServerList, ApiError> {
        Ok(self.servers())
    }

    /// Every server and how it stands.
    pub fn servers(&self) -> ServerList {
        ServerList {
            servers: self.inner.servers.iter().map(|server| server.summary()).collect(),
            problems: self.inner.problems.clone(),
        }
    }

    pub(crate) async fn describe_server(&self, request: ServerRequest) -> Result<ServerDetail, ApiError> {
        let server = self.server(&request.server)?;
        let launch = server.launch();
        let env_names = launch.as_ref().map(|launch| launch.env.iter().map(|(name, _)| name.clone()).collect());
        let summary = server.summary();
        let standing = server.standing();
        let handshake = standing.live.as_ref().map(|live| &live.handshake);
        let json =
            |raw: &Option<Box<serde_json::value::RawValue>>| raw.as_ref().map(|raw| clip(raw.get(), LARGEST_TEXT));
        Ok(ServerDetail {
            summary,
            launch: Launch {
                command: server.spec.command.clone(),
                resolved: launch.as_ref().ok().map(|launch| launch.binary.display().to_string()),
                args: server.spec.args.clone(),
                folder: server.folder.display().to_string(),
                env_names: env_names.unwrap_or_default(),
            },
            server_info: handshake.and_then(|handshake| json(&handshake.server_info)),
            server_capabilities: handshake.and_then(|handshake| json(&handshake.server_capabilities)),
            client_capabilities: handshake
                .map_or_else(|| "{}".to_owned(), |handshake| handshake.client_capabilities.get().to_owned()),
            instructions: handshake
                .and_then(|handshake| handshake.instructions.as_deref().map(|text| clip(text, LARGEST_TEXT))),
            exit: standing.exit.clone(),
            stderr_tail: standing.stderr_tail.clone(),
        })
    }

    pub(crate) async fn list_tools(&self, request: ServerRequest) -> Result<ToolList, ApiError> {
        let server = self.server(&request.server)?;
        let standing = server.standing();
        let tools = standing.live.as_ref().and_then(|live| live.tools.as_ref());
        Ok(ToolList {
            tools: tools.map(|tools| (0..).zip(&tools.list).map(summary).collect()).unwrap_or_default(),
            complete: tools.is_some(),
            problem: tools.and_then(|tools| tools.problem.clone()),
        })
    }

    pub(crate) async fn describe_tool(&self, request: ToolRequest) -> Result<ToolDetail, ApiError> {
        let server = self.server(&request.server)?;
        let standing = server.standing();
        let tools = standing.live.as_ref().and_then(|live| live.tools.as_ref());
        let tool = tools.and_then(|tools| tools.list.get(request.index as usize)).ok_or_else(|| {
            let message = format!("server `{}` has no tool number {}", request.server, request.index);
            ApiError::new(ErrorCode::UnknownTool, "No such tool", message)
        })?;
        let json =
            |raw: &Option<Box<serde_json::value::RawValue>>| raw.as_ref().map(|raw| clip(raw.get(), LARGEST_TEXT));
        Ok(ToolDetail {
            summary: summary((request.index, tool)),
            description: tool.description.as_deref().map(|text| clip(text, LARGEST_TEXT)),
            input_schema: json(&tool.input_schema),
            output_schema: json(&tool.output_schema),
            definition: clip(tool.definition.get(), LARGEST_TEXT),
        })
    }
}

impl Server {
    fn summary(&self) -> ServerSummary {
        let standing = self.standing();
        let live = standing.live.as_ref();
        let tools = live.and_then(|live| live.tools.as_ref());
        ServerSummary {
            id: self.spec.id.to_string(),
            origin: Origin {
                layer: match self.spec.origin.layer {
                    registry::Layer::BuiltIn => Layer::BuiltIn,
                    registry::Layer::Global => Layer::Global,
                    registry::Layer::Project => Layer::Project,
                    registry::Layer::Typed => Layer::Typed,
                },
                file: self.spec.origin.file.as_ref().map(|file| file.display().to_string()),
            },
            transport: "stdio".to_owned(),
            state: standing.state,
            since: standing.since_ms,
            phase: standing.phase.clone(),
            revision: live.map(|live| live.handshake.revision.to_string()),
            pid: standing.pid,
            latency_ms: live.map(|live| live.handshake.latency.as_secs_f64() * 1e3),
            tool_count: tools.and_then(|tools| u32::try_from(tools.list.len()).ok()),
            catalog_revision: standing.catalog_revision,
            problem: standing.problem.clone(),
        }
    }
}

fn summary((index, tool): (u32, &Tool)) -> ToolSummary {
    ToolSummary {
        index,
        name: clip(&tool.name, LONGEST_NAME),
        title: tool.title.as_deref().map(|title| clip(title, LONGEST_NAME)),
        description: tool.description.as_deref().map(|text| text.chars().take(DESCRIPTION).collect()),
        hints: ToolHints {
            read_only: tool.hints.read_only,
            destructive: tool.hints.destructive,
            idempotent: tool.hints.idempotent,
            open_world: tool.hints.open_world,
        },
        problem: tool.problem.clone(),
    }
}
