//! Text of others, made safe to carry and to look at.

/// At most `most` characters; what is cut is said.
pub(crate) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            let (head, rest) = text.split_at(end);
            format!("{head}… ({} more bytes are in the log)", rest.len())
        }
        None => text.to_owned(),
    }
}

/// The first bytes of a text, at most `most` and no part of a character.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Writes characters that could hide, reorder or overwrite text as their codes, for a dialog or a terminal.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|character| if hides(character) { character.escape_unicode().to_string() } else { character.to_string() })
        .collect()
}

/// Controls, invisible letters and spaces, direction marks, variation selectors and tags.
fn hides(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_hide_or_reorder_text_are_shown_as_their_codes() {
        assert_eq!(visible("rm\u{202e}txt\0\n"), "rm\\u{202e}txt\\u{0}\\u{a}");
        assert_eq!(visible("a\u{1b}[2K\u{2028}\u{3164}\u{ad}"), "a\\u{1b}[2K\\u{2028}\\u{3164}\\u{ad}");
        assert_eq!(visible("/usr/bin/café"), "/usr/bin/café", "other text stays as it is");
    }

    #[test]
    fn what_is_cut_is_said() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("äbcd", 2), "äb… (2 more bytes are in the log)");
    }
}
