//! Every way a message can be wrong, each with a code, a severity and the rule it breaks.

/// One problem of one frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    /// What exactly was seen, as a sentence without a final period.
    pub message: String,
}

impl Finding {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Finding { code, message: message.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

macro_rules! codes {
    ($($variant:ident, $slug:literal, $severity:ident, $rule:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($variant),* }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// The name under which it is stored, filtered and shown.
            pub fn slug(self) -> &'static str {
                match self { $(Code::$variant => $slug),* }
            }

            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }

            /// The rule that was broken, in the specification's terms.
            pub fn rule(self) -> Option<&'static str> {
                match self { $(Code::$variant => $rule),* }
            }

            pub fn from_slug(slug: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|code| code.slug() == slug)
            }
        }
    };
}

const STDOUT: Option<&str> = Some("stdio: the server must write nothing to stdout that is not a valid MCP message");
const UTF8: Option<&str> = Some("transports: JSON-RPC messages must be UTF-8 encoded");
const ENVELOPE: Option<&str> = Some("JSON-RPC 2.0, sections 4 and 5: the members of a request and of a response");
const IDS: Option<&str> = Some("base protocol: a request id is a string or an integer and must not be null");

const LIFECYCLE: Option<&str> =
    Some("lifecycle: initialization is the first interaction, and only ping and logging may come before its end");
const VERSION: Option<&str> =
    Some("lifecycle: the server answers with the revision that was asked for, or with another that it supports");
const AGREED: Option<&str> = Some("lifecycle: both sides respect the agreed revision and the declared capabilities");
const PROGRESS: Option<&str> =
    Some("progress: it must increase, name the token of an active request, and stop when that is complete");
const LOGGING: Option<&str> = Some("logging: eight levels from debug to emergency; none below the one that was set");
const RESULTS: Option<&str> = Some("schema: the members that the result of this method must have");
const TASKS: Option<&str> =
    Some("tasks: working to input_required or an end, input_required to working or an end; an end is final");
const TOOL_NAMES: Option<&str> =
    Some("tools: a name should have 1 to 128 characters of A-Z, a-z, 0-9, _, - and ., and be unique in its server");
const CANCELLING: Option<&str> =
    Some("cancellation: initialize must not be cancelled, and a task is cancelled by tasks/cancel");

codes! {
    NotJson, "not-json", Error, STDOUT;
    InvalidUtf8, "invalid-utf8", Error, UTF8;
    ByteOrderMark, "byte-order-mark", Warning, UTF8;
    EmptyLine, "empty-line", Warning, STDOUT;
    CarriageReturn, "carriage-return", Warning, Some("stdio: messages are delimited by newlines");
    TooDeep, "too-deep", Error, None;
    NotAnObject, "not-an-object", Error, ENVELOPE;
    NotAMessage, "not-a-message", Error, ENVELOPE;
    DuplicateMember, "duplicate-member", Warning, Some("RFC 8259, section 4: the names within an object should be unique");
    UnknownMember, "unknown-member", Note, ENVELOPE;
    WrongVersion, "wrong-jsonrpc", Warning, ENVELOPE;
    BadId, "bad-id", Warning, IDS;
    BadMethod, "bad-method", Error, ENVELOPE;
    BadParams, "bad-params", Warning, ENVELOPE;
    BadError, "bad-error", Warning, ENVELOPE;
    ResultAndError, "result-and-error", Error, ENVELOPE;
    Batch, "batch", Warning, Some("2025-06-18 and later: JSON-RPC batching is not supported");
    Oversized, "oversized", Error, None;
    HttpFailed, "http-failed", Error, None;
    HttpBody, "http-body", Error, Some("transports, sending messages: a body is one JSON-RPC message, or as an answer an event stream of them");
    HttpHeader, "http-header", Warning, Some("transports, Streamable HTTP: what status and headers an answer has");
    BadSessionId, "bad-session-id", Error, Some("transports, session management: a session id is visible ASCII only");
    ReusedEventId, "reused-event-id", Warning, Some("transports, resumability: an event id is unique within its session");
    MisplacedResponse, "misplaced-response", Warning, Some("transports, listening for messages: no response on a stream of its own unless it is resumed");
    SecondEndpoint, "second-endpoint", Warning, Some("2024-11-05, HTTP with SSE: the endpoint is named once, first");
    Unterminated, "unterminated", Warning, Some("stdio: messages are delimited by newlines");
    UnknownId, "unknown-id", Warning, Some("JSON-RPC 2.0, section 5: the id of a response is that of its request");
    DuplicateResponse, "duplicate-response", Warning, Some("JSON-RPC 2.0, section 5: one response for each request");
    ReusedId, "reused-id", Warning, Some("base protocol: an id must not have been used before by the requestor in the same session");
    TooManyOpen, "too-many-open", Warning, None;
    AfterTheEnd, "after-the-end", Note, None;
    TooEarly, "too-early", Warning, LIFECYCLE;
    InitializeAgain, "initialize-again", Warning, LIFECYCLE;
    InitializeInBatch, "initialize-in-batch", Error, Some("2025-03-26, lifecycle: initialize must not be part of a batch");
    OtherVersion, "other-version", Note, VERSION;
    UnknownVersion, "unknown-version", Error, VERSION;
    UnknownMethod, "unknown-method", Note, None;
    WrongSender, "wrong-sender", Warning, AGREED;
    WrongShape, "wrong-shape", Warning, Some("base protocol: a request has an id, a notification has none");
    NotInRevision, "not-in-revision", Warning, AGREED;
    Undeclared, "undeclared", Warning, AGREED;
    UnknownToken, "unknown-token", Warning, PROGRESS;
    ReusedToken, "reused-token", Warning, Some("progress: a token must be unique across all active requests");
    LateProgress, "late-progress", Warning, PROGRESS;
    ProgressBackwards, "progress-backwards", Warning, PROGRESS;
    BadLevel, "bad-level", Warning, LOGGING;
    BelowLevel, "below-level", Warning, LOGGING;
    BadResult, "bad-result", Warning, RESULTS;
    TooManyValues, "too-many-values", Warning, Some("completion: at most 100 values");
    TaskMove, "task-move", Warning, TASKS;
    ToolName, "tool-name", Note, TOOL_NAMES;
    DuplicateTool, "duplicate-tool", Warning, TOOL_NAMES;
    MetaKey, "meta-key", Warning, Some("base protocol, _meta: a key is an optional prefix of dotted labels and a name");
    BadElicitation, "bad-elicitation", Warning, Some("elicitation: a form is a flat object of primitive properties");
    CancelledInitialize, "cancelled-initialize", Warning, CANCELLING;
    CancelledTask, "cancelled-task", Warning, CANCELLING;
    LateResponse, "late-response", Note, Some("cancellation: the receiver should not respond to a cancelled request");
}
