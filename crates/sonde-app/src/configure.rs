//! What a person does to the configuration: add, edit, remove, duplicate, switch off, arrange.

use crate::api::changes::Nothing;
use crate::api::configuration::{
    Arrangement, ConfigFiles, DraftReport, EnableRequest, SaveDraftRequest, Saved, ServerDraft,
};
use crate::api::error::ApiError;
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::explain::unbuilt;

impl App {
    pub(crate) async fn list_files(&self, _request: Nothing) -> Result<ConfigFiles, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn read_draft(&self, _request: ServerRequest) -> Result<ServerDraft, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn check_draft(&self, _draft: ServerDraft) -> Result<DraftReport, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn save_draft(&self, _request: SaveDraftRequest) -> Result<Saved, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn duplicate_server(&self, _request: ServerRequest) -> Result<Saved, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn enable_server(&self, _request: EnableRequest) -> Result<Nothing, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn remove_server(&self, _request: ServerRequest) -> Result<Nothing, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn arrange_servers(&self, _arrangement: Arrangement) -> Result<Nothing, ApiError> {
        Err(unbuilt())
    }

    /// The person has seen how the configuration differs.
    pub(crate) async fn dismiss_difference(&self, _request: ServerRequest) -> Result<Nothing, ApiError> {
        Err(unbuilt())
    }
}
