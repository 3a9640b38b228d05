//! Values that are typed: durations, pairs, JSON from here or from there.

use std::io::Read;
use std::time::Duration;

use serde_json::value::RawValue;
use sonde_app::parse_duration;

/// `500ms`, `5s`, `2m`; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "a time is written `500ms`, `5s` or `2m`, and is longer than nothing".to_owned())
}

/// `NAME=VALUE`, both taken as they are.
pub fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// `NAME=TEXT` for a string, `NAME:=JSON` for anything.
pub fn argument(text: &str) -> Result<(String, Box<RawValue>), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=TEXT, or NAME:=JSON")?;
    let (name, value) = match name.strip_suffix(':') {
        Some(name) => {
            let value = RawValue::from_string(value.trim().to_owned());
            (name, value.map_err(|error| format!("the value is no JSON: {error}; `{name}=TEXT` gives a string"))?)
        }
        None => (name, serde_json::value::to_raw_value(value).map_err(|error| error.to_string())?),
    };
    if name.is_empty() {
        return Err("the name is missing".to_owned());
    }
    Ok((name.to_owned(), value))
}

/// The text itself, `@FILE` for the text of a file, `-` for standard input.
fn json_text(text: &str) -> Result<String, String> {
    match text.starts_with('@') || text == "-" {
        true => String::from_utf8(bytes_of(text)?).map_err(|_| format!("`{text}` is not UTF-8")),
        false => Ok(text.to_owned()),
    }
}

/// A JSON object, written as for [`json_text`].
pub fn json_object(text: &str) -> Result<Box<RawValue>, String> {
    let object = RawValue::from_string(json_text(text)?.trim().to_owned()).map_err(|error| error.to_string())?;
    match object.get().starts_with('{') {
        true => Ok(object),
        false => Err("it is JSON, but not an object".to_owned()),
    }
}

/// Bytes as they are: typed, from `@FILE`, or from standard input.
pub fn bytes_of(text: &str) -> Result<Vec<u8>, String> {
    /// Nothing larger fits into a message that anybody reads.
    const MOST: u64 = 256 << 20;
    let mut bytes = Vec::new();
    let (source, read) = match text.strip_prefix('@') {
        Some(path) => {
            let file = std::fs::File::open(path).map_err(|error| format!("`{path}` can't be read: {error}"))?;
            (path, file.take(MOST + 1).read_to_end(&mut bytes))
        }
        None if text == "-" => ("stdin", std::io::stdin().take(MOST + 1).read_to_end(&mut bytes)),
        None => return Ok(text.as_bytes().to_vec()),
    };
    read.map_err(|error| format!("`{source}` can't be read: {error}"))?;
    match bytes.len() as u64 > MOST {
        true => Err(format!("`{source}` has more than 256 MiB")),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_a_string_unless_it_says_json() {
        let raw = |text: &str| argument(text).map(|(name, value)| (name, value.get().to_owned()));
        let is = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(raw("a=5"), is("a", "\"5\""));
        assert_eq!(raw("a:=5"), is("a", "5"));
        assert_eq!(raw("a:= 1.50 "), is("a", "1.50"), "a number stays as it was written");
        assert_eq!(raw("a=b=c"), is("a", "\"b=c\""), "only the first equals sign divides");
        assert_eq!(raw("a="), is("a", "\"\""));
        assert!(raw("a:=oops").is_err() && raw("a").is_err() && raw("=x").is_err() && raw(":=1").is_err());
    }

    #[test]
    fn only_an_object_is_an_object() {
        assert_eq!(json_object(" {\"a\":1} ").map(|object| object.get().to_owned()), Ok("{\"a\":1}".to_owned()));
        assert!(json_object("[1]").is_err() && json_object("{").is_err());
    }
}
