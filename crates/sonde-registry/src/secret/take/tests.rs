use super::*;
use crate::language::{Document, Language};

fn definition(entry: &str) -> Definition {
    let document = Document::parse(entry, Language::Json).unwrap();
    let Value::Object(entry) = document.root.value else { panic!("an entry is an object") };
    Definition::new("shop", entry)
}

fn json(definition: &Definition) -> String {
    Value::Object(definition.entry.clone()).to_json()
}

fn text_of<'a>(entry: &'a Object, holder: &str, name: &str) -> &'a str {
    entry.get(holder).unwrap().value.as_object().unwrap().get(name).unwrap().value.as_text().unwrap()
}

fn names(taken: &[TakenSecret]) -> Vec<&str> {
    taken.iter().map(|taken| taken.name.as_str()).collect()
}

#[test]
fn secrets_leave_a_definition_and_references_take_their_place() {
    let mut own = definition(
        r#"{"command": "x", "env": {
            "API_KEY": "sk-live-1", "HOME_DIR": "/home/ada", "GH": "ghp_0123456789abcdef", "TOKEN": "${TOKEN}",
            "PLAIN": "yes", "MARKED": "whatever", "N_TOKENS": 4096, "PIN_SECRET": 771771}}"#,
    );
    let taken = take_secrets(&mut own, &|field| field == "env.MARKED");
    assert_eq!(names(&taken), ["API_KEY", "GH", "MARKED", "PIN_SECRET"]);
    assert_eq!(taken[0].value.expose(), "sk-live-1");
    assert_eq!(text_of(&own.entry, "env", "API_KEY"), "${secret:API_KEY}");
    assert_eq!(text_of(&own.entry, "env", "TOKEN"), "${TOKEN}", "it was written nowhere");
    assert_eq!(text_of(&own.entry, "env", "HOME_DIR"), "/home/ada");
    assert!(take_secrets(&mut own, &|_| false).is_empty(), "a second time there is nothing left");
}

#[test]
fn the_scheme_of_a_header_stays() {
    let mut own = definition(
        r#"{"url": "https://example.com", "headers": {
            "Authorization": "Bearer abc def", "X-Api-Key": "k", "X-Auth": "Bearer ${T}", "Accept-Language": "en"}}"#,
    );
    let taken = take_secrets(&mut own, &|_| false);
    assert_eq!(text_of(&own.entry, "headers", "Authorization"), "Bearer ${secret:Authorization}");
    assert_eq!(taken[0].value.expose(), "abc def");
    assert_eq!(text_of(&own.entry, "headers", "X-Api-Key"), "${secret:X-Api-Key}");
    assert_eq!(text_of(&own.entry, "headers", "X-Auth"), "Bearer ${T}");
    assert_eq!(taken.len(), 2);
}

#[test]
fn a_secret_among_arguments_or_in_an_address_becomes_a_reference() {
    let mut own = definition(
        r#"{"command": "x", "args": ["--api-key", "sk-0123456789", "--token=abcdefgh", "-y", "--port", 8080,
            "ghp_0123456789abcdef", "--key", "${KEY}", "--password=password", "plain"]}"#,
    );
    let taken = take_secrets(&mut own, &|_| false);
    assert_eq!(names(&taken), ["API_KEY", "TOKEN", "ARGUMENT", "PASSWORD"]);
    assert_eq!(
        json(&own),
        r#"{"command":"x","args":["--api-key","${secret:API_KEY}","--token=${secret:TOKEN}","-y","--port",8080,"${secret:ARGUMENT}","--key","${KEY}","--password=${secret:PASSWORD}","plain"]}"#,
        "and the option keeps its name"
    );
    let mut listed = definition(r#"{"command": ["x", "--token", "abcdefgh"]}"#);
    assert_eq!(names(&take_secrets(&mut listed, &|_| false)), ["TOKEN"], "in a command that is a list as well");
    let mut own = definition(r#"{"url": "https://ada:sesame@x/mcp"}"#);
    assert_eq!(names(&take_secrets(&mut own, &|_| false)), ["PASSWORD"]);
    assert_eq!(json(&own), r#"{"url":"https://ada:${secret:PASSWORD}@x/mcp"}"#);
    for field in ["url", "serverUrl"] {
        let mut own = definition(&format!(r#"{{"{field}": "https://x/mcp?api_key=abcdefgh&team=shop&sig=#x"}}"#));
        let taken = take_secrets(&mut own, &|_| false);
        assert_eq!((taken[0].field.as_str(), taken[0].value.expose()), ("url.API_KEY", "abcdefgh"));
        let wanted = format!(r#"{{"{field}":"https://x/mcp?api_key=${{secret:API_KEY}}&team=shop&sig=#x"}}"#);
        assert_eq!(json(&own), wanted);
    }
}

#[test]
fn a_default_and_a_password_beside_a_reference_are_taken_alone() {
    let mut own = definition(
        r#"{"command": "x", "env": {
            "A": "${TOKEN:-ghp_real0123456789}", "API_KEY": "${KEY:-${OTHER:-abcdef}}", "B": "${PORT:-8080}",
            "DB": "postgres://ada:sesame@${HOST}/shop"}}"#,
    );
    let taken = take_secrets(&mut own, &|_| false);
    let values: Vec<&str> = taken.iter().map(|taken| taken.value.expose()).collect();
    assert_eq!(values, ["ghp_real0123456789", "abcdef", "sesame"]);
    assert_eq!(text_of(&own.entry, "env", "A"), "${TOKEN:-${secret:A}}");
    assert_eq!(text_of(&own.entry, "env", "API_KEY"), "${KEY:-${OTHER:-${secret:API_KEY}}}");
    assert_eq!(text_of(&own.entry, "env", "DB"), "postgres://ada:${secret:DB}@${HOST}/shop");
}

#[test]
fn two_secrets_that_would_be_called_the_same_are_told_apart() {
    let mut own = definition(
        r#"{"command": "x", "args": ["--a-key", "1234567", "--b", "${secret:A_KEY_2}"], "env": {
            "A KEY": "first-1", "A_KEY": "second-2", "A/KEY": "first-1"}}"#,
    );
    let taken = take_secrets(&mut own, &|_| false);
    assert_eq!(names(&taken), ["A_KEY", "A_KEY_3", "A_KEY", "A_KEY_4"], "one name, one value");
}

#[test]
fn what_nobody_touched_stays_in_clear_unless_it_is_marked() {
    let before = definition(
        r#"{"command": "x", "args": ["--token", "abcdefgh"], "env": {"API_KEY": "sk-1", "OTHER_KEY": "sk-2"}}"#,
    );
    let mut after = definition(
        r#"{"command": "x", "args": ["--token", "abcdefgh", "--key", "typed-1"], "env": {
            "RENAMED_KEY": "sk-1", "OTHER_KEY": "sk-2", "NEW_KEY": "typed-2"}}"#,
    );
    let taken = take_new_secrets(&mut after, &before, &|field| field == "env.OTHER_KEY");
    assert_eq!(names(&taken), ["OTHER_KEY", "NEW_KEY", "KEY"]);
    assert_eq!(text_of(&after.entry, "env", "RENAMED_KEY"), "sk-1", "as it stood, under another name");
}

#[test]
fn what_stands_in_objects_of_other_clients_is_taken_as_well() {
    let mut own = definition(
        r#"{"url": "https://x/", "auth": {"CLIENT_ID": "shop", "CLIENT_SECRET": "verysecret"}, "authMode": "oauth",
            "session": "yes please", "note": "ghp_0123456789abcdef", "alwaysAllow": ["get_token", "sk-0123456789"],
            "sonde": {"clientKey": "/no/such/key.pem", "trust": "sha256:00"}}"#,
    );
    let taken = take_secrets(&mut own, &|_| false);
    let fields: Vec<&str> = taken.iter().map(|taken| taken.field.as_str()).collect();
    assert_eq!(fields, ["auth.CLIENT_SECRET", "note", "alwaysAllow"], "by a name within, or by a look");
    let auth = r#""auth":{"CLIENT_ID":"shop","CLIENT_SECRET":"${secret:CLIENT_SECRET}"},"authMode":"oauth""#;
    assert!(json(&own).contains(auth), "{}", json(&own));
}

#[test]
fn words_that_are_shown_have_names_for_secrets() {
    let words = ["--token", "abcdefgh", "--key=ijklmnop", "-v", "${secret:A}"].map(str::to_owned);
    let shown = ["--token", "‹secret:TOKEN›", "--key=‹secret:KEY›", "-v", "${secret:A}"];
    assert_eq!(masked_words(&words), shown);
}
