//! An address that nobody may ask for.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::process::TICK;

/// Who connects and says nothing is not waited for any longer.
const SAYS_WITHIN: Duration = Duration::from_secs(2);

pub struct Trap {
    address: SocketAddr,
    /// Whoever has come so far, by the first line of what was asked.
    caught: Arc<Mutex<Vec<String>>>,
}

impl Trap {
    /// Listens for as long as the tests run.
    pub fn open() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
        let address = listener.local_addr()?;
        let caught = Arc::new(Mutex::new(Vec::new()));
        let held = caught.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut line = String::from("(a connection)");
                let asked = stream.set_read_timeout(Some(SAYS_WITHIN)).and_then(|()| {
                    line.clear();
                    BufReader::new(stream).read_line(&mut line)
                });
                if let Err(error) = asked {
                    line = format!("(a connection: {error})");
                }
                held.lock().unwrap_or_else(PoisonError::into_inner).push(line.trim().to_owned());
            }
        });
        Ok(Trap { address, caught })
    }

    /// Fails if anybody came, and unless it notices who comes.
    pub async fn caught_nobody(&self) -> Result<()> {
        // Whoever came before this is noticed before it.
        self.works().await?;
        let caught = self.caught();
        ensure!(caught.len() == 1, "nobody asks for an address of a server by himself: {caught:?}");
        Ok(())
    }

    /// Fails unless it notices who comes.
    pub async fn works(&self) -> Result<()> {
        let before = self.caught().len();
        drop(TcpStream::connect(self.address)?);
        let deadline = Instant::now() + 2 * SAYS_WITHIN;
        while self.caught().len() == before {
            if Instant::now() > deadline {
                bail!("whoever comes to {} is not noticed", self.address);
            }
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn caught(&self) -> Vec<String> {
        self.caught.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
