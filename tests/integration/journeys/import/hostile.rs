//! Files that are wrong, large or sly, and what is never written by halves.

use integration::binary;
use serde_json::{Value, json};

use super::Home;
use crate::cli::console::finish;

#[test]
fn what_other_clients_tolerate_is_tolerated() {
    let home = Home::new();
    let text = "\u{feff}// mine\n{ /* all */ \"mcpServers\": { \"a\": { \"command\": \"x\", }, }, }\n";
    home.write(".cursor/mcp.json", text);
    home.run(&["import", "cursor"]).exits(0);
    assert_eq!(home.configured(), ["a"]);
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    home.write(".kiro/settings/mcp.json", utf16);
    let kiro = home.run(&["import", "kiro", "--output", "json"]).exits(0).json();
    assert_eq!(kiro["skipped"][0]["name"], "a", "as some editors of Windows save it: {kiro}");
}

#[test]
fn a_file_that_cannot_be_read_is_told_with_its_line_and_nothing_is_taken_of_it() {
    let home = Home::new();
    let good = r#""good":{"command":"x"}"#;
    for (name, text, told) in [
        ("broken.json", format!("{{\"mcpServers\":{{\n{good},\n\"b\":{{,}}}}}}"), "line 3"),
        ("deep.json", format!("{{\"mcpServers\":{{{good},\"d\":{}", "[".repeat(100_000)), "line 1"),
        ("deep.yaml", format!("mcpServers:\n  a: {}", "[".repeat(50_000)), "line"),
        ("broken.toml", "[mcp_servers.a]\ncommand = \"x\"\nargs = [\n".to_owned(), "line"),
        ("broken.yaml", "extensions:\n  a:\n   - b\n  - c: [\n".to_owned(), "line"),
        ("list.json", "[1,2]".to_owned(), "no object"),
        ("empty.json", "{}".to_owned(), "no servers"),
    ] {
        let path = home.write(name, text);
        let ran = home.run(&["import", path.to_str().unwrap()]).exits(2);
        assert!(ran.err.contains(told), "{name}: {ran:?}");
        let as_json = home.run(&["import", path.to_str().unwrap(), "--output", "json"]).exits(2).json();
        assert_eq!(as_json["error"]["code"], "configuration", "{name}: {as_json}");
    }
    let huge = home.write("huge.json", "{");
    std::fs::File::options().write(true).open(&huge).unwrap().set_len(1 << 30).unwrap();
    let ran = home.run(&["import", huge.to_str().unwrap()]).exits(2);
    assert!(ran.err.contains("1073741824 bytes"), "{ran:?}");
    std::fs::rename(&huge, home.write(".cursor/mcp.json", "")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.write(".kiro/settings/x", "").with_file_name("mcp.json")).unwrap();
    let found = home.run(&["import", "--output", "json"]).exits(0).json();
    let offers: Vec<&Value> = found["files"].as_array().unwrap().iter().map(|file| &file["offer"]).collect();
    assert_eq!(offers.len(), 2, "{found}");
    assert!(offers.iter().all(|offer| offer["problems"].as_array().unwrap().len() == 1), "each is told: {found}");
    assert_eq!(home.configured(), Vec::<String>::new(), "nothing came of any of them");
}

#[test]
fn entries_that_cannot_be_used_are_told_with_their_line_and_the_others_are_offered() {
    let home = Home::new();
    let text = [
        r#"{"mcpServers":{"#,
        r#""number":{"command":7},"#,
        r#""args":{"command":"x","args":"--port 80"},"#,
        r#""env":{"command":"x","env":["A=1"]},"#,
        r#""both":{"command":"x","url":"https://h/"},"#,
        r#""neither":{"args":[]},"#,
        r#""password":{"url":"https://ada:secret@example.com/mcp"},"#,
        r#""file":{"url":"file:///etc/passwd"},"#,
        r#""twice":{"command":"x","command":"y"},"#,
        r#""null":null,"#,
        r#""good":{"command":"x"},"#,
        r#""same":{"command":"x"},"#,
        r#""same":{"command":"y"}}}"#,
    ]
    .join("\n");
    let path = home.write("odd.json", text);
    let path = path.to_str().unwrap();
    let offer = home.run(&["import", path, "--dry-run", "--output", "json"]).exits(0).json();
    let names: Vec<&str> =
        offer["offer"]["servers"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["good"]);
    let problems = offer["offer"]["problems"].as_array().unwrap();
    for (line, name) in [
        (2, "number"),
        (3, "args"),
        (4, "env"),
        (5, "both"),
        (6, "neither"),
        (7, "password"),
        (8, "file"),
        (13, "same"),
    ] {
        let fact = |problem: &Value, name: &str| {
            let facts = problem["context"].as_array().unwrap().clone();
            facts.iter().find(|fact| fact["name"] == name).map(|fact| fact["value"].as_str().unwrap().to_owned())
        };
        let problem = problems.iter().find(|problem| fact(problem, "server").as_deref() == Some(name));
        let problem = problem.unwrap_or_else(|| panic!("`{name}` is not told: {offer}"));
        assert_eq!(fact(problem, "at"), Some(format!("line {line}")), "{problem}");
    }
    assert!(!offer.to_string().contains("ada:secret"), "a password is not repeated: {offer}");
    let refused = home.run(&["import", path, "--only", "number"]).exits(2);
    assert!(refused.err.contains("`command`"), "{refused:?}");
    home.run(&["import", path]).exits(0);
    assert_eq!(home.configured(), ["good"]);
}

#[test]
fn names_are_made_safe_and_shown_as_they_are() {
    let home = Home::new();
    let long = "n".repeat(10 << 10);
    let names = ["../../x", "\u{202e}gpj.exe", "a b\u{1b}[2J", &long];
    let servers: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "command": "x" }))).collect();
    let path = home.write("names.json", json!({ "mcpServers": servers }).to_string());
    let ran = home.run(&["import", path.to_str().unwrap(), "--output", "json"]).exits(0).json();
    for id in ran["servers"].as_array().unwrap() {
        let id = id.as_str().unwrap();
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-%".contains(&byte);
        assert!(id.bytes().all(is_safe) && id.len() <= 128, "`{id}` can stand anywhere");
    }
    let mut configured = home.configured();
    configured.sort();
    let mut wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    wanted.sort();
    assert_eq!(configured, wanted, "the file has them as they were");
    let shown = home.run(&["import", path.to_str().unwrap(), "--dry-run"]).exits(0);
    assert!(
        !shown.err.contains('\u{202e}') && !shown.err.contains('\u{1b}'),
        "a terminal is not led astray: {shown:?}"
    );
    assert!(!home.folder().join("x").exists() && !home.profile.data().join("../x").exists());
}

#[test]
fn secrets_leave_the_file_and_the_source_keeps_them() {
    let home = Home::new();
    let text = json!({ "mcpServers": {
        "local": { "command": "x", "args": ["--api-key", "sk-planted-argument"], "env": { "API_KEY": "sk-planted-0123456789", "REGION": "eu", "HELD": "${HELD}" } },
        "far": { "url": "https://example.com/mcp?api_key=planted-in-url", "headers": { "Authorization": "Bearer planted-abcdef" } },
    } })
    .to_string();
    let source = home.write(".cursor/mcp.json", &text);
    let listed = home.run(&["import", "--output", "json"]).exits(0);
    assert!(!listed.out.contains("planted"), "not even a list shows them: {listed:?}");
    let refused = home.run(&["import", "cursor"]).exits(2);
    assert!(refused.err.contains("no keyring") && refused.err.contains("--leave-secrets-out"), "{refused:?}");
    assert!(!home.configuration().exists(), "a reference to nothing helps nobody, so nothing was written");
    let ran = home.run(&["import", "cursor", "--leave-secrets-out"]).exits(0);
    assert!(!ran.out.contains("planted") && !ran.err.contains("planted"), "{ran:?}");
    let told = ran.err.contains("`local` asks for") && ran.err.contains("`${secret:API_KEY_2}`");
    assert!(told, "what is to be given is told: {ran:?}");
    let written = std::fs::read_to_string(home.configuration()).unwrap();
    for wanted in [
        "${secret:API_KEY}",
        "${secret:API_KEY_2}",
        "?api_key=${secret:API_KEY}",
        "Bearer ${secret:Authorization}",
        "\"eu\"",
        "${HELD}",
    ] {
        assert!(written.contains(wanted), "no {wanted} in {written}");
    }
    assert_eq!(std::fs::read_to_string(source).unwrap(), text, "the source is another client's");
    for folder in [home.folder().join(".config/sonde"), home.profile.data()] {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap_or_default();
            let found = bytes.windows(7).any(|window| window == b"planted");
            assert!(!found, "{} has a secret in it", path.display());
        }
    }
}

#[test]
fn a_secret_that_is_not_kept_changes_no_approval() {
    let home = Home::new();
    let entry = json!({ "command": binary("sonde-load"), "args": ["--tools", "${secret:N}"] });
    home.write(".config/sonde/mcp.json", json!({ "mcpServers": { "own": entry } }).to_string());
    home.run(&["approve", "own", "--yes"]).exits(0);
    let value = home.write("value", "3");
    let mut set = home.command(&["secret", "set", "own", "N"]);
    set.stdin(std::fs::File::open(value).unwrap());
    let refused = finish(set.spawn().unwrap()).exits(2);
    assert!(refused.err.contains("can't be kept"), "{refused:?}");
    home.run(&["tools", "own", "--input", "N=3"]).exits(0);
    let told = home.run(&["tools", "--input", "N=3"]).exits(2);
    assert!(told.err.contains("one server"), "nobody gives it to all of them: {told:?}");
}

#[test]
fn all_that_was_chosen_is_written_or_nothing() {
    let home = Home::new();
    let path = home.write("two.json", r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}"#);
    let path = path.to_str().unwrap();
    for broken in ["{\"mcpServers\": {,}}", "{\"mcpServers\": 7}", "[]"] {
        let before = home.write(".config/sonde/mcp.json", broken);
        home.run(&["import", path]).exits(2);
        assert_eq!(std::fs::read_to_string(before).unwrap(), broken, "what can't be read is not changed");
    }
    let kept = "// mine\n{\n  \"other\": [1, 2], // kept\n  \"mcpServers\": { \"b\": { \"command\": \"mine\" } }\n}\n";
    let own = home.write(".config/sonde/mcp.json", kept);
    let refused = home.run(&["import", path, "--rename", "a=b"]).exits(2);
    assert!(refused.err.contains("`b` already"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&own).unwrap(), kept, "one that is refused keeps the others out, too");
    home.run(&["import", path]).exits(0);
    let after = std::fs::read_to_string(&own).unwrap();
    assert!(after.contains("// mine") && after.contains("// kept") && after.contains("\"mine\""), "{after}");
    assert!(after.contains("\"a\""), "{after}");
}
