//! The HTTP role: raw sockets on the loopback, every byte written by hand, because the faults lie below any framework.
//!
//! The first line on stdout says where it listens. It serves until its stdin ends, whoever connects, and leaves two
//! files beside its tally: what became of each answer's body, and a diary of what it saw.

mod bodies;
mod bombs;
mod breaks;
mod diary;
mod exchange;
mod frames;
mod heads;
mod legacy;
mod mischief;
mod peer;
mod proxy;
mod redirects;
mod request;
mod resumes;
mod streams;
mod tls;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, TcpStream};

use crate::options::Options;
use crate::wire::Wire;
use diary::Diary;
use exchange::{Connection, Exchange};
use peer::{House, Then};

/// Serves the case's server, its strangers, its proxies and its certificates until stdin ends.
pub fn serve(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let diary = Arc::new(Diary::open(options.tally.as_deref())?);
    let told = runtime.block_on(open(&options.case, diary))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{told}")?;
    out.flush()?;
    // Whoever started us closes our input when it has seen enough.
    io::copy(&mut wire.input, &mut io::sink())?;
    // What is still being answered is counted when it is dropped.
    drop(runtime);
    Ok(ExitCode::SUCCESS)
}

/// Begins to listen; gives the ports.
async fn open(case: &str, diary: Arc<Diary>) -> io::Result<Value> {
    let (server, stranger) = (listen().await?, listen().await?);
    let (port, strange) = (port(&server)?, port(&stranger)?);
    let house = Arc::new(House::new(case, diary.clone(), port, strange));
    let mut told = Map::new();
    told.insert("port".to_owned(), json!(port));
    told.insert("stranger".to_owned(), json!(strange));
    tokio::spawn(accept(server, house.clone(), answer_plainly));
    tokio::spawn(accept(stranger, house.clone(), proxy::note_stranger));
    match case {
        "H10" | "H13" | "H16" | "E9" => told.extend(tls::open(&house).await?),
        "H14" => told.extend(proxy::open(&house).await?),
        "H15" => {
            let reset = listen().await?;
            told.insert("reset".to_owned(), json!(self::port(&reset)?));
            tokio::spawn(accept(reset, house.clone(), breaks::reset_the_handshake));
            // Nobody listens here any more, and nobody else is given the number while this process holds it.
            let closed = listen().await?;
            told.insert("closed".to_owned(), json!(self::port(&closed)?));
        }
        _ => {}
    }
    Ok(Value::Object(told))
}

async fn listen() -> io::Result<TcpListener> {
    TcpListener::bind("127.0.0.1:0").await
}

fn port(listener: &TcpListener) -> io::Result<u16> {
    Ok(listener.local_addr()?.port())
}

/// Takes every connection and gives it to `serve`, each in a task of its own.
async fn accept<F>(listener: TcpListener, house: Arc<House>, serve: fn(TcpStream, Arc<House>) -> F)
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    while let Ok((stream, _)) = listener.accept().await {
        let house = house.clone();
        tokio::spawn(async move {
            if let Err(error) = serve(stream, house.clone()).await {
                // A client that goes away is how most cases end.
                house.diary.note("ended", json!({ "why": error.to_string() }));
            }
        });
    }
}

async fn answer_plainly(stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    house.diary.note("connect", json!({}));
    answer_all(Connection::plain(stream)?, house).await
}

/// Answers one request after the other, until one of the two has had enough.
async fn answer_all(mut connection: Connection, house: Arc<House>) -> io::Result<()> {
    while let Some(request) = request::read(&mut connection.stream).await? {
        let number = house.diary.request(&request);
        let mut exchange = Exchange::new(&mut connection, house.diary.clone(), number);
        let then = mischief::answer(&house, &mut exchange, &request).await?;
        drop(exchange);
        match then {
            Then::Next => {}
            Then::Close => {
                connection.close().await;
                return Ok(());
            }
            Then::Reset => return connection.reset(),
        }
    }
    Ok(())
}
