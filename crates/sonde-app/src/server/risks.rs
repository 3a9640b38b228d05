//! What a person should look at twice before something is run or spoken to. Words, not refusals: each of these is
//! right for some server.

mod packages;
mod places;
mod variables;

use std::path::Path;

use sonde_registry::{Reference, RemoteSpec};

use crate::text::visible;

pub(crate) use variables::loads_code;

/// A command, as it would be run.
pub(crate) struct Looked<'a> {
    pub binary: &'a Path,
    /// The same with every link followed.
    pub target: &'a Path,
    /// Secrets and inputs as they are written.
    pub args: &'a [String],
    /// The program and the arguments as they are written: what is told of them is told in these words, since a variable
    /// that is filled in may be a secret.
    pub written: &'a [String],
    pub folder: &'a Path,
    /// As they are written.
    pub env: &'a [(String, String)],
    pub env_passthrough: &'a [String],
    /// The names that a file of variables sets, where somebody may know them.
    pub from_file: &'a [String],
    pub project: &'a Path,
}

/// In sentences, the worst first.
pub(crate) fn of_command(looked: &Looked) -> Vec<String> {
    let words = Words::of(looked);
    let mut risks = Vec::new();
    risks.extend(words.administrator());
    risks.extend(words.fetched_and_run());
    risks.extend(words.shell_script());
    risks.extend(words.code());
    risks.extend(words.container());
    risks.extend(variables::of(looked));
    risks.extend(places::of(looked));
    risks.extend(unseen(looked.args));
    risks.extend(packages::unpinned(&words));
    risks
}

pub(crate) fn of_remote(remote: &RemoteSpec) -> Vec<String> {
    if Reference::all_in(&remote.written).iter().any(Reference::is_given) {
        return vec!["the address has a secret or an input in it: who is spoken to is not shown in full".to_owned()];
    }
    let host = remote.url.host_str().unwrap_or_default();
    if remote.url.scheme() != "http" || is_loopback(host) {
        return Vec::new();
    }
    let secret: Vec<&str> =
        remote.headers.iter().filter(|header| header.secret).map(|header| header.name.as_str()).collect();
    let risk = match secret.is_empty() && remote.filled.is_empty() {
        true => format!("nothing that is said to `{host}` is encrypted: others on the way can read and change it"),
        false if secret.is_empty() => format!("what is filled into the address goes to `{host}` unencrypted"),
        false => format!("the secrets in {} go to `{host}` unencrypted", secret.join(", ")),
    };
    vec![risk]
}

/// The words of a command line.
pub(super) struct Words<'a> {
    /// The program first, then the arguments.
    words: Vec<Word<'a>>,
}

pub(super) struct Word<'a> {
    /// Of the program that it may be.
    name: String,
    /// As it would be run.
    text: &'a str,
    written: &'a str,
}

const SHELLS: [&str; 11] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "cmd", "powershell", "pwsh"];
/// Programs that take code as an argument, and how they are told so.
const INTERPRETERS: [(&str, &[&str]); 11] = [
    ("node", &["-e", "--eval", "-p", "--print", "-pe"]),
    ("nodejs", &["-e", "--eval", "-p", "--print", "-pe"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    ("python", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("osascript", &["-e"]),
    ("rscript", &["-e"]),
];
const ADMINISTRATORS: [&str; 6] = ["sudo", "doas", "pkexec", "su", "runas", "gsudo"];

impl<'a> Words<'a> {
    fn of(looked: &Looked<'a>) -> Self {
        let binary = looked.binary.to_str().unwrap_or_default();
        let words = std::iter::once(binary).chain(looked.args.iter().map(String::as_str));
        // The program is told by its name, which is one of ours, and never by its path.
        let written = looked.written.iter().map(String::as_str).chain(std::iter::repeat(""));
        Words { words: words.zip(written).map(|(text, written)| Word { name: program(text), text, written }).collect() }
    }

    /// Every word that may be a program, with its place and what follows it.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &str, &[Word<'a>])> {
        self.words
            .iter()
            .enumerate()
            .map(|(at, word)| (at, word.name.as_str(), self.words.get(at + 1..).unwrap_or_default()))
    }

    fn administrator(&self) -> Option<String> {
        // As a program, or within a script for a shell.
        let (_, name, _) = self.each().find(|(_, name, _)| ADMINISTRATORS.contains(name)).or_else(|| {
            let in_text = |text: &str| {
                text.split(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_')
                    .any(|word| word == "sudo" || word == "doas")
            };
            self.each().find(|(at, _, _)| {
                self.words.get(*at).is_some_and(|word| word.text.contains(' ') && in_text(word.text))
            })
        })?;
        let name = if ADMINISTRATORS.contains(&name) { name } else { "sudo" };
        Some(format!("`{name}` runs it with the rights of the administrator or of another person"))
    }

    fn fetched_and_run(&self) -> Option<String> {
        const FETCHERS: [&str; 6] = ["curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"];
        let (at, _) = self.words.iter().enumerate().skip(1).find(|(_, word)| {
            let text = word.text.to_ascii_lowercase();
            let fetches = FETCHERS.iter().any(|fetcher| text.contains(fetcher));
            let to_shell = text.split('|').skip(1).any(|part| {
                let first = part.trim_start_matches(['|', '&', ' ']).split_whitespace().next().unwrap_or_default();
                let first = program(first);
                SHELLS.contains(&first.as_str()) || ADMINISTRATORS.contains(&first.as_str()) || first == "iex"
            });
            to_shell || (fetches && (text.contains('|') || text.contains("$(") || text.contains("iex")))
        })?;
        Some(format!("argument {at} fetches something and hands it to a shell: whatever comes is run"))
    }

    fn shell_script(&self) -> Option<String> {
        self.each().find_map(|(at, name, rest)| {
            let shell = SHELLS.contains(&name).then_some(name)?;
            let script = flags(rest).find_map(|(at, flag)| is_shell_flag(name, flag).then_some(at))?;
            Some(format!("argument {} is a script for the shell `{shell}`: everything in it is run", at + script + 2))
        })
    }

    fn code(&self) -> Option<String> {
        self.each().find_map(|(at, name, rest)| {
            let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
            let (_, known) = INTERPRETERS.iter().find(|(interpreter, _)| *interpreter == stem)?;
            let (place, flag) = flags(rest).find(|(_, flag)| {
                known.contains(flag) || flag.starts_with("--eval=") || flag.starts_with("--print=")
            })?;
            let number = if flag.contains('=') { at + place + 1 } else { at + place + 2 };
            Some(format!("argument {number} is code that `{name}` runs as it stands"))
        })
    }

    fn container(&self) -> Vec<String> {
        const RUNNERS: [&str; 3] = ["docker", "podman", "nerdctl"];
        let Some((_, name, rest)) = self.each().find(|(_, name, _)| RUNNERS.contains(name)) else { return Vec::new() };
        let mut risks = Vec::new();
        for (place, word) in rest.iter().enumerate() {
            let next = rest.get(place + 1);
            let (flag, value, written) = match word.text.split_once('=') {
                Some((flag, value)) => {
                    (flag, value, word.written.split_once('=').map_or(word.written, |(_, value)| value))
                }
                None => (word.text, next.map_or("", |next| next.text), next.map_or("", |next| next.written)),
            };
            match flag {
                "--privileged" => risks.push(format!("`--privileged` lets what `{name}` runs out of its container")),
                "-v" | "--volume" | "--mount" => {
                    let what = mounted(flag, value);
                    risks.extend(
                        what.map(|what| format!("`{flag} {}` gives {what} to what `{name}` runs", visible(written))),
                    );
                }
                "--pid" | "--network" | "--net" | "--ipc" | "--userns" if value == "host" => {
                    risks.push(format!("`{flag} host` takes down a wall between the container and this machine"));
                }
                "--cap-add" | "--device" => {
                    risks.push(format!("`{flag} {}` gives the container more than is usual", visible(written)));
                }
                _ => {}
            }
        }
        risks
    }
}

/// The flags of a program with their places, up to the file that it is given: what follows is for that one.
fn flags<'a>(words: &[Word<'a>]) -> impl Iterator<Item = (usize, &'a str)> {
    /// Flags whose value follows them.
    const WITH_VALUE: [&str; 14] = [
        "-r",
        "--require",
        "--import",
        "--loader",
        "-C",
        "-W",
        "-X",
        "-o",
        "+o",
        "-O",
        "--rcfile",
        "--init-file",
        "-ExecutionPolicy",
        "-ep",
    ];
    let mut is_value = false;
    let words = words.iter().enumerate().map(|(at, word)| (at, word.text));
    let leading = words.take_while(move |(_, word)| {
        let goes_on = is_value || word.starts_with(['-', '+', '/']) || *word == "eval";
        is_value = !is_value && WITH_VALUE.contains(word);
        goes_on
    });
    leading.collect::<Vec<_>>().into_iter()
}

/// A mount that gives a container the whole machine, or a way to it.
fn mounted(flag: &str, value: &str) -> Option<&'static str> {
    let source = match flag {
        "--mount" => {
            value.split(',').find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))?
        }
        _ => value.split(':').next()?,
    };
    let home = std::env::var("HOME").unwrap_or_default();
    let plain = source.trim_end_matches('/');
    if plain.is_empty() && source.starts_with('/') {
        Some("the whole disk")
    } else if plain.ends_with("docker.sock") {
        Some("the control of every container, and so the whole machine,")
    } else if !home.is_empty() && (plain == home || plain == "~" || plain == "$HOME" || plain == "${HOME}") {
        Some("your whole home folder")
    } else if plain == "/etc" || plain == "/root" || plain == "/var" || plain == "/home" {
        Some("a folder of the system")
    } else {
        None
    }
}

fn is_shell_flag(shell: &str, flag: &str) -> bool {
    let lower = flag.to_ascii_lowercase();
    match shell {
        "cmd" => lower == "/c" || lower == "/k",
        "powershell" | "pwsh" => {
            // Any beginning of these words is understood.
            let word = lower.trim_start_matches(['-', '/']);
            lower.len() > word.len()
                && !word.is_empty()
                && ("command".starts_with(word) || "encodedcommand".starts_with(word) || word == "ec")
        }
        _ => flag.starts_with('-') && !flag.starts_with("--") && flag.contains('c'),
    }
}

/// What the person can't see, or not as it is.
fn unseen(args: &[String]) -> Vec<String> {
    let mut risks = Vec::new();
    for (number, arg) in (1..).zip(args) {
        if visible(arg) != *arg {
            risks.push(format!("argument {number} has characters that can't be seen; their codes are shown"));
        }
        if arg.contains("${input:") {
            risks.push(format!("argument {number} has an input in it, whose value is not shown"));
        }
    }
    risks
}

/// The name of a program, without its folder and its ending, as Windows compares it.
fn program(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    let plain = [".exe", ".cmd", ".bat", ".com"].iter().find_map(|ending| name.strip_suffix(ending).map(str::to_owned));
    plain.unwrap_or(name)
}

fn is_loopback(host: &str) -> bool {
    let name = host.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']');
    let address: Option<std::net::IpAddr> = name.parse().ok();
    name == "localhost" || name.ends_with(".localhost") || address.is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
