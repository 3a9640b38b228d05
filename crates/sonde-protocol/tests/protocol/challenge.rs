//! What servers write into `WWW-Authenticate`, well and badly.

use proptest::prelude::*;
use sonde_protocol::{Challenge, challenges};

fn challenge(scheme: &str, params: &[(&str, &str)]) -> Challenge {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Challenge { scheme: scheme.to_owned(), token: None, params: params.iter().map(owned).collect() }
}

fn with_token(scheme: &str, token: &str) -> Challenge {
    Challenge { token: Some(token.to_owned()), ..challenge(scheme, &[]) }
}

#[test]
fn a_bearer_challenge_names_metadata_scope_and_error() {
    let value = r#"Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource", scope="files:read files:write", error="insufficient_scope", error_description="say \"please\", then \\ again""#;
    let expected = challenge(
        "Bearer",
        &[
            ("resource_metadata", "https://mcp.example.com/.well-known/oauth-protected-resource"),
            ("scope", "files:read files:write"),
            ("error", "insufficient_scope"),
            ("error_description", r#"say "please", then \ again"#),
        ],
    );
    let found = challenges(value);
    assert_eq!(found, [expected], "commas and quotes in a value are part of it");
    assert_eq!(found[0].param("scope"), Some("files:read files:write"));
    assert_eq!(found[0].param("realm"), None, "what is not there");
}

#[test]
fn several_challenges_stand_in_one_value() {
    let basic = challenge("Basic", &[("realm", "simple")]);
    assert_eq!(challenges(r#"Basic realm="simple""#), std::slice::from_ref(&basic));
    // The example of RFC 9110, 11.6.1.
    let newauth = challenge("Newauth", &[("realm", "apps"), ("type", "1"), ("title", r#"Login to "apps""#)]);
    let value = r#"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#;
    assert_eq!(challenges(value), [newauth, basic.clone()], "a comma separates parameters as well as challenges");
    assert_eq!(challenges(r#"Bearer, Basic realm="simple""#), [challenge("Bearer", &[]), basic.clone()]);
    assert_eq!(challenges(r#", ,Bearer ,,	Basic realm="simple",, "#), [challenge("Bearer", &[]), basic], "empty items");
}

#[test]
fn a_token_may_stand_in_the_place_of_parameters() {
    assert_eq!(challenges("Negotiate"), [challenge("Negotiate", &[])], "before the first round");
    assert_eq!(challenges("Negotiate YII-._~+/abc=="), [with_token("Negotiate", "YII-._~+/abc==")]);
    let expected = [with_token("NTLM", "TlRM"), challenge("Basic", &[("realm", "x")])];
    assert_eq!(challenges("NTLM TlRM , Basic realm=x"), expected, "and others behind it");
    assert_eq!(challenges("Foo a=b"), [challenge("Foo", &[("a", "b")])], "what has a value is a parameter");
    assert_eq!(challenges("Foo a=, b=c").len(), 1, "and `a=` may be either");
}

#[test]
fn names_have_no_case_and_blanks_mean_nothing() {
    let expected = [challenge("BEARER", &[("realm", "A b"), ("error", "x")])];
    assert_eq!(challenges("BEARER   Realm = \"A b\" ,\tERROR\t=\tx"), expected);
    let twice = challenges("Bearer scope=a, Scope=b");
    assert_eq!(twice, [challenge("Bearer", &[("scope", "a"), ("scope", "b")])], "both are kept");
    assert_eq!(twice[0].param("scope"), Some("a"), "and the first one counts");
}

#[test]
fn what_servers_often_get_wrong_is_understood() {
    let metadata = ("resource_metadata", "https://a.example/x?y=1&z");
    let expected = [challenge("Bearer", &[metadata, ("error", "e")])];
    assert_eq!(challenges("Bearer resource_metadata=https://a.example/x?y=1&z, error=e"), expected, "no quotes");
    assert_eq!(challenges(r#"Bearer resource_metadata="https://a.example/x?y=1&z" error="e""#), expected, "no comma");
    assert_eq!(challenges(r#"Bearer: resource_metadata="https://a.example/x?y=1&z", error=e"#), expected, "a colon");
    assert_eq!(challenges(r#"Bearer, resource_metadata="https://a.example/x?y=1&z", error=e"#), expected, "a comma");
    assert_eq!(
        challenges(r#"Bearer realm="never closed, a=b"#),
        [challenge("Bearer", &[("realm", "never closed, a=b")])]
    );
    assert_eq!(challenges("Basic Bearer realm=x"), [challenge("Basic", &[]), challenge("Bearer", &[("realm", "x")])]);
}

#[test]
fn what_is_no_challenge_is_none() {
    for nothing in ["", " ", ",,,", "\"", "\"Bearer\"", "=", "== ==", "realm=\"x\"", "@@@", "\u{feff}", "ü", "\\"] {
        assert_eq!(challenges(nothing), [], "{nothing:?}");
    }
    assert_eq!(challenges("\"a, b\" Basic"), [challenge("Basic", &[])], "and hides none that follows");
    assert_eq!(challenges("ü, Basic realm=ü"), [challenge("Basic", &[("realm", "ü")])]);
}

#[test]
fn a_huge_value_is_read_up_to_its_limits() {
    assert_eq!(challenges(&"a,".repeat(1 << 20)).len(), 16, "challenges");
    let many = challenges(&format!("Bearer {}", "a=b,".repeat(1 << 20)));
    assert_eq!((many.len(), many[0].params.len()), (1, 64), "parameters");
    let long = challenges(&format!("Bearer error=x, resource_metadata=\"https://{}\"", "ü".repeat(1 << 20)));
    assert_eq!(long, [challenge("Bearer", &[("error", "x")])], "half an address is another address");
    let long = challenges(&format!("Bearer realm=\"{}\"", "ü".repeat(8000)));
    assert_eq!(long[0].params[0].1.len(), 16_000, "and this one is whole");
}

proptest! {
    #[test]
    fn any_text_gives_no_more_than_it_has(value in any_value()) {
        let found = challenges(&value);
        let sizes = found.iter().map(|challenge| {
            let params = challenge.params.iter().map(|(name, value)| name.len() + value.len());
            challenge.scheme.len() + challenge.token.as_ref().map_or(0, String::len) + params.sum::<usize>()
        });
        prop_assert!(sizes.sum::<usize>() <= value.len(), "nothing is invented");
    }

    #[test]
    fn what_was_read_can_be_written_and_read_again(value in any_value()) {
        let found = challenges(&value);
        let written: Vec<_> = found.iter().map(written).collect();
        prop_assert_eq!(challenges(&written.join(", ")), found);
    }
}

fn any_value() -> impl Strategy<Value = String> {
    let words =
        ["Bearer", "a", "realm", "=", "==", " ", ",", ", ", "\"", "\\", "\t", "/", "@", "ü", "scope=\"x y\"", "b=c"];
    prop_oneof![
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..30).prop_map(|words| words.concat()),
        any::<String>()
    ]
}

fn written(Challenge { scheme, token, params }: &Challenge) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
    let params = params.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    let details: Vec<_> = token.iter().cloned().chain(params).collect();
    format!("{scheme} {}", details.join(", ")).trim_end().to_owned()
}
