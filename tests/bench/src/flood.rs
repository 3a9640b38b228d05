//! P3: notifications until the last one is committed and can be read back.

use anyhow::Result;
use serde_json::json;

use crate::clients::{Client, Clients};
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Stopwatch};

const COUNT: u64 = 100_000;
const SIZE: u64 = 100;

pub async fn measure(rounds: usize) -> Result<Report> {
    let mut flood = Flood { clients: Clients::start(&[]).await? };
    let outcome = rounds::hold(&mut flood, rounds).await?;
    let present = flood.contenders();
    flood.clients.end().await?;

    let mut report = Report::default();
    let name = |what: &str| format!("flood of 100,000 x 100 B: {what}");
    report.judge("P3", name("sonde / rmcp"), Unit::Ratio, outcome.ratio(Client::Sonde, Client::Rmcp), 1.5);
    if present.contains(&Client::TypeScript) {
        let ratio = outcome.ratio(Client::Sonde, Client::TypeScript);
        report.judge("P3", name("sonde / TypeScript"), Unit::Ratio, ratio, 1.0 / 2.5);
    }
    report.tell(name("sonde / raw"), Unit::Ratio, outcome.ratio(Client::Sonde, Client::Raw));
    let rows = outcome.wall(Client::Sonde).map(|seconds| COUNT as f64 / seconds);
    report.tell(name("rows committed"), Unit::RowsPerSecond, rows);
    for client in present {
        report.tell(name(&format!("{client:?}")), Unit::Seconds, outcome.wall(client));
        report.tell(name(&format!("{client:?}, CPU")), Unit::Seconds, outcome.cpu(client));
    }
    Ok(report)
}

struct Flood {
    clients: Clients,
}

impl Contest for Flood {
    type Contender = Client;

    fn contenders(&self) -> Vec<Client> {
        self.clients.present()
    }

    async fn run(&mut self, client: Client) -> Result<Sample> {
        let watch = Stopwatch::start();
        match client {
            Client::Sonde => self.clients.sonde.flood(COUNT, SIZE).await?,
            Client::Rmcp => self.clients.rmcp.flood(COUNT, SIZE).await?,
            Client::TypeScript => {
                return self.clients.run_typescript(&json!({ "do": "flood", "count": COUNT, "size": SIZE }));
            }
            Client::Raw => tokio::task::block_in_place(|| {
                let call = json!({
                    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": { "name": "flood", "arguments": { "count": COUNT, "size": SIZE } },
                });
                self.clients.raw.write(format!("{call}\n").as_bytes())?;
                // Only the answer holds a list; notifications end in three braces.
                self.clients.raw.read_until(b"]}}\n")
            })?,
        }
        Ok(watch.sample())
    }
}
