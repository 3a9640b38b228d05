//! What a server offers besides tools: resources, templates of resources, prompts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ResourceSummary {
    /// The place in the list; the key, since addresses may repeat.
    pub index: u32,
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    /// The first 300 characters.
    pub description: Option<String>,
    pub mime_type: Option<String>,
    /// Bytes, as the server says.
    pub size: Option<u64>,
    /// Why this entry can't be read, if it can't.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ResourceList {
    pub resources: Vec<ResourceSummary>,
    /// False while pages are still arriving.
    pub complete: bool,
    /// Why the listing stopped early, if it did.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ResourceDetail {
    pub summary: ResourceSummary,
    /// The address that it is read by; the summary may have only its beginning.
    pub uri: String,
    pub description: Option<String>,
    /// JSON text, verbatim.
    pub definition: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TemplateSummary {
    pub index: u32,
    pub uri_template: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    /// The variables to fill in, in their order.
    pub variables: Vec<String>,
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TemplateList {
    pub templates: Vec<TemplateSummary>,
    pub complete: bool,
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TemplateDetail {
    pub summary: TemplateSummary,
    pub description: Option<String>,
    pub definition: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PromptArgument {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PromptSummary {
    pub index: u32,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<PromptArgument>,
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PromptList {
    pub prompts: Vec<PromptSummary>,
    pub complete: bool,
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PromptDetail {
    pub summary: PromptSummary,
    /// The name that it is asked for by; the summary may have only its beginning.
    pub name: String,
    pub description: Option<String>,
    pub definition: String,
}

/// An entry by its place in a list.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct EntryRequest {
    pub server: String,
    pub index: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum CatalogName {
    Tools,
    Resources,
    Templates,
    Prompts,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RefreshRequest {
    pub server: String,
    pub catalog: CatalogName,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExpandRequest {
    pub template: String,
    /// Values by the names of the variables; one without a value is left out.
    #[ts(type = "Record<string, string>")]
    pub values: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Expanded {
    pub uri: String,
}

/// What an argument belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum CompletionOf {
    Prompt,
    Template,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CompleteRequest {
    pub server: String,
    pub of: CompletionOf,
    /// The name of the prompt, or the template itself.
    pub name: String,
    pub argument: String,
    /// What was typed so far.
    pub value: String,
    /// The other arguments, as far as they are given.
    #[ts(type = "Record<string, string>")]
    pub context: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Completions {
    /// At most a hundred.
    pub values: Vec<String>,
    /// How many there are, as the server says.
    pub total: Option<u64>,
    pub has_more: bool,
}

#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionRequest {
    pub server: String,
    pub uri: String,
}

/// A resource whose updates the server was asked to tell of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Subscription {
    pub uri: String,
    /// In milliseconds since 1970.
    pub since: i64,
    /// How often the server said that it changed.
    pub updates: u64,
    /// When it did, newest first; at most fifty.
    pub recent: Vec<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
pub struct SubscriptionList {
    pub subscriptions: Vec<Subscription>,
    /// Updates of resources that nobody subscribed to.
    pub unasked: u64,
    /// Events that came faster than they could be looked at; updates may be among them.
    pub missed: u64,
}
