//! Those that are compared: Sonde's client with its recorder, two peers, and the limit.

mod app;
mod limit;
mod load;
mod peer;
mod recorded;
mod typescript;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::report::Report;
use crate::rounds::{Sample, Stopwatch};

pub use app::Front;
pub use limit::Limit;
use load::HttpLoad;
pub use peer::{Peer, object};
pub use recorded::{Recorded, raw};
use typescript::Typescript;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Sonde's client, recording to disk.
    Sonde,
    /// rmcp's client, which records nothing.
    Rmcp,
    /// The official TypeScript client, which records nothing.
    TypeScript,
    /// Bytes in, bytes out, nothing understood.
    Raw,
}

/// All of them, each with a server of its own.
pub struct Clients {
    pub sonde: Recorded,
    pub rmcp: Peer,
    typescript: Option<Typescript>,
    pub raw: Limit,
    /// Those that nobody else ends.
    servers: Vec<HttpLoad>,
}

impl Clients {
    /// `options` go to the servers.
    pub async fn start(options: &[&str]) -> Result<Self> {
        Ok(Clients {
            sonde: Recorded::start(options).await?,
            rmcp: Peer::start(options).await?,
            typescript: tokio::task::block_in_place(|| Typescript::start(options))?,
            raw: Limit::start(options)?,
            servers: Vec::new(),
        })
    }

    /// The same over HTTP.
    pub async fn over_http() -> Result<Self> {
        let (for_sonde, for_rmcp, for_typescript) = (HttpLoad::start()?, HttpLoad::start()?, HttpLoad::start()?);
        Ok(Clients {
            sonde: Recorded::over_http(for_sonde.url()).await?,
            rmcp: Peer::over_http(for_rmcp.url()).await?,
            typescript: tokio::task::block_in_place(|| Typescript::over_http(for_typescript.url()))?,
            raw: Limit::over_http()?,
            servers: vec![for_sonde, for_rmcp, for_typescript],
        })
    }

    /// Those that are here.
    pub fn present(&self) -> Vec<Client> {
        let mut present = vec![Client::Sonde, Client::Rmcp, Client::Raw];
        if self.typescript.is_some() {
            present.push(Client::TypeScript);
        }
        present
    }

    /// The turn of the TypeScript client.
    pub fn run_typescript(&mut self, order: &Value) -> Result<Sample> {
        let typescript = self.typescript.as_mut().context("the TypeScript client is not installed")?;
        let watch = Stopwatch::start();
        let cpu = tokio::task::block_in_place(|| typescript.order(order))?;
        Ok(Sample { wall: watch.wall(), cpu })
    }

    /// Says who is missing.
    pub fn note_absence(&self, report: &mut Report, what: &str) {
        if self.typescript.is_none() {
            report.note(format!("{what}: the TypeScript client is not installed, so it was not measured"));
        }
    }

    pub async fn end(self) -> Result<()> {
        self.raw.end()?;
        if let Some(typescript) = self.typescript {
            tokio::task::block_in_place(|| typescript.end())?;
        }
        self.rmcp.end().await?;
        self.sonde.end().await;
        self.servers.into_iter().try_for_each(HttpLoad::end)
    }
}
