//! Why a text can't be read, shown where it happens.

use super::Language;

/// Lines that are shown before and after the one that is wrong.
const AROUND: usize = 2;

/// Characters of a line that are shown.
const WIDTH: usize = 100;

/// Names that stand beside secrets.
const SECRET_NAMES: [&str; 9] =
    ["key", "token", "secret", "passw", "auth", "cookie", "credential", "bearer", "session"];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct SyntaxError {
    pub language: Language,
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
    pub problem: String,
    /// The lines around, those of which may be secret masked. Empty where a position says nothing.
    pub context: Vec<ContextLine>,
    /// What most often is the cause, the likeliest first.
    pub mistakes: Vec<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextLine {
    pub number: u32,
    /// Cut to what a window is wide, tabs as one arrow.
    pub text: String,
    /// How many columns of `text` stand before the caret, in the line that is wrong; a wide character takes two.
    pub caret: Option<u32>,
}

impl SyntaxError {
    pub(super) fn at(text: &str, offset: usize, language: Language, problem: impl Into<String>) -> Self {
        let before = text.get(..text.floor_char_boundary(offset.min(text.len()))).unwrap_or_default();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let first = line.saturating_sub(AROUND);
        let shown = text.split('\n').enumerate().skip(first).take(line - first + 1 + AROUND);
        let shown = shown.map(|(number, text)| context_line(number, text, (number == line).then_some(column)));
        SyntaxError {
            language,
            line: counted(line + 1),
            column: counted(column + 1),
            problem: problem.into(),
            context: shown.collect(),
            mistakes: Vec::new(),
        }
    }

    pub(super) fn without_context(language: Language, problem: String) -> Self {
        SyntaxError { language, line: 1, column: 1, problem, context: Vec::new(), mistakes: Vec::new() }
    }

    pub(super) fn likely(mut self, mistakes: &[&'static str]) -> Self {
        self.mistakes = mistakes.to_vec();
        self
    }
}

fn context_line(number: usize, line: &str, caret: Option<usize>) -> ContextLine {
    let line: Vec<char> = masked(line.trim_end_matches('\r')).chars().collect();
    // A long line is shown around its caret, so that what is wrong is in sight.
    let caret = caret.map(|caret| caret.min(line.len()));
    let start = caret.map_or(0, |caret| caret.saturating_sub(WIDTH * 3 / 4));
    let end = line.len().min(start + WIDTH);
    let mut text = String::new();
    let mut before = caret.map(|caret| caret - start);
    if start > 0 {
        text.push('…');
        before = before.map(|before| before + 1);
    }
    let visible = |character: &char| match character {
        // An error may be about it, so it can be seen.
        '\t' => '→',
        character if character.is_control() => ' ',
        character => *character,
    };
    text.extend(line.get(start..end).unwrap_or_default().iter().map(visible));
    let wide = caret.and_then(|caret| line.get(start..caret)).unwrap_or_default().iter().filter(|one| is_wide(**one));
    let before = before.map(|before| before + wide.count());
    if end < line.len() {
        text.push('…');
    }
    ContextLine { number: counted(number + 1), text, caret: before.map(counted) }
}

/// Whether a terminal gives a character two columns: most of East Asia's, and pictures.
fn is_wide(character: char) -> bool {
    matches!(u32::from(character),
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f
        | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1f64f | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd)
}

/// The line with as many characters, and with dots for those that may be of a secret: what stands beside a telling name,
/// and long words of letters and digits wherever they stand.
fn masked(line: &str) -> String {
    let value = secret_from(line).unwrap_or(line.len());
    let mut shown = String::with_capacity(line.len());
    let mut word = String::new();
    let flush = |word: &mut String, shown: &mut String| {
        match looks_secret(word) {
            true => shown.extend(word.chars().map(|_| '•')),
            false => shown.push_str(word),
        }
        word.clear();
    };
    for (place, character) in line.char_indices() {
        let is_word = character.is_alphanumeric() || "_-+/.".contains(character);
        if is_word && place < value {
            word.push(character);
            continue;
        }
        flush(&mut word, &mut shown);
        shown.push(if is_word { '•' } else { character });
    }
    flush(&mut word, &mut shown);
    shown
}

/// From where on what stands in the line may be secret: after a name that says so and a `:`, `=` or `,`.
fn secret_from(line: &str) -> Option<usize> {
    let lower = line.to_ascii_lowercase();
    let ends = SECRET_NAMES.iter().flat_map(|name| lower.match_indices(name).map(|(start, name)| start + name.len()));
    let froms = ends.filter_map(|end| {
        let rest = lower.get(end..)?;
        let is_name = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
        let after = rest.trim_start_matches(is_name).trim_start_matches(['"', '\'', ' ']);
        let is_followed = after.starts_with([':', '=', ',']) || lower.get(..end)?.ends_with("bearer");
        is_followed.then_some(end + (rest.len() - after.len()))
    });
    froms.min()
}

/// Long, of letters and digits mixed, and no path.
fn looks_secret(word: &str) -> bool {
    let starts = ["sk-", "ghp_", "gho_", "github_pat_", "xox", "eyJ", "AKIA", "glpat-"];
    if word.len() >= 8 && starts.iter().any(|start| word.starts_with(start)) {
        return true;
    }
    let has = |is: fn(&char) -> bool| word.chars().any(|character| is(&character));
    word.len() >= 20
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
        && !word.starts_with(['/', '.', '-'])
        && word.matches(['/', '.', '-']).count() < 3
}

fn counted(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
