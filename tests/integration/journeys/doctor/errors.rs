//! The main failures, as a person reads them on a terminal.

use integration::{Profile, write_plain_file};
use serde_json::json;

use crate::cli::console::{Ran, run, write};

/// What was printed, without what differs from machine to machine and from run to run.
fn told(profile: &Profile, ran: &Ran) -> String {
    let text = ran.err.replace(profile.project().to_str().unwrap(), "/PROJECT");
    // Which folders of tools there are is the machine's business.
    let mut is_searched = false;
    let lines = text.lines().filter(|line| {
        is_searched = line.starts_with("  searched:") || (is_searched && line.starts_with("    "));
        !is_searched
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Approves the server `shop` and asks for its tools, which must fail.
fn asked_in_vain(profile: &Profile, words: &[&str]) -> String {
    run(profile, &["approve", "shop", "--yes"]);
    let ran = run(profile, &[&["tools", "shop"], words].concat()).exits(3);
    told(profile, &ran)
}

#[test]
fn a_command_that_is_nowhere() {
    let profile = Profile::default().with_server("shop", "no-such-server", &["--port", "1"]);
    let ran = run(&profile, &["tools", "shop"]).exits(3);
    assert!(ran.err.contains("  searched:\n    /"), "the folders that were searched, each with its source: {ran:?}");
    let wanted = "\
sonde: Command not found
  server `shop`: the command `no-such-server` was not found
  server: shop
  file: ~/.mcp.json
  layer: project config
  command: no-such-server --port 1
  folder: ~
  likely causes:
    `no-such-server` is not installed
    it is installed where only your shell looks, by a version manager that we do not know
    the name is misspelt
hint: install it; or find it with `which no-such-server` in a terminal and write that path in `command`; variables that it needs are passed on with \"env_passthrough\": [\"LD_LIBRARY_PATH\", \"HTTPS_PROXY\"]";
    assert_eq!(told(&profile, &ran), wanted);
}

#[test]
fn a_file_that_may_not_be_run() {
    let profile = Profile::default().with_server("shop", "server.sh", &[]);
    let path = profile.project().join("server.sh");
    let profile = profile.with_server("shop", path.to_str().unwrap(), &["-v"]);
    write_plain_file(&path);
    let wanted = "\
sonde: Permission denied
  server `shop`: `~/server.sh` is not executable
  server: shop
  file: ~/.mcp.json
  layer: project config
  command: /PROJECT/server.sh -v
  folder: ~
  likely causes:
    the file lacks the right to be run
    it is a script that is given to its interpreter
hint: run `chmod +x /PROJECT/server.sh`, or let its interpreter run it: \"command\": \"sh\", \"args\": [\"/PROJECT/server.sh\", \"-v\"]";
    assert_eq!(told(&profile, &run(&profile, &["tools", "shop"]).exits(3)), wanted);
}

#[test]
fn a_server_that_crashes_and_one_that_only_ends() {
    let profile = Profile::default()
        .with_script("shop", "echo starting >&2\necho 'Error: DATABASE_URL is not set' >&2\nexit 3\n");
    let wanted = "\
sonde: Server crashed
  server `shop` ended with exit code 3 before answering `initialize`
  server: shop
  file: ~/.mcp.json
  layer: project config
  command: /bin/sh /PROJECT/shop.sh
  phase: the process was started; waiting for the answer to `initialize`
  ended with: exit code 3
  stderr:
    starting
    Error: DATABASE_URL is not set
  likely causes: a variable with a key or a setting may be missing: `env` gives one, `env_passthrough` lets ours through (stderr has `is not set`)
hint: run it in a terminal to see why: `/bin/sh /PROJECT/shop.sh`; check its variables (`env`, `env_passthrough`) and what it needs";
    assert_eq!(asked_in_vain(&profile, &[]), wanted);
    let profile = Profile::default().with_script("shop", "exit 0\n");
    let told = asked_in_vain(&profile, &[]);
    assert!(told.starts_with("sonde: Server ended\n"), "a clean exit is no crash: {told}");
}

#[test]
fn a_server_that_does_not_answer() {
    let profile = Profile::default().with_script("shop", "echo waiting >&2\nexec sleep 1000\n");
    let wanted = "\
sonde: Handshake timed out
  server `shop` did not answer `initialize` within 1 s
  server: shop
  file: ~/.mcp.json
  layer: project config
  command: /bin/sh /PROJECT/shop.sh
  phase: the process was started; waiting for the answer to `initialize`
  stderr: waiting
  likely causes:
    its first start takes long: npx and uvx download the package before they run it
    it is no MCP server, or does not speak stdio
    it waits for something: a password, a sign-in, a service
  try by hand: printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"by-hand\",\"version\":\"1\"}}}' | /bin/sh /PROJECT/shop.sh
hint: try it by hand with the line above; if it needs longer, give it time with \"timeout\": 60 in its entry, or with `--timeout 60s`";
    assert_eq!(asked_in_vain(&profile, &["--timeout", "1s"]), wanted);
}

#[test]
fn a_file_that_is_no_json() {
    let profile = Profile::default();
    write(
        &profile,
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"shop\": { \"command\": \"npx\" \"args\": [] }\n  }\n}\n",
    );
    let ran = run(&profile, &["servers"]).exits(2);
    let wanted = "\
sonde: Invalid JSON
  the file is not valid JSON: line 3, column 31: a comma is missing here
  file: ~/.mcp.json
  layer: project config
  at: line 3, column 31
  context:
      1 | {
      2 |   \"mcpServers\": {
    > 3 |     \"shop\": { \"command\": \"npx\" \"args\": [] }
        |                               ^
      4 |   }
      5 | }
  likely causes: a comma is missing between two members, often at the end of the line before
hint: correct the file at the caret, or just before it; comments and trailing commas are allowed, and `sonde servers` shows whether it can be read";
    assert_eq!(told(&profile, &ran), wanted);
    let ran = run(&profile, &["doctor", "shop"]).exits(2);
    assert!(told(&profile, &ran).starts_with(wanted), "whoever looks for a server hears of it, too: {ran:?}");
}

#[test]
fn an_entry_that_says_neither_program_nor_address() {
    let profile = Profile::default().with_entry("shop", json!({ "args": ["-y"] }));
    let wanted = "\
sonde: Missing transport
  server `shop`: there is neither `command` nor `url`
  server: shop
  file: ~/.mcp.json
  layer: project config
  at: line 1
  likely causes:
    the entry is unfinished
    it is written for a client with other names for them
  a program to run: \"shop\": { \"command\": \"npx\", \"args\": [\"-y\", \"shop-server\"] }
  a server at an address: \"shop\": { \"url\": \"https://example.com/mcp\" }
hint: write `command` for a program that is started here, or `url` for a server that runs somewhere";
    assert_eq!(told(&profile, &run(&profile, &["servers"]).exits(2)), wanted);
}
