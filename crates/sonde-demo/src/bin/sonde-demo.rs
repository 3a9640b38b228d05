//! The demo as a program of its own, for tests and for other inspectors: over its standard streams, or with
//! `--http PORT` on that port of 127.0.0.1 (0: any free one); `--tools NUMBER` lists as many tools.

use anyhow::{Context, bail};
use sonde_demo::Scale;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (mut http, mut scale) = (None, Scale::default());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("`{word}` needs a number"))?;
        match word.as_str() {
            "--http" => http = Some(value.parse()?),
            "--tools" => scale.tools = value.parse()?,
            _ => bail!("usage: sonde-demo [--http PORT] [--tools NUMBER]"),
        }
    }
    match http {
        Some(port) => sonde_demo::serve_http(port, scale).await,
        None => sonde_demo::serve_stdio(scale).await,
    }
}
