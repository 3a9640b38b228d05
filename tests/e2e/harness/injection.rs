//! A server of which every string is an attack, made from the official schema of the protocol.

mod eyes;
mod instances;
mod payloads;
mod served;
mod trap;

use std::path::{Path, PathBuf};

use anyhow::Result;
use tempfile::TempDir;

pub use eyes::{Eyes, Sight};
pub use payloads::Payload;
pub use trap::Trap;

use crate::binaries::repository;
use instances::Definitions;

/// Beside the repository and not in it: it is not ours.
const SCHEMA: &str = "../shared/spec/schema/2025-11-25.json";

pub struct Injection {
    pub payloads: Vec<Payload>,
    /// Where everything that fetches would fetch from.
    pub trap: Trap,
    /// For each life of the server that says another thing of itself, the payload that this begins with.
    pub lives: Vec<usize>,
    /// How many different fields hold a payload.
    pub fields: usize,
    /// How many times one of them holds one, over all that the server sends.
    pub placed: usize,
    /// Removed when dropped.
    folder: TempDir,
}

impl Injection {
    /// Where the official schema is looked for.
    pub fn schema() -> PathBuf {
        repository().join(SCHEMA)
    }

    /// Writes down every message that the server will send.
    pub fn make(schema: &Path) -> Result<Self> {
        let trap = Trap::open()?;
        let payloads = payloads::payloads(&trap.address().to_string());
        let folder = tempfile::Builder::new().prefix("sonde-injection-").tempdir()?;
        let (fields, placed) = served::write(folder.path(), &Definitions::read(schema)?, &payloads)?;
        let begins = |text: &String| payloads.iter().position(|payload| text.starts_with(&payload.text));
        let lives = payloads::joined(&payloads).iter().filter_map(begins).collect();
        Ok(Injection { payloads, trap, lives, fields: fields.len(), placed, folder })
    }

    /// What the server serves.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
