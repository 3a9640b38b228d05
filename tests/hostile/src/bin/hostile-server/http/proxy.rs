//! Others on the way: proxies, good and bad, and a stranger where nobody must ever knock.

use std::io;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::peer::House;
use super::{accept, listen, port, request};

/// Notes who comes, and what they bring, and answers like any server that collects such things.
pub async fn note_stranger(mut stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    house.diary.note("stranger", json!({}));
    let mut brought = vec![0; 4096];
    let size = stream.read(&mut brought).await?;
    brought.truncate(size);
    house.diary.note("stolen", json!({ "bytes": size, "text": String::from_utf8_lossy(&brought) }));
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await
}

/// H14. One that wants to know who we are, one that says nothing, one that goes away, one that does its work.
pub async fn open(house: &Arc<House>) -> io::Result<Map<String, Value>> {
    let (asking, silent, gone, good) = (listen().await?, listen().await?, listen().await?, listen().await?);
    let mut told = Map::new();
    for (name, listener) in [("asking", &asking), ("silent", &silent), ("gone", &gone), ("good", &good)] {
        told.insert(name.to_owned(), json!(port(listener)?));
    }
    tokio::spawn(accept(asking, house.clone(), ask));
    tokio::spawn(accept(silent, house.clone(), say_nothing));
    tokio::spawn(accept(gone, house.clone(), go_away));
    tokio::spawn(accept(good, house.clone(), forward));
    Ok(told)
}

async fn ask(stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    house.diary.note("proxy", json!({ "name": "asking" }));
    let mut stream = BufReader::new(stream);
    while request::read(&mut stream).await?.is_some() {
        let head = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"proxy\"\r\n";
        stream.write_all(format!("{head}Content-Length: 0\r\n\r\n").as_bytes()).await?;
    }
    Ok(())
}

async fn say_nothing(mut stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    house.diary.note("proxy", json!({ "name": "silent" }));
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(())
}

async fn go_away(stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    house.diary.note("proxy", json!({ "name": "gone" }));
    drop(stream);
    Ok(())
}

/// Passes a request on, and everything behind it on the same connection.
async fn forward(stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    let mut client = BufReader::new(stream);
    let Some(head) = request::read_head(&mut client).await? else { return Ok(()) };
    let authorization = head.header("proxy-authorization").map(str::to_owned);
    house.diary.note("proxy", json!({ "name": "good", "authorization": authorization, "target": head.target }));
    // The host and port of `http://HOST:PORT/PATH`; nothing here speaks of any but our own server.
    let after = head.target.trim_start_matches("http://");
    let (address, path) = after.split_once('/').unwrap_or((after, ""));
    let mut server = TcpStream::connect(address).await?;
    let mut text = format!("{} /{path} HTTP/1.1\r\n", head.method);
    for (name, value) in head.headers.iter().filter(|(name, _)| !name.starts_with("proxy-")) {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    server.write_all(text.as_bytes()).await?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
