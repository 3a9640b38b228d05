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
    Unterminated, "unterminated", Warning, Some("stdio: messages are delimited by newlines");
    UnknownId, "unknown-id", Warning, Some("JSON-RPC 2.0, section 5: the id of a response is that of its request");
    DuplicateResponse, "duplicate-response", Warning, Some("JSON-RPC 2.0, section 5: one response for each request");
    ReusedId, "reused-id", Warning, Some("base protocol: an id must not have been used before by the requestor in the same session");
    TooManyOpen, "too-many-open", Warning, None;
    AfterTheEnd, "after-the-end", Note, None;
    LateResponse, "late-response", Note, Some("cancellation: the receiver should not respond to a cancelled request");
}
