//! Servers from other clients, and for them. Looking, reading and importing start nothing and fetch nothing.

mod export;
mod found;
mod handed;
mod offer;
mod take;

use std::path::PathBuf;

use sonde_registry::clients::Client;

use crate::api::changes::Nothing;
use crate::api::configuration::Target;
use crate::api::error::ApiError;
use crate::api::import::{
    ExportRequest, Exported, FoundFiles, ImportChoice, ImportRequest, ImportSource, Imported, Offer, ReadOfferRequest,
    Shapes,
};
use crate::app::App;
use crate::secrets::{Lasting, blocking};

pub(crate) use handed::Handed;

/// Where servers are brought from.
#[derive(Clone)]
pub enum Source {
    /// A file that was found, by its id.
    Found(String),
    /// All that a client knows for this project and for all projects, by the id of the client.
    Client(String),
    /// Any file, by a person who can read it anyway.
    Path(PathBuf),
    Text {
        text: String,
        file_name: Option<String>,
    },
}

impl std::fmt::Debug for Source {
    /// Without the text: secrets may stand in it.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Found(id) => formatter.debug_tuple("Found").field(id).finish(),
            Source::Client(id) => formatter.debug_tuple("Client").field(id).finish(),
            Source::Path(path) => formatter.debug_tuple("Path").field(path).finish(),
            Source::Text { file_name, .. } => {
                formatter.debug_struct("Text").field("file_name", file_name).finish_non_exhaustive()
            }
        }
    }
}

/// What becomes of the secrets that a source has in clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clear {
    /// They are kept, and the file gets references.
    Kept(Lasting),
    /// The file gets references, and somebody gives the values later.
    LeftOut,
}

/// Whether a person who writes this means a client.
pub fn is_client(name: &str) -> bool {
    Client::named(name).is_some()
}

impl App {
    pub(crate) async fn find_clients(&self, _request: Nothing) -> Result<FoundFiles, ApiError> {
        self.find_files().await
    }

    pub(crate) async fn read_offer(&self, request: ReadOfferRequest) -> Result<Offer, ApiError> {
        let text = self.inner.handed.whole(request.handed.as_deref(), request.text)?;
        self.offer_of(Source::Text { text, file_name: request.file_name }).await
    }

    pub(crate) async fn import_servers(&self, request: ImportRequest) -> Result<Imported, ApiError> {
        let source = match request.source {
            ImportSource::File { id } => Source::Found(id),
            ImportSource::Text { text, file_name, handed } => {
                Source::Text { text: self.inner.handed.whole(handed.as_deref(), text)?, file_name }
            }
        };
        self.import(source, request.choices, request.target, Clear::Kept(Lasting::OrInMemory)).await
    }

    pub(crate) async fn list_shapes(&self, _request: Nothing) -> Result<Shapes, ApiError> {
        Ok(self.shapes())
    }

    pub(crate) async fn export_servers(&self, request: ExportRequest) -> Result<Exported, ApiError> {
        self.export(request.servers.as_deref(), &request.shape)
    }

    /// Every file of another client that is there, and what it has to offer.
    pub async fn find_files(&self) -> Result<FoundFiles, ApiError> {
        let app = self.clone();
        blocking(move || Ok(app.look_around())).await
    }

    /// What a source has to offer. A text that can't be read at all is an error.
    pub async fn offer_of(&self, source: Source) -> Result<Offer, ApiError> {
        let app = self.clone();
        blocking(move || {
            let gathered = found::gather(&app.inner.project, &app.own_files(), &source)?;
            Ok(app.offer(gathered))
        })
        .await
    }

    /// Takes what was chosen into the configuration: all of it, or nothing.
    pub async fn import(
        &self,
        source: Source,
        choices: Vec<ImportChoice>,
        target: Target,
        clear: Clear,
    ) -> Result<Imported, ApiError> {
        let _one_at_a_time = self.inner.configuring.lock().await;
        let app = self.clone();
        let imported = blocking(move || {
            let gathered = found::gather(&app.inner.project, &app.own_files(), &source)?;
            app.take(gathered, &choices, target, clear)
        })
        .await?;
        self.read_again().await;
        for id in &imported.servers {
            if let Ok(server) = self.server(id) {
                server.changed_by_hand();
            }
        }
        self.inner.changes.server_changed();
        Ok(imported)
    }
}
