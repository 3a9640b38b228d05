//! Whoever asks what an entry would mean learns nothing of our environment. Cargo gives a test variables of its own, so
//! there are values that no page could know.

use integration::Profile;
use serde_json::{Value, json};

use super::{load, write_servers};

/// What `${CARGO_MANIFEST_DIR}` and `${CARGO_PKG_VERSION}` mean.
const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
const HOST: &str = concat!("v", env!("CARGO_PKG_VERSION"), ".invalid");

/// Entries that ask for it at every place where a value is filled in.
fn entries() -> Value {
    json!({
        "folder": { "command": load(), "cwd": "${CARGO_MANIFEST_DIR}" },
        "no-folder": { "command": "./x", "cwd": "${CARGO_MANIFEST_DIR}/nowhere" },
        "program": { "command": "${CARGO_MANIFEST_DIR}/nowhere" },
        "is-a-folder": { "command": "${CARGO_MANIFEST_DIR}/" },
        "not-executable": { "command": "${CARGO_MANIFEST_DIR}/Cargo.toml" },
        "default": { "command": "${NO_SUCH_VARIABLE:-${CARGO_MANIFEST_DIR}/nowhere}" },
        "name": { "command": "x${CARGO_PKG_VERSION}" },
        "path": { "command": "no-such-program-here", "env": { "PATH": "${CARGO_MANIFEST_DIR}/bin" } },
        "roots": { "command": load(), "sonde": { "roots": ["${CARGO_MANIFEST_DIR}/x", "."] } },
        "url": {
            "url": "https://v${CARGO_PKG_VERSION}.invalid/mcp",
            "sonde": {
                "caFile": "${CARGO_MANIFEST_DIR}/ca.pem",
                "clientCertificate": "${CARGO_MANIFEST_DIR}/own.pem",
                "clientKey": "${CARGO_MANIFEST_DIR}/own.key",
                "proxy": "http://v${CARGO_PKG_VERSION}.invalid:3128",
            },
        },
        "scheme": { "url": "v${CARGO_PKG_VERSION}.invalid:80" },
        "header": { "url": "https://example.com/mcp", "headers": { "X-Place": "${CARGO_MANIFEST_DIR}" } },
    })
}

#[track_caller]
fn tells_nothing(of: &str, answer: &str) {
    assert!(!answer.contains(FOLDER), "{of}: a variable of ours is told: {answer}");
    assert!(!answer.contains(HOST) && !answer.contains(concat!("x", env!("CARGO_PKG_VERSION"))), "{of}: {answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_what_an_entry_means_does_not_learn_what_our_variables_hold() {
    let profile = Profile::default();
    write_servers(&profile, entries());
    let door = profile.open().await;
    let offer = door.ask("read_offer", json!({ "text": json!({ "mcpServers": entries() }).to_string() })).await;
    tells_nothing("read_offer", &offer.to_string());
    for (id, entry) in entries().as_object().unwrap() {
        for command in ["describe_server", "describe_posture", "examine_server", "connect_server"] {
            match door.call(command, json!({ "server": id })).await {
                Ok(answer) => tells_nothing(&format!("{command} of {id}"), &answer.to_string()),
                Err(error) => {
                    let told = serde_json::to_string(&error).unwrap();
                    tells_nothing(&format!("{command} of {id}"), &told);
                }
            }
        }
        let Some(command) = entry["command"].as_str().filter(|_| entry["env"].is_null()) else { continue };
        let draft = json!({
            "name": id, "enabled": true, "auto_start": false, "timeout": null, "connect_timeout": null,
            "fail_if_no_tools": false, "reconnect": false, "ping": null,
            "reach": {
                "kind": "command", "command": command, "args": [], "folder": entry["cwd"], "env": [],
                "env_passthrough": [],
            },
        });
        let report = door.ask("check_draft", draft).await;
        tells_nothing(&format!("check_draft of {id}"), &report.to_string());
    }
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_of_ours_is_shown_as_it_is_written_and_what_everybody_is_told_as_it_is() {
    let profile = Profile::default();
    let plain = json!({ "command": load(), "cwd": "${workspaceFolder}" });
    let servers = json!({ "hidden": entries()["folder"], "url": entries()["url"], "plain": plain });
    write_servers(&profile, servers);
    let door = profile.open().await;
    let launch = async |id: &str| door.ask("describe_server", json!({ "server": id })).await["launch"].clone();
    let hidden = launch("hidden").await;
    assert_eq!(hidden["folder"], "${CARGO_MANIFEST_DIR}", "as the entry has it");
    assert_eq!(hidden["resolved"], load(), "where the program was found is no secret");
    let url = launch("url").await;
    assert_eq!(url["origin"], "https://v${CARGO_PKG_VERSION}.invalid", "whom it means, as far as it may be told");
    assert_eq!(url["proxy"], "http://v${CARGO_PKG_VERSION}.invalid:3128");
    assert_eq!(url["client_key"], "${CARGO_MANIFEST_DIR}/own.key");
    let plain = launch("plain").await;
    assert_eq!(plain["folder"], profile.project().to_str().unwrap(), "the folder of the project is known to everybody");
    door.close().await;
}
