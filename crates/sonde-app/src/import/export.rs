//! Servers written down for other clients. Secrets go out as references, wherever they stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use sonde_registry::clients::Client;
use sonde_registry::shapes::{Notice, Shape};
use sonde_registry::{Definition, Layer, take_secrets};

use super::found;
use crate::api::configuration::Target;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::import::{self, Exported, Shapes};
use crate::app::App;
use crate::configure::place;
use crate::explain::Machine;
use crate::server::Server;

impl App {
    /// The shapes that can be written.
    pub fn shapes(&self) -> Shapes {
        let machine = Machine::here();
        let variable = |name: &str| std::env::var(name).ok();
        let looked_at = found::machine(&self.inner.project, &variable);
        let files = self.inner.roster.now().files;
        let shapes = Shape::sure().map(|shape| {
            let file = match shape {
                Shape::Sonde => place::of_new(&self.inner.places, &files, Target::Global).ok(),
                _ => Client::named(shape.id()).and_then(|client| client.usual_file(&looked_at)),
            };
            import::Shape {
                id: shape.id().to_owned(),
                name: shape.name().to_owned(),
                file: file.map(|file| machine.path(&file)),
            }
        });
        Shapes { shapes: shapes.collect() }
    }

    /// Servers as another client would have written them; None is every server that stands in a file.
    pub fn export(&self, servers: Option<&[String]>, shape: &str) -> Result<Exported, ApiError> {
        let shape = Shape::named(shape).ok_or_else(|| {
            let known: Vec<&str> = Shape::sure().map(Shape::id).collect();
            ApiError::new(ErrorCode::InvalidRequest, "No such shape", format!("there is no shape `{shape}`"))
                .hint(format!("there are: {}", known.join(", ")))
        })?;
        let is_written = |server: &&Arc<Server>| !matches!(server.spec.origin.layer, Layer::BuiltIn | Layer::Typed);
        let servers: Vec<Arc<Server>> = match servers {
            Some(ids) => ids.iter().map(|id| self.server(id)).collect::<Result<_, _>>()?,
            None => self.inner.roster.servers().iter().filter(is_written).cloned().collect(),
        };
        let newest = servers.iter().filter_map(|server| server.newest());
        let definitions: Vec<Definition> = newest
            .map(|server| {
                let mut definition = server.spec.definition.canonical();
                take_secrets(&mut definition, &|_| false);
                definition
            })
            .collect();
        if definitions.is_empty() {
            let message = "no server is written down that could be exported";
            return Err(ApiError::new(ErrorCode::UnknownServer, "Nothing to export", message));
        }
        let written = shape.write(&definitions);
        Ok(Exported {
            text: written.text,
            file_name: shape.file_name().to_owned(),
            language: shape.language().as_str().to_owned(),
            notices: together(&written.notices, shape),
        })
    }
}

/// What is told of several servers is told once.
fn together(notices: &[Notice], shape: Shape) -> Vec<String> {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for notice in notices {
        let text = notice.told(shape);
        let place = *places.entry(text.clone()).or_insert(told.len());
        if place == told.len() {
            told.push((text, Vec::new()));
        }
        if let Some((_, servers)) = told.get_mut(place) {
            servers.push(&notice.server);
        }
    }
    let line = |(text, servers): (String, Vec<&str>)| format!("{}: {text}", servers.join(", "));
    told.into_iter().map(line).collect()
}
