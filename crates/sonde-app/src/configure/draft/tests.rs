use sonde_registry::definitions;
use sonde_registry::language::{Language, Value};

use super::*;

fn definition(entry: &str) -> Definition {
    let text = format!(r#"{{"mcpServers": {{"shop": {entry}}}}}"#);
    definitions(&text, Language::Json).unwrap().remove(0)
}

fn json(definition: &Definition) -> String {
    Value::Object(definition.entry.clone()).to_json()
}

#[test]
fn an_entry_that_nobody_edits_comes_back_as_it_was() {
    for text in [
        r#"{"command":"npx","args":["-y","x"],"env":{"A":"${A:-1}","KEY":"${secret:KEY}"},"cwd":"sub"}"#,
        r#"{"command":"x","env_passthrough":["HOME"],"auto_start":true,"timeout":30,"other":{"a":[1]}}"#,
        r#"{"command":"x","envFile":".env","enabled":false,"fail_if_no_tools":true,"connection_timeout":"5s"}"#,
        r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer ${secret:T}","X":"y"},"http_max_retries":0}"#,
        r#"{"url":"https://x/","type":"sse","sonde":{"proxy":"none","retries":2,"ping":"30s","reconnect":true}}"#,
        r#"{"command":"x","sonde":{"timeout":"4s","connectTimeout":"2s","protocol":"auto"}}"#,
    ] {
        let before = definition(text);
        let (after, secrets) = entry(&of(&before), Some(&before));
        assert_eq!(after, before, "{} and not {text}", json(&after));
        assert!(secrets.typed.is_empty() && secrets.marked.is_empty(), "nobody typed anything: {text}");
    }
}

#[test]
fn what_nobody_touched_keeps_its_words_whatever_was_edited() {
    for text in [
        r#"{"command":["npx","-y",8080],"args":["x"],"disabled":true,"type":"stdio","workdir":"a","autoStart":true}"#,
        r#"{"serverUrl":"https://x/?api_key=abcdefgh","transport":"sse","headers":{"X-Api-Key":"in clear","N":5}}"#,
        r#"{"command":"x","args":["--token","abcdefgh"],"env":{"API_KEY":"in clear","ODD":null,"N":5},"odd":[1]}"#,
    ] {
        let before = definition(text);
        let mut draft = of(&before);
        let (same, secrets) = entry(&draft, Some(&before));
        assert_eq!(json(&same), text, "nothing was edited");
        assert!(secrets.typed.is_empty() && secrets.marked.is_empty(), "{text}");
        draft.timeout = Some("7s".into());
        let (after, secrets) = entry(&draft, Some(&before));
        assert_eq!(json(&after), format!(r#"{},"timeout":"7s"}}"#, text.strip_suffix('}').unwrap()));
        assert!(secrets.typed.is_empty() && secrets.marked.is_empty(), "{text}");
    }
}

#[test]
fn what_is_edited_is_said_in_the_words_that_are_there() {
    let before = definition(r#"{"command":["npx","-y"],"args":[8080],"disabled":true,"type":"stdio","workdir":"a"}"#);
    let mut draft = of(&before);
    assert!(!draft.enabled, "{draft:?}");
    draft.enabled = true;
    let DraftReach::Command { args, folder, .. } = &mut draft.reach else { panic!("it is a command") };
    *folder = Some("b".into());
    args.push("z".into());
    let (after, _) = entry(&draft, Some(&before));
    assert_eq!(json(&after), r#"{"command":["npx","-y",8080,"z"],"type":"stdio","workdir":"b"}"#);
    draft.reach = DraftReach::Url { url: "https://x/".into(), dialect: "auto".into(), headers: vec![], retries: None };
    let (after, _) = entry(&draft, Some(&before));
    assert_eq!(json(&after), r#"{"url":"https://x/"}"#, "what belongs to a command goes with it");
    let mut off = definition(r#"{"command":"x","disabled":false}"#);
    switch(&mut off.entry, Switch::Off);
    assert_eq!(json(&off), r#"{"command":"x","disabled":true}"#, "in the word that another client reads");
}

#[test]
fn a_form_never_sees_a_secret_and_can_give_a_new_one() {
    let before = definition(
        r#"{"url":"https://x/","headers":{"Authorization":"Bearer ${secret:T}","X-Api-Key":"in clear","X":"y"}}"#,
    );
    let mut draft = of(&before);
    let text = serde_json::to_string(&draft).unwrap();
    assert!(!text.contains("in clear") && text.contains(r#""text":"y""#), "{text}");
    assert!(text.contains(r#"{"name":"X-Api-Key","value":{"kind":"clear"}}"#), "and it is said how it is: {text}");
    let (after, secrets) = entry(&draft, Some(&before));
    assert_eq!(after, before, "nothing was typed");
    assert!(secrets.marked.is_empty(), "and what is in clear stays in clear");

    let DraftReach::Url { headers, .. } = &mut draft.reach else { panic!("it is an address") };
    headers[0].value = DraftText::Secret { value: Some("Bearer new".into()) };
    headers[1].value = DraftText::Secret { value: None };
    headers[2].value = DraftText::Secret { value: Some("z".into()) };
    headers.push(DraftValue { name: "a b".into(), value: DraftText::Secret { value: None }, was: None });
    let (after, secrets) = entry(&draft, Some(&before));
    let typed: Vec<(&str, &str)> =
        secrets.typed.iter().map(|typed| (typed.name.as_str(), typed.value.as_str())).collect();
    assert_eq!(typed, [("T", "new"), ("X", "z")], "under the name that is there, and without the scheme");
    assert_eq!(secrets.marked, ["headers.X-Api-Key"], "whoever writes it moves it, now that it was asked for");
    let wanted =
        r#"{"Authorization":"Bearer ${secret:T}","X-Api-Key":"in clear","X":"${secret:X}","a b":"${secret:a_b}"}"#;
    assert!(json(&after).contains(wanted), "{}", json(&after));
}

#[test]
fn a_renamed_row_takes_its_secret_along() {
    let before = definition(r#"{"command":"x","env":{"A_KEY":"${secret:A_KEY}","B_KEY":"in clear","C":"c"}}"#);
    let mut draft = of(&before);
    let DraftReach::Command { env, .. } = &mut draft.reach else { panic!("it is a command") };
    for row in env.iter_mut() {
        row.was = Some(row.name.clone());
        row.name.insert_str(0, "NEW_");
    }
    let (after, secrets) = entry(&draft, Some(&before));
    assert_eq!(
        json(&after),
        r#"{"command":"x","env":{"NEW_A_KEY":"${secret:A_KEY}","NEW_B_KEY":"in clear","NEW_C":"c"}}"#
    );
    assert!(secrets.typed.is_empty() && secrets.marked.is_empty(), "nothing has to be moved for it");
}

#[test]
fn two_typed_secrets_have_two_names() {
    let secret = |name: &str| DraftValue {
        name: name.into(),
        value: DraftText::Secret { value: Some(format!("of {name}")) },
        was: None,
    };
    let mut draft = of(&definition(r#"{"command":"x","args":["${secret:A_B}"]}"#));
    let DraftReach::Command { env, .. } = &mut draft.reach else { panic!("it is a command") };
    *env = vec![secret("A B"), secret("A-B"), secret("A_B")];
    let (_, secrets) = entry(&draft, Some(&definition(r#"{"command":"x","args":["${secret:A_B}"]}"#)));
    let names: Vec<&str> = secrets.typed.iter().map(|typed| typed.name.as_str()).collect();
    assert_eq!(names, ["A_B_2", "A-B", "A_B_3"], "and none of them is the one that decides what runs");
}

#[test]
fn a_secret_among_arguments_is_a_mark_in_the_form_and_moved_when_a_reference_takes_its_place() {
    let before = definition(r#"{"command":"x","args":["--token","abcdefgh","--key=ijklmnop"]}"#);
    let mut draft = of(&before);
    let DraftReach::Command { args, .. } = &mut draft.reach else { panic!("it is a command") };
    assert_eq!(args, &["--token", "‹in clear: TOKEN›", "--key=‹in clear: KEY›"]);
    args[1] = "${secret:TOKEN}".into();
    args.push("-v".into());
    let (after, secrets) = entry(&draft, Some(&before));
    assert_eq!(json(&after), r#"{"command":"x","args":["--token","abcdefgh","--key=ijklmnop","-v"]}"#);
    assert_eq!(secrets.marked, ["args.TOKEN"], "whoever writes it moves this one");
}
