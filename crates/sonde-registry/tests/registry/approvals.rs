//! A yes is given for exactly what was shown.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sonde_registry::{Approval, Approvals, ApprovalsError, Fingerprint, LaunchShape, ServerId, Verdict};

use crate::{load_project, remote, write};

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn fingerprint(binary: &str, args: &[&str], folder: &str, env: &[&str]) -> Fingerprint {
    let env: Vec<(String, String)> = env
        .iter()
        .map(|word| word.split_once('=').unwrap_or((word, "")))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Fingerprint::of(&LaunchShape {
        binary: Path::new(binary),
        target: Path::new(binary),
        args: &strings(args),
        folder: Path::new(folder),
        env: &env,
        env_passthrough: &[],
    })
}

/// Takes down a launch whose program is the file `program`.
fn approval(approvals: &Approvals, fingerprint: &Fingerprint, program: &Path) -> Approval {
    approvals.take_down(fingerprint, Some(program.to_owned()), Vec::new()).unwrap()
}

fn allowed() -> Verdict {
    Verdict::Allowed { replaced_scripts: Vec::new() }
}

#[test]
fn another_binary_argument_folder_or_variable_needs_another_yes() {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::at(folder.path().join("approvals.json"));
    let program = folder.path().join("node");
    write(&program, "the program");
    let (server, other) = (ServerId::from_name("s").unwrap(), ServerId::from_name("t").unwrap());
    let shown = fingerprint("/bin/node", &["a", "b"], "/project", &["KEY"]);
    assert_eq!(approvals.judge(&server, &shown).unwrap(), Verdict::Unknown, "nothing is allowed at first");
    approvals.allow(&server, &approval(&approvals, &shown, &program)).unwrap();
    assert_eq!(approvals.judge(&server, &shown).unwrap(), allowed(), "what was shown may start");
    assert_eq!(approvals.judge(&other, &shown).unwrap(), Verdict::Unknown, "under its own name only");
    let linked = LaunchShape {
        binary: Path::new("/bin/node"),
        target: Path::new("/usr/lib/node"),
        args: &strings(&["a", "b"]),
        folder: Path::new("/project"),
        env: &[("KEY".to_owned(), String::new())],
        env_passthrough: &[],
    };
    let passed = LaunchShape { target: linked.binary, env_passthrough: &strings(&["KEY"]), env: &[], ..linked };
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
        fingerprint("/bin/node", &["a", "b"], "/project", &["KEY=x"]),
        fingerprint("/bin/node", &["a", "b"], "/project", &[]),
        Fingerprint::of(&linked),
        Fingerprint::of(&passed),
    ] {
        assert_eq!(approvals.judge(&server, &changed).unwrap(), Verdict::Changed, "that is not what was shown");
    }
    let newer = fingerprint("/bin/node", &["c"], "/project", &[]);
    approvals.allow(&server, &approval(&approvals, &newer, &program)).unwrap();
    assert_eq!(approvals.judge(&server, &shown).unwrap(), Verdict::Changed, "a new yes replaces the old one");
    approvals.allow(&other, &approval(&approvals, &shown, &program)).unwrap();
    assert_eq!(approvals.judge(&server, &newer).unwrap(), allowed(), "and leaves other servers alone");
    approvals.forget(&server).unwrap();
    assert_eq!(approvals.judge(&server, &newer).unwrap(), Verdict::Unknown, "a yes can be forgotten");
    assert_eq!(approvals.judge(&other, &shown).unwrap(), allowed(), "one at a time");
}

#[test]
fn another_content_of_the_program_needs_another_yes_and_another_date_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals.json");
    let (program, script) = (folder.path().join("program"), folder.path().join("script.py"));
    write(&program, "one");
    write(&script, "print(1)");
    let server = ServerId::from_name("s").unwrap();
    let shown = fingerprint("/x", &[], "/", &[]);
    let approvals = Approvals::at(path.clone());
    let approval = approvals.take_down(&shown, Some(program.clone()), vec![script.clone()]).unwrap();
    approvals.allow(&server, &approval).unwrap();

    // Written anew with the same content: another file, but the same program.
    write(&folder.path().join("new"), "one");
    std::fs::rename(folder.path().join("new"), &program).unwrap();
    assert_eq!(Approvals::at(path.clone()).judge(&server, &shown).unwrap(), allowed(), "its content is what counts");

    write(&script, "print(2)");
    let replaced = Verdict::Allowed { replaced_scripts: vec![script] };
    assert_eq!(approvals.judge(&server, &shown).unwrap(), replaced, "a script is told, and no more");

    write(&folder.path().join("new"), "two");
    std::fs::rename(folder.path().join("new"), &program).unwrap();
    let replaced = Verdict::ReplacedProgram(program.clone());
    assert_eq!(approvals.judge(&server, &shown).unwrap(), replaced, "nobody has seen that one");
    std::fs::remove_file(&program).unwrap();
    assert_eq!(approvals.judge(&server, &shown).unwrap(), replaced, "nor what may come next");
    let missing = approvals.take_down(&shown, Some(program), Vec::new());
    assert!(
        matches!(missing, Err(ApprovalsError::Program { .. })),
        "what can't be read can't be approved: {missing:?}"
    );
}

#[test]
fn the_file_is_private_and_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals.json");
    std::fs::write(&path, r#"{"approved":{}}"#).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    let server = ServerId::from_name("s").unwrap();
    let approvals = Approvals::at(path.clone());
    approvals.allow(&server, &approval(&approvals, &fingerprint("/x", &[], "/", &[]), &path)).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "even if it was open before");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left beside it");
}

#[test]
fn a_file_that_somebody_changed_only_means_that_they_are_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals.json");
    let approvals = Approvals::at(path.clone());
    let program = folder.path().join("program");
    write(&program, "one");
    let (server, shown) = (ServerId::from_name("s").unwrap(), fingerprint("/x", &[], "/", &[]));
    approvals.allow(&server, &approval(&approvals, &shown, &program)).unwrap();
    let good = std::fs::read_to_string(&path).unwrap();

    let old = format!(r#"{{"approved":{{"s":"{}","t":"x"}}}}"#, shown.as_str());
    let without_program = format!(r#"{{"approved":{{"s":{{"fingerprint":"{}"}},"t":"x"}}}}"#, shown.as_str());
    for text in [old, without_program, r#"{"approved":{"s":null,"t":"x"}}"#.to_owned()] {
        std::fs::write(&path, &text).unwrap();
        assert_eq!(approvals.judge(&server, &shown).unwrap(), Verdict::Changed, "`{text}`");
        approvals.allow(&server, &approval(&approvals, &shown, &program)).unwrap();
        assert_eq!(approvals.judge(&server, &shown).unwrap(), allowed(), "and can say yes again");
        assert!(std::fs::read_to_string(&path).unwrap().contains(r#""t": "x""#), "what else it held is kept");
    }
    for text in ["", "{}", "[]", r#"{"approved":[]}"#, "\u{0}"] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(approvals.judge(&server, &shown).unwrap(), Verdict::Unknown, "`{text}`");
        approvals.forget(&server).unwrap();
        approvals.allow(&server, &approval(&approvals, &shown, &program)).unwrap();
        assert_eq!(approvals.judge(&server, &shown).unwrap(), allowed(), "`{text}`");
        let aside = folder.path().join("approvals.json.broken");
        assert_eq!(std::fs::read_to_string(aside).unwrap(), text, "what it held is put aside");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), good, "and the new one is as ours are");
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
        r#"{"serverUrl":"https://x/","type":"auto","headers":{"Authorization":"${secret:TOKEN}"}}"#,
    ] {
        assert_eq!(fingerprint(same), shown, "tokens change, and paths of the same server: `{same}`");
    }
    let changed = [
        r#"{"url":"https://x/mcp","headers":{"Authorization":"${HOST}"}}"#,
        r#"{"url":"https://x/mcp?q=${HOST}","headers":{"Authorization":"Bearer a"}}"#,
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
