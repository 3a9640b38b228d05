//! The demo as a program of its own, for tests and for other inspectors.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    sonde_demo::serve_stdio().await
}
