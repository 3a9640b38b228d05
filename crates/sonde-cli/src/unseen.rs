//! What a person types without its being shown.

use std::io::{IsTerminal as _, Read as _};

use crate::console::Console;
use crate::failure::Failure;
use crate::questions::Terminal;

/// More is no secret of anybody's.
const LONGEST: u64 = 128 << 10;

/// A line that is typed and not shown; where nobody types, all of standard input but a line feed at its end.
pub async fn line(terminal: &Terminal, console: &Console, prompt: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return all_of_stdin().await;
    }
    let typed = {
        let _unseen = Echo::off();
        terminal.line(console, prompt).await
    };
    console.say("");
    typed.filter(|typed| !typed.is_empty()).ok_or_else(|| Failure::usage("nothing was typed"))
}

async fn all_of_stdin() -> Result<String, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut text = String::new();
        std::io::stdin().lock().take(LONGEST + 1).read_to_string(&mut text).map(|_| text)
    });
    let text = match read.await {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => return Err(Failure::usage(format!("the value can't be read from stdin: {error}"))),
        Err(error) => return Err(Failure::usage(error.to_string())),
    };
    let value = text.strip_suffix('\n').unwrap_or(&text);
    let value = value.strip_suffix('\r').unwrap_or(value);
    match value.is_empty() {
        true => Err(Failure::usage("there is no value on stdin")),
        false => Ok(value.to_owned()),
    }
}

/// While it lives, a terminal shows nothing of what is typed.
struct Echo {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Echo {
    fn off() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(std::io::stdin()).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ECHO);
            // Then it is shown; nobody is kept from typing because of that.
            tcsetattr(std::io::stdin(), OptionalActions::Flush, &modes).ok();
        }
        Echo { before }
    }
}

#[cfg(unix)]
impl Drop for Echo {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, before).ok();
        }
    }
}

#[cfg(not(unix))]
impl Echo {
    /// There is no way to it without another library.
    fn off() -> Self {
        Echo {}
    }
}
