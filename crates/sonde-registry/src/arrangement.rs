//! In which order and in which groups a person wants to see the servers. It means nothing to the servers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::private;

#[derive(Debug, thiserror::Error)]
pub enum ArrangementError {
    #[error("the arrangement `{}` can't be read", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the arrangement `{}` can't be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// The file of the arrangement. Read anew for each question, since another front door may have written it.
#[derive(Debug, Clone)]
pub struct Arrangements {
    path: PathBuf,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerGroup {
    /// Empty for servers in no group.
    pub name: String,
    /// Ids. A server may be named that is in no file here: it has its place when it is there again.
    pub servers: Vec<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct Written {
    groups: Vec<ServerGroup>,
}

impl Arrangements {
    pub fn at(path: PathBuf) -> Self {
        Arrangements { path }
    }

    /// No groups where nothing was arranged, or where the file is not ours: an order is not worth an error.
    pub fn groups(&self) -> Result<Vec<ServerGroup>, ArrangementError> {
        let read = private::read(&self.path);
        let bytes = read.map_err(|source| ArrangementError::Read { path: self.path.clone(), source })?;
        let written: Option<Written> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(written.unwrap_or_default().groups)
    }

    pub fn set(&self, groups: Vec<ServerGroup>) -> Result<(), ArrangementError> {
        let written = |source| ArrangementError::Write { path: self.path.clone(), source };
        let text = serde_json::to_vec_pretty(&Written { groups }).map_err(|error| written(error.into()))?;
        private::write(&self.path, &text).map_err(written)
    }
}
