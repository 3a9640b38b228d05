//! One search over what all connected servers offer.

use crate::api::error::ApiError;
use crate::api::search::{SearchRequest, SearchResult};
use crate::app::App;
use crate::explain::unbuilt;

impl App {
    pub(crate) async fn search_entries(&self, _request: SearchRequest) -> Result<SearchResult, ApiError> {
        Err(unbuilt())
    }
}
