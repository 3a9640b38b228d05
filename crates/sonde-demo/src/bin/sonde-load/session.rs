//! One line in, its answers out: the loop, and the order of answers.

use std::io::{self, BufRead, BufReader, BufWriter, StdoutLock, Write};

use serde_json::Value;

use crate::{answers, misbehaviour, options::Options};

/// As much as a Linux pipe holds, so that one system call moves what is there.
const BUFFER: usize = 64 * 1024;

pub type Out = BufWriter<StdoutLock<'static>>;

/// A request, with what an answer needs of it.
pub struct Request {
    pub id: Value,
    pub method: String,
    pub params: Value,
}

/// What a line, or the body of a POST, asks for.
pub enum Read {
    Request(Request),
    /// A notification, an answer to a request of our own, or nothing at all.
    NothingToAnswer,
    NotJson,
}

impl Request {
    pub fn read(text: &[u8]) -> Read {
        let Ok(mut message) = serde_json::from_slice::<Value>(text) else {
            return if text.trim_ascii().is_empty() { Read::NothingToAnswer } else { Read::NotJson };
        };
        let (Some(id), Some(Value::String(method))) =
            (message.get_mut("id").map(Value::take), message.get_mut("method").map(Value::take))
        else {
            return Read::NothingToAnswer;
        };
        let params = message.get_mut("params").map(Value::take).unwrap_or_default();
        Read::Request(Request { id, method, params })
    }
}

struct Session<'a> {
    options: &'a Options,
    out: Out,
    /// Calls that wait for `--reverse`, oldest first.
    held: Vec<Request>,
    /// The length of the line `--big-line` still owes.
    big_line: Option<u64>,
    /// Rounds of `--bad-lines` so far; makes the ids of its requests unique.
    bad_rounds: u64,
}

/// Serves until stdin ends.
pub fn serve(options: &Options) -> io::Result<()> {
    let mut input = BufReader::with_capacity(BUFFER, io::stdin().lock());
    let mut session = Session {
        options,
        out: BufWriter::with_capacity(BUFFER, io::stdout().lock()),
        held: Vec::new(),
        big_line: options.big_line,
        bad_rounds: 0,
    };
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        session.take(&line)?;
        line.clear();
        // With another whole line at hand, its answer can share our system call.
        if !input.buffer().contains(&b'\n') {
            session.out.flush()?;
        }
    }
    session.release()?;
    session.out.flush()
}

impl Session<'_> {
    fn take(&mut self, line: &[u8]) -> io::Result<()> {
        let request = match Request::read(line) {
            Read::Request(request) => request,
            Read::NothingToAnswer => return Ok(()),
            Read::NotJson => return answers::error(&mut self.out, &Value::Null, -32700, "this line is not JSON"),
        };
        if request.method != "tools/call" {
            return self.answer(&request);
        }
        self.held.push(request);
        if self.held.len() >= self.options.reverse {
            self.release()?;
        }
        Ok(())
    }

    /// Answers the held calls, newest first.
    fn release(&mut self) -> io::Result<()> {
        while let Some(request) = self.held.pop() {
            if let Some(length) = self.big_line.take() {
                misbehaviour::big_line(&mut self.out, length)?;
            }
            self.answer(&request)?;
            if self.options.duplicate {
                self.answer(&request)?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, request: &Request) -> io::Result<()> {
        answers::answer(&mut self.out, request, self.options)?;
        if self.options.bad_lines {
            self.bad_rounds += 1;
            misbehaviour::bad_lines(&mut self.out, self.bad_rounds)?;
        }
        Ok(())
    }
}
