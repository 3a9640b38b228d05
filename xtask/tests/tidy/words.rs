//! Words that belong to one place. Where a word stands shows which part of the system does the thing.

use crate::tree::{self, File, has_word, report};

#[test]
fn the_protocol_has_no_async_and_no_clock() {
    let words = ["async", "await", "tokio", "Instant::now", "SystemTime::now"];
    let found = shipped_with(&words, |file| file.under("crates/sonde-protocol/"));
    report(&found, "pass the time in; wait in sonde-transport or sonde-client");
}

#[test]
fn only_the_transport_starts_processes_and_opens_sockets() {
    let words = ["Command::new", "TcpStream", "TcpListener", "UnixStream", "UnixListener", "UdpSocket", "reqwest"];
    let free = ["crates/sonde-transport/", "crates/sonde-demo/", "tests/bench/", "xtask/"];
    let found = shipped_with(&words, |file| !free.iter().any(|folder| file.under(folder)));
    report(&found, "let sonde-transport do it: what it starts, it also ends, limits and records");
}

#[test]
fn only_the_store_contains_sql() {
    let words = ["SELECT ", "INSERT INTO", "DELETE FROM", "CREATE TABLE", "sqlx::"];
    let free = ["crates/sonde-store/", "tests/bench/", "xtask/"];
    let mut found = shipped_with(&words, |file| !free.iter().any(|folder| file.under(folder)));
    let strays = |file: &&File| file.path.ends_with(".sql") && !file.under("crates/sonde-store/") && !file.is_test();
    found.extend(tree::files().iter().filter(strays).map(|file| file.at(1)));
    report(&found, "give sonde-store a function with a name from the domain, and call that");
}

#[test]
fn only_the_window_names_tauri() {
    let mut found = shipped_with(&["tauri"], |file| file.under("crates/"));
    let manifests = |file: &&File| file.under("crates/") && file.path.ends_with(".toml");
    found.extend(tree::files().iter().filter(manifests).flat_map(|file| lines_with(file, "tauri")));
    report(&found, "what needs the window belongs to src-tauri/; the core serves every front door");
}

#[test]
fn only_one_file_of_the_ui_imports_the_host() {
    let is_other = |file: &&File| file.under("ui/src/") && file.path != "ui/src/backend/tauri.ts";
    let found: Vec<_> =
        tree::files().iter().filter(is_other).flat_map(|file| lines_with(file, "@tauri-apps")).collect();
    report(&found, "use the interface in ui/src/backend/backend.ts, so that the fake can stand in");
}

#[test]
fn unsafe_code_is_only_where_processes_are_made() {
    let is_home = |file: &File| {
        file.path == "crates/sonde-transport/src/process.rs" || file.under("crates/sonde-transport/src/process/")
    };
    // The rules themselves have to name the word.
    let found = shipped_with(&["unsafe"], |file| !is_home(file) && !file.under("xtask/tests/"));
    report(&found, "find the safe call (rustix, command-fds), or move it to the transport's process module");
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let mut found = Vec::new();
    for file in tree::files() {
        for (index, line) in file.text.lines().enumerate() {
            for folder in ["work", "root"].map(|name| format!("/{name}/")) {
                if line.match_indices(&folder).any(|(start, _)| begins_a_path(&line[..start])) {
                    found.push(format!("{}: {folder}", file.at(index + 1)));
                }
            }
        }
    }
    report(&found, "use a path relative to the repository, or an invented one such as /home/ada/");
}

/// Whether a slash after this text is the root of a path and not the middle of one.
fn begins_a_path(before: &str) -> bool {
    !before.ends_with(|character: char| character.is_alphanumeric() || "._-~})]*>".contains(character))
}

/// Places in shipped Rust code where one of the words stands.
fn shipped_with(words: &[&str], applies: impl Fn(&File) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in tree::files().iter().filter(|file| file.is_rust() && !file.is_test() && applies(file)) {
        for (number, line) in file.shipped() {
            found.extend(
                words.iter().filter(|word| has_word(line, word)).map(|word| format!("{}: {word}", file.at(number))),
            );
        }
    }
    found
}

fn lines_with(file: &File, word: &str) -> Vec<String> {
    let lines = file.text.lines().enumerate().filter(|(_, line)| has_word(line, word));
    lines.map(|(index, _)| format!("{}: {word}", file.at(index + 1))).collect()
}
