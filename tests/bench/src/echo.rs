//! P1 and P2: one call after the other, over pipes and over HTTP.

use anyhow::Result;
use rmcp::model::JsonObject;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::clients::{Client, Clients, Peer, Recorded, object, raw};
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Stopwatch};

const CALLS: usize = 2000;

/// Over pipes.
pub async fn measure(rounds: usize, remark: &str) -> Result<Report> {
    let call = call();
    let echo = Echo {
        clients: Clients::start(&[]).await?,
        sent: format!("{call}\n"),
        ending: b"\n",
        raw: raw(&arguments())?,
        object: object(arguments())?,
    };
    let budgets = Budgets { id: "P1", raw: Some(1.5), rmcp: 1.0, typescript: 1.0 / 1.6 };
    contest(echo, &format!("echo{remark}"), budgets, rounds).await
}

pub async fn measure_http(rounds: usize, remark: &str) -> Result<Report> {
    let call = call().to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n\
         mcp-session-id: sonde-load\r\ncontent-length: {}\r\n\r\n",
        call.len()
    );
    let echo = Echo {
        clients: Clients::over_http().await?,
        sent: head + &call,
        ending: br#""}]}}"#,
        raw: raw(&arguments())?,
        object: object(arguments())?,
    };
    let budgets = Budgets { id: "P2", raw: None, rmcp: 1.0 / 2.5, typescript: 1.0 / 5.0 };
    contest(echo, &format!("echo over HTTP{remark}"), budgets, rounds).await
}

fn arguments() -> Value {
    json!({ "text": "the same few words, over and over" })
}

/// In the words that Sonde's client uses.
fn call() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "echo", "arguments": arguments(), "_meta": { "progressToken": 1 } },
    })
}

/// At most these ratios.
struct Budgets {
    id: &'static str,
    raw: Option<f64>,
    rmcp: f64,
    typescript: f64,
}

async fn contest(mut echo: Echo, what: &str, budgets: Budgets, rounds: usize) -> Result<Report> {
    let outcome = rounds::hold(&mut echo, rounds).await?;
    let present = echo.contenders();
    let mut report = Report::default();
    echo.clients.note_absence(&mut report, what);
    echo.clients.end().await?;

    let name = |of: &str| format!("{what}: {of}");
    let to_raw = outcome.ratio(Client::Sonde, Client::Raw);
    match budgets.raw {
        Some(budget) => report.judge(budgets.id, name("sonde / raw"), Unit::Ratio, to_raw, budget),
        None => report.tell(name("sonde / raw"), Unit::Ratio, to_raw),
    }
    let to_rmcp = outcome.ratio(Client::Sonde, Client::Rmcp);
    report.judge(budgets.id, name("sonde / rmcp"), Unit::Ratio, to_rmcp, budgets.rmcp);
    if present.contains(&Client::TypeScript) {
        let ratio = outcome.ratio(Client::Sonde, Client::TypeScript);
        report.judge(budgets.id, name("sonde / TypeScript"), Unit::Ratio, ratio, budgets.typescript);
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
    /// What the limit sends.
    sent: String,
    /// What each answer ends in.
    ending: &'static [u8],
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
                    self.clients.raw.write(self.sent.as_bytes())?;
                    self.clients.raw.read_until(self.ending)?;
                }
                anyhow::Ok(())
            })?,
        }
        Ok(watch.sample())
    }
}
