//! The front door of the terminal.
//!
//! Owns: what can be typed, what is printed, the questions at the terminal, and the exit status.
//! Must not know: anything below the API of the core.
//! Start reading at `arguments.rs`, then `session.rs`, then one command in `commands/`.

mod arguments;
mod commands;
mod console;
mod failure;
mod inputs;
mod interrupt;
mod log_messages;
mod output;
mod progress;
mod questions;
mod session;
mod unseen;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;

use arguments::{Arguments, Format};
use console::Console;
use failure::{Exit, Failure};

fn main() -> ExitCode {
    if let Some(code) = sonde_app::run_supervisor() {
        return code;
    }
    sonde_app::tell_panics();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return ExitCode::from(refuse(&error).code()),
    };
    let console = Arc::new(Console::new(arguments.place.output));
    let exit = match run(arguments, &console) {
        Ok(exit) => exit,
        Err(failure) => {
            output::errors::tell(&console, &failure);
            failure.exit
        }
    };
    ExitCode::from(exit.code())
}

/// One thread is enough: what takes time here is a server, and starting threads would be most of a short call.
fn run(arguments: Arguments, console: &Arc<Console>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(commands::run(arguments, console));
    // Whatever still runs belongs to nobody: everything that had to end was waited for.
    runtime.shutdown_background();
    outcome
}

/// What was typed can't be understood, or help was asked for.
fn refuse(error: &clap::Error) -> Exit {
    if error.use_stderr() && wants_json() {
        let text = error.render().to_string();
        let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().trim().to_owned();
        let failure = Failure::usage(message).hint("`sonde help` lists the commands");
        output::errors::tell(&Console::new(Format::Json), &failure);
    } else if error.print().is_err() {
        // Nobody reads what we say, and there is no other way to say it.
    }
    if error.use_stderr() { Exit::Usage } else { Exit::Ok }
}

/// The arguments could not be read, so this one is looked for by itself, before the server's own begin.
fn wants_json() -> bool {
    let words: Vec<String> = std::env::args().take_while(|word| word != "--").collect();
    words.iter().any(|word| word == "--output=json")
        || words.windows(2).any(|pair| pair == ["--output".to_owned(), "json".to_owned()])
}
