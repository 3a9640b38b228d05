//! What the demo answers to each request. The protocol itself is rmcp's, but for what `dialect.rs` says.

use std::borrow::Cow;

use hyper::http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
        ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::json;

use crate::{
    arguments::Refusal,
    client::Client,
    completions, dialect, icons,
    levels::Levels,
    lists::Lists,
    output::Output,
    prompts,
    resources::{self, Subscriptions},
    scale::Scale,
    tasks::Tasks,
    tools::{self, Pages},
};

const INSTRUCTIONS: &str = include_str!("tour.md");

pub(crate) struct DemoServer {
    /// Standard output; none over HTTP, where each request has an output of its own.
    output: Option<Output>,
    pub(crate) levels: Levels,
    pub(crate) lists: Lists,
    pub(crate) pages: Pages,
    pub(crate) subscriptions: Subscriptions,
    pub(crate) scale: Scale,
    tasks: Tasks,
}

impl DemoServer {
    pub(crate) fn new(output: Option<Output>, scale: Scale) -> Self {
        Self {
            output,
            levels: Levels::default(),
            lists: Lists::default(),
            pages: Pages::default(),
            subscriptions: Subscriptions::default(),
            scale,
            tasks: Tasks::default(),
        }
    }

    /// Where lines that are not the protocol library's go: to standard output, or to the stream of this request.
    pub(crate) fn output_of(&self, context: &RequestContext<RoleServer>) -> Result<Output, Refusal> {
        let of_request = || context.extensions.get::<Parts>()?.extensions.get::<Output>().cloned();
        self.output.clone().or_else(of_request).ok_or_else(|| "this request has no stream of its own".to_owned())
    }
}

impl ServerHandler for DemoServer {
    #[expect(deprecated, reason = "logging is current in 2025-11-25, the protocol served here")]
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_server_info(
                Implementation::new("sonde-demo", env!("CARGO_PKG_VERSION"))
                    .with_title("Sonde demo")
                    .with_description("A tour of everything that a server can offer")
                    .with_icons(icons::server()),
            )
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
        self.levels.want_from(json!(request.level).as_str().unwrap_or_default());
        Ok(())
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
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::page(request.and_then(|request| request.cursor).as_deref(), &self.lists)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri, &self.lists).map(Into::into)
    }

    async fn subscribe(
        &self,
        request: rmcp::model::SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.add(request.uri, &self.lists, &context.peer)
    }

    async fn unsubscribe(
        &self,
        request: rmcp::model::UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all(&self.lists)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(request, &self.lists).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completions::complete(&request)
    }

    /// What rmcp does not know, and what was renamed so that it does not.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let client = Client::of(&context);
        let params = request.params.unwrap_or_else(|| json!({}));
        let answer = match request.method.strip_prefix(dialect::OURS) {
            Some("tools/list") => tools::page(params["cursor"].as_str(), &self.lists, self.scale, &client)?,
            Some(dialect::CALL_FOR_FUTURE) => tools::future(),
            Some(method) if client.speaks("2025-11-25") => {
                let output = self.output_of(&context).map_err(|problem| ErrorData::internal_error(problem, None))?;
                self.tasks.answer(method, params, &context, &output).await?
            }
            // To an older revision `task` is a member like any other that it does not know.
            Some(dialect::CALL_AS_TASK) => {
                let request = serde_json::from_value(params)
                    .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
                let mut result = tools::call(self, request, &context).await?;
                result.result_type = None;
                json!(result)
            }
            known => {
                let method = known.unwrap_or(&request.method);
                let message = format!("there is no method `{method}`");
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        Ok(CustomResult::new(answer))
    }
}
