//! The three pipes, without any buffer between a call here and the system's `write`.

use std::io::{self, BufRead, BufReader, StdinLock};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::tally::{self, Tally};

pub struct Wire {
    pub out: Pipe,
    pub err: Pipe,
    pub input: BufReader<StdinLock<'static>>,
    pub folder: Option<PathBuf>,
}

/// One stream to write to, with its count.
pub struct Pipe {
    descriptor: BorrowedFd<'static>,
    tally: Tally,
}

/// A message from the client.
pub struct Incoming {
    /// The id as JSON; none for a notification.
    pub id: Option<String>,
    pub method: String,
    pub params: Value,
}

impl Wire {
    pub fn open(folder: Option<&Path>) -> io::Result<Self> {
        let (out, err) = tally::open(folder)?;
        Ok(Wire {
            out: Pipe { descriptor: rustix::stdio::stdout(), tally: out },
            err: Pipe { descriptor: rustix::stdio::stderr(), tally: err },
            input: BufReader::with_capacity(64 << 10, io::stdin().lock()),
            folder: folder.map(Path::to_owned),
        })
    }

    /// The next message; none when the client closed our input. Lines that are no messages are passed over.
    pub fn next(&mut self) -> io::Result<Option<Incoming>> {
        let mut line = Vec::new();
        while self.input.read_until(b'\n', &mut line)? > 0 {
            if let Ok(mut message) = serde_json::from_slice::<Value>(&line)
                && let Some(method) = message["method"].as_str().map(str::to_owned)
            {
                let id = message.get("id").map(Value::to_string);
                return Ok(Some(Incoming { id, method, params: message["params"].take() }));
            }
            line.clear();
        }
        Ok(None)
    }

    /// Stderr for a thread of its own; what is still written here is no longer counted.
    pub fn take_stderr(&mut self) -> Pipe {
        let uncounted = Pipe { descriptor: self.err.descriptor, tally: Tally::uncounted() };
        std::mem::replace(&mut self.err, uncounted)
    }

    pub fn leave(&self, name: &str, text: &str) -> io::Result<()> {
        tally::leave(self.folder.as_deref(), name, text)
    }
}

impl Pipe {
    /// Writes all of it, in as few writes as the pipe takes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tally.begin(bytes)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(self.descriptor, rest) {
                Ok(size) => {
                    let (written, left) = rest.split_at(size);
                    self.tally.note(written)?;
                    rest = left;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.write(format!("{text}\n").as_bytes())
    }

    /// The same byte over and over, without holding it all. Each chunk also goes to `watch`.
    pub fn fill(&mut self, byte: u8, mut count: u64, mut watch: impl FnMut(&[u8])) -> io::Result<()> {
        let chunk = vec![byte; 256 << 10];
        while count > 0 {
            let length = chunk.len().min(usize::try_from(count).unwrap_or(usize::MAX));
            let part = chunk.get(..length).unwrap_or(&chunk);
            watch(part);
            self.write(part)?;
            count -= length as u64;
        }
        Ok(())
    }
}
