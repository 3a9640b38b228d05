//! Questions of a server as a window deals with them: checked, looked at, refused all at once.

use integration::{Door, Profile};
use serde_json::{Value, json};
use sonde_app::ErrorCode;

async fn demo() -> (Profile, Door) {
    let profile = Profile::default();
    let door = profile.open().await;
    let capabilities = r#"{"elicitation":{"form":{},"url":{}},"sampling":{}}"#;
    let edit = json!({ "server": "demo", "edit": { "capabilities": capabilities } });
    door.ask("edit_posture", edit).await;
    door.connect("demo").await;
    (profile, door)
}

async fn until_waiting(door: &Door, count: usize) -> Vec<Value> {
    door.until("the questions", async || {
        let list = door.ask("list_questions", json!({})).await;
        list["questions"].as_array().filter(|waiting| waiting.len() == count).cloned()
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_checked_before_it_is_sent_and_can_be_sent_all_the_same() {
    let (_profile, door) = demo().await;
    let call = door.start_call("demo", "test_elicitation_sep1034_defaults", json!({})).await;
    let waiting = until_waiting(&door, 1).await;
    let number = &waiting[0]["number"];
    assert_eq!(waiting[0]["clipped"], false);
    assert_eq!(waiting[0]["size"], waiting[0]["params"].as_str().unwrap().len(), "all of it is here");
    let check = async |content: Value| {
        door.ask("check_answer", json!({ "number": number, "content": content.to_string() })).await
    };
    let wrong = check(json!({ "name": 7, "age": "old" })).await;
    let paths: Vec<&str> =
        wrong["violations"].as_array().unwrap().iter().filter_map(|each| each["path"].as_str()).collect();
    assert!(paths.contains(&"/name") && paths.contains(&"/age"), "each where it is: {wrong}");
    let right = check(json!({ "name": "Ada", "age": 36 })).await;
    assert_eq!(right, json!({ "violations": [], "note": null }));
    let bad = door.call("check_answer", json!({ "number": number, "content": "{" })).await.unwrap_err();
    assert_eq!(bad.code, ErrorCode::InvalidRequest, "{bad}");
    let answer = json!({ "action": "accept", "content": { "name": 7 } }).to_string();
    door.ask("answer_question", json!({ "number": number, "result": answer, "error": null })).await;
    let ended = door.until_ended(&call).await;
    assert!(ended["result"]["text"].as_str().unwrap().contains('7'), "the server has to bear it: {ended}");
    let over = door.call("check_answer", json!({ "number": number, "content": "{}" })).await.unwrap_err();
    assert_eq!(over.code, ErrorCode::UnknownQuestion);
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_server_asks_is_refused_at_once_each_in_its_own_way() {
    let (_profile, door) = demo().await;
    let asks = door.start_call("demo", "ask", json!({ "message": "who?" })).await;
    let again = door.start_call("demo", "ask", json!({ "message": "who else?" })).await;
    let samples = door.start_call("demo", "sample", json!({ "prompt": "why?" })).await;
    until_waiting(&door, 3).await;
    let elsewhere = door.ask("refuse_questions", json!({ "server": "another" })).await;
    assert_eq!(elsewhere["refused"], 0, "only those of that server");
    let refused = door.ask("refuse_questions", json!({ "server": "demo" })).await;
    assert_eq!(refused["refused"], 3);
    until_waiting(&door, 0).await;
    for call in [asks, again] {
        let ended = door.until_ended(&call).await;
        assert!(ended["result"]["text"].as_str().unwrap().contains("decline"), "{ended}");
    }
    assert_eq!(door.until_ended(&samples).await["status"], "tool-error", "an error says no to sampling");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_a_question_is_looked_at_and_nothing_else_can_be_opened() {
    let (_profile, door) = demo().await;
    let call = door.start_call("demo", "open", json!({})).await;
    let page = until_waiting(&door, 1).await.remove(0);
    let link = door.ask("look_at_link", json!({ "number": page["number"] })).await;
    assert_eq!(link["host"], "example.com");
    assert!(link["url"].as_str().unwrap().starts_with("https://example.com/sonde-demo"), "{link}");
    assert_eq!((&link["warnings"], &link["refusal"]), (&json!([]), &Value::Null));
    let form = door.start_call("demo", "ask", json!({})).await;
    let form_question = until_waiting(&door, 2).await.remove(1);
    for command in ["look_at_link", "open_link"] {
        let none = door.call(command, json!({ "number": form_question["number"] })).await.unwrap_err();
        assert_eq!(none.code, ErrorCode::InvalidRequest, "a form has no page: {none}");
        let unknown = door.call(command, json!({ "number": 4711 })).await.unwrap_err();
        assert_eq!(unknown.code, ErrorCode::UnknownQuestion, "{unknown}");
        let given =
            door.call(command, json!({ "number": page["number"], "url": "https://evil.test/" })).await.unwrap_err();
        assert_eq!(given.code, ErrorCode::InvalidRequest, "whoever asks can't say which: {given}");
    }
    door.ask("refuse_questions", json!({ "server": "demo" })).await;
    for call in [call, form] {
        door.until_ended(&call).await;
    }
    door.close().await;
}

/// More than crosses the door at once: the oldest is given as far as it goes, and what is cut says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_too_large_says_so() {
    let (_profile, door) = demo().await;
    let message = "x".repeat(300 << 10);
    for _ in 0..4 {
        door.start_call("demo", "ask", json!({ "message": message })).await;
    }
    let waiting = until_waiting(&door, 4).await;
    let lengths: Vec<usize> = waiting.iter().map(|each| each["params"].as_str().unwrap().len()).collect();
    assert!(
        waiting.iter().all(|each| each["clipped"] == true && each["size"].as_u64() > Some(300 << 10)),
        "{lengths:?}"
    );
    assert!(lengths[0] >= 256 << 10, "the oldest first: {lengths:?}");
    assert!(lengths.iter().sum::<usize>() < 600 << 10, "however many wait: {lengths:?}");
    door.close().await;
}
