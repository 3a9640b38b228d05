//! Running other programs, with errors that name them.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::process;

/// Runs a program with our own input and output.
pub fn run(command: &mut Command) -> Result<()> {
    let name = describe(command);
    let child = command.spawn().with_context(|| format!("`{name}` could not be started"))?;
    finish(&name, child)
}

/// What a program prints; its complaints are part of the error, not of our output.
pub fn output(command: &mut Command) -> Result<String> {
    let name = describe(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("`{name}` could not be started"))?;
    if !output.status.success() {
        bail!("`{name}` failed with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub fn succeeds(command: &mut Command) -> bool {
    output(command).is_ok()
}

/// Runs cargo, leaving out its last word when it had nothing to do or all went well: what follows is
/// the window, and it should be the first thing to see.
pub fn build(command: &mut Command) -> Result<()> {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let name = describe(command);
    let mut child = command.stderr(Stdio::piped()).spawn().with_context(|| format!("`{name}` could not be started"))?;
    let messages = child.stderr.take().context("cargo's messages are not readable")?;
    let forwarding = std::thread::spawn(move || {
        for line in BufReader::new(messages).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            if !(line.contains("Finished") && line.contains("profile")) {
                eprintln!("{line}");
            }
        }
    });
    let finished = finish(&name, child);
    if forwarding.join().is_err() {
        bail!("the messages of `{name}` could not be forwarded");
    }
    finished
}

fn finish(name: &str, child: std::process::Child) -> Result<()> {
    let status = process::wait(child)?;
    if !status.success() {
        bail!("`{name}` failed with {status}");
    }
    Ok(())
}

/// The command line as a person would type it; a full path is shortened to its last part.
fn describe(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy);
    words.collect::<Vec<_>>().join(" ")
}
