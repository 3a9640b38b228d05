//! The command line: a plan for people, and the parts that the program plays for itself.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use crate::server::Life;

pub const USAGE: &str = "\
Usage: torture [OPTIONS]

  --cycles N   connections that are killed, disconnected or cancelled (default 1000)
  --kills N    apps that are killed with all their servers (default 200)
  --seed N     where the dice begin; printed, so that a run can be repeated (default: the time)

Prints what was done and what was left behind, and fails if that is anything.";

pub struct Arguments {
    pub part: Part,
}

pub enum Part {
    Help,
    /// What a person starts.
    Judge(Plan),
    /// The processes that a judge starts: connections, a judge of its own for killed apps, such an app, and a look at
    /// what it recorded.
    Cycles(Round),
    Kills(Round),
    App(Round),
    Inspect(Round),
    Server(Life),
}

pub struct Plan {
    pub cycles: u32,
    pub kills: u32,
    pub seed: u64,
}

/// What one process is to do.
pub struct Round {
    /// Holds the data folder and the project.
    pub folder: PathBuf,
    pub count: u32,
    pub seed: u64,
}

impl Round {
    pub fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

impl Arguments {
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut words = words.peekable();
        let part = match words.peek().map(String::as_str) {
            Some("cycles" | "kills" | "app" | "inspect" | "serve") => words.next(),
            _ => None,
        };
        let part = match part.as_deref() {
            Some("serve") => Part::Server(Life::parse(&word("serve", &mut words)?)?),
            Some("cycles") => Part::Cycles(round(&mut words)?),
            Some("kills") => Part::Kills(round(&mut words)?),
            Some("app") => Part::App(round(&mut words)?),
            Some("inspect") => Part::Inspect(round(&mut words)?),
            _ => plan(&mut words)?,
        };
        Ok(Arguments { part })
    }
}

fn plan(words: &mut impl Iterator<Item = String>) -> Result<Part> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let mut plan = Plan { cycles: 1000, kills: 200, seed: now.as_secs() };
    while let Some(option) = words.next() {
        match option.as_str() {
            "--help" | "-h" => return Ok(Part::Help),
            "--cycles" => plan.cycles = value(&option, words)?,
            "--kills" => plan.kills = value(&option, words)?,
            "--seed" => plan.seed = value(&option, words)?,
            stranger => bail!("unknown option `{stranger}`\n\n{USAGE}"),
        }
    }
    Ok(Part::Judge(plan))
}

fn round(words: &mut impl Iterator<Item = String>) -> Result<Round> {
    Ok(Round { folder: value("FOLDER", words)?, count: value("COUNT", words)?, seed: value("SEED", words)? })
}

fn word(option: &str, words: &mut impl Iterator<Item = String>) -> Result<String> {
    words.next().with_context(|| format!("`{option}` needs a value"))
}

fn value<T: FromStr>(option: &str, words: &mut impl Iterator<Item = String>) -> Result<T> {
    let word = word(option, words)?;
    word.parse().map_err(|_| anyhow::anyhow!("`{option}` cannot take `{word}`"))
}
