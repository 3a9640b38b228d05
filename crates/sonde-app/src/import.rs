//! Servers from other clients, and for them.

use crate::api::changes::Nothing;
use crate::api::error::ApiError;
use crate::api::import::{ExportRequest, Exported, FoundFiles, ImportRequest, Imported, Offer, ReadOfferRequest, Shapes};
use crate::app::App;
use crate::explain::unbuilt;

impl App {
    pub(crate) async fn find_clients(&self, _request: Nothing) -> Result<FoundFiles, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn read_offer(&self, _request: ReadOfferRequest) -> Result<Offer, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn import_servers(&self, _request: ImportRequest) -> Result<Imported, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn list_shapes(&self, _request: Nothing) -> Result<Shapes, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn export_servers(&self, _request: ExportRequest) -> Result<Exported, ApiError> {
        Err(unbuilt())
    }
}
