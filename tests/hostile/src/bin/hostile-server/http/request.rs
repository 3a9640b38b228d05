//! What a client asks, read leniently: the mischief is on our side.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// A request; its body, where it has one, is a message.
pub struct Request {
    pub method: String,
    /// As it stood in the first line; a whole address where a proxy was asked.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub message: Value,
}

/// No body of a client is longer.
const LONGEST: usize = 16 << 20;

/// The next request; none when the client closed the connection between two of them.
pub async fn read(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Request>> {
    let Some(mut request) = read_head(stream).await? else { return Ok(None) };
    let mut body = Vec::new();
    if let Some(length) = request.header("content-length").and_then(|length| length.parse::<usize>().ok()) {
        body.resize(length.min(LONGEST), 0);
        stream.read_exact(&mut body).await?;
    } else if request.header("transfer-encoding").is_some() {
        while let Some(chunk) = read_chunk(stream).await? {
            body.extend(chunk);
        }
    }
    request.message = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Some(request))
}

/// The first line and the headers; the body is still in the stream.
pub async fn read_head(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    Ok(Some(Request { method, target, headers, message: Value::Null }))
}

async fn read_chunk(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let length = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
    let mut chunk = vec![0; length.min(LONGEST) + 2];
    stream.read_exact(&mut chunk).await?;
    chunk.truncate(length);
    Ok((length > 0).then_some(chunk))
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The last part of the path: which form of the case is meant.
    pub fn variant(&self) -> &str {
        let path = self.target.split_once('?').map_or(self.target.as_str(), |(path, _)| path);
        path.rsplit('/').next().unwrap_or_default()
    }

    /// The message's method; empty for an answer of the client, and where there is no message.
    pub fn rpc(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// The message's id as JSON.
    pub fn id(&self) -> Option<String> {
        self.message.get("id").map(Value::to_string)
    }

    /// The tool that is called, if one is.
    pub fn tool(&self) -> Option<&str> {
        (self.rpc() == "tools/call").then(|| self.message["params"]["name"].as_str()).flatten()
    }

    pub fn argument(&self, name: &str) -> &Value {
        &self.message["params"]["arguments"][name]
    }

    pub fn number(&self, name: &str, default: u64) -> u64 {
        self.argument(name).as_u64().unwrap_or(default)
    }

    /// What `go` is told to do.
    pub fn how(&self) -> &str {
        self.argument("how").as_str().unwrap_or_default()
    }
}
