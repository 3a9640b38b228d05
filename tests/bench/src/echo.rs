//! P1: one call after the other.

use anyhow::Result;
use rmcp::model::JsonObject;
use serde_json::json;
use serde_json::value::RawValue;

use crate::clients::{Client, Clients, Peer, Recorded, object, raw};
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Stopwatch};

const CALLS: usize = 2000;

pub async fn measure(rounds: usize, remark: &str) -> Result<Report> {
    let arguments = json!({ "text": "the same few words, over and over" });
    let mut echo = Echo {
        clients: Clients::start(&[]).await?,
        line: format!(
            "{}\n",
            json!({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": { "name": "echo", "arguments": arguments, "_meta": { "progressToken": 1 } },
            })
        ),
        raw: raw(&arguments)?,
        object: object(arguments)?,
    };
    let outcome = rounds::hold(&mut echo, rounds).await?;
    let present = echo.contenders();
    let mut report = Report::default();
    echo.clients.note_absence(&mut report, "echo");
    echo.clients.end().await?;

    let name = |what: &str| format!("echo{remark}: {what}");
    report.judge("P1", name("sonde / raw"), Unit::Ratio, outcome.ratio(Client::Sonde, Client::Raw), 1.5);
    report.judge("P1", name("sonde / rmcp"), Unit::Ratio, outcome.ratio(Client::Sonde, Client::Rmcp), 1.0);
    if present.contains(&Client::TypeScript) {
        let ratio = outcome.ratio(Client::Sonde, Client::TypeScript);
        report.judge("P1", name("sonde / TypeScript"), Unit::Ratio, ratio, 1.0 / 1.6);
    }
    for client in present {
        let each = |seconds: f64| seconds / CALLS as f64;
        report.tell(name(&format!("{client:?}, each call")), Unit::Seconds, outcome.wall(client).map(each));
        report.tell(name(&format!("{client:?}, CPU each call")), Unit::Seconds, outcome.cpu(client).map(each));
    }
    Ok(report)
}

struct Echo {
    clients: Clients,
    /// The call in the words that Sonde's client uses.
    line: String,
    raw: Box<RawValue>,
    object: JsonObject,
}

impl Contest for Echo {
    type Contender = Client;

    fn contenders(&self) -> Vec<Client> {
        self.clients.present()
    }

    async fn run(&mut self, client: Client) -> Result<Sample> {
        let watch = Stopwatch::start();
        match client {
            Client::Sonde => {
                let client = self.clients.sonde.client();
                for _ in 0..CALLS {
                    Recorded::call(&client, "echo", &self.raw).await?;
                }
                let wall = watch.wall();
                self.clients.sonde.settled().await?;
                return Ok(watch.ended_at(wall));
            }
            Client::Rmcp => {
                let connection = self.clients.rmcp.connection();
                for _ in 0..CALLS {
                    Peer::call(&connection, "echo", &self.object).await?;
                }
            }
            Client::TypeScript => return self.clients.run_typescript(&json!({ "do": "echo", "calls": CALLS })),
            Client::Raw => tokio::task::block_in_place(|| {
                for _ in 0..CALLS {
                    self.clients.raw.write(self.line.as_bytes())?;
                    self.clients.raw.read_until(b"\n")?;
                }
                anyhow::Ok(())
            })?,
        }
        Ok(watch.sample())
    }
}
