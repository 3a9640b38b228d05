//! Which server an error is about: its name, where it is written down, what it runs or where it is.

use sonde_registry::{Layer, Origin, Reach, ServerSpec};
use sonde_transport::shown_address;

use super::machine::Machine;
use crate::api::error::ApiError;

/// Which server it is, where it comes from and what it runs or where it is.
pub(crate) fn facts(told: ApiError, spec: &ServerSpec) -> ApiError {
    Machine::here().facts(told, spec)
}

/// A sentence about some server, about this one.
pub(super) fn named(spec: &ServerSpec, sentence: &str) -> String {
    match sentence.strip_prefix("the server") {
        Some(rest) => format!("server `{}`{rest}", spec.id),
        None => format!("server `{}`: {sentence}", spec.id),
    }
}

impl Machine {
    pub fn facts(&self, told: ApiError, spec: &ServerSpec) -> ApiError {
        let told = told.fact("server", spec.id.as_str());
        let told = match &spec.origin.file {
            Some(file) => told.fact("file", self.path(file)),
            None => told,
        };
        let told = told.fact("layer", self.layer(&spec.origin));
        match &spec.reach {
            Reach::Command(line) => told.fact("command", line.shown().join(" ")),
            Reach::Url(remote) => told.fact("url", shown_address(&remote.written)),
        }
    }

    /// Where a server is written down, in words.
    pub fn layer(&self, origin: &Origin) -> String {
        match (origin.layer, &origin.file) {
            (Layer::BuiltIn, _) => "built in".to_owned(),
            (Layer::Typed, _) => "typed".to_owned(),
            (_, None) => "unknown source".to_owned(),
            (Layer::Global, Some(_)) => "global config".to_owned(),
            (Layer::Project, Some(_)) => "project config".to_owned(),
            (Layer::Ancestor, Some(file)) => {
                // Some files stand in a folder of their own within the one that they are for.
                let folder = file.parent().filter(|folder| !folder.ends_with(".sonde"));
                let folder = folder.or_else(|| file.parent()?.parent()).unwrap_or(file);
                format!("ancestor config of {}", self.path(folder))
            }
        }
    }
}
