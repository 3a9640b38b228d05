//! Where configuration stands, and which entry wins.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::file::{self, FileProblem};
use crate::spec::{Layer, ServerId, ServerSpec};
use crate::typed::{TypedError, TypedServer};

/// The folders to look into.
#[derive(Debug, Clone)]
pub struct Places {
    /// The platform's configuration folder; the file is `sonde/mcp.json` in it.
    pub config: Option<PathBuf>,
    /// The project: this folder and its ancestors.
    pub project: PathBuf,
}

/// The servers that exist, nearest layer first, and what could not be used.
#[derive(Debug, Default)]
pub struct Registry {
    pub servers: Vec<ServerSpec>,
    pub problems: Vec<FileProblem>,
}

impl Registry {
    /// Adds a typed server before all others, under a name that no other has.
    pub fn add_typed(&mut self, typed: TypedServer) -> Result<ServerId, TypedError> {
        let taken: HashSet<&ServerId> = self.servers.iter().map(|server| &server.id).collect();
        let spec = ServerSpec::typed(typed, |id| !taken.contains(id))?;
        let id = spec.id.clone();
        self.servers.insert(0, spec);
        Ok(id)
    }
}

/// Reads every layer. The nearest entry of a name wins, whole.
pub fn load(places: &Places, built_in: Vec<ServerSpec>, variable: &dyn Fn(&str) -> Option<String>) -> Registry {
    let mut registry = Registry::default();
    let mut taken = HashSet::new();
    let layers = files(places).into_iter().map(|(path, layer)| file::read(&path, layer, variable));
    for (specs, problems) in layers.chain([(built_in, Vec::new())]) {
        for spec in specs {
            if taken.insert(spec.id.clone()) {
                registry.servers.push(spec);
            }
        }
        // An entry that can't be used still hides a farther one: another command under its name would be a surprise.
        taken.extend(problems.iter().filter_map(|problem| ServerId::from_name(problem.error.server()?)));
        registry.problems.extend(problems);
    }
    registry
}

/// Every file that may hold servers, nearest first.
fn files(places: &Places) -> Vec<(PathBuf, Layer)> {
    let project = places
        .project
        .ancestors()
        .flat_map(|folder| [".sonde/mcp.json", ".mcp.json"].map(|name| (Path::new(folder).join(name), Layer::Project)));
    let global = places.config.iter().map(|folder| (folder.join("sonde").join("mcp.json"), Layer::Global));
    project.chain(global).collect()
}
