//! Servers at an address, on the command line: what may be typed, what is shown and what is asked.

use std::io::{BufRead, BufReader};
use std::process::Child;

use integration::Profile;
use serde_json::{Value, json};

use super::console::{finish, run, sonde, write};

/// The demo over HTTP; it ends with the journey.
struct Demo {
    child: Child,
    url: String,
}

impl Demo {
    fn start(profile: &Profile) -> Self {
        let mut child = sonde(profile, &["demo", "--http", "0"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("it says where it is: {line}"));
        Demo { url: url.trim().to_owned(), child }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn project(entries: &str) -> Profile {
    let profile = Profile::default();
    write(&profile, ".mcp.json", &format!(r#"{{"mcpServers":{entries}}}"#));
    profile
}

#[test]
fn an_address_stands_in_the_place_of_a_command_and_of_a_name() {
    let profile = Profile::default();
    for words in [
        &["tools", "--url", "http://127.0.0.1:1/", "--", "true"][..],
        &["tools", "--url", "http://127.0.0.1:1/", "--server", "demo"],
        &["tools", "demo", "--header", "A=b"],
        &["tools", "--transport", "sse", "--", "true"],
        &["tools", "--url", "http://127.0.0.1:1/", "--transport", "stdio"],
        &["tools", "--url", "http://127.0.0.1:1/", "--key", "me.key"],
        &["tools", "--url", "http://127.0.0.1:1/", "--env", "A=b"],
        &["tools", "--server", "demo", "--cwd", "."],
        &["tools", "--url", "http://127.0.0.1:1/", "demo"],
    ] {
        let ran = run(&profile, words).exits(2);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{words:?}: {ran:?}");
    }
    for command in
        ["connect", "tools", "call", "resources", "read", "prompts", "prompt", "complete", "ping", "send", "load"]
    {
        let help = run(&profile, &[command, "--help"]).exits(0).out;
        for flag in [
            "--url <URL>",
            "--transport <TRANSPORT>",
            "--header <NAME=VALUE>",
            "--cacert",
            "--cert",
            "--key",
            "--trust",
            "--proxy",
        ] {
            assert!(help.contains(flag), "`{command}` knows `{flag}`: {help}");
        }
    }
}

#[test]
fn what_can_not_be_typed_is_named_and_a_secret_is_not_repeated() {
    let profile = Profile::default();
    let good = "http://127.0.0.1:1/";
    for (words, told) in [
        (&["--url", "127.0.0.1:1"][..], "--url"),
        (&["--url", "file:///etc/passwd"], "not `file`"),
        (&["--url", "http://ada:s3cret@127.0.0.1:1/"], "Authorization"),
        (&["--url", good, "--header", "s3cret"], "`--header`: write NAME=VALUE"),
        (&["--url", good, "--header", "Host: s3cret"], "`--header Host`"),
        (&["--url", good, "--header", "Authorization: s3cret é"], "`--header Authorization`"),
        (&["--url", good, "--proxy", "socks5://s3cret@127.0.0.1"], "`--proxy`"),
        (&["--url", good, "--trust", "sha1:00"], "`--trust`"),
    ] {
        let words: Vec<&str> = ["ping"].iter().chain(words).copied().collect();
        let ran = run(&profile, &words).exits(2);
        assert!(ran.err.contains(told) && !ran.err.contains("s3cret"), "{words:?}: {ran:?}");
    }
}

#[test]
fn addresses_are_listed_as_they_are_written_and_without_their_secrets() {
    let profile = project(
        r#"{"shop":{"url":"https://${SHOP_HOST}/mcp?api_key=s3cret","headers":{"Authorization":"Bearer ${SHOP_TOKEN}"}},
            "old":{"type":"sse","serverUrl":"http://127.0.0.1:1/sse"}}"#,
    );
    let with_variables = |words: &[&str]| {
        let mut command = sonde(&profile, words);
        finish(command.env("SHOP_HOST", "shop.example").env("SHOP_TOKEN", "s3cret").spawn().unwrap())
    };
    let ran = with_variables(&["servers"]).exits(0);
    let line = ran.out.lines().find(|line| line.starts_with("shop")).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.ends_with("https://${SHOP_HOST}/mcp?api_key=‹masked›"), "{line}");
    let list = with_variables(&["servers", "--output", "json"]).exits(0);
    let transports: Vec<String> = list.json()["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| format!("{} {}", server["id"].as_str().unwrap(), server["transport"].as_str().unwrap()))
        .collect();
    assert_eq!(transports, ["shop http", "old sse", "demo stdio"], "in the order of the file: {list:?}");
    let refused = with_variables(&["ping", "shop"]).exits(3);
    assert!(refused.err.contains("sonde approve shop"), "{refused:?}");
    let asked = with_variables(&["approve", "shop"]).exits(2);
    let approved = with_variables(&["approve", "shop", "--yes"]).exits(0);
    for (name, value) in [
        ("origin", "https://shop.example"),
        ("url", "https://${SHOP_HOST}/mcp?api_key=‹masked›"),
        ("transport", "Streamable HTTP, or HTTP with SSE"),
        ("headers", "Authorization"),
        ("proxy", "as the environment says"),
        ("from", ".mcp.json"),
    ] {
        let shows = |line: &str| line.starts_with(name) && line.ends_with(value);
        assert!(approved.out.lines().any(shows), "`{name}` is `{value}`: {approved:?}");
    }
    let json = with_variables(&["approve", "shop", "--yes", "--output", "json"]).exits(0);
    assert_eq!(json.json()["url"]["headers"][0]["value"], "Bearer ‹masked›", "{json:?}");
    for ran in [ran, list, refused, asked, approved, json] {
        assert!(!format!("{ran:?}").contains("s3cret"), "{ran:?}");
    }
}

#[test]
fn a_yes_holds_for_the_server_and_not_for_another_one() {
    let approval = |profile: &Profile| run(profile, &["ping", "shop", "--timeout", "30s"]).exits(3).err;
    let entry = |url: &str, sonde: &str| format!(r#"{{"mcpServers":{{"shop":{{"url":"{url}","sonde":{sonde}}}}}}}"#);
    let profile = Profile::default();
    write(&profile, ".mcp.json", &entry("http://127.0.0.1:1/mcp", "{}"));
    assert!(approval(&profile).contains("sonde approve shop"), "nobody has allowed it");
    run(&profile, &["approve", "shop", "--yes"]).exits(0);
    for (url, sonde, is_asked) in [
        ("http://127.0.0.1:1/mcp", "{}", false),
        ("http://127.0.0.1:1/other", "{}", true),
        ("http://127.0.0.1:2/mcp", "{}", true),
        ("http://127.0.0.1:1/mcp", r#"{"proxy":"http://127.0.0.1:1"}"#, true),
    ] {
        write(&profile, ".mcp.json", &entry(url, sonde));
        let told = approval(&profile);
        assert_eq!(told.contains("sonde approve shop"), is_asked, "{url} {sonde}: {told}");
    }
}

#[test]
fn what_is_only_odd_is_told_and_is_no_failure() {
    let profile = project(
        r#"{"open":{"url":"http://shop.example/mcp","headers":{"X-Api-Key":"s3cret"}},
            "odd":{"command":"true","sonde":{"timeOut":"1s"}}}"#,
    );
    let ran = run(&profile, &["servers"]).exits(0);
    assert!(ran.out.contains("open") && ran.out.contains("odd"), "both are used: {ran:?}");
    assert!(ran.err.contains("unencrypted") && ran.err.contains("`https://`"), "{ran:?}");
    assert!(ran.err.contains("`sonde.timeOut`") && !ran.err.contains("s3cret"), "{ran:?}");
    let list = run(&profile, &["servers", "--output", "json"]).exits(0).json();
    let severities: Vec<_> = list["problems"].as_array().unwrap().iter().map(|told| told["severity"].clone()).collect();
    assert_eq!(severities, ["warning", "warning"], "{list}");
    write(&profile, ".mcp.json", r#"{"mcpServers":{"bad":{"command":"true","sonde":{"longestLine":"1GiB"}}}}"#);
    let ran = run(&profile, &["servers"]).exits(2);
    assert!(ran.err.contains("`sonde.longestLine`") && ran.err.contains("512MiB"), "and this is one: {ran:?}");
}

#[test]
fn every_command_does_at_an_address_what_it_does_with_a_process() {
    let profile = Profile::default();
    let demo = Demo::start(&profile);
    let both = |words: &[&str]| -> (Value, Value) {
        let json = |way: &[&str]| {
            let words: Vec<&str> = words.iter().chain(way).copied().chain(["--output", "json"]).collect();
            run(&profile, &words).exits(0).json()
        };
        (json(&["--server", "demo"]), json(&["--url", &demo.url]))
    };
    for words in [
        &["tools"][..],
        &["resources"],
        &["resources", "--templates"],
        &["prompts"],
        &["call", "add", "--arg", "a:=2", "--arg", "b:=3"],
        &["read", "demo://pixel.png"],
        &["prompt", "translate", "--arg", "text=hello", "--arg", "language=German"],
        &["complete", "--prompt", "translate", "--argument", "language=G"],
    ] {
        let (process, address) = both(words);
        assert_eq!(process, address, "{words:?}");
    }
    run(&profile, &["ping", "--url", &demo.url]).exits(0);
    run(&profile, &["call", "fail", "--url", &demo.url]).exits(1);
    run(&profile, &["load", "echo", "--arg", "text=x", "--count", "5", "--yes", "--url", &demo.url]).exits(0);
    let told = run(&profile, &["connect", "--url", &demo.url, "--output", "json"]).exits(0).json();
    assert_eq!((&told["transport"], &told["pid"], &told["tls"]), (&json!("http"), &Value::Null, &Value::Null));
    assert!(told["session"].as_str().unwrap().starts_with("‹session:"), "its id is nobody's business: {told}");
    let ran = run(&profile, &["connect", "--url", &demo.url]).exits(0);
    assert!(ran.out.contains(&demo.url) && ran.out.contains("‹session:"), "{ran:?}");
}

#[test]
fn the_log_has_the_exchanges_and_no_secret() {
    let profile = Profile::default();
    let demo = Demo::start(&profile);
    let url = format!("{}?api_key=s3cret-in-the-address", demo.url);
    write(
        &profile,
        ".mcp.json",
        &json!({ "mcpServers": { "shop": { "url": url, "headers": {
            "Authorization": "Bearer ${SHOP_TOKEN}", "X-Tenant": "blue", "X-Shop": "${SHOP_TOKEN}" } } } })
        .to_string(),
    );
    let with_token = |words: &[&str]| finish(sonde(&profile, words).env("SHOP_TOKEN", "s3cret-token").spawn().unwrap());
    with_token(&["approve", "shop", "--yes"]).exits(0);
    with_token(&["call", "shop.echo", "--arg", "text=hello"]).exits(0);
    let words = ["ping", "--url", &demo.url, "--header", "Authorization: Bearer s3cret-typed"];
    run(&profile, &words).exits(0);
    let log = with_token(&["log", "--server", "shop", "--output", "json"]).exits(0).json();
    let rows = log["rows"].as_array().unwrap();
    let call = rows.iter().find(|row| row["method"] == "tools/call").unwrap_or_else(|| panic!("{log}"));
    let exchange = &call["http"][0];
    assert_eq!((&exchange["method"], &exchange["status"]), (&json!("POST"), &json!(200)), "{call}");
    assert!(exchange["url"].as_str().unwrap().ends_with("?api_key=‹masked›"), "{exchange}");
    let header = |name: &str| {
        let headers = exchange["request_headers"].as_array().unwrap();
        let found = headers.iter().find(|header| header["name"].as_str().unwrap().eq_ignore_ascii_case(name));
        found.unwrap_or_else(|| panic!("`{name}`: {exchange}"))["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (&*header("authorization"), &*header("x-shop"), &*header("x-tenant")),
        ("Bearer ‹masked›", "‹masked›", "blue"),
        "what may be read is there, and what may not is not"
    );
    let typed = run(&profile, &["log", "--server", "127-0-0-1", "--output", "json"]).exits(0).json();
    assert!(typed["total"].as_i64().unwrap() > 0, "a typed address is found by its host: {typed}");
    let mut folders = vec![profile.data()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            let holds = bytes.windows(6).any(|window| window == b"s3cret");
            assert!(!holds, "`{}` holds a secret", entry.path().display());
        }
    }
}
