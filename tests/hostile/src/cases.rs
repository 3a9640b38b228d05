//! The list of cases, each as the list of threats names it.

mod floods;
mod lists;
mod messages;
mod pipes;
mod revisions;
mod starts;
mod trees;
mod waiting;

use std::future::Future;
use std::pin::Pin;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::figures::Outcome;
use crate::stage::Plan;

pub struct Case {
    pub id: &'static str,
    pub title: &'static str,
    pub means: Means,
    /// What of the case belongs to another system or a later part of the app; empty where nothing does.
    pub later: &'static str,
    /// O4: how much memory may grow, in MiB.
    pub most_mib: f64,
    /// Whether it is fast enough, in its small form, to be played with every test.
    pub quick: bool,
    pub play: fn(Plan) -> Playing,
}

/// How a case is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    Real,
    /// By something that stands for the real thing: what.
    Simulated(&'static str),
    /// Not at all: why.
    Impossible(&'static str),
}

/// A case that is being played.
pub type Playing = Pin<Box<dyn Future<Output = Result<Outcome>>>>;

impl Means {
    pub fn word(self) -> &'static str {
        match self {
            Means::Real => "real",
            Means::Simulated(_) => "simulated",
            Means::Impossible(_) => "not possible here",
        }
    }

    pub fn how(self) -> &'static str {
        match self {
            Means::Real => "",
            Means::Simulated(how) => how,
            Means::Impossible(why) => why,
        }
    }
}

impl Case {
    pub fn is_played(&self) -> bool {
        !matches!(self.means, Means::Impossible(_))
    }
}

/// The cases that a person names: ids, or the letter of a group, with commas between them.
pub fn chosen(names: &str) -> Result<Vec<&'static Case>> {
    let mut chosen = Vec::new();
    for name in names.split(',') {
        let is_meant =
            |case: &&Case| case.id == name || case.id.trim_end_matches(|digit: char| digit.is_ascii_digit()) == name;
        let found: Vec<_> = CASES.iter().filter(is_meant).collect();
        ensure!(!found.is_empty(), "there is no case `{name}`\nhint: `hostile --list` names them");
        chosen.extend(found);
    }
    Ok(chosen)
}

/// Whether a row carries the finding.
fn has(row: &Value, finding: &str) -> bool {
    row["findings"].as_array().is_some_and(|findings| findings.iter().any(|found| found["code"] == finding))
}

/// The value of a named fact of a problem.
fn fact<'a>(problem: &'a Value, name: &str) -> Option<&'a str> {
    let facts = problem["context"].as_array()?;
    facts.iter().find(|fact| fact["name"] == name)?["value"].as_str()
}

/// Survival; the budget of a flood of ordinary messages is half of it.
const SURVIVAL: f64 = 256.0;
const FLOOD: f64 = 128.0;

macro_rules! cases {
    ($($id:literal $title:literal, $means:expr, $later:literal, $most:expr, $quick:literal, $play:path;)*) => {
        pub const CASES: &[Case] = &[$(Case {
            id: $id,
            title: $title,
            means: $means,
            later: $later,
            most_mib: $most,
            quick: $quick,
            play: |plan| Box::pin($play(plan)),
        }),*];
    };
}

use Means::{Real, Simulated};

const STAND_INS: Means = Simulated("shells with the shape of npx, uvx and docker run stand for them");

cases! {
    "S1" "the server never reads its input", Real, "", SURVIVAL, true, pipes::never_reads;
    "S2" "10 GB to stdout without a line feed", Real, "", SURVIVAL, true, pipes::endless_line;
    "S3" "10 GB to stderr at full speed", Real, "", SURVIVAL, true, pipes::endless_stderr;
    "S4" "the app is killed over a tree of processes", Simulated("a server with a child and a grandchild stands for npx with node"), "the job object of Windows", SURVIVAL, true, trees::app_is_killed;
    "S5" "the app panics, aborts, exits, is told to end", Simulated("KILL stands for the killer of a full memory, HUP for a log-out"), "", SURVIVAL, true, trees::app_ends_badly;
    "S6" "wrappers and grandchildren at a disconnect", STAND_INS, "", SURVIVAL, true, trees::wrappers;
    "S7" "a grandchild leaves its session, or becomes a daemon", Real, "", SURVIVAL, true, trees::drifters;
    "S8" "the server ignores the end of its input and TERM", Real, "", SURVIVAL, true, trees::stubborn;
    "S9" "the process number is another's by now", Real, "", SURVIVAL, true, trees::reused_number;
    "S10" "the server exits: 0, 1, signal 11, before it answered", Real, "", SURVIVAL, true, trees::exits;
    "S11" "the server closes its stdout and lives on", Real, "", SURVIVAL, true, pipes::closed_output;
    "S12" "text on stdout between the messages", Real, "", SURVIVAL, true, pipes::banners;
    "S13" "CRLF, lone CR, empty lines, trailing spaces", Real, "", SURVIVAL, true, pipes::odd_lines;
    "S14" "byte order marks and UTF-16", Real, "", SURVIVAL, true, pipes::marks_and_utf16;
    "S15" "invalid UTF-8, lone surrogates, NUL", Real, "", SURVIVAL, true, pipes::odd_lines;
    "S16" "one byte per write; a split at every place", Simulated("the pauses are milliseconds instead of a second"), "", SURVIVAL, true, pipes::dribble;
    "S17" "200 messages and a half in one write", Real, "", SURVIVAL, true, pipes::one_write;
    "S18" "a message, a line over the limit, a message", Real, "", SURVIVAL, true, pipes::oversized_between;
    "S19" "the last message has no line feed", Real, "", SURVIVAL, true, pipes::unterminated;
    "S20" "descriptors that the server inherits", Real, "a terminal of ours that the server could open", SURVIVAL, true, starts::descriptors;
    "S21" "commands that cannot be started", Real, "ENOMEM, which nobody can bring about for one call", SURVIVAL, true, starts::unstartable;
    "S22" "arguments that a shell would take apart", Real, "the .cmd files of Windows", SURVIVAL, true, starts::arguments;
    "S23" "a working folder that is missing, deleted, no folder", Real, "", SURVIVAL, true, starts::folders;
    "S24" "secrets and loaders in the environment", Real, "the warning in the dialog of an approval", SURVIVAL, true, starts::environment;
    "S25" "1,000 times connected and disconnected", Real, "", SURVIVAL, true, trees::cycles;
    "S26" "100 servers at once, 20 of which end at once", Real, "", SURVIVAL, true, trees::hundred;
    "S27" "the server is stopped", Real, "", SURVIVAL, true, trees::stopped;
    "J1" "answers of strangers, twice, late, after a cancellation", Real, "", SURVIVAL, true, messages::stray_answers;
    "J2" "ids that look alike", Real, "", SURVIVAL, true, messages::games_with_ids;
    "J3" "result and error, neither, more, another version", Real, "", SURVIVAL, true, messages::broken_answers;
    "J4" "names in another case, twice, __proto__", Real, "the objects of the page's script", SURVIVAL, true, messages::odd_names;
    "J5" "batches, empty and in each other", Real, "", SURVIVAL, true, messages::batches;
    "J6" "the server's ids are ours, or twice its own", Real, "", SURVIVAL, true, messages::twin_ids;
    "J7" "requests before, during and after, and of nobody's methods", Real, "the modern era", SURVIVAL, true, messages::wrong_requests;
    "J8" "a flood of notifications and of progress", Real, "what the window merges", FLOOD, true, floods::messages;
    "J9" "errors that are odd or large", Real, "how a page escapes them", SURVIVAL, true, messages::odd_errors;
    "J10" "nesting of 127, 128, 129 and a million", Real, "", SURVIVAL, true, messages::depths;
    "J11" "numbers that no number holds", Real, "", SURVIVAL, true, messages::odd_names;
    "J12" "strings of NUL, 5 million members, a million tools", Real, "the paging of the window", SURVIVAL, true, lists::large;
    "J13" "cursors without an end", Real, "", SURVIVAL, true, lists::cursors;
    "J14" "schemas that point elsewhere, at themselves, or too far", Real, "", SURVIVAL, true, lists::schemas;
    "J15" "results against their schema, unknown dialects", Real, "", SURVIVAL, true, lists::mismatches;
    "J16" "base64 that is too large, or none", Real, "what a page decodes and draws", SURVIVAL, true, floods::images;
    "P1" "versions that nobody speaks", Real, "", SURVIVAL, true, revisions::odd_versions;
    "P2" "initialize is never answered, or too late", Real, "", SURVIVAL, true, revisions::late_answers;
    "P4" "capabilities that are not true", Real, "", SURVIVAL, true, revisions::lies;
    "P6" "a cancellation in every phase", Real, "the final state in a window", SURVIVAL, true, waiting::cancellations;
    "P7" "1,000 disconnects in any phase", Real, "", SURVIVAL, true, waiting::disconnects;
    "P8" "sleep and resume", Simulated("the app is stopped and continued; the wall clock is the machine's and is not moved"), "changes of addresses", SURVIVAL, true, waiting::sleep;
    "P9" "progress for ever", Real, "", SURVIVAL, true, waiting::progress_for_ever;
}
