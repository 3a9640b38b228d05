//! What the demo answers to each request. The protocol itself is rmcp's.

use std::{
    borrow::Cow,
    sync::atomic::{AtomicBool, Ordering},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, Implementation,
        ListPromptsResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};

use crate::{output::Output, prompts, resources, tools};

const INSTRUCTIONS: &str = "A server to try an inspector on. Start with `add`; `slow` reports \
    progress and can be cancelled; `fail`, `noise` and `flood` show what an inspector does with \
    errors, broken output and many messages. Nothing here touches files or the network.";

pub(crate) struct DemoServer {
    pub(crate) output: Output,
    /// Whether the client wants log messages of level `info`, the only level the demo writes.
    info_is_wanted: AtomicBool,
}

impl DemoServer {
    pub(crate) fn new(output: Output) -> Self {
        Self { output, info_is_wanted: AtomicBool::new(true) }
    }

    pub(crate) fn info_is_wanted(&self) -> bool {
        self.info_is_wanted.load(Ordering::Relaxed)
    }
}

impl ServerHandler for DemoServer {
    #[expect(deprecated, reason = "logging is current in 2025-11-25, the protocol served here")]
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_logging().enable_prompts().enable_resources().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_server_info(Implementation::new("sonde-demo", env!("CARGO_PKG_VERSION")).with_title("Sonde demo"))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25))
    }

    #[expect(deprecated, reason = "logging is current in 2025-11-25, the protocol served here")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        use rmcp::model::LoggingLevel::{Debug, Info};
        let wanted = matches!(request.level, Debug | Info);
        self.info_is_wanted.store(wanted, Ordering::Relaxed);
        Ok(())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, &context).await.map(Into::into)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(Into::into)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![prompts::review()]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(request).map(Into::into)
    }
}
