//! The three that are compared: Sonde's client with its recorder, a peer, and the limit.

mod limit;
mod peer;
mod recorded;

pub use limit::Limit;
pub use peer::{Peer, object};
pub use recorded::{Recorded, raw};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Sonde's client, recording to disk.
    Sonde,
    /// rmcp's client, which records nothing.
    Rmcp,
    /// Bytes in, bytes out, nothing understood.
    Raw,
}

impl Client {
    pub const ALL: &'static [Client] = &[Client::Sonde, Client::Rmcp, Client::Raw];
}

/// All three, each with a server of its own.
pub struct Clients {
    pub sonde: Recorded,
    pub rmcp: Peer,
    pub raw: Limit,
}

impl Clients {
    /// `options` go to the servers.
    pub async fn start(options: &[&str]) -> anyhow::Result<Self> {
        Ok(Clients {
            sonde: Recorded::start(options).await?,
            rmcp: Peer::start(options).await?,
            raw: Limit::start(options)?,
        })
    }

    pub async fn end(self) -> anyhow::Result<()> {
        self.raw.end()?;
        self.rmcp.end().await?;
        self.sonde.end().await;
        Ok(())
    }
}
