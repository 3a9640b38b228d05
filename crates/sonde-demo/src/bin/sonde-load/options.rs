//! The command line.

use std::str::FromStr;

pub const USAGE: &str = "\
Usage: sonde-load [OPTIONS]

Load:
  --tools N          list N tools (default 3: echo, flood, bytes; the rest are fillers)
  --page N           list at most N tools per page (default: all on one page)
  --reverse N        hold N tools/call requests, then answer them in reverse order
  --http PORT        serve HTTP on that port of 127.0.0.1 (0: any free one) until stdin ends; the address
                     is printed first; each answer is JSON, so `flood` is not there

Misbehaviour of a whole life (the last one given counts):
  --exit CODE        write two lines to stderr and exit at once
  --silent           read everything, answer nothing
  --garbage          print lines that are not JSON, and nothing else
  --never-reads      sleep without ever reading stdin
  --stubborn         serve, but ignore the end of stdin and SIGTERM, and start a grandchild
                     that ignores both; prints `pid 123 grandchild 456` on stderr

Misbehaviour while serving:
  --bad-lines        after each answer also send lines no server should send
  --endless-cursor   tools/list always returns the same nextCursor
  --version V        answer initialize with protocolVersion V
  --duplicate        answer each tools/call twice
  --big-line BYTES   send one line of BYTES bytes before answering the first tools/call

What sleeps on purpose ends by itself after ten minutes, so nothing is left behind for ever.";

pub struct Options {
    pub life: Life,
    pub tools: usize,
    /// Tools per page of `tools/list`; at least 1.
    pub page: usize,
    /// How many calls to hold before answering them in reverse; 0 and 1 hold none.
    pub reverse: usize,
    pub bad_lines: bool,
    pub endless_cursor: bool,
    pub duplicate: bool,
    pub version: String,
    pub big_line: Option<u64>,
}

/// What the process does with its time.
pub enum Life {
    Serve,
    ServeHttp {
        port: u16,
    },
    Help,
    Exit(u8),
    Silent,
    Garbage,
    NeverReads,
    Stubborn,
    /// The process that `--stubborn` starts; not for people.
    Grandchild {
        parent: u32,
    },
}

impl Options {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            life: Life::Serve,
            tools: 3,
            page: usize::MAX,
            reverse: 0,
            bad_lines: false,
            endless_cursor: false,
            duplicate: false,
            version: "2025-11-25".to_owned(),
            big_line: None,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--help" | "-h" => options.life = Life::Help,
                "--exit" => options.life = Life::Exit(value(&word, &mut words)?),
                "--silent" => options.life = Life::Silent,
                "--garbage" => options.life = Life::Garbage,
                "--never-reads" => options.life = Life::NeverReads,
                "--stubborn" => options.life = Life::Stubborn,
                "--grandchild-of" => {
                    let parent = value(&word, &mut words)?;
                    options.life = Life::Grandchild { parent };
                }
                "--http" => {
                    let port = value(&word, &mut words)?;
                    options.life = Life::ServeHttp { port };
                }
                "--tools" => options.tools = value(&word, &mut words)?,
                "--page" => options.page = value::<usize>(&word, &mut words)?.max(1),
                "--reverse" => options.reverse = value(&word, &mut words)?,
                "--bad-lines" => options.bad_lines = true,
                "--endless-cursor" => options.endless_cursor = true,
                "--duplicate" => options.duplicate = true,
                "--version" => options.version = value(&word, &mut words)?,
                "--big-line" => options.big_line = Some(value(&word, &mut words)?),
                stranger => return Err(format!("unknown option `{stranger}`")),
            }
        }
        Ok(options)
    }
}

fn value<T: FromStr>(option: &str, words: &mut impl Iterator<Item = String>) -> Result<T, String> {
    let word = words.next().ok_or_else(|| format!("option `{option}` needs a value"))?;
    word.parse().map_err(|_| format!("option `{option}` cannot take `{word}`"))
}
