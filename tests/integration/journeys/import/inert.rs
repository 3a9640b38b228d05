//! Nothing is started and nothing is fetched by looking, reading, importing or exporting.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::json;

use super::Home;
use crate::cli::console::finish;

#[test]
fn no_process_and_no_connection_come_of_an_import() {
    let home = Home::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let traces = home.folder().join("traces");
    std::fs::create_dir_all(&traces).unwrap();
    // Whatever is run by its name leaves a trace, too.
    for program in ["npx", "uvx", "node", "sh", "bash", "docker"] {
        let trace = traces.join(program);
        let path = home.write(&format!("bin/{program}"), format!("#!/bin/sh\n: > '{}'\n", trace.display()));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let script = home.write("server.sh", format!("#!/bin/sh\n: > '{}'\n", traces.join("script").display()));
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = json!({ "mcpServers": {
        "script": { "command": script, "auto_start": true },
        "shell": { "command": "sh", "args": ["-c", format!(": > '{}'", traces.join("shell").display())], "auto_start": true },
        "package": { "command": "npx", "args": ["-y", "anything"] },
        "remote": { "type": "http", "url": format!("http://{address}/mcp"), "auto_start": true },
        "older": { "type": "sse", "url": format!("http://{address}/sse") },
    } });
    let pasted =
        config.to_string().replace("\":{\"args", "-pasted\":{\"args").replace("\":{\"auto", "-pasted\":{\"auto");
    home.write(".config/Claude/claude_desktop_config.json", config.to_string());
    home.write(
        "other.json",
        pasted.replace("\":{\"command", "-pasted\":{\"command").replace("\":{\"type", "-pasted\":{\"type"),
    );
    let other = home.folder().join("other.json").to_str().unwrap().to_owned();
    let path = format!("{}:{}", home.folder().join("bin").display(), std::env::var("PATH").unwrap());
    let run = |words: &[&str]| {
        let mut command = home.command(words);
        command.env("PATH", &path).env("SHELL", home.folder().join("bin/bash"));
        if words.contains(&"-") {
            command.stdin(Stdio::from(std::fs::File::open(&other).unwrap()));
        }
        finish(command.spawn().unwrap()).exits(0)
    };
    run(&["import"]);
    run(&["import", "claude-desktop", "--dry-run"]);
    run(&["import", "-", "--dry-run"]);
    run(&["import", "claude-desktop"]);
    run(&["import", &other]);
    run(&["import", "--output", "json"]);
    run(&["export", "--shape", "codex"]);
    run(&["servers"]);
    assert_eq!(home.configured().len(), 10, "all of them are written down: {:?}", home.configured());
    let left: Vec<_> = traces.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "something was started: {left:?}");
    let came = listener.accept();
    assert!(matches!(&came, Err(error) if error.kind() == ErrorKind::WouldBlock), "somebody came: {came:?}");
    assert!(home.profile.processes().is_empty(), "nothing runs");
    for id in ["script", "remote"] {
        let refused = home.run(&["tools", id]);
        assert!(refused.code == Some(3) && refused.err.contains("approve"), "a person is asked first: {refused:?}");
    }
}
