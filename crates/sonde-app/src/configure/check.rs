//! What a draft would be, while it is written.

use std::path::PathBuf;

use sonde_registry::{self as registry, Definition, EntryError, Layer, Reach, ServerId, ServerSpec, Surroundings};
use sonde_transport::{LaunchError, variables};

use super::draft;
use crate::api::configuration::{DraftReport, FieldProblem, ServerDraft};
use crate::api::error::ApiError;
use crate::api::servers::{CommandLaunch, Launch};
use crate::app::App;
use crate::server::Server;
use crate::shown;

impl App {
    pub(super) async fn report(&self, draft: &ServerDraft) -> Result<DraftReport, ApiError> {
        let (definition, _secrets) = draft::entry(draft, None);
        let id = ServerId::from_name(&definition.name).map(|id| id.to_string());
        let secret_fields = draft::secret_fields(draft);
        let mut report = DraftReport { id, launch: None, problems: Vec::new(), risks: Vec::new(), secret_fields };
        if definition.name.is_empty() {
            report.problems.push(FieldProblem { field: "name".to_owned(), message: "a name is missing".to_owned() });
        }
        // A server without a name can be looked at all the same.
        let named = Definition {
            name: if definition.name.is_empty() { "unnamed".into() } else { definition.name.clone() },
            ..definition
        };
        let (spec, warnings) = match self.read_definition(&named) {
            Ok(read) => read,
            Err(error) => {
                report.problems.push(problem(&error));
                return Ok(report);
            }
        };
        report.risks.extend(warnings.iter().map(|warning| problem(warning).message));
        let server = Server::new(spec, &self.inner.project);
        match &server.spec.reach {
            Reach::Url(remote) => {
                report.launch = Some(Launch::Url(server.shown_to_page(remote)));
                report.risks.extend(server.risks(None, &self.inner.project));
            }
            Reach::Command(line) => {
                let mut env = variables(std::env::vars_os(), &line.env_passthrough, &line.env);
                self.inner.search.settle(&line.command, &server.folder, &env).await;
                let found = self.inner.search.resolve(&line.command, &server.folder, &mut env);
                let resolved: Option<PathBuf> = match found {
                    Ok(found) => Some(found.binary),
                    Err(error) => {
                        report.problems.push(missing(&shown::launch_error(&server.spec, &error)));
                        None
                    }
                };
                report.risks.extend(server.risks_of_command(line, resolved.as_deref(), &self.inner.project));
                report.launch = Some(Launch::Command(CommandLaunch {
                    command: line.written.first().cloned().unwrap_or_default(),
                    resolved: resolved.and_then(|binary| shown::binary(&server.spec, &binary)),
                    args: line.written.iter().skip(1).cloned().collect(),
                    folder: server.shown_folder(),
                    env_names: env.into_iter().map(|(name, _)| name).collect(),
                }));
            }
        }
        Ok(report)
    }

    /// What an entry would mean here.
    pub(crate) fn read_definition(&self, definition: &Definition) -> Result<(ServerSpec, Vec<EntryError>), EntryError> {
        let variable = |name: &str| std::env::var(name).ok();
        let project = self.inner.project.clone();
        let surroundings = Surroundings { variable: &variable, home: dirs::home_dir(), project };
        let origin = registry::Origin { layer: Layer::Global, file: None };
        ServerSpec::read(definition, &origin, &surroundings)
    }
}

/// A problem at the field of a form.
pub(super) fn problem(error: &EntryError) -> FieldProblem {
    let field = error.field().map_or_else(
        || match error {
            EntryError::Neither { .. } | EntryError::Both { .. } => "command".to_owned(),
            _ => "name".to_owned(),
        },
        form_field,
    );
    let message = match error {
        EntryError::Field { problem, .. } | EntryError::Entry { problem, .. } => problem.clone(),
        EntryError::Unset { variable, .. } => format!("the variable `{variable}` is not set"),
        EntryError::Neither { .. } => "there is neither a command nor an address".to_owned(),
        EntryError::Exposed { headers, .. } => format!("the secrets in {headers} would go unencrypted"),
        error => error.to_string(),
    };
    FieldProblem { field, message }
}

/// What the form calls a field of an entry.
fn form_field(field: &str) -> String {
    match field {
        "cwd" | "workdir" => "folder",
        "type" | "transport" => "dialect",
        "connection_timeout" | "connect_timeout" | "connectTimeout" | "sonde.connectTimeout" => "connect_timeout",
        "sonde.timeout" => "timeout",
        "sonde.ping" => "ping",
        "sonde.retries" | "http_max_retries" => "retries",
        field => field,
    }
    .to_owned()
}

fn missing(error: &LaunchError) -> FieldProblem {
    let field = match error {
        LaunchError::NoFolder { .. } => "folder",
        _ => "command",
    };
    FieldProblem { field: field.to_owned(), message: error.to_string() }
}
