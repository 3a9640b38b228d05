use sonde_registry::definitions;
use sonde_registry::language::Language;

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
fn other_ways_to_say_it_become_ours_and_what_is_usual_is_not_said() {
    let before = definition(r#"{"command":["npx","-y"],"args":["x"],"disabled":true,"type":"stdio","workdir":"a"}"#);
    let mut draft = of(&before);
    assert!(!draft.enabled, "{draft:?}");
    draft.enabled = true;
    let (after, _) = entry(&draft, Some(&before));
    assert_eq!(json(&after), r#"{"command":"npx","args":["-y","x"],"cwd":"a"}"#);
    draft.reach = DraftReach::Url { url: "https://x/".into(), dialect: "auto".into(), headers: vec![], retries: None };
    let (after, _) = entry(&draft, Some(&before));
    assert_eq!(json(&after), r#"{"url":"https://x/"}"#, "what belongs to a command goes with it");
}

#[test]
fn a_form_never_sees_a_secret_and_can_give_a_new_one() {
    let before = definition(
        r#"{"url":"https://x/","headers":{"Authorization":"Bearer ${secret:T}","X-Api-Key":"in clear","X":"y"}}"#,
    );
    let mut draft = of(&before);
    let text = serde_json::to_string(&draft).unwrap();
    assert!(!text.contains("in clear") && text.contains(r#""text":"y""#), "{text}");
    let (after, secrets) = entry(&draft, Some(&before));
    assert_eq!(after, before, "nothing was typed");
    assert_eq!(secrets.marked, ["headers.X-Api-Key"], "whoever writes it moves it");

    let DraftReach::Url { headers, .. } = &mut draft.reach else { panic!("it is an address") };
    headers[0].value = DraftText::Secret { value: Some("Bearer new".into()) };
    headers[2].value = DraftText::Secret { value: Some("z".into()) };
    headers.push(DraftValue { name: "a b".into(), value: DraftText::Secret { value: None } });
    let (after, secrets) = entry(&draft, Some(&before));
    let typed: Vec<(&str, &str)> =
        secrets.typed.iter().map(|typed| (typed.name.as_str(), typed.value.as_str())).collect();
    assert_eq!(typed, [("T", "new"), ("X", "z")], "under the name that is there, and without the scheme");
    let wanted =
        r#"{"Authorization":"Bearer ${secret:T}","X-Api-Key":"in clear","X":"${secret:X}","a b":"${secret:a_b}"}"#;
    assert!(json(&after).contains(wanted), "{}", json(&after));
}
