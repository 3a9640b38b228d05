//! HTTP/1.1 as far as a load needs it: bodies with a length, answers in one write, connections that stay.
//!
//! A thread per connection blocks in `read`, which is a wake-up less per request than a runtime would take.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use crate::{
    answers,
    options::Options,
    session::{Read as Asked, Request},
};

/// No request of a bench is longer.
const LONGEST_REQUEST: usize = 16 << 20;
const CHUNK: usize = 64 * 1024;

/// Serves until stdin ends.
pub fn serve(port: u16, options: Options) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "listening on http://{}/mcp", listener.local_addr()?)?;
    stdout.flush()?;
    let options = Arc::new(options);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let options = options.clone();
            // A client that breaks off is its own affair.
            thread::spawn(move || converse(stream, &options).unwrap_or_default());
        }
    });
    io::copy(&mut io::stdin().lock(), &mut io::sink()).map(drop)
}

/// One connection, request after request.
fn converse(mut stream: TcpStream, options: &Options) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut read = Vec::with_capacity(CHUNK);
    let mut chunk = vec![0; CHUNK];
    let (mut body, mut answer) = (Vec::new(), Vec::new());
    loop {
        let asked = match Head::of(&read) {
            Some(head) if read.len() >= head.length + head.body => head,
            _ if read.len() > LONGEST_REQUEST => return stream.write_all(TOO_LONG),
            _ => {
                let size = stream.read(&mut chunk)?;
                if size == 0 {
                    return Ok(());
                }
                read.extend_from_slice(&chunk[..size]);
                continue;
            }
        };
        let end = asked.length + asked.body;
        answer.clear();
        match asked.method {
            Method::Post => post(&read[asked.length..end], options, &mut body, &mut answer)?,
            Method::Delete => answer.extend_from_slice(DELETED),
            Method::Other => answer.extend_from_slice(NOT_ALLOWED),
        }
        stream.write_all(&answer)?;
        if asked.is_last {
            return Ok(());
        }
        read.drain(..end);
    }
}

const ACCEPTED: &[u8] = b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
const DELETED: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const NOT_ALLOWED: &[u8] = b"HTTP/1.1 405 Method Not Allowed\r\nallow: POST, DELETE\r\ncontent-length: 0\r\n\r\n";
const TOO_LONG: &[u8] = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// What a request says before its body.
struct Head {
    method: Method,
    /// Of the head itself, with the empty line.
    length: usize,
    body: usize,
    is_last: bool,
}

enum Method {
    Post,
    Delete,
    Other,
}

impl Head {
    /// `None` as long as it has no end.
    fn of(read: &[u8]) -> Option<Self> {
        let length = read.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
        let mut lines = read[..length].split(|byte| *byte == b'\n');
        let method = match lines.next()? {
            line if line.starts_with(b"POST ") => Method::Post,
            line if line.starts_with(b"DELETE ") => Method::Delete,
            _ => Method::Other,
        };
        let (mut body, mut is_last) = (0, false);
        for line in lines {
            if let Some(value) = value_of(line, b"content-length:") {
                body = value.parse().unwrap_or(LONGEST_REQUEST);
            } else if let Some(value) = value_of(line, b"connection:") {
                is_last = value.eq_ignore_ascii_case("close");
            }
        }
        Some(Self { method, length, body, is_last })
    }
}

fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let (start, value) = line.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name).then(|| str::from_utf8(value).map(str::trim).unwrap_or_default())
}

fn post(text: &[u8], options: &Options, body: &mut Vec<u8>, answer: &mut Vec<u8>) -> io::Result<()> {
    body.clear();
    let mut session = "";
    match Request::read(text) {
        Asked::NothingToAnswer => return answer.write_all(ACCEPTED),
        Asked::NotJson => answers::error(body, &serde_json::Value::Null, -32700, "this body is not JSON")?,
        Asked::Request(request) if request.method == "tools/call" && request.params["name"] == "flood" => {
            answers::error(body, &request.id, -32602, "there is no tool `flood` over HTTP")?;
        }
        Asked::Request(request) => {
            if request.method == "initialize" {
                session = "mcp-session-id: sonde-load\r\n";
            }
            answers::answer(body, &request, options)?;
        }
    }
    // The line end belongs to the other transport.
    body.pop();
    let length = body.len();
    write!(answer, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{session}content-length: {length}\r\n\r\n")?;
    answer.extend_from_slice(body);
    Ok(())
}
