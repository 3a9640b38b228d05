//! Variables that a server gets, and what a yes to them covers.

use integration::{Door, Profile};
use serde_json::{Value, json};
use sonde_app::{Asked, ErrorCode, PendingApproval};

use super::{load, write_servers};

async fn refused(door: &Door) -> sonde_app::ApiError {
    let error = door.call("connect_server", json!({ "server": "load" })).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ApprovalNeeded, "{error}");
    error
}

async fn connects(door: &Door) {
    door.ask("connect_server", json!({ "server": "load" })).await;
    let server = door.until_server("load", &["ready", "failed"]).await;
    assert_eq!(server["state"], "ready", "{}", server["problem"]);
    door.disconnect("load").await;
}

async fn rewrite(profile: &Profile, door: &Door, entry: Value) {
    write_servers(profile, json!({ "load": entry }));
    door.app.reload().await;
}

fn fact(pending: &PendingApproval, name: &str) -> Option<String> {
    pending.facts().into_iter().find(|(own, _)| own == name).map(|(_, value)| value)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_variables_is_part_of_what_is_approved() {
    let plain = json!({ "command": load() });
    let with_file = json!({ "command": load(), "envFile": ".env", "env": { "OWN": "1" } });
    let profile = Profile::default().with_entry("load", plain);
    let door = profile.open().await;
    door.approve("load");
    connects(&door).await;

    let file = profile.project().join(".env");
    std::fs::write(&file, "REGION=eu\nNODE_OPTIONS=--require ./x.js\nOWN=2\n").unwrap();
    rewrite(&profile, &door, with_file.clone()).await;
    refused(&door).await;
    let pending = door.app.pending_approval("load").unwrap();
    assert_eq!(fact(&pending, "variables from").as_deref(), file.to_str(), "from the project: {pending:?}");
    assert_eq!(fact(&pending, "which sets").as_deref(), Some("REGION, NODE_OPTIONS, OWN"), "{pending:?}");
    assert!(pending.risks.iter().any(|risk| risk.contains("`NODE_OPTIONS`")), "{:?}", pending.risks);
    assert!(!format!("{pending:?}").contains("./x.js"), "no value of it is anywhere: {pending:?}");
    door.app.approve(&pending).unwrap();
    connects(&door).await;

    for text in ["REGION=eu\nNODE_OPTIONS=--require ./y.js\nOWN=2\n", "REGION=eu\n", "LD_PRELOAD=/x.so\n"] {
        std::fs::write(&file, text).unwrap();
        let error = refused(&door).await;
        let why = error.context.iter().find(|fact| fact.name == "changed").unwrap();
        assert!(why.value.contains("file of variables"), "and why: {error}");
        let pending = door.app.pending_approval("load").unwrap();
        assert!(pending.again.as_deref().unwrap().contains(".env"), "{pending:?}");
    }
    assert!(profile.processes().is_empty(), "it was not run: {:?}", profile.processes());
    std::fs::remove_file(&file).unwrap();
    let pending = door.app.pending_approval("load").unwrap();
    assert!(fact(&pending, "which fails").unwrap().contains("there is no file"), "{pending:?}");
    door.app.approve(&pending).unwrap();
    let error = door.call("connect_server", json!({ "server": "load" })).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Configuration, "{error}");
    std::fs::write(&file, "LD_PRELOAD=/x.so\n").unwrap();
    refused(&door).await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_path_that_a_file_of_variables_sets_runs_no_other_program() {
    let profile = Profile::default();
    let entry = json!({ "command": "sh", "args": ["-c", "exec \"$0\"", load()], "envFile": ".env" });
    let profile = profile.with_entry("load", entry);
    let folder = profile.project().join("evil");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("/bin/false", folder.join("sh")).unwrap();
    std::fs::write(profile.project().join(".env"), format!("PATH={}\n", folder.display())).unwrap();
    let door = profile.open().await;
    let pending = door.app.pending_approval("load").unwrap();
    let Asked::Command { binary, .. } = &pending.asked else { panic!("it is a command") };
    assert!(!binary.starts_with(folder.to_str().unwrap()), "what is shown is found without it: {binary}");
    assert!(pending.risks.iter().any(|risk| risk.contains("`PATH` is set by the file")), "{:?}", pending.risks);
    door.app.approve(&pending).unwrap();
    connects(&door).await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_value_that_is_no_secret_is_part_of_what_is_approved() {
    let entry = |env: Value| json!({ "command": load(), "env": env });
    let first = json!({ "LOG_LEVEL": "info", "API_KEY": "sk-0123456789", "X": "plain" });
    let profile = Profile::default().with_entry("load", entry(first.clone()));
    let door = profile.open().await;
    let pending = door.app.pending_approval("load").unwrap();
    assert_eq!(fact(&pending, "variable LOG_LEVEL").as_deref(), Some("info"), "what it covers can be seen");
    assert!(!format!("{:?}", pending.facts()).contains("sk-0123456789"), "{pending:?}");
    assert_eq!(fact(&pending, "of yours"), None, "nothing is taken");
    door.app.approve(&pending).unwrap();

    let mut env = first.clone();
    env["API_KEY"] = json!("sk-9876543210");
    rewrite(&profile, &door, entry(env.clone())).await;
    connects(&door).await;
    env["LOG_LEVEL"] = json!("debug");
    rewrite(&profile, &door, entry(env)).await;
    refused(&door).await;

    for taken in ["${CARGO_PKG_NAME}", "${env:CARGO_PKG_NAME:-x}"] {
        let mut env = first.clone();
        env["X"] = json!(taken);
        rewrite(&profile, &door, entry(env)).await;
        refused(&door).await;
        let pending = door.app.pending_approval("load").unwrap();
        assert_eq!(fact(&pending, "of yours").as_deref(), Some("X takes your CARGO_PKG_NAME"), "{pending:?}");
    }
    let mut env = first.clone();
    env["API_KEY"] = json!("sk-${CARGO_PKG_NAME}-0123456789");
    rewrite(&profile, &door, entry(env)).await;
    refused(&door).await;
    rewrite(&profile, &door, entry(first)).await;
    connects(&door).await;
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_projects_that_share_a_server_do_not_take_turns_asking() {
    let (one, two) = (Profile::with_load(&[]), Profile::with_load(&[]));
    let first = one.open().await;
    let shared = sonde_app::DataFolder::open(Some(one.data())).unwrap();
    let second = two.open_with(|setup| setup.data = shared).await;
    first.approve("load");
    refused(&second).await;
    second.approve("load");
    connects(&second).await;
    connects(&first).await;
    first.close().await;
    second.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_that_names_the_program_is_given_before_anybody_can_say_yes() {
    let (folder, name) = {
        let path = std::path::PathBuf::from(load());
        (path.parent().unwrap().to_owned(), path.file_name().unwrap().to_str().unwrap().to_owned())
    };
    let entry = json!({ "command": format!("${{input:place}}/{name}"), "args": ["--tools", "${input:count:-3}"] });
    let profile = Profile::default().with_entry("load", entry);
    let door = profile.open().await;
    let needed = door.app.pending_approval("load").unwrap_err();
    assert_eq!(needed.code, ErrorCode::InputNeeded, "{needed}");
    assert!(needed.to_string().contains("place") && needed.hint.is_some(), "what to do first: {needed}");
    let needed = door.call("connect_server", json!({ "server": "load" })).await.unwrap_err();
    assert_eq!(needed.code, ErrorCode::InputNeeded, "{needed}");
    let give = async |name: &str, value: &str| {
        let request = json!({ "server": "load", "kind": "input", "name": name, "value": value });
        door.ask("set_secret", request).await;
    };
    give("place", folder.to_str().unwrap()).await;
    give("count", "2").await;
    let error = refused(&door).await;
    assert!(!error.to_string().contains(folder.to_str().unwrap()), "a page does not learn what was given: {error}");
    let pending = door.app.pending_approval("load").unwrap();
    assert_eq!(fact(&pending, "program"), Some(load()), "what is run is shown");
    assert_eq!(fact(&pending, "argument 2").as_deref(), Some("${input:count:-3}"), "the rest is as it is written");
    door.app.approve(&pending).unwrap();
    connects(&door).await;
    let found = door.ask("examine_server", json!({ "server": "load" })).await;
    assert_eq!(found["verdict"], "well", "{found:#}");

    give("place", "/no/such/place").await;
    let error = door.call("connect_server", json!({ "server": "load" })).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::StartFailed, "{error}");
    assert!(!error.to_string().contains("/no/such/place"), "in the words of its entry: {error}");
    rewrite(&profile, &door, json!({ "command": "${secret:place}/x" })).await;
    let error = door.app.pending_approval("load").unwrap_err();
    assert!(error.to_string().contains("nobody may see it") && error.hint.is_some(), "{error}");
    door.close().await;
}
