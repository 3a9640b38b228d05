//! The two surfaces that a person or a program reads, and the one line at the bottom that may change.
//!
//! What a server wrote reaches a terminal only with its control characters shown as codes; a pipe gets it as it is.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sonde_app::visible;

use crate::arguments::Format;

pub struct Console {
    pub format: Format,
    pub out: Surface,
    pub err: Surface,
    status: Mutex<Status>,
}

#[derive(Default)]
struct Status {
    /// The line at the bottom of the terminal.
    line: Option<String>,
    /// True while somebody types there: the line then waits.
    held: bool,
}

/// While this lives, the bottom of the terminal belongs to a question.
pub struct Held<'a>(&'a Console);

/// What is known of standard output, or of standard error.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    pub is_terminal: bool,
    /// Columns; none where lines may be of any length.
    pub width: Option<usize>,
    colour: bool,
}

impl Console {
    pub fn new(format: Format) -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let surface = |is_terminal: bool| Surface {
            is_terminal,
            width: is_terminal.then(columns),
            colour: is_terminal && !no_colour,
        };
        Console {
            format,
            out: surface(io::stdout().is_terminal()),
            err: surface(io::stderr().is_terminal()),
            status: Mutex::default(),
        }
    }

    /// Whether somebody can be asked: they see the question and can type the answer.
    pub fn can_ask(&self) -> bool {
        self.err.is_terminal && io::stdin().is_terminal()
    }

    /// Writes to standard output, above the status line.
    pub fn print(&self, text: &str) -> io::Result<()> {
        self.print_bytes(text.as_bytes())
    }

    /// Writes bytes to standard output as they are.
    pub fn print_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let status = self.status();
        self.clear(&status);
        let mut out = io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        self.draw(&status);
        written
    }

    /// Writes a line to standard output.
    pub fn print_line(&self, text: &str) -> io::Result<()> {
        match text.ends_with('\n') {
            true => self.print(text),
            false => self.print(&format!("{text}\n")),
        }
    }

    /// Writes to standard error, above the status line. Where nobody reads that, nothing can be said about it.
    pub fn say(&self, text: &str) {
        let status = self.status();
        self.clear(&status);
        self.write_err(text);
        if !text.ends_with('\n') {
            self.write_err("\n");
        }
        self.draw(&status);
    }

    /// The beginning of a line that the person finishes.
    pub fn prompt(&self, text: &str) {
        self.write_err(text);
    }

    /// Shows a line that the next one replaces; only a terminal can.
    pub fn show_status(&self, line: Option<String>) {
        if !self.err.is_terminal {
            return;
        }
        let mut status = self.status();
        if status.line == line {
            return;
        }
        self.clear(&status);
        status.line = line;
        self.draw(&status);
    }

    /// Takes the status line away for as long as a question is asked.
    pub fn hold(&self) -> Held<'_> {
        let mut status = self.status();
        self.clear(&status);
        status.held = true;
        Held(self)
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clear(&self, status: &Status) {
        if status.line.is_some() && !status.held {
            self.write_err("\r\u{1b}[K");
        }
    }

    fn draw(&self, status: &Status) {
        if let Some(line) = status.line.as_deref().filter(|_| !status.held) {
            self.write_err(line);
        }
    }

    fn write_err(&self, text: &str) {
        let mut err = io::stderr().lock();
        err.write_all(text.as_bytes()).and_then(|()| err.flush()).ok();
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut status = self.0.status();
        status.held = false;
        self.0.draw(&status);
    }
}

impl Surface {
    /// One line of somebody else's text.
    pub fn line<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.is_terminal {
            true => Cow::Owned(visible(text)),
            false => Cow::Borrowed(text),
        }
    }

    /// Several lines of somebody else's text: line feeds and tabs stay what they are.
    pub fn block<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !self.is_terminal {
            return Cow::Borrowed(text);
        }
        let lines = text.split('\n').map(|line| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
        });
        Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
    }

    /// A surface as tests and files want it: without colour, a terminal where it has a width.
    #[cfg(test)]
    pub fn plain(width: Option<usize>) -> Self {
        Surface { is_terminal: width.is_some(), width, colour: false }
    }

    pub fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    pub fn red(&self, text: &str) -> String {
        self.paint("31", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        match self.colour && !text.is_empty() {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

fn columns() -> usize {
    /// Narrower than this, wrapping makes it worse.
    const LEAST: usize = 40;
    let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    width.max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_sees_codes_where_a_pipe_gets_the_bytes() {
        let (terminal, pipe) = (Surface::plain(Some(80)), Surface::plain(None));
        assert_eq!(terminal.line("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c");
        assert_eq!(terminal.block("a\tb\r\n\u{1b}[2J\n"), "a\tb\n\\u{1b}[2J\n", "lines and tabs stay");
        assert_eq!(pipe.line("a\u{1b}[2Jb\nc"), "a\u{1b}[2Jb\nc");
        assert_eq!(pipe.block("a\r\n\u{1b}"), "a\r\n\u{1b}");
    }
}
