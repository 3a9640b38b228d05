//! A raw server for benches and for tests of what servers should not do.
//!
//! It is written by hand, with blocking I/O, so that a bench measures the client and not this
//! side, and so that it can break every rule a protocol library would keep. `--help` lists the
//! options; `answers.rs` holds the well-behaved part, over lines or over HTTP (`http.rs`), and `misbehaviour.rs` the rest.

mod answers;
mod http;
mod misbehaviour;
mod options;
mod session;

use std::{io, process::ExitCode};

use options::{Life, Options};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("sonde-load: {message}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match live(options) {
        Ok(code) => code,
        // The reader going away is how most tests end.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sonde-load: {error}");
            ExitCode::FAILURE
        }
    }
}

fn live(options: Options) -> io::Result<ExitCode> {
    match options.life {
        Life::Help => println!("{}", options::USAGE),
        Life::Exit(code) => return Ok(misbehaviour::exit_at_once(code)),
        Life::Silent => misbehaviour::stay_silent()?,
        Life::Garbage => misbehaviour::talk_garbage()?,
        Life::NeverReads => misbehaviour::sleep_on(),
        Life::Grandchild { parent } => misbehaviour::outlive(parent)?,
        Life::Serve => session::serve(&options)?,
        Life::ServeHttp { port } => http::serve(port, options)?,
        Life::Stubborn => {
            misbehaviour::become_stubborn()?;
            session::serve(&options)?;
            misbehaviour::sleep_on();
        }
    }
    Ok(ExitCode::SUCCESS)
}
