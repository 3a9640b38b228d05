//! A yes is given for exactly what was shown.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sonde_registry::{
    Approval, Approvals, ApprovalsError, EnvContent, EnvFile, Fingerprint, LaunchShape, LaunchVariable, ServerId,
    Verdict,
};

use crate::{command_line, load_project, remote, write};

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A variable of which nothing else is guarded.
fn plain(name: &str) -> LaunchVariable {
    LaunchVariable { name: name.to_owned(), written: String::new(), guarded: String::new() }
}

/// `env` as in `NAME` and `NAME=what is guarded`; what is written takes nothing unless it is `NAME<${REFERENCE}`.
fn fingerprint(binary: &str, args: &[&str], folder: &str, env: &[&str]) -> Fingerprint {
    let variable = |word: &&str| match (word.split_once('='), word.split_once('<')) {
        (Some((name, guarded)), _) => LaunchVariable { guarded: guarded.to_owned(), ..plain(name) },
        (None, Some((name, written))) => LaunchVariable { written: written.to_owned(), ..plain(name) },
        (None, None) => plain(word),
    };
    let env: Vec<LaunchVariable> = env.iter().map(variable).collect();
    Fingerprint::of(&LaunchShape {
        binary: Path::new(binary),
        target: Path::new(binary),
        args: &strings(args),
        written_args: &strings(args),
        folder: Path::new(folder),
        env: &env,
        env_passthrough: &[],
        env_file: None,
    })
}

const HERE: &str = "/project";

/// Takes down a launch whose program is the file `program`.
fn approval(approvals: &Approvals, fingerprint: &Fingerprint, program: &Path) -> Approval {
    approvals.take_down(fingerprint, Path::new(HERE), Some(program.to_owned()), Vec::new()).unwrap()
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
        written_args: &[],
        folder: Path::new("/project"),
        env: &[plain("KEY")],
        env_passthrough: &[],
        env_file: None,
    };
    let file = EnvFile { path: "/project/.env".into(), content: EnvContent::Unread };
    let with_file = LaunchShape { target: linked.binary, env_file: Some(&file), ..linked };
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
        fingerprint("/bin/node", &["a", "b"], "/project", &["KEY<${GITHUB_TOKEN}"]),
        fingerprint("/bin/node", &["a", "b"], "/project", &[]),
        Fingerprint::of(&linked),
        Fingerprint::of(&passed),
        Fingerprint::of(&with_file),
    ] {
        assert!(
            matches!(approvals.judge(&server, &changed).unwrap(), Verdict::Changed(_)),
            "that is not what was shown"
        );
    }
    let newer = fingerprint("/bin/node", &["c"], "/project", &[]);
    approvals.allow(&server, &approval(&approvals, &newer, &program)).unwrap();
    assert!(matches!(approvals.judge(&server, &shown).unwrap(), Verdict::Changed(_)), "a new yes replaces the old one");
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
    let approval = approvals.take_down(&shown, Path::new(HERE), Some(program.clone()), vec![script.clone()]).unwrap();
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
    let missing = approvals.take_down(&shown, Path::new(HERE), Some(program), Vec::new());
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
    let beside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(beside.iter().all(|name| !name.to_string_lossy().ends_with(".new")), "no draft is left: {beside:?}");
    let lock = folder.path().join("approvals.lock");
    assert_eq!(lock.metadata().unwrap().permissions().mode() & 0o777, 0o600, "nobody else can hold it");
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
        assert!(matches!(approvals.judge(&server, &shown).unwrap(), Verdict::Changed(_)), "`{text}`");
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
fn another_host_path_transport_header_proxy_or_trust_needs_another_yes() {
    let fingerprint = |entry: &str| {
        let root = tempfile::tempdir().unwrap();
        write(&root.path().join(".mcp.json"), &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
        let registry = load_project(root.path());
        Fingerprint::of_remote(remote(&registry.servers[0]))
    };
    let shown = fingerprint(r#"{"url":"https://x/mcp","headers":{"Authorization":"Bearer a"}}"#);
    for same in [
        r#"{"url":"https://x:443/mcp","headers":{"Authorization":"Bearer b"}}"#,
        r#"{"url":"https://X/mcp?page=1","headers":{"authorization":"Bearer a"}}"#,
        r#"{"serverUrl":"https://x/mcp","type":"auto","headers":{"Authorization":"${secret:TOKEN}"}}"#,
    ] {
        assert_eq!(fingerprint(same), shown, "tokens change: `{same}`");
    }
    let changed = [
        r#"{"url":"https://x/","headers":{"Authorization":"Bearer a"}}"#,
        r#"{"url":"https://x/mcp/","headers":{"Authorization":"Bearer a"}}"#,
        r#"{"url":"https://x/another/mcp","headers":{"Authorization":"Bearer a"}}"#,
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

#[test]
fn another_content_of_the_file_of_variables_needs_another_yes() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(".mcp.json"), r#"{"mcpServers":{"s":{"command":"x","envFile":"sub/.env"}}}"#);
    let path = root.path().join("sub/.env");
    let registry = load_project(root.path());
    let unread = command_line(&registry.servers[0]).env_file.clone().unwrap();
    assert_eq!(unread.path, path, "meant from the project, whatever our own folder is");
    let (server, program) = (ServerId::from_name("s").unwrap(), root.path().join("program"));
    write(&program, "one");
    let approvals = Approvals::at(root.path().join("approvals.json"));
    let of = |file: &EnvFile| {
        Fingerprint::of(&LaunchShape {
            binary: Path::new("/x"),
            target: Path::new("/x"),
            args: &[],
            written_args: &[],
            folder: root.path(),
            env: &[],
            env_passthrough: &[],
            env_file: Some(file),
        })
    };
    let looked = || {
        let mut file = unread.clone();
        let names = file.look();
        (of(&file), names)
    };
    let (absent, problem) = looked();
    assert!(problem.unwrap_err().contains("there is no file"), "that is told");
    approvals.allow(&server, &approval(&approvals, &absent, &program)).unwrap();
    assert_eq!(approvals.judge(&server, &absent).unwrap(), allowed(), "as long as it is not there");

    write(&path, "B=2\nexport NODE_OPTIONS=--require ./x.js\n");
    let changed = Verdict::ChangedVariables(path.clone());
    let (there, names) = looked();
    assert_eq!(names.unwrap(), ["B", "NODE_OPTIONS"], "a person sees what it sets");
    assert_eq!(approvals.judge(&server, &there).unwrap(), changed, "nobody has seen it");
    approvals.allow(&server, &approval(&approvals, &there, &program)).unwrap();
    assert_eq!(approvals.judge(&server, &there).unwrap(), allowed(), "what was shown");
    assert_eq!(approvals.judge(&server, &of(&unread)).unwrap(), allowed(), "as far as one can tell without reading it");

    write(&path, "B=2\nNODE_OPTIONS=--require ./y.js\n");
    assert_eq!(
        approvals.judge(&server, &looked().0).unwrap(),
        changed,
        "the names are the same, and the values are not"
    );
    std::fs::remove_file(&path).unwrap();
    assert_eq!(approvals.judge(&server, &looked().0).unwrap(), changed);
    write(&path, &format!("B={}", "x".repeat(1 << 20)));
    assert!(looked().1.is_err(), "no more is read than such a file has");
}

#[test]
fn projects_do_not_take_turns_asking_and_the_oldest_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals.json");
    let approvals = Approvals::at(path.clone());
    let program = folder.path().join("program");
    write(&program, "one");
    let server = ServerId::from_name("s").unwrap();
    let project = |number: usize| format!("/projects/{number}");
    let shown = |number: usize| fingerprint("/x", &[], &project(number), &[]);
    let allow = |shown: &Fingerprint, project: &str| {
        let approval = approvals.take_down(shown, Path::new(project), Some(program.clone()), Vec::new()).unwrap();
        approvals.allow(&server, &approval).unwrap();
    };
    for number in 0..17 {
        allow(&shown(number), &project(number));
    }
    let verdict = |shown: &Fingerprint| approvals.judge(&server, shown).unwrap();
    assert!(matches!(verdict(&shown(0)), Verdict::Changed(_)), "the oldest of seventeen");
    assert!((1..17).all(|number| verdict(&shown(number)) == allowed()), "each other holds");
    let newer = fingerprint("/x", &["more"], &project(5), &[]);
    allow(&newer, &project(5));
    assert_eq!(verdict(&newer), allowed());
    assert!(matches!(verdict(&shown(5)), Verdict::Changed(_)), "within one project a new yes replaces the old one");
    assert_eq!(verdict(&shown(4)), allowed(), "and leaves the other projects alone");
    approvals.forget(&server).unwrap();
    assert_eq!(verdict(&newer), Verdict::Unknown, "all are forgotten at once");

    // What an earlier version wrote: one approval, of no project.
    allow(&shown(1), &project(1));
    let mut file: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let mut single = file["approved"]["s"][0].take();
    single.as_object_mut().unwrap().remove("project").unwrap();
    file["approved"]["s"] = single;
    std::fs::write(&path, file.to_string()).unwrap();
    assert_eq!(verdict(&shown(1)), allowed(), "it holds for what it was given for");
    allow(&shown(2), &project(2));
    assert!(matches!(verdict(&shown(1)), Verdict::Changed(_)), "and no longer than it did then");
}

#[test]
fn the_window_and_terminals_do_not_lose_each_others_approvals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals.json");
    let program = folder.path().join("program");
    write(&program, "one");
    let shown = fingerprint("/x", &[], "/", &[]);
    let id = |process: usize, number: usize| ServerId::from_name(&format!("s-{process}-{number}")).unwrap();
    let start = std::sync::Barrier::new(4);
    std::thread::scope(|scope| {
        for process in 0..4 {
            let (path, program, shown, start) = (&path, &program, &shown, &start);
            scope.spawn(move || {
                // Each with a file of its own, as another process has.
                let approvals = Approvals::at(path.clone());
                let approval = approval(&approvals, shown, program);
                start.wait();
                (0..25).for_each(|number| approvals.allow(&id(process, number), &approval).unwrap());
            });
        }
    });
    let approvals = Approvals::at(path);
    for (process, number) in (0..4).flat_map(|process| (0..25).map(move |number| (process, number))) {
        assert_eq!(approvals.judge(&id(process, number), &shown).unwrap(), allowed(), "{process}, {number}");
    }
}

#[test]
fn whoever_is_asked_again_is_told_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::at(folder.path().join("approvals.json"));
    let program = folder.path().join("program");
    write(&program, "one");
    let server = ServerId::from_name("s").unwrap();
    let shown = fingerprint("/x", &["a", "b"], "/project", &["KEY", "LEVEL=info"]);
    approvals.allow(&server, &approval(&approvals, &shown, &program)).unwrap();
    let differs = |now: Fingerprint| match approvals.judge(&server, &now).unwrap() {
        Verdict::Changed(what) => what,
        verdict => panic!("it is another launch: {verdict:?}"),
    };
    let now = fingerprint("/x", &["a", "c"], "/project", &["KEY", "LEVEL=debug"]);
    assert_eq!(differs(now), ["argument 2", "the variable LEVEL"]);
    let now = fingerprint("/x", &["a"], "/other", &["LEVEL=info"]);
    assert_eq!(differs(now), ["argument 2", "the folder", "the variable KEY"], "also what is gone");
    let now = fingerprint("/x", &["a", "b"], "/project", &["KEY<${TOKEN}", "LEVEL=info"]);
    assert_eq!(differs(now), ["the variable KEY"], "it takes another variable");
    let other = fingerprint("/y", &[], "/elsewhere", &[]);
    let elsewhere = approvals.take_down(&other, Path::new("/elsewhere"), Some(program), Vec::new()).unwrap();
    approvals.allow(&server, &elsewhere).unwrap();
    let now = fingerprint("/x", &["a", "b", "c"], "/project", &["KEY", "LEVEL=info"]);
    assert_eq!(differs(now), ["argument 3"], "compared with what is most like it");
}
