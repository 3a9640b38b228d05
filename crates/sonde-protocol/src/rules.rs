//! What differs between the revisions on the wire, one line for each. Code asks here, and compares revisions nowhere.

use crate::revision::Revision;

/// The rules of one revision that another one has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    pub revision: Revision,
    /// A JSON array of messages is a message.
    pub batches: bool,
    /// `_meta` may stand on tools, resources, prompts and content, and its keys have a grammar.
    pub meta_keys: bool,
    /// Tool names should have 1 to 128 characters of `[A-Za-z0-9_.-]`.
    pub tool_names: bool,
    /// Tools may have an `outputSchema` and results a `structuredContent`.
    pub structured_content: bool,
    /// The content of a sampled message may be an array, and may use tools.
    pub sampling_tools: bool,
    /// Elicitation by URL, its completion, and the error -32042.
    pub elicitation_urls: bool,
    pub tasks: bool,
    /// `completion/complete` may tell of the other arguments.
    pub completion_context: bool,
    /// By HTTP, every request after the agreement names the revision in a header.
    pub version_header: bool,
}

impl Revision {
    pub fn rules(self) -> &'static Rules {
        match self {
            Revision::V2024_11_05 => &V2024_11_05,
            Revision::V2025_03_26 => &V2025_03_26,
            Revision::V2025_06_18 => &V2025_06_18,
            Revision::V2025_11_25 => &V2025_11_25,
        }
    }
}

const V2024_11_05: Rules = Rules {
    revision: Revision::V2024_11_05,
    batches: false,
    meta_keys: false,
    tool_names: false,
    structured_content: false,
    sampling_tools: false,
    elicitation_urls: false,
    tasks: false,
    completion_context: false,
    version_header: false,
};

const V2025_03_26: Rules = Rules { revision: Revision::V2025_03_26, batches: true, ..V2024_11_05 };

const V2025_06_18: Rules = Rules {
    revision: Revision::V2025_06_18,
    batches: false,
    meta_keys: true,
    structured_content: true,
    completion_context: true,
    version_header: true,
    ..V2025_03_26
};

const V2025_11_25: Rules = Rules {
    revision: Revision::V2025_11_25,
    tool_names: true,
    sampling_tools: true,
    elicitation_urls: true,
    tasks: true,
    ..V2025_06_18
};
