//! What came of a real start, in words.

use std::time::Duration;

use serde::Deserialize;
use sonde_client::{Catalog, Ending, Handshake};
use sonde_transport::Exit;

use super::report::Report;
use crate::server::Trial;
use crate::text::{clip, visible};

/// Longer is no name.
const LONGEST_NAME: usize = 100;

pub(super) fn read(trial: &Trial, report: &mut Report) {
    if let Some(took) = trial.started {
        let pid = trial.pid.unwrap_or_default();
        report.timed("start the process", took, format!("process {pid} was started"));
        match (trial.first_byte, trial.first_complaint) {
            (Some(took), _) => report.timed("wait for its first byte", took, "it wrote to stdout"),
            (None, Some(_)) => report.ill("wait for its first byte", "it wrote to stderr only, and nothing to stdout"),
            (None, None) => report.ill("wait for its first byte", "it wrote nothing"),
        }
    }
    match (&trial.handshake, &trial.problem) {
        (Some(handshake), _) => {
            report.timed("negotiate", handshake.latency, agreed(handshake));
            read_lists(trial, report);
            praise(trial, handshake, report);
        }
        (None, Some(problem)) => {
            let name = if trial.started.is_some() || !trial.exchanges.is_empty() { "negotiate" } else { "start" };
            report.fail(name, problem.clone());
        }
        (None, None) => report.skip("negotiate", "not done"),
    }
    if let Some(ending) = &trial.ending {
        report.take_stderr(ending.stderr_tail.clone());
        read_ending(ending, trial.ended, report);
    }
}

/// Who it says it is, and what both speak.
fn agreed(handshake: &Handshake) -> String {
    #[derive(Default, Deserialize)]
    struct Info {
        #[serde(default)]
        name: String,
        #[serde(default)]
        version: String,
    }
    if !handshake.negotiated {
        return format!("nothing was negotiated; {} is assumed", handshake.revision);
    }
    let info = handshake.server_info.as_ref().and_then(|info| serde_json::from_str::<Info>(info.get()).ok());
    let Info { name, version } = info.unwrap_or_default();
    let said = visible(&clip(format!("{name} {version}").trim(), LONGEST_NAME));
    format!("it is `{said}` and speaks {}", handshake.revision)
}

fn read_lists(trial: &Trial, report: &mut Report) {
    for list in &trial.lists {
        let name = format!("list {}", plural(list.catalog));
        match &list.outcome {
            Ok(0) => report.timed(&name, list.took, "there are none"),
            Ok(count) => report.timed(&name, list.took, format!("there are {count}")),
            Err(problem) => report.odd(
                &name,
                Some(list.took),
                visible(problem),
                "the server is ready, but a list is missing: look at its answer in the log",
            ),
        }
    }
    if trial.lists.is_empty() {
        report.odd(
            "list",
            None,
            "it declares neither tools, resources nor prompts",
            "is this the server that you mean?",
        );
    }
}

fn praise(trial: &Trial, handshake: &Handshake, report: &mut Report) {
    let ready = trial.started.unwrap_or_default() + handshake.latency;
    let counts = trial.lists.iter().filter_map(|list| {
        let count = list.outcome.as_ref().ok().filter(|count| **count > 0)?;
        Some(format!("{count} {}", plural(list.catalog)))
    });
    let counts: Vec<String> = counts.collect();
    let has = if counts.is_empty() { "nothing in its lists".to_owned() } else { counts.join(", ") };
    report.praise(format!("it is ready after {}, with {has}", seconds(ready)));
}

fn read_ending(ending: &Ending, took: Option<Duration>, report: &mut Report) {
    const NAME: &str = "end it";
    match (ending.exit, took) {
        (Some(Exit::Signal(9)), Some(took)) => report.odd(
            NAME,
            Some(took),
            "it had to be killed: it ended neither when its input was closed nor when it was asked to",
            "a server ends when its standard input is closed; this one leaves that to others",
        ),
        (Some(exit), Some(took)) => report.timed(NAME, took, format!("it ended with {exit}")),
        (None, Some(took)) => report.timed(NAME, took, "the connection was closed"),
        (Some(exit), None) if !ending.by_us => report.ill(NAME, format!("it ended by itself, with {exit}")),
        (_, None) => {}
    }
}

pub(super) fn plural(catalog: Catalog) -> &'static str {
    match catalog {
        Catalog::Tools => "tools",
        Catalog::Resources => "resources",
        Catalog::Templates => "resource templates",
        Catalog::Prompts => "prompts",
        Catalog::Tasks => "tasks",
    }
}

fn seconds(time: Duration) -> String {
    match time.as_millis() {
        0..1000 => format!("{} ms", time.as_millis()),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
