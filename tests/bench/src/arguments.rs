//! The command line.

use anyhow::{Context, Result, bail};

pub const USAGE: &str = "\
Usage: sonde-bench [OPTIONS]

  --rounds N    interleaved rounds of each contest (default 20)
  --quick       3 rounds, 100,000 rows, a flood of 100 MB: to see that it works, not to judge
  --rows N      rows of the large log (default 1000000)
  --flood N     notifications of 1,000 bytes that the memory is watched under (default 1000000: 1 GB)
  --only LIST   these alone, with commas: echo, echo-one-core, echo-http, echo-http-one-core, flood, concurrent,
                large, once, hundred-servers, ingest, store, memory, memory-small, memory-large";

#[derive(Debug, Clone)]
pub struct Arguments {
    pub help: bool,
    pub rounds: usize,
    /// Rows of the large log.
    pub rows: u64,
    /// Notifications of 1,000 bytes that the memory is watched under.
    pub flood: u64,
    pub only: Vec<Measure>,
    /// Set in a process that was started for one measure.
    pub here: Option<Measure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Echo,
    EchoOneCore,
    EchoHttp,
    EchoHttpOneCore,
    Flood,
    Concurrent,
    Large,
    Once,
    HundredServers,
    Ingest,
    Store,
    Memory,
    MemorySmall,
    MemoryLarge,
}

impl Measure {
    const ALL: &'static [Measure] = &[
        Measure::Echo,
        Measure::EchoOneCore,
        Measure::EchoHttp,
        Measure::EchoHttpOneCore,
        Measure::Flood,
        Measure::Concurrent,
        Measure::Large,
        Measure::Once,
        Measure::HundredServers,
        Measure::Ingest,
        Measure::Store,
        Measure::Memory,
        Measure::MemorySmall,
        Measure::MemoryLarge,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Measure::Echo => "echo",
            Measure::EchoOneCore => "echo-one-core",
            Measure::EchoHttp => "echo-http",
            Measure::EchoHttpOneCore => "echo-http-one-core",
            Measure::Flood => "flood",
            Measure::Concurrent => "concurrent",
            Measure::Large => "large",
            Measure::Once => "once",
            Measure::HundredServers => "hundred-servers",
            Measure::Ingest => "ingest",
            Measure::Store => "store",
            Measure::Memory => "memory",
            Measure::MemorySmall => "memory-small",
            Measure::MemoryLarge => "memory-large",
        }
    }

    fn named(name: &str) -> Result<Self> {
        let found = Measure::ALL.iter().find(|measure| measure.name() == name);
        found.copied().with_context(|| format!("there is no measure `{name}`\n\n{USAGE}"))
    }
}

impl Arguments {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut arguments = Arguments {
            help: false,
            rounds: 20,
            rows: 1_000_000,
            flood: 1_000_000,
            only: Measure::ALL.to_vec(),
            here: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("option `{word}` needs a value"));
            match word.as_str() {
                "--help" | "-h" => arguments.help = true,
                "--rounds" => arguments.rounds = value()?.parse::<usize>()?.max(1),
                "--rows" => arguments.rows = value()?.parse()?,
                "--flood" => arguments.flood = value()?.parse()?,
                "--quick" => (arguments.rounds, arguments.rows, arguments.flood) = (3, 100_000, 100_000),
                "--only" => arguments.only = value()?.split(',').map(Measure::named).collect::<Result<_>>()?,
                "--here" => arguments.here = Some(Measure::named(&value()?)?),
                stranger => bail!("unknown option `{stranger}`\n\n{USAGE}"),
            }
        }
        Ok(arguments)
    }

    /// The command line of the process that takes one measure.
    pub fn for_one(&self, measure: Measure) -> [String; 8] {
        let (rounds, rows, flood) = (self.rounds.to_string(), self.rows.to_string(), self.flood.to_string());
        let name = measure.name().to_owned();
        ["--here".into(), name, "--rounds".into(), rounds, "--rows".into(), rows, "--flood".into(), flood]
    }

    /// A query takes about a millisecond, so more rounds of it cost nothing.
    pub fn queries(&self) -> usize {
        self.rounds * 5 / 2
    }
}
