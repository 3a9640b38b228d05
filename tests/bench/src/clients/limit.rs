//! The limit: blocking reads and writes of prepared bytes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::load::HttpLoad;
use crate::binaries;

pub struct Limit {
    server: Server,
    /// Taken to end the server.
    input: Option<Box<dyn Write + Send>>,
    output: Box<dyn Read + Send>,
    chunk: Box<[u8]>,
}

enum Server {
    Pipes(Child),
    Http(HttpLoad),
}

/// As much as a Linux pipe holds, and what the other clients read at once.
const CHUNK: usize = 64 << 10;

impl Limit {
    pub fn start(options: &[&str]) -> Result<Self> {
        let mut server = Command::new(binaries::load_server()?)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the load server could not be started")?;
        let (Some(stdin), Some(stdout)) = (server.stdin.take(), server.stdout.take()) else {
            anyhow::bail!("the load server has no pipes");
        };
        Ok(Limit::new(Server::Pipes(server), stdin, stdout))
    }

    /// One connection for all requests.
    pub fn over_http() -> Result<Self> {
        let server = HttpLoad::start()?;
        let stream = TcpStream::connect(server.authority())?;
        stream.set_nodelay(true)?;
        Ok(Limit::new(Server::Http(server), stream.try_clone()?, stream))
    }

    fn new(server: Server, input: impl Write + Send + 'static, output: impl Read + Send + 'static) -> Self {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Limit { server, input: Some(Box::new(input)), output: Box::new(output), chunk }
    }

    pub fn write(&mut self, lines: &[u8]) -> Result<()> {
        let input = self.input.as_mut().context("the server's input is closed")?;
        Ok(input.write_all(lines)?)
    }

    /// Reads until the bytes end in `ending`. Looks at no other byte.
    pub fn read_until(&mut self, ending: &[u8]) -> Result<()> {
        let mut tail = Vec::new();
        while !tail.ends_with(ending) {
            let size = self.read()?;
            let read = self.chunk.get(..size).unwrap_or_default();
            tail.extend_from_slice(read.get(size.saturating_sub(ending.len())..).unwrap_or_default());
            let start = tail.len().saturating_sub(ending.len());
            tail.drain(..start);
        }
        Ok(())
    }

    /// Reads `count` lines.
    pub fn read_lines(&mut self, count: usize) -> Result<()> {
        let mut lines = 0;
        while lines < count {
            let size = self.read()?;
            lines += self.chunk.iter().take(size).filter(|byte| **byte == b'\n').count();
        }
        Ok(())
    }

    fn read(&mut self) -> Result<usize> {
        let size = self.output.read(&mut self.chunk)?;
        ensure!(size > 0, "the load server closed its output");
        Ok(size)
    }

    pub fn end(mut self) -> Result<()> {
        drop(self.input.take());
        match self.server {
            Server::Pipes(mut server) => server.wait().map(drop).context("the load server does not end"),
            Server::Http(server) => server.end(),
        }
    }
}
