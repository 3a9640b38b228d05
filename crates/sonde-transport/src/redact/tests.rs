use proptest::prelude::*;

use super::*;

fn redacted(secrets: &[(&str, &str)], text: &str) -> String {
    let redactor = Redactor::new(secrets.iter().copied()).unwrap();
    let out = redactor.redact(text.as_bytes(), End::Whole);
    out.map_or_else(|| text.to_owned(), |out| String::from_utf8(out).unwrap())
}

#[test]
fn a_secret_becomes_its_name_and_everything_else_stays() {
    let secrets = [("TOKEN", "s3cr3t-value"), ("OTHER", "abcdef")];
    assert_eq!(redacted(&secrets, "a s3cr3t-value b"), "a ‹secret:TOKEN› b");
    assert_eq!(redacted(&secrets, "s3cr3t-valu"), "s3cr3t-valu", "what is not the whole secret is not one");
    assert_eq!(redacted(&secrets, "abcdefabcdef"), "‹secret:OTHER›‹secret:OTHER›");
    assert!(Redactor::new([("A", "12345")]).is_none(), "five bytes hide more than they protect");
    assert!(Redactor::new([]).is_none());
}

#[test]
fn the_longest_secret_wins_and_nothing_of_the_others_is_left() {
    let secrets = [("A", "abcdef"), ("B", "abcdefgh"), ("C", "ghijkl")];
    assert_eq!(redacted(&secrets, "x abcdefgh y"), "x ‹secret:B› y");
    assert_eq!(redacted(&secrets, "x abcdefghijkl y"), "x ‹secret:B› y", "what overlaps is hidden together");
}

#[test]
fn escapes_of_json_do_not_hide_a_secret_however_often_they_are_applied() {
    let secret = "pa\"ss/wörd\\😀\n";
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let once = json(secret);
    let ascii = r#""pa\"ss\/w\u00f6rd\\\ud83d\ude00\n""#;
    let upper = r#""pa\u0022ss/w\u00F6rd\u005c\uD83D\uDE00\u000A""#;
    for text in [once.clone(), ascii.into(), upper.into(), json(&once), json(ascii), json(&json(&once))] {
        let out = redacted(&[("K", secret)], &format!("[{text}]"));
        assert!(out.contains("‹secret:K›"), "{text} became {out}");
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{text} became {out}");
    }
}

#[test]
fn addresses_forms_base64_and_utf16_do_not_hide_a_secret() {
    let secret = "a b/c+d=é&f";
    for text in [
        "q=a%20b%2Fc%2Bd%3D%C3%A9%26f&r=1",
        "q=a%20b%2fc%2bd%3d%c3%a9%26f&r=1",
        "q=a+b%2Fc%2Bd%3D%C3%A9%26f&r=1",
        "q=a%20b/c+d=%C3%A9%26f&r=1",
        "u=http%3A%2F%2Fx%2F%3Fq%3Da%2520b%252Fc%252Bd%253D%25C3%25A9%2526f",
    ] {
        let out = redacted(&[("K", secret)], text);
        assert!(out.contains("‹secret:K›"), "{text} became {out}");
        assert!(out.starts_with(&text[..2]), "{out}");
    }
    for around in ["", "x", "xy", "xyz"] {
        use base64::Engine as _;
        for engine in [&base64::engine::general_purpose::STANDARD, &base64::engine::general_purpose::URL_SAFE] {
            let out = redacted(&[("K", secret)], &engine.encode(format!("{around}{secret}{around}")));
            assert!(out.contains("‹secret:K›"), "behind {around}: {out}");
        }
    }
    let wide: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let redactor = Redactor::new([("K", secret)]).unwrap();
    assert_eq!(redactor.redact(&wide, End::Whole).unwrap(), "‹secret:K›".as_bytes());
}

#[test]
fn a_secret_of_several_lines_is_hidden_line_by_line() {
    let secret = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n";
    assert_eq!(redacted(&[("PEM", secret)], "kqhkiG9w0BAQEF"), "‹secret:PEM›");
    assert_eq!(redacted(&[("PEM", secret)], "-----BEGIN KEY-----"), "-----BEGIN KEY-----", "that is no secret");
}

#[test]
fn what_is_json_stays_json() {
    let secrets =
        [("PIN", "123456"), ("OBJECT", r#"{"a":"b"}"#), ("N", "nabcdef"), ("SLASH", "abcdef\\"), ("SIGNS", "\":1\":1")];
    for (text, clean) in [
        (r#"{"id":123456}"#, r#"{"id":"‹secret:PIN›"}"#),
        (r#"{"id":-9123456123456.5}"#, r#"{"id":"‹secret:PIN›"}"#),
        (r#"{"id":"123456"}"#, r#"{"id":"‹secret:PIN›"}"#),
        (r#"{"x":{"a":"b"},"y":1}"#, r#"{"x":"‹secret:OBJECT›","y":1}"#),
        (r#"["x\nabcdef"]"#, r#"["x‹secret:N›"]"#),
        (r#"["abcdef\"x"]"#, r#"["‹secret:SLASH›x"]"#),
        (r#"{"\":1\":1":1}"#, r#"{"‹secret:SIGNS›":"‹secret:SIGNS›"}"#),
    ] {
        let out = redacted(&secrets, text);
        assert_eq!(out, clean);
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
    }
}

#[test]
fn a_secret_of_nothing_but_signs_is_hidden_though_that_is_no_json_any_more() {
    for (secret, text) in [("\":\"\",\"", r#"{"a":"","":"","b":1}"#), ("\":[{\"\":", r#"{"":[{"":1}]}"#)] {
        let out = redacted(&[("SIGNS", secret)], text);
        assert!(!out.contains(secret), "{text} became {out}");
    }
    let text = format!("[{}]", r#"{"":1,"":1}"#.repeat(100_000));
    let redactor = Redactor::new([("SIGNS", "\":1,\"\":")]).unwrap();
    let out = redactor.redact(text.as_bytes(), End::Whole).unwrap();
    assert!(out.len() < text.len() * 2 + (600 << 10), "{} bytes became {}", text.len(), out.len());
    assert!(memchr::memmem::find(&out, b"\":1,\"\":").is_none(), "none of them is left");
}

#[test]
fn a_name_that_tells_its_secret_is_not_written() {
    assert_eq!(redacted(&[("x", "secret")], "a secret b"), "a *** b");
    assert_eq!(redacted(&[("hunter2hunter2", "hunter2")], "hunter2"), "***");
    assert_eq!(redacted(&[("a\"b\n", "abcdef")], "abcdef"), "‹secret:a_b_›", "a name can't break JSON");
}

#[test]
fn the_head_of_a_secret_does_not_stand_at_a_cut() {
    let redactor = Redactor::new([("K", "sëcret-valüe")]).unwrap();
    for (text, kept) in [
        ("x sëcret-val", "x "),
        (r"x s\u00ebcret-val\u00", "x "),
        (r"x s\u00ebcret-val\", "x "),
        ("x s%C3%ABcret-val%C", "x "),
        ("x sëcret-valüe s", "x ‹secret:K› "),
        ("x y", "x y"),
    ] {
        let out = redactor.redact(text.as_bytes(), End::Cut);
        let out = out.map_or_else(|| text.to_owned(), |out| String::from_utf8(out).unwrap());
        assert_eq!(out, kept, "{text}");
    }
}

#[test]
fn a_server_that_repeats_a_secret_does_not_make_us_hold_more_than_it_said() {
    let name = "N".repeat(200);
    let redactor = Redactor::new([(name.as_str(), "abcdef")]).unwrap();
    let text = "abcdef,".repeat(200_000);
    let out = redactor.redact(text.as_bytes(), End::Whole).unwrap();
    assert!(out.len() < text.len() + (80 << 10), "{} bytes became {}", text.len(), out.len());
    assert!(memchr::memmem::find(&out, b"abcdef").is_none(), "none of them is left");
}

/// Every form of the value that the module says it knows, told by other means than its own.
fn forms(value: &str) -> Vec<Vec<u8>> {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
    let json = serde_json::to_string(value).unwrap();
    let json = json[1..json.len() - 1].to_owned();
    let ascii = |upper: bool| {
        let unit = |unit: &u16| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
        let character = |character: char| match character.is_ascii() {
            true => character.to_string(),
            false => character.encode_utf16(&mut [0; 2]).iter().map(unit).collect(),
        };
        json.chars().map(character).collect::<String>()
    };
    let form: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let lower = |text: &str| {
        let mut pieces = text.split('%');
        let first = pieces.next().unwrap().to_owned();
        pieces.fold(first, |text, piece| format!("{text}%{}{}", piece[..2].to_lowercase(), &piece[2..]))
    };
    let mut forms: Vec<Vec<u8>> =
        [value.to_owned(), json.clone(), json.replace('/', "\\/"), ascii(true), ascii(false), lower(&form)]
            .into_iter()
            .chain([form.replace('+', "%20"), form])
            .map(String::into_bytes)
            .collect();
    forms.push(value.encode_utf16().flat_map(u16::to_le_bytes).collect());
    for before in 0..3 {
        let shifted = [vec![b'x'; before], value.as_bytes().to_vec()].concat();
        for text in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            forms.push(text.as_bytes()[(before * 8).div_ceil(6)..shifted.len() * 8 / 6].to_vec());
        }
    }
    forms
}

fn value() -> impl Strategy<Value = String> {
    let characters = prop_oneof![
        4 => "[a-zA-Z0-9_.-]{6,40}",
        4 => "[ -~]{6,40}",
        2 => "[\\\\\"/+=%& ]{6,12}",
        2 => "\\PC{6,30}",
        1 => "(?s).{6,20}",
    ];
    // A value that a marker is made of can't be told from it.
    characters.prop_filter("it stands in the marker", |value| !"‹secret:NAME›***".contains(value.as_str()))
}

proptest! {
    #[test]
    fn no_form_of_any_value_survives_in_any_text(value in value(), before in "\\PC{0,20}", after in "\\PC{0,20}") {
        let redactor = Redactor::new([("NAME", value.as_str())]).unwrap();
        let forms = forms(&value);
        // Half an escape right before it would make something else of it.
        let before = if before.contains(['%', '\\']) { format!("{before} ") } else { before };
        for form in &forms {
            let text = [before.as_bytes(), form, after.as_bytes()].concat();
            let out = redactor.redact(&text, End::Whole).unwrap_or_else(|| text.clone());
            for form in &forms {
                let left = memchr::memmem::find(&out, form).is_some();
                prop_assert!(
                    !left,
                    "{:?} is left of {:?}: {:?}",
                    String::from_utf8_lossy(form),
                    String::from_utf8_lossy(&text),
                    String::from_utf8_lossy(&out)
                );
            }
        }
    }

    #[test]
    fn json_with_a_value_in_it_stays_json(value in value(), key in "\\PC{0,10}", more in "\\PC{0,20}") {
        let redactor = Redactor::new([("NAME", value.as_str())]).unwrap();
        let inner = serde_json::json!({ key.as_str(): format!("{more}{value}{more}"), "n": 17 });
        for text in [inner.to_string(), serde_json::json!([inner.to_string(), value]).to_string()] {
            let out = redactor.redact(text.as_bytes(), End::Whole).unwrap_or_else(|| text.clone().into_bytes());
            prop_assert!(
                serde_json::from_slice::<serde_json::Value>(&out).is_ok(),
                "{text} became {}",
                String::from_utf8_lossy(&out)
            );
        }
    }

    #[test]
    fn text_without_the_value_stays_as_it_is(value in "[a-z]{8,20}", text in "[A-Z0-9%+\\\\\" {}:]{0,200}") {
        let redactor = Redactor::new([("NAME", value.as_str())]).unwrap();
        prop_assert_eq!(redactor.redact(text.as_bytes(), End::Whole), None);
    }
}
