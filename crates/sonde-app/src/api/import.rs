//! Servers that other clients know, and servers written down for other clients.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::configuration::Target;
use super::error::ApiError;
use super::servers::{Launch, Layer};

/// Every file of another client that was looked for and is there. Nothing is started or fetched by looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct FoundFiles {
    pub files: Vec<FoundFile>,
    /// Where else was looked, for a person who misses one.
    pub looked: Vec<LookedAt>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct LookedAt {
    pub client: String,
    pub file: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct FoundFile {
    /// Names it in a later request.
    pub id: String,
    /// Like `Claude Desktop`.
    pub client: String,
    /// With `~` for the home folder.
    pub file: String,
    pub offer: Offer,
}

/// What a file or a pasted text has to offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Offer {
    /// Like `Claude Desktop`, `VS Code`, `Codex`: the shape that it is written in.
    pub shape: String,
    pub servers: Vec<Importable>,
    /// Entries that can't be used, and what is odd about those that can.
    pub problems: Vec<ApiError>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Importable {
    pub name: String,
    /// The folder of the project that its client has it for, where that is another than ours.
    pub project: Option<String>,
    /// The id that it gets unless it is renamed.
    pub id: String,
    pub launch: Launch,
    pub enabled: bool,
    /// Values that will be kept in the keyring, by the name of their variable or header.
    pub secrets: Vec<String>,
    pub conflict: Option<ImportConflict>,
    /// What a person should look at twice.
    pub risks: Vec<String>,
}

/// A server of that id is there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ImportConflict {
    pub server: String,
    pub file: Option<String>,
    pub layer: Layer,
    /// Nothing would change.
    pub same: bool,
    /// A free name.
    pub free: String,
}

#[derive(Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReadOfferRequest {
    /// JSON, TOML or YAML.
    pub text: String,
    /// Of the dropped file; its ending says what it is.
    #[ts(optional)]
    pub file_name: Option<String>,
    /// What stands before the text, where all of it is too long for one request.
    #[ts(optional)]
    pub handed: Option<String>,
}

/// A part of a text that is too long for one request.
#[derive(Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct HandOverRequest {
    /// What the first part was answered with; none begins another text.
    #[ts(optional)]
    pub handed: Option<String>,
    pub part: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct HandedOver {
    /// Names the text in a later request.
    pub handed: String,
}

impl std::fmt::Debug for HandOverRequest {
    /// Secrets stand in such a text.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HandOverRequest").field("handed", &self.handed).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    pub source: ImportSource,
    pub choices: Vec<ImportChoice>,
    pub target: Target,
}

#[derive(Clone, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[ts(tag = "kind", rename_all = "kebab-case")]
pub enum ImportSource {
    File {
        id: String,
    },
    Text {
        text: String,
        #[ts(optional)]
        file_name: Option<String>,
        /// As in [`ReadOfferRequest`].
        #[ts(optional)]
        handed: Option<String>,
    },
}

impl std::fmt::Debug for ReadOfferRequest {
    /// Secrets stand in such a text.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ReadOfferRequest").field("file_name", &self.file_name).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ImportSource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ImportSource::File { id } => formatter.debug_struct("File").field("id", id).finish(),
            ImportSource::Text { file_name, .. } => {
                formatter.debug_struct("Text").field("file_name", file_name).finish_non_exhaustive()
            }
        }
    }
}

/// What is done with one entry; what is not named is skipped.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ImportChoice {
    pub name: String,
    /// As the offer has it: the same name may stand there for several projects.
    #[ts(optional)]
    pub project: Option<String>,
    /// Another name for it.
    #[ts(optional)]
    pub rename: Option<String>,
    /// Takes the place of the server of that name. Without it a name that is taken is refused.
    #[serde(default)]
    pub replace: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Imported {
    pub servers: Vec<String>,
    pub file: String,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// None is every server that is written down.
    #[ts(optional)]
    pub servers: Option<Vec<String>>,
    /// One of [`Shapes`].
    pub shape: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Exported {
    pub text: String,
    pub file_name: String,
    /// `json`, `toml` or `yaml`.
    pub language: String,
    /// What the shape can't say, and which secrets stand there as references.
    pub notices: Vec<String>,
}

/// The shapes that can be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Shapes {
    pub shapes: Vec<Shape>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Shape {
    pub id: String,
    pub name: String,
    /// Where that client keeps it here, with `~` for the home folder.
    pub file: Option<String>,
}
