//! Into which file something is written.

use std::path::{Path, PathBuf};

use sonde_registry::{Layer, Origin, Places, ServerId, ServerSpec, SourceFile};

use crate::api::configuration::Target;
use crate::api::error::{ApiError, ErrorCode};
use crate::explain::Machine;

/// A file to be written, and what a person should know about the choice.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub path: PathBuf,
    pub layer: Layer,
    pub notices: Vec<String>,
}

impl Place {
    pub fn origin(&self) -> Origin {
        Origin { layer: self.layer, file: Some(self.path.clone()) }
    }
}

/// The layer of what is written for one project, or for all.
pub(crate) fn layer_of(target: Target) -> Layer {
    match target {
        Target::Global => Layer::Global,
        Target::Project => Layer::Project,
    }
}

/// Where a new entry goes: into the file that is there, or into the one that is usual.
pub(crate) fn of_new(places: &Places, files: &[SourceFile], target: Target) -> Result<PathBuf, ApiError> {
    let (layer, folder) = match (target, &places.config) {
        (Target::Project, _) => (Layer::Project, places.project.join(".sonde")),
        (Target::Global, Some(config)) => (Layer::Global, config.join("sonde")),
        (Target::Global, None) => {
            let message = "this system names no folder for the configuration of programs";
            return Err(ApiError::new(ErrorCode::Configuration, "No place for it", message)
                .hint("write it into the project instead"));
        }
    };
    // Files of other clients are theirs: what is new goes into one of ours.
    let is_ours = |file: &&SourceFile| file.layer == layer && file.exists && file.path.parent() == Some(&*folder);
    let there = files.iter().find(is_ours).map(|file| file.path.clone());
    Ok(there.unwrap_or_else(|| folder.join("mcp.json")))
}

/// Where an entry that is changed goes: to where it stands, if that is a file of this project or of all; otherwise
/// nearer, so that nobody else's file is touched.
pub(crate) fn of_changed(
    places: &Places,
    files: &[SourceFile],
    spec: &ServerSpec,
    target: Target,
) -> Result<Place, ApiError> {
    let machine = Machine::here();
    let shown = |path: &Path| machine.path(path);
    let wanted = layer_of(target);
    match (&spec.origin.file, spec.origin.layer) {
        (Some(file), layer) if layer == wanted => Ok(Place { path: file.clone(), layer: wanted, notices: Vec::new() }),
        (Some(file), Layer::Ancestor) => {
            let (path, layer) = (of_new(places, files, Target::Project)?, Layer::Project);
            let (above, here) = (shown(file), shown(&path));
            let notice = format!("`{above}` is above the project and stays as it is; `{here}` hides its entry here");
            Ok(Place { path, layer, notices: vec![notice] })
        }
        (Some(file), Layer::Global) => {
            let path = of_new(places, files, target)?;
            let notice = format!("`{}` stays as it is; `{}` hides its entry here", shown(file), shown(&path));
            Ok(Place { path, layer: wanted, notices: vec![notice] })
        }
        (Some(file), _) => {
            let path = of_new(places, files, target)?;
            let notice = format!("the entry in `{}` is nearer and hides the one in `{}`", shown(file), shown(&path));
            Ok(Place { path, layer: wanted, notices: vec![notice] })
        }
        (None, Layer::BuiltIn) => {
            let path = of_new(places, files, target)?;
            let notice = format!("`{}` now hides the server that is built in", shown(&path));
            Ok(Place { path, layer: wanted, notices: vec![notice] })
        }
        (None, _) => Ok(Place { path: of_new(places, files, target)?, layer: wanted, notices: Vec::new() }),
    }
}

/// The name under which a file has an entry of this id.
pub(crate) fn name_in(files: &[SourceFile], path: &Path, id: &ServerId) -> Option<String> {
    let file = files.iter().find(|file| file.path == path)?;
    let is_it = |name: &&str| ServerId::from_name(name).as_ref() == Some(id);
    file.entries.iter().map(|entry| entry.name.as_str()).find(is_it).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_goes_into_a_file_of_ours_that_is_there() {
        let places = Places { config: Some("/config".into()), project: "/p".into() };
        let file = |layer, path: &str| SourceFile {
            layer,
            path: path.into(),
            exists: true,
            entries: Vec::new(),
            problems: Vec::new(),
        };
        let place = |files: &[SourceFile], target| of_new(&places, files, target).unwrap();
        assert_eq!(place(&[], Target::Global), Path::new("/config/sonde/mcp.json"), "the usual one");
        let files = [
            file(Layer::Project, "/p/.mcp.json"),
            file(Layer::Ancestor, "/.sonde/mcp.json"),
            file(Layer::Global, "/config/sonde/mcp.yaml"),
        ];
        assert_eq!(place(&files, Target::Global), Path::new("/config/sonde/mcp.yaml"), "whatever it is written in");
        assert_eq!(place(&files, Target::Project), Path::new("/p/.sonde/mcp.json"), "not into another client's");
        let nowhere = Places { config: None, project: "/p".into() };
        assert_eq!(of_new(&nowhere, &[], Target::Global).unwrap_err().code, ErrorCode::Configuration);
    }
}
