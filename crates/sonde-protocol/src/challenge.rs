//! What a server asks for before it lets anyone in: the value of `WWW-Authenticate`, by RFC 9110.

/// One way to get in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// As it was written; its case means nothing.
    pub scheme: String,
    /// What stood in the place of parameters, as `Negotiate` has it.
    pub token: Option<String>,
    /// In their order, names in small letters, values without quotes and escapes.
    pub params: Vec<(String, String)>,
}

impl Challenge {
    /// The value of the first parameter of that name, which is in small letters.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }
}

/// More of any of them is no challenge that a person or a program could meet.
const LONGEST: usize = 16 << 10;
const MOST_CHALLENGES: usize = 16;
const MOST_PARAMS: usize = 64;

/// Reads the value of a header, which may have several challenges. Never fails: what can't be understood is passed
/// over, and servers that forget a comma or the quotes around an address are understood all the same.
pub fn challenges(value: &str) -> Vec<Challenge> {
    let is_cut = value.len() > LONGEST;
    let mut rest = value.get(..value.floor_char_boundary(LONGEST)).unwrap_or_default();
    let mut found: Vec<Challenge> = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let (word, after) = split(rest, |character| !is_token(character));
        if word.is_empty() {
            let Some(next) = rest.chars().next() else { return found };
            let junk = rest.get(next.len_utf8()..).unwrap_or_default();
            rest = if next == '"' { quoted(junk).1 } else { split(junk, is_separator).1 };
        } else if let Some(value) = blanks(after).strip_prefix('=') {
            let (value, after) = param_value(blanks(value));
            rest = after;
            // Half an address is another address.
            if is_cut && rest.is_empty() {
                return found;
            }
            // Without a scheme before it, nobody knows what it is for.
            if let Some(challenge) = found.last_mut().filter(|challenge| challenge.params.len() < MOST_PARAMS) {
                challenge.params.push((word.to_ascii_lowercase(), value));
            }
        } else if found.len() == MOST_CHALLENGES || is_cut && after.is_empty() {
            return found;
        } else {
            let token = token68(after);
            rest = token.map_or(after, |(_, after)| after);
            let token = token.map(|(token, _)| token.to_owned());
            found.push(Challenge { scheme: word.to_owned(), token, params: Vec::new() });
        }
    }
}

/// What stands behind a scheme, if it is a token and neither a parameter nor the next scheme.
fn token68(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.strip_prefix(' ')?.trim_start_matches(' ');
    let is_part = |character: char| character.is_ascii_alphanumeric() || "-._~+/".contains(character);
    let (body, _) = split(rest, |character| !is_part(character));
    let padding = rest.get(body.len()..)?;
    let after = padding.trim_start_matches('=');
    let token = rest.get(..rest.len() - after.len()).filter(|_| !body.is_empty())?;
    matches!(blanks(after).chars().next(), None | Some(',')).then_some((token, after))
}

/// A value in quotes, or whatever comes before a comma or a blank.
fn param_value(rest: &str) -> (String, &str) {
    match rest.strip_prefix('"') {
        Some(rest) => quoted(rest),
        None => {
            let (value, after) = split(rest, is_separator);
            (value.to_owned(), after)
        }
    }
}

/// What stands before the closing quote, or all of it where there is none; and what comes behind.
fn quoted(rest: &str) -> (String, &str) {
    let mut text = String::new();
    let mut characters = rest.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => text.extend(characters.next()),
            other => text.push(other),
        }
    }
    (text, characters.as_str())
}

fn split(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

fn blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

fn is_separator(character: char) -> bool {
    matches!(character, ' ' | '\t' | ',')
}

fn is_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}
