//! Lines that a person types.

use std::io::{self, BufRead};
use std::sync::mpsc::SyncSender;

use tokio::sync::{Mutex, mpsc};

use crate::console::Console;

/// Standard input, read by a thread of its own that asks for one line at a time: a line that nobody wants yet stays
/// in the terminal, and waiting for one holds up nothing else.
#[derive(Default)]
pub struct Terminal {
    /// Locked for one conversation at a time.
    reader: Mutex<Option<Reader>>,
}

struct Reader {
    wanted: SyncSender<()>,
    lines: mpsc::Receiver<io::Result<String>>,
    /// A line was asked for by a conversation that is over; whoever asks next gets it.
    asked: bool,
}

impl Terminal {
    /// The next line, without its line feed; none at the end of the input.
    pub async fn line(&self, console: &Console, prompt: &str) -> Option<String> {
        let mut reader = self.reader.lock().await;
        let reader = reader.get_or_insert_with(Reader::start);
        console.prompt(prompt);
        if !reader.asked {
            reader.wanted.try_send(()).ok()?;
            reader.asked = true;
        }
        let line = reader.lines.recv().await;
        reader.asked = false;
        let line = line?.ok()?;
        (!line.is_empty()).then(|| line.trim_end_matches(['\n', '\r']).to_owned())
    }

    /// Asks until one of the words, or its first letter, is typed. None at the end of the input.
    pub async fn choice<'a>(&self, console: &Console, prompt: &str, words: &[&'a str]) -> Option<&'a str> {
        loop {
            let typed = self.line(console, prompt).await?.trim().to_lowercase();
            let meant = words.iter().find(|word| !typed.is_empty() && word.starts_with(&typed));
            match meant {
                Some(word) => return Some(word),
                None => console.say(&format!("  type one of: {}", words.join(", "))),
            }
        }
    }
}

impl Reader {
    fn start() -> Self {
        let (wanted, wishes) = std::sync::mpsc::sync_channel(1);
        let (typed, lines) = mpsc::channel(1);
        std::thread::spawn(move || {
            while wishes.recv().is_ok() {
                let mut line = String::new();
                let read = io::stdin().lock().read_line(&mut line);
                if typed.blocking_send(read.map(|_| line)).is_err() {
                    return;
                }
            }
        });
        Reader { wanted, lines, asked: false }
    }
}
