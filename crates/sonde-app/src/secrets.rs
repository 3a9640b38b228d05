//! Secrets and inputs of servers.

use crate::api::changes::Nothing;
use crate::api::error::ApiError;
use crate::api::secrets::{Keeper, KeeperKind, SecretList, SetSecretRequest};
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::explain::unbuilt;

impl App {
    pub(crate) fn keeper(&self) -> Keeper {
        Keeper { kind: KeeperKind::Memory, notice: None }
    }

    pub(crate) async fn list_secrets(&self, _request: ServerRequest) -> Result<SecretList, ApiError> {
        Err(unbuilt())
    }

    pub(crate) async fn set_secret(&self, _request: SetSecretRequest) -> Result<Nothing, ApiError> {
        Err(unbuilt())
    }
}
