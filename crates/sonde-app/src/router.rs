//! The one list of commands. The router, the names for access control and the TypeScript types all come from it.

use ts_rs::{Config, TS, TypeVisitor};

use crate::api::book::{
    RecallRequest, Recalled, SaveCallRequest, SavedCall, SavedCallList, SavedCallRequest, SetVariableRequest,
    VariableList,
};
use crate::api::calls::{
    ArgumentsCheck, Call, CallList, CallRequest, CallToolRequest, CallsRequest, CheckArgumentsRequest, RawCalls,
    RawRequest, SendRequest,
};
use crate::api::catalog::{
    CompleteRequest, Completions, EntryRequest, ExpandRequest, Expanded, PromptDetail, PromptList, RefreshRequest,
    ResourceDetail, ResourceList, SubscriptionList, SubscriptionRequest, TemplateDetail, TemplateList,
};
use crate::api::changes::{Changes, ChangesRequest, Nothing};
use crate::api::configuration::{
    Arrangement, ConfigFiles, DraftReport, EnableRequest, SaveDraftRequest, Saved, ServerDraft,
};
use crate::api::content::{Content, ContentPart, ContentPartRequest, ContentRequest, SaveContentRequest, SavedContent};
use crate::api::doctor::Examination;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::import::{
    ExportRequest, Exported, FoundFiles, HandOverRequest, HandedOver, ImportRequest, Imported, Offer, ReadOfferRequest,
    Shapes,
};
use crate::api::log::{FramePart, FrameRequest, LogPage, LogRequest, LogRows, RowDetail, RowRequest};
use crate::api::posture::{EditPostureRequest, PostureDetail};
use crate::api::questions::{
    AnswerRequest, CheckAnswerRequest, LinkDetail, QuestionList, QuestionRequest, RefusedQuestions,
};
use crate::api::repeats::{Repeat, RepeatRequest, RepeatToolRequest};
use crate::api::search::{SearchRequest, SearchResult};
use crate::api::secrets::{SecretList, SetSecretRequest};
use crate::api::servers::{LogLevelRequest, Pong, ServerDetail, ServerList, ServerRequest};
use crate::api::tasks::{TaskList, TaskName};
use crate::api::tools::{AcceptRequest, NamedTool, PinRequest, ToolChange, ToolDetail, ToolList, ToolRequest};
use crate::app::App;

/// A larger request is refused before it is read.
pub const LARGEST_REQUEST: usize = 1 << 20;

macro_rules! commands {
    ($($name:ident($request:ty) -> $response:ty;)*) => {
        /// The names of all commands.
        pub const COMMANDS: &[&str] = &[$(stringify!($name)),*];

        impl App {
            /// Carries out one command: JSON bytes in, JSON bytes out.
            pub async fn dispatch(&self, command: &str, request: &[u8]) -> Result<Vec<u8>, ApiError> {
                check_size(command, request)?;
                let _permit = self.admit(command)?;
                // Each in a box of its own: together they would make a future that no thread's stack has room for.
                match command {
                    $(stringify!($name) => write(&Box::pin(self.$name(read::<$request>(command, request)?)).await?),)*
                    other => Err(ApiError::new(
                        ErrorCode::InvalidRequest,
                        "Unknown command",
                        format!("there is no command `{other}`"),
                    )),
                }
            }
        }

        /// The TypeScript side of the API, as a whole file.
        pub fn bindings() -> String {
            let mut types = Declarations::default();
            types.visit::<ApiError>();
            let mut list = String::new();
            $(
                types.visit::<$request>();
                types.visit::<$response>();
                list.push_str(&format!(
                    "  {}: [{}, {}];\n",
                    stringify!($name),
                    <$request as TS>::name(&types.config),
                    <$response as TS>::name(&types.config),
                ));
            )*
            types.into_file(&list)
        }
    };
}

commands! {
    list_servers(Nothing) -> ServerList;
    describe_server(ServerRequest) -> ServerDetail;
    connect_server(ServerRequest) -> Nothing;
    disconnect_server(ServerRequest) -> Nothing;
    disconnect_all(Nothing) -> Nothing;
    examine_server(ServerRequest) -> Examination;
    list_files(Nothing) -> ConfigFiles;
    read_draft(ServerRequest) -> ServerDraft;
    check_draft(ServerDraft) -> DraftReport;
    save_draft(SaveDraftRequest) -> Saved;
    duplicate_server(ServerRequest) -> Saved;
    enable_server(EnableRequest) -> Saved;
    remove_server(ServerRequest) -> Nothing;
    arrange_servers(Arrangement) -> Nothing;
    dismiss_difference(ServerRequest) -> Nothing;
    find_clients(Nothing) -> FoundFiles;
    hand_over(HandOverRequest) -> HandedOver;
    read_offer(ReadOfferRequest) -> Offer;
    import_servers(ImportRequest) -> Imported;
    list_shapes(Nothing) -> Shapes;
    export_servers(ExportRequest) -> Exported;
    list_secrets(ServerRequest) -> SecretList;
    set_secret(SetSecretRequest) -> Nothing;
    search_entries(SearchRequest) -> SearchResult;
    list_tools(ServerRequest) -> ToolList;
    describe_tool(ToolRequest) -> ToolDetail;
    describe_change(NamedTool) -> ToolChange;
    accept_changes(AcceptRequest) -> Nothing;
    pin_tool(PinRequest) -> Nothing;
    list_resources(ServerRequest) -> ResourceList;
    describe_resource(EntryRequest) -> ResourceDetail;
    list_templates(ServerRequest) -> TemplateList;
    describe_template(EntryRequest) -> TemplateDetail;
    expand_template(ExpandRequest) -> Expanded;
    list_prompts(ServerRequest) -> PromptList;
    describe_prompt(EntryRequest) -> PromptDetail;
    refresh_catalog(RefreshRequest) -> Nothing;
    complete_argument(CompleteRequest) -> Completions;
    subscribe_resource(SubscriptionRequest) -> Nothing;
    unsubscribe_resource(SubscriptionRequest) -> Nothing;
    list_subscriptions(ServerRequest) -> SubscriptionList;
    list_tasks(ServerRequest) -> TaskList;
    await_task(TaskName) -> Call;
    cancel_task(TaskName) -> Nothing;
    set_log_level(LogLevelRequest) -> Nothing;
    ping_server(ServerRequest) -> Pong;
    describe_posture(ServerRequest) -> PostureDetail;
    edit_posture(EditPostureRequest) -> PostureDetail;
    check_arguments(CheckArgumentsRequest) -> ArgumentsCheck;
    call_tool(CallToolRequest) -> Call;
    send_request(SendRequest) -> Call;
    send_bytes(RawRequest) -> RawCalls;
    list_calls(CallsRequest) -> CallList;
    read_call(CallRequest) -> Call;
    cancel_call(CallRequest) -> Nothing;
    read_content(ContentRequest) -> Content;
    read_content_part(ContentPartRequest) -> ContentPart;
    save_content(SaveContentRequest) -> SavedContent;
    repeat_tool(RepeatToolRequest) -> Repeat;
    read_repeat(RepeatRequest) -> Repeat;
    cancel_repeat(RepeatRequest) -> Nothing;
    list_saved_calls(Nothing) -> SavedCallList;
    save_call(SaveCallRequest) -> SavedCall;
    remove_saved_call(SavedCallRequest) -> Nothing;
    recall_arguments(RecallRequest) -> Recalled;
    list_variables(Nothing) -> VariableList;
    set_variable(SetVariableRequest) -> VariableList;
    list_questions(Nothing) -> QuestionList;
    answer_question(AnswerRequest) -> Nothing;
    check_answer(CheckAnswerRequest) -> ArgumentsCheck;
    refuse_questions(ServerRequest) -> RefusedQuestions;
    look_at_link(QuestionRequest) -> LinkDetail;
    open_link(QuestionRequest) -> Nothing;
    query_log(LogRequest) -> LogPage;
    read_row(RowRequest) -> RowDetail;
    read_frame(FrameRequest) -> FramePart;
    find_related(RowRequest) -> LogRows;
    wait_changes(ChangesRequest) -> Changes;
    report_ready(Nothing) -> Nothing;
}

fn read<T: serde::de::DeserializeOwned>(command: &str, request: &[u8]) -> Result<T, ApiError> {
    let invalid = |problem: String| {
        ApiError::new(ErrorCode::InvalidRequest, "Invalid request", format!("`{command}`: {problem}"))
    };
    // An array would be read as the fields in their order, and nothing would say which is which.
    if !request.trim_ascii_start().starts_with(b"{") {
        return Err(invalid("a request is an object".to_owned()));
    }
    // serde_json refuses nesting deeper than 128 by itself.
    serde_json::from_slice(request).map_err(|error| invalid(error.to_string()))
}

fn write<T: serde::Serialize>(response: &T) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(response).map_err(|error| {
        ApiError::new(ErrorCode::Internal, "Internal error", format!("an answer is not JSON: {error}"))
    })
}

/// Refuses a request that is too large, before anyone copies or reads it.
pub fn check_size(command: &str, request: &[u8]) -> Result<(), ApiError> {
    if request.len() <= LARGEST_REQUEST {
        return Ok(());
    }
    let message = format!("`{command}` was given {} bytes; at most {LARGEST_REQUEST} are taken", request.len());
    Err(ApiError::new(ErrorCode::TooLarge, "Request too large", message))
}

/// Collects the declarations of types and of all that they mention.
struct Declarations {
    config: Config,
    seen: Vec<(String, String)>,
}

impl Default for Declarations {
    fn default() -> Self {
        // All our integers stay below 2^53, so they can be numbers.
        Declarations { config: Config::new().with_large_int("number"), seen: Vec::new() }
    }
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let name = T::ident(&self.config);
        // Only types of ours have a place to be exported to.
        if T::output_path().is_none() || self.seen.iter().any(|(seen, _)| *seen == name) {
            return;
        }
        let declaration = format!("{}export {}", T::docs().unwrap_or_default(), T::decl(&self.config));
        self.seen.push((name, declaration));
        T::visit_dependencies(self);
    }
}

impl Declarations {
    fn into_file(mut self, commands: &str) -> String {
        self.seen.sort();
        let mut file = String::from("// Generated from crates/sonde-app by `make bindings`. Do not edit.\n\n");
        for (_, declaration) in &self.seen {
            file.push_str(declaration);
            file.push_str("\n\n");
        }
        file.push_str("/** Every command: what it takes and what it gives. */\nexport type Commands = {\n");
        file.push_str(commands);
        file.push_str("};\n");
        file
    }
}
