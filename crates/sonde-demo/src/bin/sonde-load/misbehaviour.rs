//! Everything a server should not do, each thing on its own.

use std::{
    io::{self, BufRead, Write},
    process::{Command, ExitCode},
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Duration,
};

use signal_hook::consts::SIGTERM;

use crate::{answers, session::Out};

/// What sleeps on purpose ends after this long, so that a failed test leaves nothing behind.
const LONGEST_LIFE: Duration = Duration::from_secs(600);

pub fn exit_at_once(code: u8) -> ExitCode {
    eprintln!("sonde-load: cannot find the thing that is needed");
    eprintln!("sonde-load: exiting with {code}");
    ExitCode::from(code)
}

/// Reads until stdin ends and says nothing.
pub fn stay_silent() -> io::Result<()> {
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    Ok(())
}

/// Prints like a program that was never meant to speak a protocol: a banner, then a line for each
/// line it reads.
pub fn talk_garbage() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "Welcome to Load Server v1.0!")?;
    writeln!(out, "Listening on http://localhost:3000")?;
    writeln!(out, "{{'this': looks like JSON but is not}}")?;
    for (number, line) in io::stdin().lock().split(b'\n').enumerate() {
        writeln!(out, "[info] read {} bytes in line {number}", line?.len())?;
    }
    Ok(())
}

pub fn sleep_on() {
    thread::sleep(LONGEST_LIFE);
}

/// Ignores SIGTERM from now on and starts the grandchild.
pub fn become_stubborn() -> io::Result<()> {
    ignore_sigterm()?;
    let mut grandchild =
        Command::new(std::env::current_exe()?).arg("--grandchild-of").arg(std::process::id().to_string()).spawn()?;
    // Without this, a grandchild that is killed would stay in the process table as long as we live.
    thread::spawn(move || grandchild.wait());
    Ok(())
}

/// The life of the grandchild: it holds our pipes open, reads nothing and does not go away.
pub fn outlive(parent: u32) -> io::Result<()> {
    ignore_sigterm()?;
    // Written here and not by the parent, so that the line means: now both ignore SIGTERM.
    eprintln!("pid {parent} grandchild {}", std::process::id());
    sleep_on();
    Ok(())
}

fn ignore_sigterm() -> io::Result<()> {
    // Setting a flag that nobody reads is how a signal is ignored without unsafe code.
    signal_hook::flag::register(SIGTERM, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// One of each kind of line no server should send. `round` makes the ids unique.
pub fn bad_lines(out: &mut Out, round: u64) -> io::Result<()> {
    // An empty line.
    out.write_all(b"\n")?;
    // A good message that ends in CRLF.
    out.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"crlf\"}}\r\n")?;
    // JSON but for two bytes that are not UTF-8.
    out.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"\xff\xfe\"}}\n")?;
    // A message cut short.
    out.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"ty\n")?;
    // An answer to nothing.
    writeln!(out, r#"{{"jsonrpc":"2.0","id":"never-asked-{round}","result":{{}}}}"#)?;
    // A notification nobody knows.
    out.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/demo/unknown\"}\n")?;
    // Requests to the client: one it must answer, one it cannot know.
    writeln!(out, r#"{{"jsonrpc":"2.0","id":"ping-{round}","method":"ping"}}"#)?;
    writeln!(out, r#"{{"jsonrpc":"2.0","id":"unknown-{round}","method":"demo/unknown","params":{{}}}}"#)
}

/// A valid notification of `length` bytes, not counting the newline.
pub fn big_line(out: &mut Out, length: u64) -> io::Result<()> {
    const HEAD: &[u8] =
        br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"big-line","data":""#;
    const TAIL: &[u8] = b"\"}}";
    out.write_all(HEAD)?;
    let frame = (HEAD.len() + TAIL.len()) as u64;
    answers::repeat(out, length.saturating_sub(frame))?;
    out.write_all(TAIL)?;
    out.write_all(b"\n")
}
