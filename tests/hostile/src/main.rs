//! Plays the hostile cases and says which the core survived.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use hostile::cases::{self, Case};
use hostile::runner::{Run, own_folder};
use hostile::{Plan, Scale, report};

const USAGE: &str = "\
Usage: hostile [--case ID[,ID...]] [--seed N] [--quick] [--json] [--list]

  --case ID    only these; a group is S, H, E, J, P, I, C or X
  --seed N     what chance draws from (default 1)
  --quick      small sizes, and no sentence about time is judged
  --json       the outcome as JSON on stdout; the lines go to stderr
  --list       the cases and how each is run";

struct Options {
    cases: Vec<&'static Case>,
    seed: u64,
    scale: Scale,
    json: bool,
    list: bool,
    /// Set in the process of one case: where its outcome goes.
    report: Option<PathBuf>,
    inside: Option<&'static Case>,
}

fn main() -> ExitCode {
    if let Some(code) = sonde_app::run_supervisor() {
        return code;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.first().map(String::as_str) {
        Some("demo") => demo(),
        Some("--victim") => {
            words.get(1).context("which profile?").and_then(|folder| hostile::live_as_victim(folder.as_ref()))
        }
        Some("--help" | "-h") => {
            println!("{USAGE}");
            Ok(())
        }
        _ => run(&words),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hostile: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The healthy server beside every case.
fn demo() -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(sonde_demo::serve_stdio(sonde_demo::Scale::default()))
}

fn run(words: &[String]) -> Result<()> {
    let options = Options::parse(words)?;
    if let (Some(case), Some(report)) = (options.inside, &options.report) {
        let plan = Plan { case, seed: options.seed, scale: options.scale, programs: own_folder()? };
        return hostile::play(&plan, report);
    }
    if options.list {
        options.cases.iter().for_each(|case| println!("{:<4} {:<9} {}", case.id, case.means.word(), case.title));
        return Ok(());
    }
    let run = Run { program: std::env::current_exe()?, seed: options.seed, scale: options.scale };
    let say = |text: &str| if options.json { eprintln!("{text}") } else { println!("{text}") };
    let mut played = Vec::new();
    for case in options.cases {
        let outcome = if case.is_played() { run.play(case) } else { Default::default() };
        if case.is_played() {
            say(&report::line(case, &outcome));
        }
        played.push((case, outcome));
    }
    say(&report::summary(&played));
    if options.json {
        println!("{:#}", report::json(options.seed, &played));
    }
    if played.iter().any(|(_, outcome)| !outcome.failures.is_empty()) {
        bail!("not every case was survived\nhint: `hostile --case ID` plays one of them again");
    }
    Ok(())
}

impl Options {
    fn parse(words: &[String]) -> Result<Self> {
        let mut options = Options {
            cases: cases::CASES.iter().collect(),
            seed: 1,
            scale: Scale::Full,
            json: false,
            list: false,
            report: None,
            inside: None,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("option `{word}` needs a value\n\n{USAGE}"));
            match word.as_str() {
                "--case" => options.cases = cases::chosen(value()?)?,
                "--seed" => options.seed = value()?.parse().context("a seed is a number")?,
                "--scale" => {
                    options.scale = if value()? == "quick" { Scale::Quick } else { Scale::Full };
                }
                "--quick" => options.scale = Scale::Quick,
                "--json" => options.json = true,
                "--list" => options.list = true,
                "--report" => options.report = Some(PathBuf::from(value()?)),
                "--inside" => options.inside = cases::chosen(value()?)?.first().copied(),
                stranger => bail!("unknown option `{stranger}`\n\n{USAGE}"),
            }
        }
        Ok(options)
    }
}
