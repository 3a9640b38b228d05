//! A yes is given for exactly what was shown.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sonde_registry::{Approvals, ApprovalsError, Fingerprint, ServerId};

use crate::{load_project, remote, write};

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn fingerprint(binary: &str, args: &[&str], folder: &str, env: &[&str]) -> Fingerprint {
    Fingerprint::of(Path::new(binary), &strings(args), Path::new(folder), &strings(env))
}

#[test]
fn another_binary_argument_folder_or_variable_needs_another_yes() {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::at(folder.path().join("approvals.json"));
    let (server, other) = (ServerId::from_name("s").unwrap(), ServerId::from_name("t").unwrap());
    let shown = fingerprint("/bin/node", &["a", "b"], "/project", &["KEY"]);
    assert!(!approvals.allows(&server, &shown).unwrap(), "nothing is allowed at first");
    approvals.allow(&server, &shown).unwrap();
    assert!(approvals.allows(&server, &shown).unwrap(), "what was shown may start");
    assert!(!approvals.allows(&other, &shown).unwrap(), "under its own name only");
    for changed in [
        fingerprint("/bin/nodejs", &["a", "b"], "/project", &["KEY"]),
        fingerprint("/bin/node", &["a", "c"], "/project", &["KEY"]),
        fingerprint("/bin/node", &["a"], "/project", &["KEY"]),
        fingerprint("/bin/node", &["ab"], "/project", &["KEY"]),
        fingerprint("/bin/node", &["b", "a"], "/project", &["KEY"]),
        fingerprint("/bin/node", &["a", "b", "KEY"], "/project", &[]),
        fingerprint("/bin/node", &["a"], "/project", &["b", "KEY"]),
        fingerprint("/bin/node", &["a", "b"], "/project/", &["KEY", ""]),
        fingerprint("/bin/node", &["a", "b"], "/other", &["KEY"]),
        fingerprint("/bin/node", &["a", "b"], "/project", &["KEY", "LD_PRELOAD"]),
        fingerprint("/bin/node", &["a", "b"], "/project", &[]),
    ] {
        assert!(!approvals.allows(&server, &changed).unwrap(), "that is not what was shown");
    }
    let newer = fingerprint("/bin/node", &["c"], "/project", &[]);
    approvals.allow(&server, &newer).unwrap();
    assert!(!approvals.allows(&server, &shown).unwrap(), "a new yes replaces the old one");
    approvals.allow(&other, &shown).unwrap();
    assert!(approvals.allows(&server, &newer).unwrap(), "and leaves other servers alone");
}

#[test]
fn the_file_is_private_and_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals.json");
    std::fs::write(&path, r#"{"approved":{}}"#).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    let server = ServerId::from_name("s").unwrap();
    Approvals::at(path.clone()).allow(&server, &fingerprint("/x", &[], "/", &[])).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "even if it was open before");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left beside it");
}

#[test]
fn a_broken_file_allows_nothing_and_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals.json");
    let approvals = Approvals::at(path.clone());
    let (server, shown) = (ServerId::from_name("s").unwrap(), fingerprint("/x", &[], "/", &[]));
    for text in ["", "{}", "[]", r#"{"approved":[]}"#, "\u{0}"] {
        std::fs::write(&path, text).unwrap();
        assert!(matches!(approvals.allows(&server, &shown), Err(ApprovalsError::Invalid { .. })), "`{text}`");
        assert!(approvals.allow(&server, &shown).is_err(), "what else it held must not be lost");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "so it stays as it is");
    }
}

#[test]
fn another_host_transport_header_proxy_or_trust_needs_another_yes() {
    let fingerprint = |entry: &str| {
        let root = tempfile::tempdir().unwrap();
        write(&root.path().join(".mcp.json"), &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
        let registry = load_project(root.path());
        Fingerprint::of_remote(remote(&registry.servers[0]))
    };
    let shown = fingerprint(r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a"}}"#);
    for same in [
        r#"{"url":"https://x:443/mcp","headers":{"Authorization":"Bearer b"}}"#,
        r#"{"url":"https://X/mcp/v2?page=1","headers":{"authorization":"Bearer a"}}"#,
        r#"{"serverUrl":"https://x/","type":"auto","headers":{"Authorization":"${HOST}"}}"#,
    ] {
        assert_eq!(fingerprint(same), shown, "tokens change, and paths of the same server: `{same}`");
    }
    let changed = [
        r#"{"url":"http://x/mcp","headers":{"Authorization":"Bearer a"}}"#,
        r#"{"url":"https://x:8443/mcp","headers":{"Authorization":"Bearer a"}}"#,
        r#"{"url":"https://y/mcp","headers":{"Authorization":"Bearer a"}}"#,
        r#"{"url":"https://x/mcp"}"#,
        r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a","X":"y"}}"#,
        r#"{"url":"https://x/mcp","type":"sse","headers":{"Authorization":"Bearer a"}}"#,
        r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a"},"sonde":{"proxy":"none"}}"#,
        r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a"},"sonde":{"proxy":"http://p"}}"#,
        r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a"},"sonde":{"caFile":"a"}}"#,
        r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a"},"sonde":{"clientCertificate":"a"}}"#,
        r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a"},"sonde":{"trust":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}}"#,
    ];
    let mut found: Vec<String> = changed.iter().map(|entry| fingerprint(entry).as_str().to_owned()).collect();
    found.push(shown.as_str().to_owned());
    found.sort();
    found.dedup();
    assert_eq!(found.len(), changed.len() + 1, "none of them is what was shown, and no two are alike");
}
