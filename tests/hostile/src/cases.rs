//! The list of cases, each as the list of threats names it.

mod bodies;
mod consent;
mod encrypted;
mod endpoints;
mod env_files;
mod floods;
mod heads;
mod imports;
mod keeping;
mod lists;
mod messages;
mod page;
mod pipes;
mod proxies;
mod redirects;
mod remote;
mod resumes;
mod revisions;
mod starts;
mod storms;
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
/// Where nothing is kept, nothing grows.
const QUIET: f64 = 48.0;

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
    "S24" "secrets and loaders in the environment", Real, "", SURVIVAL, true, starts::environment;
    "S25" "1,000 times connected and disconnected", Real, "", SURVIVAL, true, trees::cycles;
    "S26" "100 servers at once, 20 of which crash in a loop", Real, "", SURVIVAL, true, trees::hundred;
    "S27" "the server is stopped", Real, "", SURVIVAL, true, trees::stopped;
    "H1" "a body of 10 GB", Real, "", SURVIVAL, true, bodies::endless;
    "H2" "errors with a body that never ends", Real, "", SURVIVAL, true, bodies::endless_errors;
    "H3" "lengths that are not true", Real, "", SURVIVAL, true, bodies::wrong_lengths;
    "H4" "a byte at a time", Simulated("the gaps are 100 ms and the limit of the call less than a second"), "", SURVIVAL, true, bodies::slow;
    "H5" "bodies that unpack to 10 GB", Real, "", SURVIVAL, true, bodies::bombs;
    "H6" "headers: too many, too large, forbidden, twice", Real, "how a page escapes them", SURVIVAL, true, heads::odd_headers;
    "H7" "429 and 503, with every kind of Retry-After", Real, "", SURVIVAL, true, heads::too_busy;
    "H8" "the session is forgotten, once and for ever", Real, "", SURVIVAL, true, heads::lost_sessions;
    "H9" "307 and 308 to another origin", Real, "", SURVIVAL, true, redirects::other_origins;
    "H10" "redirects to other schemes and ports, in circles, without an end", Real, "", SURVIVAL, true, redirects::other_places;
    "H11" "redirects that would change the method", Real, "", SURVIVAL, true, redirects::other_methods;
    "H12" "types that are wrong, missing or doubled; a page to log in; nothing", Real, "", SURVIVAL, true, heads::wrong_types;
    "H13" "certificates: expired, of others, of nobody, changed; TLS 1.0", Simulated("a ServerHello and an alert, written by hand, stand for a server of TLS 1.0"), "", SURVIVAL, true, encrypted::certificates;
    "H14" "proxies that ask, hang, go or work", Real, "", SURVIVAL, true, proxies::proxies;
    "H15" "the connection breaks in every phase", Simulated("a name with a label that is too long stands for one that nobody knows"), "", SURVIVAL, true, proxies::breaks;
    "H16" "HTTP/2: GOAWAY, and floods of RST, SETTINGS, PING, CONTINUATION", Real, "", SURVIVAL, true, encrypted::frames;
    "H17" "session ids that are none", Real, "", SURVIVAL, true, heads::odd_sessions;
    "H18" "arguments in headers", Means::Impossible("the headers are of revision 2026-07-28, which is not spoken yet"), "", SURVIVAL, false, heads::odd_headers;
    "E1" "streams that end at once, for ever", Real, "", SURVIVAL, true, storms::closes_for_ever;
    "E2" "a stream that ends in the middle of the answer", Real, "", SURVIVAL, true, resumes::half_an_event;
    "E3" "a stream that breaks behind an id, for ever", Real, "", SURVIVAL, true, storms::broken_chunks;
    "E4" "pauses that no clock knows", Real, "", SURVIVAL, true, storms::odd_pauses;
    "E5" "an event of 65 MiB, a million lines, 10 GB of comments", Real, "", SURVIVAL, true, storms::large_events;
    "E6" "line ends, marks, fields and ids of every kind", Real, "", SURVIVAL, true, resumes::odd_fields;
    "E7" "the same answer on two streams, and again after a break", Real, "", SURVIVAL, true, resumes::twice;
    "E8" "no stream: 405, 401, 403, 500", Real, "", SURVIVAL, true, storms::no_stream;
    "E9" "endpoints of other origins and schemes", Real, "", SURVIVAL, true, endpoints::elsewhere;
    "E10" "no endpoint, two of them, another one later", Simulated("the limit of the handshake is half a second"), "", SURVIVAL, true, endpoints::too_few_or_too_many;
    "E11" "nothing but comments for a day", Simulated("the comments of a day, without the pauses between them"), "", QUIET, true, resumes::kept_alive;
    "E12" "1,000 streams at once", Real, "", SURVIVAL, true, resumes::parallel;
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
    "I1" "a page that asks for anything", Simulated("the API stands for the page: the door adds nothing to it but a limit of size"), "opening addresses and writing exports, which are not there yet", SURVIVAL, true, page::any_request;
    "I2" "a page edits what was approved; somebody edits the approvals", Real, "", SURVIVAL, true, page::edited;
    "C1" "servers that are imported or pasted", Real, "deep links, which are not there", SURVIVAL, true, consent::imports;
    "C2" "what a person sees before they say yes", Real, "", SURVIVAL, true, consent::shows;
    "C3" "another program in the place of the approved one", Real, "", SURVIVAL, true, consent::replaced;
    "C4" "files that are broken, deep, wrong or a gigabyte", Real, "", SURVIVAL, true, imports::broken_files;
    "C5" "references and what a shell would make of them", Real, "", SURVIVAL, true, imports::references;
    "C6" "secrets in what is imported", Real, "", SURVIVAL, true, imports::secrets_of_others;
    "C7" "names that mean something elsewhere", Real, "", SURVIVAL, true, imports::odd_names;
    "C8" "the file changes behind an approval", Real, "", SURVIVAL, true, consent::changed_file;
    "C9" "addresses that tell a secret on the way", Real, "", SURVIVAL, true, imports::addresses;
    "C10" "out in every shape and back", Real, "", SURVIVAL, true, imports::round_trip;
    "X1" "forty secrets, said again by the server", Real, "sign-in, whose codes and tokens are not there yet; exports of the log", SURVIVAL, true, keeping::forty;
    "X2" "our secrets in results, errors, refusals, headers, stderr", Real, "", SURVIVAL, true, keeping::echoes;
    "X3" "no keyring, a silent one, one that refuses, one that talks nonsense", Simulated("a socket that hangs, refuses or talks nonsense stands for the bus of the keyring"), "a keyring that gives back what is another's", SURVIVAL, true, keeping::no_keyring;
    "X4" "exports", Real, "exports of the log, which are not there yet", SURVIVAL, true, keeping::exports;
    "X5" "secrets that are printed, refused, or in a panic", Real, "", SURVIVAL, true, keeping::says_nothing;
    "X6" "a request copied as a command of curl", Means::Impossible("nothing is copied as a command yet"), "", SURVIVAL, false, keeping::says_nothing;
    "X7" "what memory keeps of a secret", Real, "the bytes of a request and of a pipe on their way; the flag against core dumps", SURVIVAL, true, keeping::wiped;
    "X8" "a server is removed, and what the keyring kept for it", Real, "", SURVIVAL, true, keeping::forgotten;
}
