//! Servers as a person writes them down: in a form, in an arrangement, and how they differ from what runs.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::error::ApiError;
use super::servers::{Launch, Layer, Origin};

/// A server in a form. Saving one starts nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ServerDraft {
    pub name: String,
    pub reach: DraftReach,
    pub enabled: bool,
    /// Connected when Sonde starts.
    pub auto_start: bool,
    /// Like `30s`; none leaves it to what is usual.
    pub timeout: Option<String>,
    pub connect_timeout: Option<String>,
    /// Ready only if the server has tools.
    pub fail_if_no_tools: bool,
    /// Connected again, with growing pauses, when it ends by itself.
    pub reconnect: bool,
    /// How often it is asked whether it is alive, like `30s`; none is never.
    pub ping: Option<String>,
    /// Stands for the entry that it was read from. Whoever gives it back overwrites no other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub seen: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[ts(tag = "kind", rename_all = "kebab-case")]
pub enum DraftReach {
    Command {
        command: String,
        args: Vec<String>,
        /// None is the folder of the project.
        folder: Option<String>,
        env: Vec<DraftValue>,
        env_passthrough: Vec<String>,
    },
    Url {
        url: String,
        /// `auto`, `http` or `sse`.
        dialect: String,
        headers: Vec<DraftValue>,
        /// How often a request that is safe to repeat is sent again to a busy server.
        retries: Option<u32>,
    },
}

/// A variable or a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DraftValue {
    pub name: String,
    pub value: DraftText,
    /// The name that it has in the file, where that is another: what is kept of it is kept under the new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub was: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[ts(tag = "kind", rename_all = "kebab-case")]
pub enum DraftText {
    /// Stands in the file as it is; may have `${VARIABLE}` in it.
    Plain { text: String },
    /// Kept in the keyring. A value is only ever given to us, never back; none leaves what is kept as it is, and moves
    /// what stands in the file in clear into the keyring.
    Secret {
        #[serde(default, skip_serializing)]
        #[ts(optional)]
        value: Option<String>,
    },
    /// A secret that stands in the file in clear, and stays so. It is not shown.
    Clear {},
}

impl std::fmt::Debug for DraftText {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DraftText::Plain { text } => formatter.debug_tuple("Plain").field(text).finish(),
            DraftText::Secret { .. } => formatter.write_str("[redacted]"),
            DraftText::Clear {} => formatter.write_str("[in clear]"),
        }
    }
}

/// What a draft would be, while it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct DraftReport {
    /// The id that it would have.
    pub id: Option<String>,
    /// How it would be launched; none while something is missing.
    pub launch: Option<Launch>,
    pub problems: Vec<FieldProblem>,
    /// What a person should look at twice.
    pub risks: Vec<String>,
    /// Fields whose plain texts are kept as secrets when it is saved, for they look like some: `env.API_KEY`.
    pub secret_fields: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct FieldProblem {
    /// The way to it, as in `name`, `command`, `env.API_KEY`.
    pub field: String,
    pub message: String,
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SaveDraftRequest {
    pub draft: ServerDraft,
    /// The server that it takes the place of.
    #[ts(optional)]
    pub replaces: Option<String>,
    pub target: Target,
}

/// Where something that is added goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum Target {
    Global,
    Project,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Saved {
    pub server: String,
    /// The file that was written.
    pub file: String,
    /// What a person should know, as that a secret is kept only until Sonde ends.
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct EnableRequest {
    pub server: String,
    pub enabled: bool,
}

/// The order of the servers and their groups, for the eye alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Arrangement {
    /// Servers that are not named follow in the order of their files.
    pub groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Empty for those in no group.
    pub name: String,
    pub servers: Vec<String>,
}

/// How the configuration of a server differs from what it was last connected with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Difference {
    /// The way to it, as in `args`, `env.API_KEY`.
    pub field: String,
    /// As it is written down, secrets masked; none where it was absent.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// One file that may hold servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ConfigFile {
    pub origin: Origin,
    pub exists: bool,
    /// Names of its entries, those that a nearer file hides too.
    pub servers: Vec<FileEntry>,
    pub problems: Vec<ApiError>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct FileEntry {
    pub name: String,
    /// The layer of the file that hides it.
    pub hidden_by: Option<Layer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ConfigFiles {
    /// Nearest first.
    pub files: Vec<ConfigFile>,
}
