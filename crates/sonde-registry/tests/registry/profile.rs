//! How a server is to be spoken to: its entry says, and a person may say otherwise.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use sonde_registry::{EntryError, JsonObject, Profile, Profiles, ProfilesError, ServerId};

use crate::{load_project, write};

fn entry(sonde: &str) -> String {
    format!(r#"{{"mcpServers":{{"s":{{"command":"x","sonde":{sonde}}}}}}}"#)
}

#[test]
fn an_entry_says_how_its_server_is_spoken_to() {
    let root = tempfile::tempdir().unwrap();
    let text = r#"{"clientInfo":{"name":"other",
        "version":"1"},"capabilities":{"z":1,"a":{}},"protocol":"2025-06-18","negotiate":false,
        "roots":["${HOST}/src","."],"longestLine":"1MiB","timeout":"2m","connectTimeout":5,"silence":"500ms"}"#;
    write(&root.path().join(".mcp.json"), &entry(text));
    let registry = load_project(root.path());
    assert_eq!(registry.problems, [], "all of it is known");
    let profile = &registry.servers[0].profile;
    let info = profile.client_info.as_ref().unwrap().as_str();
    assert!(info.contains(r#""version":"1""#) && !info.contains('\n'), "on one line: {info}");
    assert_eq!(profile.capabilities.as_ref().unwrap().as_str(), r#"{"z":1,"a":{}}"#, "in the order it was written");
    assert_eq!((profile.protocol.as_deref(), profile.negotiate), (Some("2025-06-18"), Some(false)));
    assert_eq!(profile.roots.as_deref().unwrap(), ["example/src", "."], "variables are filled in");
    assert_eq!(profile.longest_line, Some(1 << 20));
    assert_eq!(profile.timeout, Some(Duration::from_secs(120)));
    assert_eq!(profile.connect_timeout, Some(Duration::from_secs(5)), "a bare number is seconds");
    assert_eq!(profile.silence, Some(Duration::from_millis(500)));
}

#[test]
fn a_word_that_means_nothing_is_told_and_the_server_is_used() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(".mcp.json"), &entry(r#"{"protocol":"auto","timeOut":"1s"}"#));
    let registry = load_project(root.path());
    assert_eq!(registry.servers.len(), 1, "one wrong word does not take the server away");
    let told = registry.problems[0].error.to_string();
    assert!(told.contains("`sonde.timeOut`") && told.contains("timeout"), "which one, and what is known: {told}");
}

#[test]
fn a_value_of_the_wrong_kind_is_an_error_that_names_the_field() {
    let root = tempfile::tempdir().unwrap();
    for (text, field) in [
        (r#"7"#, "sonde"),
        (r#"{"clientInfo":"me"}"#, "sonde.clientInfo"),
        (r#"{"capabilities":[]}"#, "sonde.capabilities"),
        (r#"{"protocol":"latest"}"#, "sonde.protocol"),
        (r#"{"protocol":20250618}"#, "sonde.protocol"),
        (r#"{"negotiate":"no"}"#, "sonde.negotiate"),
        (r#"{"roots":"src"}"#, "sonde.roots"),
        (r#"{"longestLine":"much"}"#, "sonde.longestLine"),
        (r#"{"longestLine":0}"#, "sonde.longestLine"),
        (r#"{"longestLine":"513MiB"}"#, "sonde.longestLine"),
        (r#"{"timeout":"soon"}"#, "sonde.timeout"),
        (r#"{"timeout":-1}"#, "sonde.timeout"),
        (r#"{"silence":{}}"#, "sonde.silence"),
    ] {
        write(&root.path().join(".mcp.json"), &entry(text));
        let registry = load_project(root.path());
        assert!(registry.servers.is_empty(), "`{text}`: it would be spoken to otherwise than its file says");
        let EntryError::Field { field: found, .. } = &registry.problems[0].error else {
            panic!("`{text}`: {:?}", registry.problems)
        };
        assert_eq!(found, field, "`{text}`");
    }
    write(&root.path().join(".mcp.json"), &entry(r#"{"roots":["${NOWHERE}"]}"#));
    let told = load_project(root.path()).problems[0].error.to_string();
    assert!(told.contains("NOWHERE") && told.contains("sonde.roots"), "{told}");
}

#[test]
fn what_a_person_edits_stands_above_the_entry_field_by_field() {
    let below = Profile {
        protocol: Some("2024-11-05".to_owned()),
        longest_line: Some(5),
        connect_timeout: Some(Duration::from_secs(9)),
        ..Profile::default()
    };
    let above =
        Profile { protocol: Some("auto".to_owned()), timeout: Some(Duration::from_secs(1)), ..Profile::default() };
    let both = above.over(&below);
    assert_eq!(both.protocol.as_deref(), Some("auto"), "the edit wins");
    assert_eq!(both.longest_line, Some(5), "what was not edited stays");
    assert_eq!(both.connect_timeout, Some(Duration::from_secs(1)), "a time bounds connecting, too");
}

#[test]
fn profiles_are_private_and_come_back_as_they_were_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profiles.json");
    let profiles = Profiles::at(path.clone());
    let (server, other) = (ServerId::from_name("a b").unwrap(), ServerId::from_name("t").unwrap());
    assert!(profiles.of(&server).unwrap().is_empty(), "no file is nothing edited");
    let profile = Profile {
        client_info: JsonObject::parse(r#"{"name":"x","n":9007199254740993}"#),
        capabilities: JsonObject::parse("{}"),
        protocol: Some("2025-03-26".to_owned()),
        negotiate: Some(true),
        roots: Some(vec!["/a b".to_owned()]),
        longest_line: Some(512 << 20),
        timeout: Some(Duration::from_millis(1500)),
        connect_timeout: Some(Duration::from_secs(1)),
        silence: Some(Duration::from_secs(60)),
    };
    profiles.set(&server, &profile).unwrap();
    profiles.set(&other, &Profile { negotiate: Some(false), ..Profile::default() }).unwrap();
    assert_eq!(profiles.of(&server).unwrap(), profile, "every field, and long numbers whole");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    profiles.set(&server, &Profile::default()).unwrap();
    assert!(profiles.of(&server).unwrap().is_empty(), "an empty profile is forgotten");
    assert_eq!(profiles.of(&other).unwrap().negotiate, Some(false), "and the others stay");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left beside it");
}

#[test]
fn broken_profiles_are_told_and_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profiles.json");
    let profiles = Profiles::at(path.clone());
    let server = ServerId::from_name("s").unwrap();
    for text in ["", "{}", "[]", r#"{"profiles":7}"#] {
        std::fs::write(&path, text).unwrap();
        assert!(matches!(profiles.of(&server), Err(ProfilesError::Invalid { .. })), "`{text}`");
        assert!(profiles.set(&server, &Profile::default()).is_err(), "what else it held must not be lost");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "so it stays as it is");
    }
    std::fs::write(&path, r#"{"profiles":{"s":{"roots":1},"t":{}}}"#).unwrap();
    let told = profiles.of(&server).unwrap_err().to_string();
    assert!(told.contains("`s`") && told.contains("`roots`"), "server and field: {told}");
    assert!(profiles.of(&ServerId::from_name("t").unwrap()).is_ok(), "another server's profile is still good");
}

#[test]
fn only_an_object_is_taken_as_one() {
    for text in ["", "[]", "1", "null", "{", "{} {}"] {
        assert_eq!(JsonObject::parse(text), None, "`{text}`");
    }
    assert_eq!(JsonObject::parse(" {\"a\":\r\n1} ").unwrap().as_str(), "{\"a\":  1}", "one line, otherwise verbatim");
}
