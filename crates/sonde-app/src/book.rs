//! What a person keeps between starts: saved calls, the arguments last sent, variables.

use std::collections::HashMap;

use sonde_store::Subject;
use sonde_transport::End;

use crate::api::book::{
    RecallRequest, Recalled, SaveCallRequest, SavedCall, SavedCallList, SavedCallRequest, SetVariableRequest, Variable,
    VariableList,
};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::calls::read_json;
use crate::explain;
use crate::server::{Server, now_ms};

/// Bytes of arguments that are remembered; whoever sends more is not likely to want to type them again.
const LONGEST_REMEMBERED: usize = 64 << 10;
const LONGEST_NAME: usize = 200;
const MOST_VARIABLES: usize = 1000;
const LONGEST_VALUE: usize = 64 << 10;

impl App {
    pub(crate) async fn list_saved_calls(&self, _request: Nothing) -> Result<SavedCallList, ApiError> {
        let calls = self.inner.store.saved_calls().await.map_err(|error| explain::storage(&error))?;
        // Those of a server that another project calls the same are not here.
        let here: HashMap<String, String> = self
            .inner
            .roster
            .servers()
            .iter()
            .map(|server| (self.owner(&server.spec).to_string(), server.spec.id.to_string()))
            .collect();
        let told = calls.into_iter().filter_map(|call| {
            Some(SavedCall {
                id: call.id,
                server: here.get(&call.server)?.clone(),
                method: call.method,
                target: call.target,
                name: call.name,
                arguments: call.arguments,
            })
        });
        Ok(SavedCallList { calls: told.collect() })
    }

    pub(crate) async fn save_call(&self, request: SaveCallRequest) -> Result<SavedCall, ApiError> {
        let server = self.server(&request.server)?;
        let name = request.name.trim();
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Err(invalid(format!("a saved call has a name of 1 to {LONGEST_NAME} characters")));
        }
        read_json("arguments", &request.arguments)?;
        if self.tells_a_secret(&server, &request.arguments) {
            return Err(invalid(format!("the arguments have a secret of server `{}` in them", server.spec.id))
                .hint("what is saved is kept in clear: take the secret out"));
        }
        let owner = self.owner(&server.spec);
        let about = Subject { server: owner.as_str(), method: &request.method, target: &request.target };
        let saved = self.inner.store.save_call(about, name, &request.arguments).await;
        Ok(SavedCall {
            id: saved.map_err(|error| explain::storage(&error))?,
            name: name.to_owned(),
            server: request.server,
            method: request.method,
            target: request.target,
            arguments: request.arguments,
        })
    }

    pub(crate) async fn remove_saved_call(&self, request: SavedCallRequest) -> Result<Nothing, ApiError> {
        self.inner.store.remove_saved_call(request.id).await.map_err(|error| explain::storage(&error))?;
        Ok(Nothing {})
    }

    /// Remembers what was sent, beside the call: nobody waits for the disk.
    pub(crate) fn remember(&self, server: &Server, method: &'static str, target: String, arguments: String) {
        if arguments.len() > LONGEST_REMEMBERED || self.tells_a_secret(server, &arguments) {
            return;
        }
        let (store, server) = (self.inner.store.clone(), self.owner(&server.spec).to_string());
        tokio::spawn(async move {
            let about = Subject { server: &server, method, target: &target };
            if let Err(error) = store.remember(about, &arguments, now_ms()).await {
                tracing::warn!(%error, "the arguments of a call were not remembered");
            }
        });
    }

    pub(crate) async fn recall_arguments(&self, request: RecallRequest) -> Result<Recalled, ApiError> {
        let owner = self.owner(&self.server(&request.server)?.spec);
        let about = Subject { server: owner.as_str(), method: &request.method, target: &request.target };
        let arguments = self.inner.store.recall(about).await.map_err(|error| explain::storage(&error))?;
        Ok(Recalled { arguments })
    }

    pub(crate) async fn list_variables(&self, _request: Nothing) -> Result<VariableList, ApiError> {
        let variables = self.inner.store.variables().await.map_err(|error| explain::storage(&error))?;
        Ok(VariableList { variables: variables.into_iter().map(|(name, value)| Variable { name, value }).collect() })
    }

    pub(crate) async fn set_variable(&self, request: SetVariableRequest) -> Result<VariableList, ApiError> {
        if request.value.is_some() && !is_name(&request.name) {
            return Err(invalid(format!("`{}` can't be the name of a variable", request.name))
                .hint("a name has letters, digits, `_` and `-`, at most 64 of them, and begins with a letter or `_`"));
        }
        if request.value.as_ref().is_some_and(|value| value.len() > LONGEST_VALUE) {
            return Err(invalid(format!("the value of a variable has at most {LONGEST_VALUE} bytes")));
        }
        let is_secret =
            |value: &String| self.inner.roster.servers().iter().any(|server| self.tells_a_secret(server, value));
        if request.value.as_ref().is_some_and(is_secret) {
            return Err(invalid(format!("the value of `{}` has a secret of a server in it", request.name)).hint(
                "variables are kept in clear; a secret belongs to its server, as `${secret:NAME}` in the configuration",
            ));
        }
        let known = self.list_variables(Nothing {}).await?.variables;
        let is_new = known.iter().all(|variable| variable.name != request.name);
        if request.value.is_some() && is_new && known.len() >= MOST_VARIABLES {
            return Err(invalid(format!("there are {MOST_VARIABLES} variables already")).hint("remove one first"));
        }
        let set = self.inner.store.set_variable(&request.name, request.value.as_deref()).await;
        set.map_err(|error| explain::storage(&error))?;
        self.list_variables(Nothing {}).await
    }

    /// Whether a text has a secret in it that must not be written down.
    fn tells_a_secret(&self, server: &Server, text: &str) -> bool {
        self.redactor(&server.spec.id).redact(text.as_bytes(), End::Whole).is_some()
    }
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
        && name.len() <= 64
}

fn invalid(problem: String) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, "Not kept", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_like_a_word() {
        for name in ["a", "_x", "base-url", "A1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1a", "a b", "ä", "a}}", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
