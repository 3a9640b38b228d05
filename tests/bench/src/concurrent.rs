//! P4: many calls at once, answered in reverse order.

use anyhow::Result;
use rmcp::model::JsonObject;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use crate::clients::{Client, Clients, Peer, Recorded, object, raw};
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Stopwatch};

const CALLS: usize = 1000;

pub async fn measure(rounds: usize) -> Result<Report> {
    let arguments = json!({ "text": "one of many" });
    let lines = (0..CALLS).map(|id| {
        let params = json!({ "name": "echo", "arguments": arguments, "_meta": { "progressToken": id } });
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
    });
    let mut concurrent = Concurrent {
        lines: lines.collect(),
        clients: Clients::start(&["--reverse", &CALLS.to_string()]).await?,
        raw: raw(&arguments)?,
        object: object(arguments)?,
    };
    let outcome = rounds::hold(&mut concurrent, rounds).await?;
    let present = concurrent.contenders();
    concurrent.clients.end().await?;

    let mut report = Report::default();
    let name = |what: &str| format!("1,000 calls at once: {what}");
    report.judge("P4", name("sonde / rmcp"), Unit::Ratio, outcome.ratio(Client::Sonde, Client::Rmcp), 0.25);
    report.tell(name("sonde / raw"), Unit::Ratio, outcome.ratio(Client::Sonde, Client::Raw));
    for client in present {
        report.tell(name(&format!("{client:?}")), Unit::Seconds, outcome.wall(client));
        report.tell(name(&format!("{client:?}, CPU")), Unit::Seconds, outcome.cpu(client));
    }
    Ok(report)
}

struct Concurrent {
    clients: Clients,
    /// All calls in the words that Sonde's client uses.
    lines: String,
    raw: Box<RawValue>,
    object: JsonObject,
}

impl Contest for Concurrent {
    type Contender = Client;

    fn contenders(&self) -> Vec<Client> {
        self.clients.present()
    }

    async fn run(&mut self, client: Client) -> Result<Sample> {
        let watch = Stopwatch::start();
        let mut calls = JoinSet::new();
        match client {
            Client::Sonde => {
                for _ in 0..CALLS {
                    let (client, arguments) = (self.clients.sonde.client(), self.raw.clone());
                    calls.spawn(async move { Recorded::call(&client, "echo", &arguments).await });
                }
                finish(calls).await?;
                let wall = watch.wall();
                self.clients.sonde.settled().await?;
                return Ok(watch.ended_at(wall));
            }
            Client::Rmcp => {
                for _ in 0..CALLS {
                    let (connection, arguments) = (self.clients.rmcp.connection(), self.object.clone());
                    calls.spawn(async move { Peer::call(&connection, "echo", &arguments).await });
                }
                finish(calls).await?;
            }
            Client::TypeScript => return self.clients.run_typescript(&json!({ "do": "burst", "calls": CALLS })),
            Client::Raw => tokio::task::block_in_place(|| {
                self.clients.raw.write(self.lines.as_bytes())?;
                self.clients.raw.read_lines(CALLS)
            })?,
        }
        Ok(watch.sample())
    }
}

async fn finish(mut calls: JoinSet<Result<()>>) -> Result<()> {
    while let Some(call) = calls.join_next().await {
        call??;
    }
    Ok(())
}
