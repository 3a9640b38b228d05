//! What a server's process should not do: stay deaf, stay alive, multiply, vanish.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::Signal;
use serde_json::json;
use signal_hook::consts::SIGTERM;

use crate::options::Options;
use crate::peer::{self, Act, serve, sleep_on, text, tool};
use crate::wire::Wire;

/// S1. Reads up to the first list of tools and never again; `never`: not even `initialize`.
pub fn never_reads(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    if options.variant != "never" {
        serve(wire, |wire, message| match (message.method.as_str(), &message.id) {
            ("tools/list", Some(id)) => peer::result(wire, id, &json!({ "tools": peer::tools() })).map(|()| Act::Leave),
            _ => Ok(Act::Ordinary),
        })?;
    }
    sleep_on();
    Ok(ExitCode::SUCCESS)
}

/// S4, S5, S6. A server with a child and a grandchild, as npx with node and what node starts.
pub fn tree(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let mut child = again("sleeper", "parent").spawn()?;
    serve(wire, |_, _| Ok(Act::Ordinary))?;
    // The child never ends by itself: somebody else has to see to it.
    child.wait()?;
    Ok(ExitCode::SUCCESS)
}

/// S7. The child leaves its session (`setsid`), and then also its parent, its folder and its pipes (`daemon`).
pub fn drifting_tree(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let mut child = again("drifter", &options.variant).spawn()?;
    if options.variant == "daemon" {
        // The one between the daemon and us goes at once.
        child.wait()?;
    }
    serve(wire, |_, _| Ok(Act::Ordinary))?;
    Ok(ExitCode::SUCCESS)
}

/// A process that is in the way and does nothing. As a `parent` it has a child of its own.
pub fn sleeper(options: &Options, _wire: &mut Wire) -> io::Result<ExitCode> {
    if options.variant == "parent" {
        let mut child = again("sleeper", "child").spawn()?;
        child.wait()?;
    }
    sleep_on();
    Ok(ExitCode::SUCCESS)
}

/// A process in a session of its own; as a `daemon` only the way to one.
pub fn drifter(options: &Options, _wire: &mut Wire) -> io::Result<ExitCode> {
    rustix::process::setsid()?;
    if options.variant == "daemon" {
        let mut daemon = again("sleeper", "daemon");
        daemon.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/").process_group(0);
        // Nobody waits for a daemon, and that is the point of one.
        drop(daemon.spawn()?);
        return Ok(ExitCode::SUCCESS);
    }
    sleep_on();
    Ok(ExitCode::SUCCESS)
}

/// S8. Serves, but neither the end of its input nor TERM ends it.
pub fn stubborn(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    // A flag that nobody reads is how a signal is ignored without unsafe code.
    signal_hook::flag::register(SIGTERM, Arc::new(AtomicBool::new(false)))?;
    serve(wire, |_, _| Ok(Act::Ordinary))?;
    sleep_on();
    Ok(ExitCode::SUCCESS)
}

/// S9, S10, S26. Writes thirty lines to stderr and ends as its variant says; `before`: before it answers anything.
pub fn exits(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    if options.variant == "before" {
        last_words(wire)?;
        return Ok(ExitCode::from(3));
    }
    let mut going = false;
    serve(wire, |_, message| {
        going = going || tool(message) == Some("go");
        Ok(if going { Act::Leave } else { Act::Ordinary })
    })?;
    if !going {
        return Ok(ExitCode::SUCCESS);
    }
    last_words(wire)?;
    match options.variant.as_str() {
        "one" => Ok(ExitCode::FAILURE),
        "segv" => {
            // The first one only takes away the handler that looks for an overflow of the stack.
            for _ in 0..2 {
                rustix::process::kill_process(rustix::process::getpid(), Signal::SEGV)?;
            }
            sleep_on();
            Ok(ExitCode::FAILURE)
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn last_words(wire: &mut Wire) -> io::Result<()> {
    (1..=30).try_for_each(|number| wire.err.line(&format!("last words, line {number}")))
}

/// S11. Closes its stdout when told to go, and lives on.
pub fn closes_its_output(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |_, message| Ok(if tool(message) == Some("go") { Act::Leave } else { Act::Ordinary }))?;
    let nothing = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nothing)?;
    sleep_on();
    Ok(ExitCode::SUCCESS)
}

/// S20, S22, S24. The tool `tell` gives what came down to this process: descriptors, arguments, names of variables.
pub fn tells_what_it_got(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("tell"), Some(id)) => {
            let got = match peer::arguments(message)["what"].as_str() {
                Some("descriptors") => json!(descriptors()?),
                Some("arguments") => json!(std::env::args().collect::<Vec<_>>()),
                // The names alone: a value would be a secret in the log.
                _ => json!(std::env::vars().map(|(name, _)| name).collect::<Vec<_>>()),
            };
            text(wire, id, &got.to_string()).map(|()| Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The descriptors of this process and what they lead to, but for the tally's own.
fn descriptors() -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let entry = entry?;
        let number = entry.file_name().to_string_lossy().into_owned();
        if let Ok(target) = std::fs::read_link(entry.path()) {
            found.push((number, target.to_string_lossy().into_owned()));
        }
    }
    Ok(found)
}

/// This very program in another role.
fn again(case: &str, variant: &str) -> Command {
    // An unreadable path can only be a system without /proc, where no case runs.
    let program = std::env::current_exe().unwrap_or_default();
    let mut command = Command::new(program);
    command.args(["--case", case, "--variant", variant]);
    command
}
