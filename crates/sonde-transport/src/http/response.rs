//! An answer, whoever brought it: the library, or a connection that we drive ourselves.

use bytes::Bytes;
use futures_util::TryStream;
use reqwest::header::HeaderMap;
use reqwest::{StatusCode, Version};

use super::direct;

#[derive(Debug)]
pub(super) enum Response {
    Library(reqwest::Response),
    Direct(direct::Response),
}

/// Why a body did not come to its end, in the words of whoever read it.
pub(super) type BodyError = Box<dyn std::error::Error + Send + Sync>;

impl Response {
    pub fn status(&self) -> StatusCode {
        match self {
            Response::Library(response) => response.status(),
            Response::Direct(response) => response.head.status,
        }
    }

    pub fn version(&self) -> Version {
        match self {
            Response::Library(response) => response.version(),
            Response::Direct(response) => response.head.version,
        }
    }

    pub fn headers(&self) -> &HeaderMap {
        match self {
            Response::Library(response) => response.headers(),
            Response::Direct(response) => &response.head.headers,
        }
    }

    /// The next part of the body as it comes; None at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        match self {
            Response::Library(response) => response.chunk().await.map_err(|error| error.without_url().into()),
            Response::Direct(response) => response.chunk().await.map_err(Into::into),
        }
    }

    /// All parts of the body.
    pub fn chunks(self) -> impl TryStream<Ok = Bytes, Error = BodyError, Item = Result<Bytes, BodyError>> {
        futures_util::stream::try_unfold(self, async |mut response| {
            Ok(response.chunk().await?.map(|part| (part, response)))
        })
    }
}
