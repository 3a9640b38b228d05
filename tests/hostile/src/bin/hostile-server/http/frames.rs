//! HTTP/2 by hand: as much of it as an ordinary answer needs, and frames that nobody should send.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::exchange::Duplex;
use super::peer::{self, House};
use super::request::Request;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;

/// Flags: of a stream's last frame and of an acknowledgement, and of the last frame of its headers.
const END: u8 = 1;
const END_OF_HEADERS: u8 = 4;

/// What every client says first.
const PREFACE: usize = 24;

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    load: Vec<u8>,
}

/// H16. Answers in frames. `go {how, count}` sends so many frames of a kind that nobody asked for, before its answer.
pub async fn speak(mut stream: impl Duplex, house: Arc<House>) -> io::Result<()> {
    house.diary.note("connect", json!({}));
    let mut preface = [0; PREFACE];
    stream.read_exact(&mut preface).await?;
    write(&mut stream, SETTINGS, 0, 0, &[]).await?;
    let mut bodies: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    loop {
        let frame = read(&mut stream).await?;
        match frame.kind {
            SETTINGS if frame.flags & END == 0 => write(&mut stream, SETTINGS, END, 0, &[]).await?,
            PING if frame.flags & END == 0 => write(&mut stream, PING, END, 0, &frame.load).await?,
            GOAWAY => return Ok(()),
            // Who asks without a body wants a stream, or ends a session; we have neither.
            HEADERS if frame.flags & END != 0 => head(&mut stream, frame.stream, "405", END).await?,
            HEADERS => {
                bodies.insert(frame.stream, Vec::new());
            }
            DATA => {
                if let Some(body) = bodies.get_mut(&frame.stream) {
                    body.extend(&frame.load);
                }
                if let (Some(body), true) = (bodies.get(&frame.stream), frame.flags & END != 0) {
                    let request = request(body);
                    house.diary.request(&request);
                    bodies.remove(&frame.stream);
                    answer(&mut stream, frame.stream, &request).await?;
                }
            }
            _ => {}
        }
    }
}

async fn answer(stream: &mut impl Duplex, number: u32, request: &Request) -> io::Result<()> {
    let count = request.number("count", 1000);
    match (request.tool(), request.how()) {
        (Some("go"), "goaway") => {
            // No stream was dealt with, it says, and: enhance your calm.
            write(stream, GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 11]).await?;
            return stream.shutdown().await;
        }
        (Some("go"), "goaway-after") => {
            let last = [number.to_be_bytes(), [0, 0, 0, 2]].concat();
            write(stream, GOAWAY, 0, 0, &last).await?;
            return stream.shutdown().await;
        }
        (Some("go"), "rst") => flood(stream, &frame(RST_STREAM, 0, number, &[0, 0, 0, 8]), count).await?,
        (Some("go"), "settings") => flood(stream, &frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 100]), count).await?,
        (Some("go"), "ping") => flood(stream, &frame(PING, 0, 0, &[7; 8]), count).await?,
        (Some("go"), "empty-data") => {
            head(stream, number, "200", 0).await?;
            flood(stream, &frame(DATA, 0, number, &[]), count).await?;
            let body = peer::reply(request);
            return write(stream, DATA, END, number, body.as_bytes()).await;
        }
        (Some("go"), "continuation") => {
            // Headers that never end: a name, and a value of which more and more comes.
            write(stream, HEADERS, 0, number, &[0x88]).await?;
            let part = [[0, 6].as_slice(), b"x-more", &[120], &[b'v'; 120]].concat();
            flood(stream, &frame(CONTINUATION, 0, number, &part), count).await?;
        }
        _ => {}
    }
    if request.id().is_none() {
        return head(stream, number, "202", END).await;
    }
    head(stream, number, "200", 0).await?;
    write(stream, DATA, END, number, peer::reply(request).as_bytes()).await
}

/// The same frame over and over, many in one write.
async fn flood(stream: &mut impl Duplex, frame: &[u8], count: u64) -> io::Result<()> {
    let block = frame.repeat(64);
    for _ in 0..count.div_ceil(64) {
        stream.write_all(&block).await?;
    }
    stream.flush().await
}

/// A status and the type of JSON, in the oldest of all ways to pack headers: not at all.
async fn head(stream: &mut impl Duplex, number: u32, status: &str, flags: u8) -> io::Result<()> {
    // A literal with the name of the eighth entry, `:status`, and one with that of the 31st, `content-type`.
    let status = [[0x08, 3].as_slice(), status.as_bytes()].concat();
    let kind = [[0x0f, 0x10, 16].as_slice(), b"application/json"].concat();
    write(stream, HEADERS, flags | END_OF_HEADERS, number, &[status, kind].concat()).await
}

fn request(body: &[u8]) -> Request {
    let message = serde_json::from_slice(body).unwrap_or_default();
    Request { method: "POST".to_owned(), target: "/mcp".to_owned(), headers: Vec::new(), message }
}

fn frame(kind: u8, flags: u8, stream: u32, load: &[u8]) -> Vec<u8> {
    let length = u32::try_from(load.len()).unwrap_or_default().to_be_bytes();
    [length.get(1..).unwrap_or_default(), &[kind, flags], &stream.to_be_bytes(), load].concat()
}

async fn write(stream: &mut impl Duplex, kind: u8, flags: u8, number: u32, load: &[u8]) -> io::Result<()> {
    stream.write_all(&frame(kind, flags, number, load)).await?;
    stream.flush().await
}

async fn read(stream: &mut impl Duplex) -> io::Result<Frame> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await?;
    let [a, b, c, kind, flags, d, e, f, g] = head;
    let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).unwrap_or_default();
    let mut load = vec![0; length];
    stream.read_exact(&mut load).await?;
    Ok(Frame { kind, flags, stream: u32::from_be_bytes([d & 0x7f, e, f, g]), load })
}
