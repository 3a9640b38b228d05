//! Columns that line up.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::console::Surface;

/// One entry in a line, the last column wrapped under itself where the surface has a width.
pub struct Table {
    heads: Vec<&'static str>,
    lines: Vec<Vec<String>>,
}

const GAP: usize = 2;
/// Where less than this is left for the last column, it goes under the others.
const LEAST_LAST: usize = 24;
/// A cell that is wider pushes the rest of its own line to the right, and nobody else's. On a terminal it is half.
const WIDEST: usize = 64;

impl Table {
    pub fn new(heads: &[&'static str]) -> Self {
        Table { heads: heads.to_vec(), lines: Vec::new() }
    }

    pub fn add(&mut self, cells: Vec<String>) {
        self.lines.push(cells);
    }

    /// Only a terminal sees the heads, and only where there are any: a program that reads lines wants none.
    pub fn render(&self, surface: Surface) -> String {
        let widths = self.widths(surface);
        let mut text = String::new();
        if surface.is_terminal && !self.lines.is_empty() && self.heads.iter().any(|head| !head.is_empty()) {
            // A column without a word in it has no head either.
            let is_shown = |column: usize| widths.get(column).is_none_or(|width| *width > 0);
            let head =
                |(column, head): (usize, &&str)| if is_shown(column) { (*head).to_owned() } else { String::new() };
            let heads: Vec<String> = self.heads.iter().enumerate().map(head).collect();
            text.push_str(&surface.dim(line(&heads, &widths, surface.width).trim_end()));
            text.push('\n');
        }
        for cells in &self.lines {
            text.push_str(&line(cells, &widths, surface.width));
        }
        text
    }

    /// The width of each column but the last.
    fn widths(&self, surface: Surface) -> Vec<usize> {
        let columns = self.heads.len().saturating_sub(1);
        let limit = surface.width.map_or(WIDEST, |width| width / 2);
        (0..columns)
            .map(|column| {
                let head = self.heads.get(column).filter(|_| surface.is_terminal).map_or(0, |head| head.width());
                let cells = self.lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.width());
                let cells: Vec<usize> = cells.filter(|width| *width > 0).collect();
                match cells.is_empty() {
                    // A column without a word in it takes no room at all.
                    true => 0,
                    false => cells.into_iter().filter(|width| *width <= limit).max().unwrap_or(0).max(head),
                }
            })
            .collect()
    }
}

fn line(cells: &[String], widths: &[usize], width: Option<usize>) -> String {
    let Some((last, others)) = cells.split_last() else { return String::new() };
    let mut text = String::new();
    for (cell, column) in others.iter().zip(widths) {
        if *column == 0 && cell.is_empty() {
            continue;
        }
        text.push_str(cell);
        text.extend(std::iter::repeat_n(' ', column.saturating_sub(cell.width()) + GAP));
    }
    let used = text.width();
    match width {
        Some(width) if used + last.width() > width => {
            let (indent, begin) = match width.saturating_sub(used) >= LEAST_LAST {
                true => (used, ""),
                false => (2 * GAP, "\n"),
            };
            let pad = " ".repeat(indent);
            let lines = wrap(last, width.saturating_sub(indent));
            if !begin.is_empty() {
                text = format!("{}\n{pad}", text.trim_end());
            }
            text.push_str(&lines.join(&format!("\n{pad}")));
        }
        _ => text.push_str(last),
    }
    format!("{}\n", text.trim_end())
}

/// Breaks a text at its spaces into lines of at most `width` columns; a longer word is broken where it must be.
/// Looks at each character once: the text may be as long as a server likes.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        for (piece, columns) in pieces(word, width.max(1)) {
            let gap = usize::from(!current.is_empty());
            if gap == 1 && used + gap + columns > width {
                lines.push(std::mem::take(&mut current));
                used = 0;
            } else if gap == 1 {
                current.push(' ');
                used += 1;
            }
            current.push_str(piece);
            used += columns;
        }
    }
    if !current.is_empty() {
        lines.push(current);
    }
    lines
}

/// A word in parts that fit, each with its columns.
fn pieces(word: &str, width: usize) -> Vec<(&str, usize)> {
    let mut pieces = Vec::new();
    let (mut start, mut columns) = (0, 0);
    for (at, character) in word.char_indices() {
        let wide = character.width().unwrap_or(0);
        if columns + wide > width && at > start {
            pieces.push((word.get(start..at).unwrap_or_default(), columns));
            (start, columns) = (at, 0);
        }
        columns += wide;
    }
    pieces.push((word.get(start..).unwrap_or_default(), columns));
    pieces
}

/// A text of several lines as one, for a list; its end is left to whoever looks closer.
pub fn one_line(text: &str) -> String {
    /// Characters of a description that a list shows.
    const MOST: usize = 400;
    let words = text.chars().take(4 * MOST).collect::<String>();
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(width: Option<usize>) -> Surface {
        Surface::plain(width)
    }

    #[test]
    fn columns_line_up_by_what_the_eye_sees() {
        let mut table = Table::new(&["NAME", "HINTS", "DESCRIPTION"]);
        table.add(vec!["日本".to_owned(), String::new(), "wide".to_owned()]);
        table.add(vec!["plain".to_owned(), String::new(), "narrow".to_owned()]);
        assert_eq!(table.render(surface(None)), "日本   wide\nplain  narrow\n");
    }

    #[test]
    fn a_terminal_wraps_the_last_column_under_itself() {
        let mut table = Table::new(&["NAME", "DESCRIPTION"]);
        table.add(vec!["echo".to_owned(), "says again what it was told, word by word, and nothing else".to_owned()]);
        let text = table.render(surface(Some(40)));
        let wanted = "NAME  DESCRIPTION\necho  says again what it was told, word\n      by word, and nothing else\n";
        assert_eq!(text, wanted);
        assert!(text.lines().all(|line| line.width() <= 40), "no line is wider than the terminal");
    }

    #[test]
    fn a_column_without_a_word_has_no_head() {
        let mut table = Table::new(&["NAME", "HINTS", "DESCRIPTION"]);
        table.add(vec!["echo".to_owned(), String::new(), "says it again".to_owned()]);
        assert_eq!(table.render(surface(Some(80))), "NAME  DESCRIPTION\necho  says it again\n");
    }

    #[test]
    fn a_cell_that_is_too_wide_moves_nobody_elses() {
        let mut table = Table::new(&["URI", "TYPE"]);
        table.add(vec!["x".repeat(50), "a".to_owned()]);
        table.add(vec!["y".to_owned(), "b".to_owned()]);
        assert_eq!(table.render(surface(Some(80))), format!("URI  TYPE\n{}  a\ny    b\n", "x".repeat(50)));
        let wide = format!("URI{}TYPE\n", " ".repeat(49));
        assert!(table.render(surface(Some(120))).starts_with(&wide), "where there is room, it is no wide cell");
    }

    #[test]
    fn words_that_do_not_fit_are_broken() {
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("日本語", 1), ["日", "本", "語"], "a character wider than the line stands alone");
        assert!(wrap("  ", 5).is_empty());
    }
}
