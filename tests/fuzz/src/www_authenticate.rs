//! Any value has challenges or none, never more than it says; and what was read can be written and read again.

use sonde_protocol::{Challenge, challenges};

/// As much as is looked at.
const LONGEST: usize = 16 << 10;

pub fn run(data: &[u8]) {
    let value = String::from_utf8_lossy(data);
    let found = challenges(&value);
    assert!(found.len() <= 16, "{} challenges", found.len());
    let is_token =
        |text: &str| !text.is_empty() && !text.contains(|character: char| " \t,=\"\\()@".contains(character));
    for Challenge { scheme, token, params } in &found {
        assert!(is_token(scheme) && value.contains(scheme.as_str()), "`{scheme}` is a word of the value");
        assert!(token.iter().all(|token| value.contains(token.as_str())), "`{token:?}` stands in the value");
        assert!(params.len() <= 64, "{} parameters", params.len());
        for (name, text) in params {
            assert!(is_token(name) && *name == name.to_ascii_lowercase(), "`{name}` is the name of a parameter");
            assert!(text.chars().all(|character| value.contains(character)), "`{text}` is made of the value");
        }
    }
    let size = found.iter().map(|challenge| written(challenge).len()).sum::<usize>();
    assert!(size <= 16 + value.len() * 4, "nothing is invented: {size} bytes from {}", value.len());

    let again = found.iter().map(written).collect::<Vec<_>>().join(", ");
    if again.len() <= LONGEST {
        assert_eq!(challenges(&again), found, "written as `{again}`");
    }
}

fn written(Challenge { scheme, token, params }: &Challenge) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
    let params = params.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    let details: Vec<_> = token.iter().cloned().chain(params).collect();
    format!("{scheme} {}", details.join(", ")).trim_end().to_owned()
}
