//! P5: a result of 50 MB until it is committed and the first part of it can be read through the API.

use std::fs::File;
use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use crate::binaries;
use crate::clients::{Front, Limit};
use crate::memory::{MEBIBYTE, Peak};
use crate::report::{Report, Unit};
use crate::rounds::{self, Contest, Sample, Spread, Stopwatch};

const BYTES: u64 = 50_000_000;

pub async fn measure(rounds: usize) -> Result<Report> {
    let folder = binaries::scratch()?;
    let copy = File::create(folder.path().join("copy"))?;
    let mut large = Large { sonde: Front::start(&[]).await?, raw: Limit::start(&[])?, copy };
    let idle = crate::memory::resident()?;
    let peak = Peak::watch()?;
    let outcome = rounds::hold(&mut large, rounds).await?;
    let peak = peak.end()?;
    large.raw.end()?;
    large.sonde.end().await;

    let mut report = Report::default();
    let name = |what: &str| format!("result of 50 MB: {what}");
    report.judge("P5", name("sonde / raw"), Unit::Ratio, outcome.ratio(Reader::Sonde, Reader::Raw), 3.0);
    report.tell(name("sonde / raw and synced"), Unit::Ratio, outcome.ratio(Reader::Sonde, Reader::RawAndSynced));
    for reader in Reader::all() {
        report.tell(name(&format!("{reader:?}")), Unit::Seconds, outcome.wall(reader));
        report.tell(name(&format!("{reader:?}, CPU")), Unit::Seconds, outcome.cpu(reader));
    }
    let growth = peak.saturating_sub(idle) as f64 / MEBIBYTE;
    report.tell(name("memory over idle, one at a time"), Unit::Mebibytes, Spread::single(growth));
    Ok(report)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Sonde,
    Raw,
    /// The limit of whoever keeps what they read: the same bytes written to a file and synced.
    RawAndSynced,
}

impl Reader {
    fn all() -> Vec<Reader> {
        vec![Reader::Sonde, Reader::Raw, Reader::RawAndSynced]
    }
}

struct Large {
    sonde: Front,
    raw: Limit,
    copy: File,
}

impl Large {
    fn read_raw(&mut self) -> Result<()> {
        let params: Value = json!({ "name": "bytes", "arguments": { "count": BYTES } });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        self.raw.write(format!("{call}\n").as_bytes())?;
        self.raw.read_until(b"]}}\n")
    }

    fn write_synced(&mut self) -> Result<()> {
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..BYTES.div_ceil(1 << 20) {
            self.copy.write_all(&chunk)?;
        }
        Ok(self.copy.sync_data()?)
    }
}

impl Contest for Large {
    type Contender = Reader;

    fn contenders(&self) -> Vec<Reader> {
        Reader::all()
    }

    async fn run(&mut self, reader: Reader) -> Result<Sample> {
        let watch = Stopwatch::start();
        match reader {
            Reader::Sonde => self.sonde.call_and_read("bytes", json!({ "count": BYTES })).await?,
            Reader::Raw => tokio::task::block_in_place(|| self.read_raw())?,
            Reader::RawAndSynced => tokio::task::block_in_place(|| {
                self.read_raw()?;
                self.write_synced()
            })?,
        }
        Ok(watch.sample())
    }
}
