//! What servers tell unasked, and the smaller requests: progress, logging, updates, completion, ping, templates.

use integration::Profile;
use serde_json::{Value, json};

use super::conversation::judge;
use super::reach::{Server, over_each_transport};
use super::servers::{sqlite, time};
use super::sonde::Sonde;

over_each_transport!(
    progress_is_recorded_step_by_step,
    log_messages_arrive_and_their_level_is_set,
    updates_of_a_resource_arrive_for_who_subscribed,
    a_followed_resource_is_subscribed_to_and_read_until_ctrl_c,
    arguments_of_prompts_and_templates_are_completed,
    a_ping_is_answered_by_every_server,
);

fn notifications<'a>(rows: &'a [Value], method: &str) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["dir"] == "in" && row["kind"] == "notification" && row["method"] == method).collect()
}

fn progress_is_recorded_step_by_step(server: &Server) {
    let sonde = Sonde::new();
    let arguments = json!({ "duration": 0.3, "steps": 3 }).to_string();
    sonde.json(&["call", "trigger-long-running-operation", "--json", &arguments], server);
    let rows = sonde.log();
    let steps: Vec<Value> = notifications(&rows, "notifications/progress")
        .iter()
        .map(|row| serde_json::from_str::<Value>(row["frames"][0]["text"].as_str().unwrap()).unwrap())
        .map(|message| message["params"]["progress"].clone())
        .collect();
    assert_eq!(steps, [1, 2, 3], "each step once");
    judge(&rows);
}

/// Sends lines on one connection; gives the log.
fn talk(sonde: &Sonde, lines: &[Value], server: &Server) -> Vec<Value> {
    let file = sonde.work().join("lines");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, text).unwrap();
    let run = sonde.run(&["send", &format!("@{}", file.display())], server);
    assert_eq!(run.exit, Some(0), "what was sent is answered: {}{}", run.stdout, run.stderr);
    sonde.log()
}

fn request(id: &str, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn log_messages_arrive_and_their_level_is_set(server: &Server) {
    let sonde = Sonde::new();
    let lines = [
        request("level", "logging/setLevel", json!({ "level": "debug" })),
        request("log", "tools/call", json!({ "name": "toggle-simulated-logging", "arguments": {} })),
    ];
    let rows = talk(&sonde, &lines, server);
    let level = rows.iter().find(|row| row["method"] == "logging/setLevel").expect("it was sent");
    assert_eq!(level["status"], "ok", "the level is taken: {level}");
    assert!(!notifications(&rows, "notifications/message").is_empty(), "a message arrives");
    judge(&rows);
}

/// Through the API and not the command line: the server sends updates only to a connection that subscribed, was answered,
/// and then asked for them, and the command line asks one thing on a connection.
fn updates_of_a_resource_arrive_for_who_subscribed(server: &Server) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(follow_a_resource(Profile::default().with_entry("everything", server.entry())));
}

async fn follow_a_resource(profile: Profile) {
    let uri = "demo://resource/static/document/features.md";
    let door = profile.open().await;
    door.connect("everything").await;
    let params = json!({ "uri": uri }).to_string();
    let request = json!({
        "server": "everything", "method": "resources/subscribe", "params": params, "anyway": false, "validate": true,
    });
    let subscribed = door.ask("send_request", request).await;
    assert_eq!(door.until_ended(&subscribed).await["status"], "ok", "the server takes subscriptions");
    door.run_tool("everything", "toggle-subscriber-updates", json!({})).await;
    let news = json!({ "server": "everything", "kind": "notification" });
    let update = door.until_row("an update", news, |row| row["method"] == "notifications/resources/updated").await;
    assert_eq!(update["target"], uri, "of what was subscribed to");
    door.close().await;
}

fn a_followed_resource_is_subscribed_to_and_read_until_ctrl_c(server: &Server) {
    let sonde = Sonde::new();
    let uri = "demo://resource/static/document/features.md";
    let mut following = sonde.start(&["read", uri, "--follow"], server);
    let first = following.line();
    assert_eq!(first["contents"][0]["uri"], uri, "it is read at once");
    assert_eq!(following.interrupt(), Some(130), "and followed until it is interrupted");
    let rows = sonde.log();
    let subscribed = rows.iter().find(|row| row["method"] == "resources/subscribe").expect("it was subscribed to");
    assert_eq!(subscribed["status"], "ok");
    judge(&rows);
}

fn arguments_of_prompts_and_templates_are_completed(server: &Server) {
    let sonde = Sonde::new();
    let complete = |words: &[&str]| sonde.json(&[&["complete"], words].concat(), server)["completion"].clone();
    let prompt = ["--prompt", "completable-prompt"];
    let department = complete(&[&prompt[..], &["--argument", "department=S"]].concat());
    assert_eq!(department["values"], json!(["Sales", "Support"]), "by what was typed");
    let lead = complete(&[&prompt[..], &["--argument", "name=", "--context", "department=Sales"]].concat());
    assert_eq!(lead["values"], json!(["David", "Eve", "Frank"]), "and by what was chosen before");
    let template = "demo://resource/dynamic/text/{resourceId}";
    let number = complete(&["--template", template, "--argument", "resourceId=7"]);
    assert_eq!(number["values"], json!(["7"]), "of a template");

    let read = sonde.json(&["read", "--template", template, "--arg", "resourceId=7"], server);
    assert_eq!(read["contents"][0]["uri"], "demo://resource/dynamic/text/7", "which is then filled in");
    let prompt = sonde.json(&["prompt", "args-prompt", "--arg", "city=Vienna"], server);
    assert_eq!(prompt["messages"][0]["content"]["text"], "What's weather in Vienna?");
    judge(&sonde.log());
}

fn a_ping_is_answered_by_every_server(server: &Server) {
    let sonde = Sonde::new();
    for server in [server, &time(), &sqlite(&sonde.work())] {
        sonde.json(&["ping", "--count", "3"], server);
    }
    let rows = sonde.log();
    let pings = rows.iter().filter(|row| row["method"] == "ping" && row["status"] == "ok");
    assert_eq!(pings.count(), 9, "three of each of three");
    judge(&rows);
}
