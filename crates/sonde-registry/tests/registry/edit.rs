//! One entry is changed in a text, and nothing else of it.

use std::os::unix::fs::PermissionsExt;

use sonde_registry::edit::{EditError, Edited, put, put_into, remove, remove_from};
use sonde_registry::language::{Document, Language, Object, Value};
use sonde_registry::{Definition, definitions};

use crate::write;

fn definition(name: &str, entry: &str) -> Definition {
    let root = Document::parse(entry, Language::Json).unwrap().root.value;
    let Value::Object(entry) = root else { panic!("`{entry}` is no object") };
    Definition::new(name, entry)
}

fn names(text: &str, language: Language) -> Vec<String> {
    definitions(text, language).unwrap().into_iter().map(|definition| definition.name).collect()
}

const JSON: &str = r#"// Ours and theirs.
{
  "theme": "dark", // theirs
  "mcpServers": {
    // The first one.
    "files": {
      "command": "npx", /* as ever */
      "args": ["-y", "files"],
      "env": { "A": "1", /* kept */ "B": "2" },
    },

    "web": { "url": "https://example.com/mcp" } // last
  }
}
"#;

#[test]
fn only_what_differs_is_changed_in_json() {
    let entry = r#"{"command":"npx","args":["-y","files","/tmp"],"env":{"A":"1","B":"3"},"timeout":"5s"}"#;
    let changed = put(JSON, Language::Json, &definition("files", entry)).unwrap();
    for kept in ["// Ours and theirs.", "// theirs", "// The first one.", "/* as ever */", "/* kept */", "// last"] {
        assert!(changed.contains(kept), "the comment `{kept}` is nobody's to remove: {changed}");
    }
    assert!(changed.contains(r#""B": "3""#) && changed.contains(r#""timeout": "5s""#), "{changed}");
    let found = definitions(&changed, Language::Json).unwrap();
    assert_eq!(found[0], definition("files", entry), "it says what was asked for");
    let unchanged = put(&changed, Language::Json, &definition("files", entry)).unwrap();
    assert_eq!(unchanged, changed, "what is there already changes not one byte");
}

#[test]
fn an_entry_is_changed_though_its_members_stand_in_another_order_or_are_all_others() {
    let lines = r#"{
  "mcpServers": {
    "files": {
      "command": "npx",
      "env": {
        "A": "1",
        "B": "2"
      },
      "args": ["-y", "--", "${secret:A}"]
    }
  }
}
"#;
    for text in [JSON, lines] {
        for entry in [
            r#"{"command":"npx","args":["-y"],"env":{"C":"3"}}"#,
            r#"{"command":"npx","args":["${secret:A}"],"env":{"A_2":"${secret:A_2}","C":"3"}}"#,
            r#"{"url":"https://example.com/mcp"}"#,
        ] {
            let changed = put(text, Language::Json, &definition("files", entry)).unwrap();
            let found = &definitions(&changed, Language::Json).unwrap()[0];
            let wanted = definition("files", entry);
            assert_eq!(found.entry.len(), wanted.entry.len(), "nothing of the old one is left: {changed}");
            for member in wanted.entry.iter() {
                assert_eq!(found.entry.get(&member.name), Some(&member.node), "it says what was asked for: {changed}");
            }
        }
    }
}

#[test]
fn an_entry_is_added_after_the_others_and_taken_out_again() {
    let new = definition("new one", r#"{"command":"x","args":["a b","\"\\\n"]}"#);
    let added = put(JSON, Language::Json, &new).unwrap();
    assert_eq!(names(&added, Language::Json), ["files", "web", "new one"]);
    assert!(added.contains("// last"), "{added}");
    let removed = remove(&added, Language::Json, "new one").unwrap();
    assert_eq!(names(&removed, Language::Json), ["files", "web"]);
    let without = remove(&removed, Language::Json, "files").unwrap();
    assert_eq!(names(&without, Language::Json), ["web"]);
    assert!(without.contains("\"theme\": \"dark\", // theirs"), "{without}");
    let none = remove(&without, Language::Json, "web").unwrap();
    assert!(names(&none, Language::Json).is_empty());
    assert!(matches!(remove(&none, Language::Json, "web"), Err(EditError::Absent(_))), "it is gone");
    assert_eq!(names(&put(&none, Language::Json, &new).unwrap(), Language::Json), ["new one"]);
}

#[test]
fn a_text_without_entries_gets_its_first_one() {
    let new = definition("s", r#"{"command":"x"}"#);
    for text in ["", "  \n", "{}", "{ }\n", "{\"theme\":1}", "\u{feff}{}", "{\"servers\":{}}", "{\"mcpServers\":{}}"] {
        let made = put(text, Language::Json, &new).unwrap();
        assert_eq!(names(&made, Language::Json), ["s"], "`{text}`: {made}");
        assert_eq!(made.starts_with('\u{feff}'), text.starts_with('\u{feff}'), "a mark stays where it was");
    }
    for text in ["", "theme: dark\n", "theme: dark", "mcpServers:\n", "mcpServers: {}\ntheme: dark\n", "# ours\n"] {
        let made = put(text, Language::Yaml, &new);
        // A comment alone is no document yet.
        let made = if text.starts_with('#') { continue } else { made.unwrap() };
        assert_eq!(names(&made, Language::Yaml), ["s"], "`{text}`: {made}");
    }
    let made = put("model = \"x\"\n", Language::Toml, &new).unwrap();
    assert_eq!(made, "model = \"x\"\n\n[mcp_servers.s]\ncommand = \"x\"\n");
}

#[test]
fn a_list_of_servers_stays_a_list() {
    let text = r#"{"servers":[{"name":"a","command":"x"},{"id":"b","url":"https://x"}]}"#;
    let changed = put(text, Language::Json, &definition("a", r#"{"command":"y"}"#)).unwrap();
    let changed = put(&changed, Language::Json, &definition("c", r#"{"command":"z"}"#)).unwrap();
    assert_eq!(names(&changed, Language::Json), ["a", "b", "c"], "{changed}");
    let found = definitions(&changed, Language::Json).unwrap();
    assert_eq!(found[0].entry.get("command").unwrap().value.as_text(), Some("y"));
    assert_eq!(found[2].entry.get("name").unwrap().value.as_text(), Some("c"), "an item has its name in it");
    let removed = remove(&changed, Language::Json, "b").unwrap();
    assert_eq!(names(&removed, Language::Json), ["a", "c"]);
}

const YAML: &str = "# Ours.
mcp:
  connection_timeout: 10s   # for all
  servers:
    # The first one.
    - id: files
      command: npx
      args: [-y, files]   # as ever
    # The second.
    - name: web
      url: https://example.com/mcp

theme: dark
";

#[test]
fn an_entry_of_yaml_is_changed_where_it_has_lines_of_its_own() {
    let changed = put(YAML, Language::Yaml, &definition("web", r#"{"url":"https://example.org/mcp"}"#)).unwrap();
    for kept in ["# Ours.", "# for all", "# The first one.", "# as ever", "# The second.", "\n\ntheme: dark\n"] {
        assert!(changed.contains(kept), "`{kept}` stays: {changed}");
    }
    let added = put(&changed, Language::Yaml, &definition("new", r#"{"command":"x","env":{"A":"yes: no"}}"#)).unwrap();
    assert_eq!(names(&added, Language::Yaml), ["files", "web", "new"], "{added}");
    let removed = remove(&added, Language::Yaml, "files").unwrap();
    assert_eq!(names(&removed, Language::Yaml), ["web", "new"], "{removed}");
    assert!(removed.contains("# for all") && removed.contains("theme: dark"), "{removed}");
    let map = "mcpServers:\n  a:\n    command: x\n  # about b\n  b:\n    command: y\n";
    let changed = put(map, Language::Yaml, &definition("a", r#"{"command":"z","args":["1"]}"#)).unwrap();
    assert!(changed.contains("  # about b\n  b:\n"), "{changed}");
    assert_eq!(names(&changed, Language::Yaml), ["a", "b"]);
}

#[test]
fn comments_within_an_entry_of_yaml_stay_and_so_do_the_ends_of_its_lines() {
    let text = "mcpServers:
  files:
    # why this one
    command: npx # as ever
    args: [-y, files]
    env:
      # about A
      A: '1'
      B: \"2 # 3\" # about B
    # about the time
    timeout: 5s

  web:
    url: https://example.com/mcp # the address
";
    let entry =
        r#"{"command":"bunx","args":["-y","files"],"env":{"A":"1","B":"4","C":"5"},"timeout":"5s","auto_start":true}"#;
    for (text, end) in [(text.to_owned(), "\n"), (text.replace('\n', "\r\n"), "\r\n")] {
        let changed = put(&text, Language::Yaml, &definition("files", entry)).unwrap();
        assert_eq!(definitions(&changed, Language::Yaml).unwrap()[0], definition("files", entry), "{changed}");
        for kept in [
            "    # why this one",
            "command: bunx # as ever",
            "      # about A",
            "'1'",
            " # about B",
            "    # about the time",
            "\n  web:",
            "# the address",
        ] {
            assert!(changed.contains(kept), "`{kept}` stays: {changed}");
        }
        assert_eq!(
            changed.matches('\n').count(),
            changed.matches(end).count(),
            "its lines end as they did: {changed:?}"
        );
        assert!(changed.matches('\n').count() == text.matches('\n').count() + 2, "two lines are new: {changed}");
        let fewer =
            put(&changed, Language::Yaml, &definition("files", r#"{"command":"bunx","timeout":"5s"}"#)).unwrap();
        assert!(fewer.contains("# why this one") && fewer.contains("# about the time"), "{fewer}");
        assert_eq!(names(&fewer, Language::Yaml), ["files", "web"], "{fewer}");
    }
    let list = "servers:\n  # the first\n  - name: a # its name\n    command: x # why\n  - name: b\n    command: y\n";
    let changed = put(list, Language::Yaml, &definition("a", r#"{"name":"a","command":"z","args":["1"]}"#)).unwrap();
    for kept in ["# the first", "- name: a # its name", "command: z # why", "  - name: b"] {
        assert!(changed.contains(kept), "`{kept}` stays: {changed}");
    }
}

#[test]
fn a_link_to_a_file_that_is_yet_to_be_made_stays_a_link() {
    let root = tempfile::tempdir().unwrap();
    let (real, link) = (root.path().join("elsewhere.json"), root.path().join("mcp.json"));
    std::os::unix::fs::symlink("elsewhere.json", &link).unwrap();
    put_into(&link, &definition("s", r#"{"command":"x"}"#)).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink(), "people keep such files elsewhere");
    assert!(std::fs::read_to_string(&real).unwrap().contains("\"s\""), "and there it is made");
}

#[test]
fn a_draft_is_never_written_through_a_link_that_somebody_planted() {
    let root = tempfile::tempdir().unwrap();
    let victim = root.path().join("victim");
    write(&victim, "precious");
    let pid = std::process::id();
    // The names that drafts have had, and those that the next ones would have.
    for number in 0..64 {
        std::os::unix::fs::symlink(&victim, root.path().join(format!("mcp.{pid}-{number}.new"))).unwrap();
    }
    let path = root.path().join("mcp.json");
    put_into(&path, &definition("s", r#"{"command":"x"}"#)).unwrap();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious", "it is not ours to write");
    assert!(std::fs::read_to_string(&path).unwrap().contains("\"s\""));
}

#[test]
fn yaml_whose_entries_have_no_lines_of_their_own_is_refused() {
    for text in
        ["mcpServers: {a: {command: x}, b: {command: y}}\n", "{mcpServers: {a: {command: x},\n b: {command: y}}}"]
    {
        let refused = put(text, Language::Yaml, &definition("a", r#"{"command":"z"}"#));
        assert!(matches!(refused, Err(EditError::Entangled(Language::Yaml))), "{refused:?}");
        assert!(refused.unwrap_err().to_string().contains("by hand"));
    }
}

#[test]
fn an_entry_of_toml_is_changed_beside_its_comments() {
    let text = "model = \"x\" # theirs\n\n# The first one.\n[mcp_servers.files]\ncommand = \"npx\" # as ever\nargs = [\"-y\"]\n\
        \n[mcp_servers.files.env]\nA = \"1\"\n\n[mcp_servers.web]\nurl = \"https://example.com\"\n";
    let entry = r#"{"command":"npx","args":["-y","files"],"env":{"A":"1"}}"#;
    let changed = put(text, Language::Toml, &definition("files", entry)).unwrap();
    for kept in ["# theirs", "# The first one.", "# as ever", "[mcp_servers.web]"] {
        assert!(changed.contains(kept), "`{kept}` stays: {changed}");
    }
    assert_eq!(definitions(&changed, Language::Toml).unwrap()[0], definition("files", entry));
    let added = put(&changed, Language::Toml, &definition("new", r#"{"command":"x","env":{"K":"v"}}"#)).unwrap();
    assert_eq!(names(&added, Language::Toml), ["files", "web", "new"], "{added}");
    let removed = remove(&added, Language::Toml, "files").unwrap();
    assert_eq!(names(&removed, Language::Toml), ["web", "new"]);
}

#[test]
fn a_text_that_cannot_be_read_is_never_changed() {
    for text in ["{", "[]", "7", r#"{"mcpServers":7}"#, r#"{"mcpServers":{"a":{"command":"x"}},"mcpServers":{}}"#] {
        let refused = put(text, Language::Json, &definition("s", "{}"));
        assert!(matches!(refused, Err(EditError::Entry(_) | EditError::Entangled(_))), "`{text}`: {refused:?}");
    }
}

#[test]
fn a_file_is_replaced_whole_keeps_its_mode_and_is_backed_up_once() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().canonicalize().unwrap();
    let path = folder.join("mcp.json");
    write(&path, JSON);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let edited = put_into(&path, &definition("s", r#"{"command":"x"}"#)).unwrap();
    let backup = folder.join("mcp.json.bak");
    assert_eq!(edited, Edited { path: path.clone(), created: false, backup: Some(backup.clone()) });
    assert_eq!(std::fs::read_to_string(&backup).unwrap(), JSON, "what was there before us");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640, "others read it as before");
    let edited = remove_from(&path, "files").unwrap();
    assert_eq!(edited.backup, None, "the first copy is the one that counts");
    assert_eq!(std::fs::read_to_string(&backup).unwrap(), JSON);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "no draft is left beside it");
}

#[test]
fn a_file_that_is_not_there_is_made_and_one_of_ours_needs_no_backup() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().canonicalize().unwrap().join("sonde/mcp.json");
    let edited = put_into(&path, &definition("s", r#"{"command":"x","args":["a"]}"#)).unwrap();
    assert!(edited.created && edited.backup.is_none(), "{edited:?}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "it is the person's alone");
    let edited = put_into(&path, &definition("t", r#"{"url":"https://x"}"#)).unwrap();
    assert_eq!(edited.backup, None, "nobody has anything in it but us");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(names(&text, Language::Json), ["s", "t"]);
    assert!(matches!(remove_from(&path, "u"), Err(EditError::Absent(name)) if name == "u"));
}

#[test]
fn a_link_stays_a_link() {
    let root = tempfile::tempdir().unwrap();
    let (real, link) = (root.path().join("real.json"), root.path().join("mcp.json"));
    write(&real, "{}");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    put_into(&link, &definition("s", r#"{"command":"x"}"#)).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink(), "people keep such files elsewhere");
    assert!(std::fs::read_to_string(&real).unwrap().contains("\"s\""));
}

#[test]
fn an_entry_with_anything_in_it_comes_back_as_it_was() {
    let mut entry = Object::default();
    for (index, text) in
        ["", " ", "a: b", "# c", "'", "\"", "\\", "\n", "é\u{202e}", "null", "1", "- x", "${A}", "\u{7f}\u{85}"]
            .into_iter()
            .enumerate()
    {
        entry.set(&format!("k{index} {text}"), vec![text.to_owned(), text.to_owned()]);
    }
    entry.set("command", "x");
    for language in [Language::Json, Language::Yaml, Language::Toml] {
        for name in ["s", "a b", "../../x", "1", "true", "a.b", "é\u{202e}x", "\"", ""] {
            let definition = Definition::new(name, entry.clone());
            let text = put("", language, &definition).unwrap();
            assert_eq!(definitions(&text, language).unwrap(), [definition], "{}: {text}", language.name());
        }
    }
}
