//! The line at the bottom that says what we wait for.
//!
//! It is our own: one line of text on a terminal and nothing in a pipe needs no library.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sonde_app::Progress;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use unicode_width::UnicodeWidthStr;

use crate::console::Console;
use crate::output::table::one_line;

/// A line is shown while this lives, on a terminal and once there is something to wait for.
pub struct Shown {
    console: Arc<Console>,
    drawing: Option<JoinHandle<()>>,
}

/// An answer that comes sooner needs no line.
const SOON: Duration = Duration::from_millis(300);
/// No eye reads faster.
const PAUSE: Duration = Duration::from_millis(100);

impl Shown {
    pub fn start(console: &Arc<Console>, label: &str, progress: watch::Receiver<Option<Progress>>) -> Self {
        let drawing = console
            .err
            .is_terminal
            .then(|| tokio::spawn(draw(console.clone(), console.err.line(label).into_owned(), progress)));
        Shown { console: console.clone(), drawing }
    }
}

/// A line about something that reports no progress.
pub fn waiting(console: &Arc<Console>, label: &str) -> Shown {
    Shown::start(console, label, watch::channel(None).1)
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(drawing) = &self.drawing {
            drawing.abort();
            self.console.show_status(None);
        }
    }
}

async fn draw(console: Arc<Console>, label: String, mut progress: watch::Receiver<Option<Progress>>) {
    let started = Instant::now();
    let mut pause = SOON;
    loop {
        tokio::time::sleep(pause).await;
        pause = PAUSE;
        let width = console.err.width.unwrap_or(80);
        let newest = progress.borrow_and_update().clone();
        console.show_status(Some(line(&label, newest.as_ref(), started.elapsed(), width)));
        // The clock ticks in whole seconds; a word from the server is shown sooner.
        let tick = Duration::from_millis(1000 - u64::from(started.elapsed().subsec_millis()).min(999));
        tokio::select! {
            changed = progress.changed() => if changed.is_err() {
                tokio::time::sleep(tick).await;
            },
            () = tokio::time::sleep(tick) => {}
        }
    }
}

/// `echo  [=======>      ]  42 %  reading · 3 s · Ctrl+C cancels`, within the width.
fn line(label: &str, progress: Option<&Progress>, elapsed: Duration, width: usize) -> String {
    const BAR: usize = 20;
    let mut parts = vec![label.to_owned()];
    let mut words = Vec::new();
    if let Some(progress) = progress {
        match progress.total.filter(|total| *total > 0.0) {
            Some(total) => {
                let share = (progress.progress / total).clamp(0.0, 1.0);
                let full = (share * BAR as f64).round() as usize;
                let head = if full < BAR { ">" } else { "" };
                let bar = format!("{}{head}", "=".repeat(full));
                parts.push(format!("[{bar:<BAR$}]  {:.0} %", share * 100.0));
            }
            None => parts.push(format!("{}", progress.progress)),
        }
        words.extend(progress.message.as_deref().map(|message| sonde_app::visible(&one_line(message))));
    }
    words.push(format!("{} s", elapsed.as_secs()));
    words.push("Ctrl+C cancels".to_owned());
    parts.push(words.join(" · "));
    fit(&parts.join("  "), width.saturating_sub(1))
}

/// A line that wrapped could not be taken back.
fn fit(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut fitted = String::new();
    let mut used = 0;
    for character in line.chars() {
        used += unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
        if used >= width {
            break;
        }
        fitted.push(character);
    }
    format!("{fitted}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(progress: f64, total: Option<f64>, message: &str) -> Progress {
        Progress { progress, total, message: Some(message.to_owned()) }
    }

    #[test]
    fn a_known_total_makes_a_bar_and_an_unknown_one_a_number() {
        let half = line("slow", Some(&progress(5.0, Some(10.0), "half\u{1b}")), Duration::from_secs(3), 100);
        assert_eq!(half, "slow  [==========>         ]  50 %  half\\u{1b} · 3 s · Ctrl+C cancels");
        let counted = line("slow", Some(&progress(5.0, None, "x")), Duration::from_secs(3), 100);
        assert_eq!(counted, "slow  5  x · 3 s · Ctrl+C cancels");
        let beyond = line("slow", Some(&progress(1e300, Some(10.0), "x")), Duration::ZERO, 100);
        assert!(beyond.contains("[====================]  100 %"), "{beyond}");
        for strange in [f64::NAN, f64::INFINITY, -5.0] {
            line("slow", Some(&progress(strange, Some(strange), "x")), Duration::ZERO, 100);
        }
    }

    #[test]
    fn the_line_never_fills_the_terminal() {
        let long = line("slow", Some(&progress(5.0, None, &"wide ".repeat(100))), Duration::ZERO, 40);
        assert!(long.width() < 40, "{long}");
    }
}
