//! Secrets and inputs: which there are, never what they are.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SecretList {
    pub keeper: Keeper,
    /// Every secret and input that the configuration of the server asks for.
    pub secrets: Vec<SecretState>,
}

/// Where secrets are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Keeper {
    pub kind: KeeperKind,
    /// Why not in the keyring, and what that means.
    pub notice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum KeeperKind {
    /// The keyring of the system.
    Keyring,
    /// Our memory, until we end.
    Memory,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SecretState {
    /// As in `${secret:NAME}` or `${input:NAME}`.
    pub name: String,
    pub kind: SecretKind,
    pub known: bool,
    /// What the configuration says about an input.
    pub description: Option<String>,
    /// What is proposed for an input.
    pub default: Option<String>,
    /// What an input may be; empty where it may be anything.
    pub options: Vec<String>,
    /// Nobody should see it while it is typed.
    pub password: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename_all = "kebab-case")]
pub enum SecretKind {
    Secret,
    Input,
}

#[derive(Clone, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetSecretRequest {
    pub server: String,
    pub kind: SecretKind,
    pub name: String,
    /// None forgets it.
    #[ts(optional)]
    pub value: Option<String>,
}

impl std::fmt::Debug for SetSecretRequest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SetSecretRequest").field("name", &self.name).finish_non_exhaustive()
    }
}
