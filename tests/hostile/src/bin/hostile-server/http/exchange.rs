//! One answer, written byte by byte and counted.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::diary::{Body, Diary};

/// Something that can be read from and written to, encrypted or not.
pub trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

/// A connection of a client.
pub struct Connection {
    pub stream: BufReader<Box<dyn Duplex>>,
    /// The socket below, for what only a socket can do.
    socket: OwnedFd,
}

impl Connection {
    pub fn plain(stream: TcpStream) -> io::Result<Self> {
        let socket = stream.as_fd().try_clone_to_owned()?;
        Ok(Connection { stream: BufReader::new(Box::new(stream)), socket })
    }

    /// Over an encrypted stream; `socket` is the one below it.
    pub fn over(stream: impl Duplex + 'static, socket: OwnedFd) -> Self {
        Connection { stream: BufReader::new(Box::new(stream)), socket }
    }

    /// Says goodbye. The client may have been faster.
    pub async fn close(mut self) {
        self.stream.shutdown().await.ok();
    }

    /// Goes without a goodbye: the end of this connection is a reset.
    pub fn reset(self) -> io::Result<()> {
        Ok(rustix::net::sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO))?)
    }
}

/// The answer to one request.
pub struct Exchange<'a> {
    connection: &'a mut Connection,
    diary: Arc<Diary>,
    number: u64,
    pub body: Body,
}

impl<'a> Exchange<'a> {
    pub fn new(connection: &'a mut Connection, diary: Arc<Diary>, number: u64) -> Self {
        Exchange { connection, diary, number, body: Body::default() }
    }

    /// Writes bytes that are no part of a body.
    pub async fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.connection.stream.write_all(bytes).await?;
        self.connection.stream.flush().await
    }

    /// The status line and the headers, and among them the number by which the log's exchange is found.
    pub async fn head(&mut self, status: &str, headers: &[(&str, &str)]) -> io::Result<()> {
        let mut text = format!("HTTP/1.1 {status}\r\nX-Hostile: {}\r\n", self.number);
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        text.push_str("\r\n");
        self.raw(text.as_bytes()).await
    }

    /// Part of a body, as it is.
    pub async fn part(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.count(bytes.len());
        self.raw(bytes).await
    }

    /// Part of a body whose length is not told beforehand.
    pub async fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.count(bytes.len());
        let framed = [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
        self.raw(&framed).await
    }

    /// The end of such a body.
    pub async fn end(&mut self) -> io::Result<()> {
        self.raw(b"0\r\n\r\n").await?;
        self.body.whole = true;
        Ok(())
    }

    /// Counts what is about to be written: what a client never took is more than it has, and that is allowed.
    pub fn count(&mut self, bytes: usize) {
        self.body.bytes += bytes as u64;
        self.body.wire += bytes as u64;
    }

    /// A whole answer with a body.
    pub async fn answer(&mut self, status: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<()> {
        let length = body.len().to_string();
        self.head(status, &[headers, &[("Content-Length", length.as_str())]].concat()).await?;
        self.part(body).await?;
        self.body.whole = true;
        Ok(())
    }

    /// A whole answer of JSON.
    pub async fn json(&mut self, status: &str, headers: &[(&str, &str)], body: &str) -> io::Result<()> {
        let headers = [headers, &[("Content-Type", "application/json")]].concat();
        self.answer(status, &headers, body.as_bytes()).await
    }

    /// The head of an event stream; events follow as chunks.
    pub async fn stream(&mut self) -> io::Result<()> {
        self.stream_with(&[]).await
    }

    pub async fn stream_with(&mut self, headers: &[(&str, &str)]) -> io::Result<()> {
        let usual = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")];
        self.head("200 OK", &[headers, &usual].concat()).await
    }

    /// An event that is a message.
    pub async fn event(&mut self, id: Option<&str>, data: &str) -> io::Result<()> {
        let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
        self.chunk(format!("{id}data: {data}\n\n").as_bytes()).await
    }

    /// Waits until the client closes the connection.
    pub async fn wait_for_the_end(&mut self) -> io::Result<()> {
        tokio::io::copy(&mut self.connection.stream, &mut tokio::io::sink()).await?;
        Ok(())
    }

    /// Enters something into the diary.
    pub fn note(&self, what: &str, more: Value) {
        self.diary.note(what, more);
    }
}

impl Drop for Exchange<'_> {
    /// However it ended.
    fn drop(&mut self) {
        self.diary.answered(self.number, &self.body);
    }
}
