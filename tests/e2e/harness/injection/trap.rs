//! An address that nobody may ask for.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

/// Who connects and says nothing is not waited for any longer.
const SAYS_WITHIN: Duration = Duration::from_secs(2);

pub struct Trap {
    address: SocketAddr,
    /// Whoever has come so far, by the first line of what was asked.
    caught: Arc<Mutex<Vec<String>>>,
}

impl Trap {
    /// Listens for as long as the tests run.
    pub(super) fn open() -> Result<Self> {
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

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn caught(&self) -> Vec<String> {
        self.caught.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
