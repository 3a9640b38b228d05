//! The headers of one side of an HTTP exchange.

use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Headers as they may be shown, in their order. They are written down with every exchange and hardly ever looked at,
/// so they are one text from the beginning: the JSON array of pairs that the log keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headers(Arc<str>);

impl Headers {
    pub fn as_json(&self) -> &str {
        &self.0
    }

    pub fn pairs(&self) -> Vec<(String, String)> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl Default for Headers {
    fn default() -> Self {
        Headers("[]".into())
    }
}

impl<N: Serialize, V: Serialize> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut text = Vec::with_capacity(256);
        let written = serde_json::Serializer::new(&mut text).collect_seq(pairs);
        match (written, String::from_utf8(text)) {
            (Ok(()), Ok(text)) => Headers(text.into()),
            _ => Headers::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_they_were_given() {
        let pairs = [("accept", "text/html"), ("x-odd", "a\"b\\c\u{1}é"), ("accept", "*/*")];
        let headers: Headers = pairs.into_iter().collect();
        let given = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(headers.pairs(), given, "in their order, twice where they stood twice");
        assert_eq!(Headers::default().pairs(), []);
        assert_eq!(headers.as_json().get(..23), Some(r#"[["accept","text/html"]"#), "the form of the log");
    }
}
