//! What a server asks of us.

use integration::Profile;

use super::console::{Person, run, sonde, write};

#[test]
fn rules_answer_what_a_server_asks() {
    let profile = Profile::default();
    let rules = r#"{"rules":[
        {"method":"elicitation/create","when":{"message":"*yourself*"},"answer":{"action":"accept","content":{"name":"Ada"}}},
        {"method":"sampling/createMessage","answer":{"role":"assistant","model":"a rule","content":{"type":"text","text":"forty-two"}}}]}"#;
    write(&profile, "rules.json", rules);
    let ran = run(&profile, &["call", "demo.ask", "--answer", "rules.json"]).exits(0);
    assert!(ran.out.contains(r#"chose `accept` and filled in {"name":"Ada"}"#), "{ran:?}");
    assert!(ran.err.contains("answered by a rule"), "and that is said: {ran:?}");
    let ran = run(&profile, &["call", "demo.sample", "--arg", "prompt=why", "--answer", "rules.json"]).exits(0);
    assert!(ran.out.contains("a rule said: forty-two"), "{ran:?}");
}

#[test]
fn without_a_rule_and_without_a_terminal_every_question_is_declined() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.ask"]).exits(0);
    assert!(ran.out.contains("chose `decline`"), "{ran:?}");
    assert!(ran.err.contains("`elicitation/create`: declined"), "and said on stderr: {ran:?}");
    let ran = run(&profile, &["call", "demo.sample", "--arg", "prompt=why"]).exits(1);
    assert!(ran.err.contains("`sampling/createMessage`: refused"), "{ran:?}");
    let log = run(&profile, &["log", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let asked =
        log["rows"].as_array().unwrap().iter().find(|row| row["method"] == "sampling/createMessage").unwrap().clone();
    assert_eq!(asked["code"], -1, "a refusal of a person's has this code: {asked}");
}

#[test]
fn roots_are_the_folders_that_were_named() {
    let profile = Profile::default();
    std::fs::create_dir(profile.project().join("a b")).unwrap();
    let ran = run(&profile, &["call", "demo.roots", "--root", "a b", "--root", "/"]).exits(0);
    assert!(ran.out.contains("/a%20b\n") && ran.out.contains("file:///"), "{ran:?}");
}

#[test]
fn a_page_that_is_needed_first_is_agreed_to_waited_for_and_the_call_repeated() {
    let profile = Profile::default();
    let ran = run(&profile, &["call", "demo.open", "--arg", "how=error"]).exits(4);
    assert!(ran.err.contains("https://example.com/sonde-demo"), "the page is shown: {ran:?}");
    assert!(ran.err.contains("declined"), "and nobody went there: {ran:?}");
    write(
        &profile,
        "rules.json",
        r#"{"rules":[{"method":"elicitation/create","when":{"mode":"url"},"answer":{"action":"accept"}}]}"#,
    );
    let ran = run(&profile, &["call", "demo.open", "--arg", "how=error", "--answer", "rules.json"]).exits(0);
    assert_eq!(ran.out, "the page was opened before\n", "{ran:?}");
    assert!(ran.err.contains("waiting until the server says"), "{ran:?}");
}

#[test]
fn a_person_fills_in_a_form_at_the_terminal() {
    let profile = Profile::default();
    let mut person = Person::start(sonde(
        &profile,
        &["call", "demo.report", "--arg", "topic=tides", "--arg", "seconds:=0", "--arg", "ask:=true"],
    ));
    person.sees("asks you for input").sees("Who will read this report?").sees("1 experts, 2 beginners");
    person.sees("answer, decline or cancel? ").types("answer");
    person.sees("readers: ").types("poets").sees("is none of them");
    person.sees("readers: ").types("2").sees(r#"{"readers":"beginners"}"#);
    person.sees("send, fill in again").types("send").sees("A report for beginners");
    let (code, seen) = person.ends();
    assert_eq!(code, Some(0), "{seen}");
}

#[test]
fn a_person_answers_as_the_model_and_refuses_a_page() {
    let profile = Profile::default();
    let mut person = Person::start(sonde(&profile, &["call", "demo.sample", "--arg", "prompt=why is the sky blue"]));
    person.sees("asks for a model's answer").sees("why is the sky blue").sees("or refuse? ").types("text");
    person.sees("> ").types("it scatters").sees("> ").types("").sees("said: it scatters");
    assert_eq!(person.ends().0, Some(0));
    let mut person = Person::start(sonde(&profile, &["call", "demo.open"]));
    person.sees("wants you to open a page").sees("example.com").sees("accept, decline or cancel? ").types("decline");
    person.sees("chose `decline`");
    assert_eq!(person.ends().0, Some(0));
}

#[test]
fn a_terminal_shows_progress_and_hides_nothing_behind_control_characters() {
    let profile = Profile::default();
    // It takes longer than anybody waits: how busy the machine is must not matter.
    let slow = ["call", "demo.slow", "--arg", "seconds:=600", "--arg", "steps:=1000"];
    let mut person = Person::start(sonde(&profile, &slow));
    person.sees("slow  [").sees(" of 1000").sees("Ctrl+C cancels").interrupts();
    assert_eq!(person.ends().0, Some(130));
    let text = "text=red \u{1b}[31m and \u{202e}back";
    let person = Person::start(sonde(&profile, &["call", "demo.echo", "--arg", text]));
    let (code, seen) = person.ends();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains(r"red \u{1b}[31m and \u{202e}back"), "codes, not commands: {seen}");
    let ran = run(&profile, &["call", "demo.echo", "--arg", text]).exits(0);
    assert_eq!(ran.out, "red \u{1b}[31m and \u{202e}back\n", "a pipe gets the server's own bytes");
}

#[test]
fn a_server_that_never_stops_asking_does_not_fill_the_screen() {
    let ask = r#"{"jsonrpc":"2.0","id":"q'$n'","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}"#;
    let script = format!(
        r#"read -r line
printf '%s\n' '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-11-25","capabilities":{{}},"serverInfo":{{"name":"x","version":"1"}}}}}}'
read -r line
while read -r line; do case "$line" in *ping*) break;; esac; done
n=0
while [ $n -lt 60 ]; do n=$((n+1)); printf '%s\n' '{ask}'; read -r answer; printf '%s\n' "$answer" >>answers; done
printf '%s\n' '{{"jsonrpc":"2.0","id":2,"result":{{}}}}'
cat >/dev/null
"#
    );
    let profile = Profile::default().with_script("curious", &script);
    run(&profile, &["approve", "curious", "--yes"]).exits(0);
    let ran = run(&profile, &["ping", "curious"]).exits(0);
    assert_eq!(ran.err.lines().count(), 21, "twenty are told, and that there are more: {ran:?}");
    let answers = std::fs::read_to_string(profile.project().join("answers")).unwrap();
    assert_eq!(answers.matches(r#""action":"decline""#).count(), 60, "yet each was answered: {answers}");
}
