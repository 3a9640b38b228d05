//! Servers that are written down for another client and read back are the same, but for what the notices name.

use std::path::Path;

use proptest::prelude::*;
use sonde_registry::Definition;
use sonde_registry::language::{Language, Object, Value};
use sonde_registry::shapes::{Notice, NoticeKind, Shape, Written, read_file, same};

use crate::clients::expected;
use crate::write;

#[test]
fn what_other_clients_know_goes_to_each_sure_shape_and_back() {
    let root = tempfile::tempdir().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/clients/expected");
    let mut count = 0;
    for file in folder.read_dir().unwrap() {
        let definitions = expected(file.unwrap().file_name().to_str().unwrap());
        for shape in Shape::sure() {
            check(root.path(), shape, &definitions);
            count += definitions.len();
        }
    }
    assert_eq!(Shape::sure().count(), 19, "eighteen clients and our own");
    assert!(count > 1000, "{count} servers were carried over");
}

#[test]
fn each_client_is_given_back_its_own_file_without_a_word() {
    let root = tempfile::tempdir().unwrap();
    for (name, id) in [
        ("claude-desktop", "claude-desktop"),
        ("claude-code", "claude-code"),
        ("cursor", "cursor"),
        ("vscode", "vscode"),
        ("copilot-cli", "copilot-cli"),
        ("cline", "cline"),
        ("continue-block", "continue"),
        ("codex", "codex"),
        ("gemini-cli", "gemini-cli"),
        ("lm-studio", "lm-studio"),
        ("amazon-q", "amazon-q"),
        ("kiro", "kiro"),
        ("opencode", "opencode"),
        ("amp", "amp"),
    ] {
        let written = check(root.path(), Shape::named(id).unwrap(), &expected(name));
        assert_eq!(written.notices, [], "{id} can say all that it said");
    }
}

#[test]
fn a_secret_is_written_as_each_client_takes_one() {
    let mut entry = Object::from_iter([("command", "x")]);
    entry.set("env", Object::from_iter([("API_KEY", "${secret:API_KEY}")]));
    let mut remote = Object::from_iter([("url", "https://h/mcp"), ("type", "http")]);
    remote.set("headers", Object::from_iter([("Authorization", "Bearer ${secret:Authorization}")]));
    let definitions = [Definition::new("local", entry), Definition::new("far", remote)];
    for (id, wanted) in [
        ("sonde", &[r#""API_KEY": "${secret:API_KEY}""#][..]),
        ("claude-code", &[r#""API_KEY": "${API_KEY}""#, r#""Authorization": "Bearer ${FAR_AUTHORIZATION}""#]),
        ("cursor", &[r#""API_KEY": "${env:API_KEY}""#]),
        ("vscode", &[r#""API_KEY": "${input:API_KEY}""#, r#""id": "API_KEY""#, r#""password": true"#]),
        ("opencode", &[r#""API_KEY": "{env:API_KEY}""#]),
        ("codex", &["env_vars = [\"API_KEY\"]", "bearer_token_env_var = \"FAR_AUTHORIZATION\""]),
        ("goose", &["env_keys:", "- API_KEY"]),
        ("continue", &["${{ secrets.API_KEY }}", "Bearer ${{ secrets.Authorization }}"]),
    ] {
        let shape = Shape::named(id).unwrap();
        let written = shape.write(&definitions);
        for part in wanted {
            assert!(written.text.contains(part), "{id} has no `{part}`:\n{}", written.text);
        }
        let told = |server: &str| written.notices.iter().any(|one| one.server == server && is_secret(one));
        assert!(told("local") && told("far"), "{id}: both are told: {:?}", written.notices);
    }
}

#[test]
fn two_secrets_of_one_name_do_not_become_one() {
    let server = |name: &str| {
        let mut entry = Object::from_iter([("command", "x")]);
        entry.set("env", Object::from_iter([("API_KEY", "${secret:API_KEY}")]));
        Definition::new(name, entry)
    };
    let both = [server("shop"), server("bank")];
    let text = Shape::ClaudeCode.write(&both).text;
    assert!(text.contains("${SHOP_API_KEY}") && text.contains("${BANK_API_KEY}"), "{text}");
    let text = Shape::VsCode.write(&both).text;
    assert!(text.contains("${input:shop-API_KEY}") && text.contains("\"id\": \"bank-API_KEY\""), "{text}");
}

fn is_secret(notice: &Notice) -> bool {
    matches!(notice.kind, NoticeKind::Secret(_))
}

/// Writes, reads and compares.
fn check(folder: &Path, shape: Shape, definitions: &[Definition]) -> Written {
    let written = shape.write(definitions);
    let path = folder.join(shape.file_name());
    write(&path, &written.text);
    let reading =
        read_file(shape, &path).unwrap_or_else(|error| panic!("{shape:?}: {error}\n{}", written.text)).unwrap();
    let section = &reading.sections[0];
    assert_eq!(section.problems, [], "{shape:?}:\n{}", written.text);
    assert_eq!(section.definitions.len(), definitions.len(), "{shape:?}:\n{}", written.text);
    for (before, after) in definitions.iter().zip(&section.definitions) {
        assert_eq!(before.name, after.name, "{shape:?}:\n{}", written.text);
        let notices: Vec<&Notice> = written.notices.iter().filter(|notice| notice.server == before.name).collect();
        let (left, right) = (without(&before.canonical().entry, &notices), without(&after.entry, &notices));
        assert!(
            same(&left, &right),
            "{shape:?} changed\n{}into\n{}by way of\n{}\n{notices:?}",
            Language::Json.render(&left),
            Language::Json.render(&right),
            written.text
        );
    }
    written
}

/// The entry without what a person was told about. What only is not read, or not filled in, must still be there.
fn without(entry: &Object, notices: &[&Notice]) -> Object {
    let mut entry = entry.clone();
    for notice in notices {
        if matches!(notice.kind, NoticeKind::Unread | NoticeKind::Unfilled(_)) {
            continue;
        }
        let Some((field, name)) = notice.field.split_once('.') else {
            entry.take(&notice.field);
            continue;
        };
        if let Some(Value::Object(object)) = entry.get_mut(field).map(|node| &mut node.value) {
            object.take(name);
        }
        // Codex names a variable where we name the secret.
        if let Some(Value::List(names)) = entry.get_mut("env_passthrough").map(|node| &mut node.value) {
            names.retain(|node| node.value.as_text() != Some(name));
        }
    }
    if notices.iter().any(|notice| is_secret(notice)) {
        entry.take("inputs");
    }
    entry
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -#%-z|~]{0,16}",
        "[a-zäß日🎉\\\\\"'#:\\-]{1,8}",
        prop::sample::select(vec![
            "8080", "true", "null", "~", "- x", "a: b", "1e3", "0x1f", " ", "\t", "a\nb", "yes", "'"
        ])
        .prop_map(str::to_owned),
    ]
}

/// A value with references in it, as far as those can be told from plain text by everybody.
fn value() -> impl Strategy<Value = String> {
    let reference = prop::sample::select(vec![
        "${TOKEN}",
        "${env:TOKEN}",
        "${TOKEN:-x}",
        "${A:-${B}}",
        "${secret:API_KEY}",
        "${secret:X-Key}",
        "${input:key}",
        "${userHome}",
        "${workspaceFolder}",
        "Bearer ${TOKEN}",
        "Bearer ${secret:Authorization}",
        "${A}${B}/x",
    ]);
    prop_oneof![text(), reference.prop_map(str::to_owned)]
}

fn pairs(name: &'static str) -> impl Strategy<Value = Object> {
    prop::collection::vec((name, value()), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

fn unknown() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(Value::Text),
        any::<bool>().prop_map(Value::Flag),
        any::<u32>().prop_map(|number| Value::Number(number.to_string())),
        prop::collection::vec(text(), 0..3).prop_map(Value::from),
        pairs("[a-z]{1,4}").prop_map(Value::Object),
    ]
}

fn entry() -> impl Strategy<Value = Object> {
    let time = prop::option::of(prop_oneof![Just("30s"), Just("500ms"), Just("90500ms"), Just("2m"), Just("1h")]);
    let command =
        (value().prop_filter("a program", |text| !text.trim().is_empty()), prop::collection::vec(value(), 0..4))
            .prop_flat_map(|(command, args)| {
                (Just(command), Just(args), pairs("[A-Z_][A-Z0-9_]{0,6}"), prop::option::of(value()), prop::bool::ANY)
            })
            .prop_map(|(command, args, env, cwd, passes)| {
                let mut entry = Object::from_iter([("command", command)]);
                entry.set("args", args);
                entry.set("env", env);
                if let Some(cwd) = cwd {
                    entry.set("cwd", cwd);
                }
                if passes {
                    entry.set("env_passthrough", vec!["PASSED", "ALSO"]);
                }
                entry
            });
    let remote =
        (prop::sample::select(vec!["https://h.example/mcp", "http://localhost:1/${TOKEN}"]), pairs("[A-Z][a-z-]{0,6}"))
            .prop_flat_map(|(url, headers)| (Just(url), Just(headers), prop::sample::select(vec!["", "http", "sse"])))
            .prop_map(|(url, headers, kind)| {
                let mut entry = Object::from_iter([("url", url)]);
                if !kind.is_empty() {
                    entry.set("type", kind);
                }
                entry.set("headers", headers);
                entry
            });
    let more = (
        time.clone(),
        time,
        prop::bool::ANY,
        prop::bool::ANY,
        prop::option::of(unknown()),
        prop::option::of(unknown()),
    );
    (prop_oneof![command, remote], more).prop_map(|(mut entry, (timeout, connecting, off, starts, odd, odder))| {
        let optional = [("timeout", timeout), ("connection_timeout", connecting)];
        optional
            .into_iter()
            .filter_map(|(name, time)| Some((name, time?)))
            .for_each(|(name, time)| entry.set(name, time));
        if off {
            entry.set("enabled", false);
        }
        if starts {
            entry.set("auto_start", true);
            entry.set("sonde", Object::from_iter([("protocol", "2025-06-18")]));
        }
        if let Some(odd) = odd {
            entry.set("autoApprove", odd);
        }
        if let Some(odd) = odder {
            entry.set("x note", odd);
        }
        entry
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9_-]{0,8}",
        "\\PC{1,6}",
        prop::sample::select(vec!["../../x", "a.b", "\u{202e}x", "null", "1"]).prop_map(str::to_owned)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn any_servers_go_to_each_sure_shape_and_back(servers in prop::collection::vec((name(), entry()), 1..4)) {
        let root = tempfile::tempdir().unwrap();
        let named = servers.into_iter().enumerate();
        let definitions: Vec<Definition> =
            named.map(|(index, (name, entry))| Definition::new(format!("{name}{index}"), entry)).collect();
        for shape in Shape::sure() {
            check(root.path(), shape, &definitions);
        }
    }
}
