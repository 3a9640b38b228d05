//! Why a server may have ended. Guesses, and told as such: what a server writes to stderr need not be an error, and
//! need not be why it ended.

use sonde_transport::Exit;

/// Words on stderr, and what a server that says them often lacks.
const SIGNS: &[(&[&str], &str)] = &[
    (
        &["Cannot find module", "ModuleNotFoundError", "No module named", "ERR_MODULE_NOT_FOUND", "ImportError"],
        "a package that it needs may not be installed",
    ),
    (
        &[
            "404 Not Found - GET https://registry",
            "E404",
            "No matching distribution",
            "not found in the package registry",
        ],
        "the name or the version of its package may be misspelt",
    ),
    (
        &["Cannot connect to the Docker daemon", "docker daemon running", "failed to connect to the docker API"],
        "Docker may not be running: start it, or Docker Desktop, and try again",
    ),
    (
        &["could not determine executable to run", "missing script:", "No executables provided by"],
        "the package may have no program of its name: look at its README for the command to run",
    ),
    (
        &["ECONNREFUSED", "Connection refused", "connect ETIMEDOUT"],
        "a service that it needs, like a database, may not be running",
    ),
    (
        &["EADDRINUSE", "Address already in use", "address already in use"],
        "another program may have its port, perhaps another copy of this server",
    ),
    (
        &["ENOTFOUND", "EAI_AGAIN", "getaddrinfo", "Temporary failure in name resolution"],
        "the network, or a host that it needs, may not be reachable",
    ),
    (
        &[
            "API_KEY",
            "API key",
            "api key",
            "_TOKEN",
            "environment variable",
            "env var",
            "is not set",
            "Unauthorized",
            "401",
        ],
        "a variable with a key or a setting may be missing: `env` gives one, `env_passthrough` lets ours through",
    ),
    (&["EACCES", "Permission denied", "permission denied", "EPERM"], "it may lack the right to a file or a port"),
    (
        &["ENOENT", "No such file or directory", "FileNotFoundError"],
        "a file or a folder may be missing: look at its arguments and at `cwd`",
    ),
    (
        &["EBADENGINE", "Unsupported engine", "requires Python", "SyntaxError", "Unexpected token"],
        "its interpreter may be too old for it",
    ),
    (
        &["unknown option", "unrecognized arguments", "unexpected argument", "Usage:", "usage:"],
        "an argument in `args` may be wrong or missing",
    ),
    (&["out of memory", "heap limit", "MemoryError"], "it may have run out of memory"),
];

/// Likely causes that are told.
const MOST: usize = 4;

/// What may have been the cause of an early end, the likeliest first.
pub(super) fn causes(exit: Option<Exit>, stderr: &[String]) -> Vec<String> {
    let mut causes = guesses(exit, stderr);
    if causes.is_empty() {
        causes.push(
            "a variable that it needs is not set: `env` gives one, `env_passthrough` lets ours through".to_owned(),
        );
        causes.push("a service that it needs is not running".to_owned());
        causes.push("an argument is wrong or missing".to_owned());
    }
    causes
}

/// What exit and stderr hint at, if at anything.
pub(super) fn guesses(exit: Option<Exit>, stderr: &[String]) -> Vec<String> {
    let seen = SIGNS.iter().filter_map(|(signs, meaning)| {
        let sign = signs.iter().find(|sign| stderr.iter().any(|line| line.contains(**sign)))?;
        Some(format!("{meaning} (stderr has `{sign}`)"))
    });
    let by_exit = exit.and_then(of_exit).map(str::to_owned);
    by_exit.into_iter().chain(seen).take(MOST).collect()
}

/// What an exit says by itself.
fn of_exit(exit: Exit) -> Option<&'static str> {
    /// What shells, and with them many scripts, add to the number of a signal.
    const BY_SIGNAL: i32 = 128;
    match exit {
        Exit::Code(126) => Some("a program that it starts can't be run (exit code 126 says so in shells)"),
        Exit::Code(127) => Some("a program that it starts was not found (exit code 127 says so in shells)"),
        Exit::Code(code) if (BY_SIGNAL + 1..BY_SIGNAL + 32).contains(&code) => of_signal(code - BY_SIGNAL),
        Exit::Code(_) => None,
        Exit::Signal(signal) => of_signal(signal),
    }
}

fn of_signal(signal: i32) -> Option<&'static str> {
    match signal {
        2 | 15 => Some("somebody asked it to end"),
        4 => Some("it was made for another processor"),
        6 => Some("it gave up on a fault of its own"),
        9 => Some("somebody killed it; the system does so when there is no memory left"),
        11 | 7 => Some("a fault in its native code"),
        13 => Some("it wrote to a pipe that nobody reads any more"),
        _ => None,
    }
}

/// The name of a signal, where it has one everywhere.
pub(super) fn signal_name(signal: i32) -> Option<&'static str> {
    match signal {
        1 => Some("SIGHUP"),
        2 => Some("SIGINT"),
        3 => Some("SIGQUIT"),
        4 => Some("SIGILL"),
        6 => Some("SIGABRT"),
        8 => Some("SIGFPE"),
        9 => Some("SIGKILL"),
        11 => Some("SIGSEGV"),
        13 => Some("SIGPIPE"),
        15 => Some("SIGTERM"),
        _ => None,
    }
}
