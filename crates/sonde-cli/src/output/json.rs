//! JSON that is put together from texts that are JSON already, so that a server's own stays as it was written.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::value::RawValue;

/// An object in the making.
pub struct JsonText {
    text: String,
}

impl JsonText {
    pub fn object() -> Self {
        JsonText { text: "{".to_owned() }
    }

    /// A member whose value is JSON text.
    pub fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        self.name(name);
        self.text.push_str(json);
        self
    }

    /// A member whose value is JSON text, or null. A text that was cut is no JSON any more and becomes a string.
    pub fn raw_or_null(&mut self, name: &str, json: Option<&str>) -> &mut Self {
        match json {
            Some(json) if serde_json::from_str::<&RawValue>(json).is_err() => self.value(name, &json),
            json => self.raw(name, json.unwrap_or("null")),
        }
    }

    pub fn value(&mut self, name: &str, value: &impl Serialize) -> &mut Self {
        // Our own types have string keys and finite numbers, or become null: there is nothing that can't be written.
        let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        self.raw(name, &json)
    }

    /// A member that is an array of texts that are JSON.
    pub fn array<'a>(&mut self, name: &str, entries: impl IntoIterator<Item = &'a RawValue>) -> &mut Self {
        self.name(name);
        self.text.push('[');
        for (index, entry) in entries.into_iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.text.push_str(entry.get());
        }
        self.text.push(']');
        self
    }

    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn name(&mut self, name: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        let name = serde_json::Value::from(name);
        // Writing to a string does not fail.
        write!(self.text, "{name}:").ok();
    }
}

/// The same JSON with every member on a line of its own, for a person. Nothing but white space between the parts is
/// changed, so numbers, escapes and repeated names stay as the server wrote them; text that is no JSON may pass, too.
pub fn pretty(json: &str) -> String {
    /// Deeper than this, lines begin beyond the edge of every terminal.
    const DEEPEST: usize = 40;
    let mut text = String::with_capacity(json.len() + json.len() / 4);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut rest = json.chars().peekable();
    let new_line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth.min(DEEPEST)));
    };
    while let Some(character) = rest.next() {
        if in_string {
            text.push(character);
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            '"' => {
                in_string = true;
                text.push(character);
            }
            '{' | '[' => {
                text.push(character);
                while rest.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                match rest.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => text.push(end),
                    None => {
                        depth += 1;
                        new_line(&mut text, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(character);
                new_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            space if space.is_ascii_whitespace() => {}
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_wrote_is_not_written_anew() {
        let entry = RawValue::from_string(r#"{"b":1.50, "a":[ ]}"#.to_owned()).expect("JSON");
        let mut json = JsonText::object();
        json.array("tools", [&*entry, &*entry]).value("to\"tal", &2);
        assert_eq!(json.finish(), r#"{"tools":[{"b":1.50, "a":[ ]},{"b":1.50, "a":[ ]}],"to\"tal":2}"#);
        assert_eq!(JsonText::object().finish(), "{}");
        let mut json = JsonText::object();
        json.raw_or_null("a", Some("[1.0]")).raw_or_null("b", None).raw_or_null("c", Some("[1… (9 more"));
        assert_eq!(json.finish(), r#"{"a":[1.0],"b":null,"c":"[1… (9 more"}"#, "it stays JSON whatever was cut");
    }

    #[test]
    fn pretty_changes_nothing_but_white_space() {
        let json = r#"{"a":[1.50,{ }],"b":"x\"{,\\","b":[ ] , "n":12345678901234567890123}"#;
        let wanted = "{\n  \"a\": [\n    1.50,\n    {}\n  ],\n  \"b\": \"x\\\"{,\\\\\",\n  \"b\": [],\n  \"n\": 12345678901234567890123\n}";
        assert_eq!(pretty(json), wanted);
        assert_eq!(pretty("]]}"), "\n]\n]\n}", "what is no JSON is still shown");
    }
}
