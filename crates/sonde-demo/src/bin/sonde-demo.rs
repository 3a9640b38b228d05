//! The demo as a program of its own, for tests and for other inspectors: over its standard streams, or with
//! `--http PORT` on that port of 127.0.0.1 (0: any free one).

use anyhow::bail;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => sonde_demo::serve_stdio().await,
        ["--http", port] => sonde_demo::serve_http(port.parse()?).await,
        _ => bail!("usage: sonde-demo [--http PORT]"),
    }
}
