//! No form of a secret survives in any text, what is JSON stays JSON, and nothing grows beyond what is allowed.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use sonde_transport::{End, Redactor};

/// Up to the first line feed it is the secret, behind that the text around it.
pub fn run(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (secret, text) = data.split_at(end);
    let text = text.get(1..).unwrap_or_default();
    let Ok(secret) = std::str::from_utf8(secret) else { return };
    let Some(redactor) = Redactor::new([("NAME", secret)]) else {
        return assert!(secret.len() < Redactor::SHORTEST, "`{secret}` is long enough");
    };
    anything(&redactor, text);
    // What the marker is made of can't be told from it.
    if secret.contains(['‹', '›', '*']) || "\"secret:NAME\"".contains(secret) {
        return;
    }
    // Half an escape right before it would make something else of it.
    let around = if text.contains(&b'%') || text.contains(&b'\\') { &b" "[..] } else { b"" };
    for form in forms(secret) {
        let text = [text, around, &form, around, text].concat();
        let clean = redactor.redact(&text, End::Whole);
        let Some(clean) = clean else {
            panic!("a form of `{secret}` was not seen: {}", String::from_utf8_lossy(&form))
        };
        let left = clean.windows(form.len()).filter(|window| *window == form).count();
        assert_eq!(left, 0, "a form of `{secret}` is left in {}", String::from_utf8_lossy(&clean));
    }
    let within = serde_json::json!({ "a": [secret, format!("x{secret}y")], secret: 1 }).to_string();
    for text in [within.clone(), serde_json::json!([within]).to_string()] {
        let clean = redactor.redact(text.as_bytes(), End::Whole);
        let clean = clean.unwrap_or_else(|| text.clone().into_bytes());
        let read = serde_json::from_slice::<serde_json::Value>(&clean);
        assert!(read.is_ok(), "`{text}` became `{}`", String::from_utf8_lossy(&clean));
    }
}

/// Holds for any text, whether the secret is in it or not.
fn anything(redactor: &Redactor, text: &[u8]) {
    for end in [End::Whole, End::Cut] {
        let Some(clean) = redactor.redact(text, end) else { continue };
        assert!(clean.len() <= text.len() * 4 + (66 << 10), "{} bytes became {}", text.len(), clean.len());
        let again = redactor.redact(&clean, End::Whole);
        assert!(again.is_none_or(|again| again.len() <= clean.len() + (66 << 10)), "it does not grow without end");
    }
}

fn forms(secret: &str) -> Vec<Vec<u8>> {
    let json = serde_json::Value::from(secret).to_string();
    let json = json.get(1..json.len() - 1).unwrap_or_default().to_owned();
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let wide = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut forms = vec![secret.as_bytes().to_vec(), json.into_bytes(), percent.into_bytes(), wide];
    for before in 0..3 {
        let shifted = [vec![0; before], secret.as_bytes().to_vec()].concat();
        for text in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            let inner = (before * 8).div_ceil(6)..shifted.len() * 8 / 6;
            forms.push(text.as_bytes().get(inner).unwrap_or_default().to_vec());
        }
    }
    forms
}
