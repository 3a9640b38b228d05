//! The launch doctor: what would be launched, whether it starts, and what to do where it does not.

use crate::api::doctor::Examination;
use crate::api::error::ApiError;
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::explain::unbuilt;

impl App {
    pub(crate) async fn examine_server(&self, _request: ServerRequest) -> Result<Examination, ApiError> {
        Err(unbuilt())
    }
}
