//! What differs between the revisions on the wire, one line for each. Code asks here, and compares revisions nowhere.

use crate::revision::Revision;

/// The rules of one revision that another one has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    pub revision: Revision,
    /// A JSON array of messages is a message.
    pub batches: bool,
    /// An error that answers an unreadable request may come without an id.
    pub errors_without_id: bool,
    /// Only what was declared may be used; before, it only should not be.
    pub capabilities_bind: bool,
    /// Names may have a `title` beside them.
    pub titles: bool,
    /// `_meta` may stand on tools, resources, prompts and content, and its keys have a grammar.
    pub meta_keys: bool,
    pub icons: bool,
    /// The dialect of a JSON Schema that does not name one is 2020-12; before, it was unsaid.
    pub schema_dialect: bool,
    /// Tool names should have 1 to 128 characters of `[A-Za-z0-9_.-]`.
    pub tool_names: bool,
    pub tool_annotations: bool,
    /// Tools may have an `outputSchema` and results a `structuredContent`.
    pub structured_content: bool,
    pub audio: bool,
    pub resource_links: bool,
    /// Annotations may say when a thing was last modified.
    pub last_modified: bool,
    /// Progress may carry a message.
    pub progress_messages: bool,
    /// A completion may be given the arguments that are already settled.
    pub completion_context: bool,
    /// The content of a sampled message may be an array, and may use tools.
    pub sampling_tools: bool,
    pub elicitation: bool,
    /// Elicitation by URL, its completion, and the error -32042.
    pub elicitation_urls: bool,
    pub tasks: bool,
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
    errors_without_id: false,
    capabilities_bind: false,
    titles: false,
    meta_keys: false,
    icons: false,
    schema_dialect: false,
    tool_names: false,
    tool_annotations: false,
    structured_content: false,
    audio: false,
    resource_links: false,
    last_modified: false,
    progress_messages: false,
    completion_context: false,
    sampling_tools: false,
    elicitation: false,
    elicitation_urls: false,
    tasks: false,
};

const V2025_03_26: Rules = Rules {
    revision: Revision::V2025_03_26,
    batches: true,
    tool_annotations: true,
    audio: true,
    progress_messages: true,
    ..V2024_11_05
};

const V2025_06_18: Rules = Rules {
    revision: Revision::V2025_06_18,
    batches: false,
    capabilities_bind: true,
    titles: true,
    meta_keys: true,
    structured_content: true,
    resource_links: true,
    last_modified: true,
    completion_context: true,
    elicitation: true,
    ..V2025_03_26
};

const V2025_11_25: Rules = Rules {
    revision: Revision::V2025_11_25,
    errors_without_id: true,
    icons: true,
    schema_dialect: true,
    tool_names: true,
    sampling_tools: true,
    elicitation_urls: true,
    tasks: true,
    ..V2025_06_18
};
