//! How a file looks: its length, its name, its header, its lints.

use crate::tree::{self, File, report};

const WALL: usize = 500;
const WALL_FOR_TESTS: usize = 800;

#[test]
fn files_stay_short_enough_to_read() {
    let mut violations = Vec::new();
    for file in tree::files().iter().filter(|file| is_source(file) && !is_generated(file)) {
        let wall = if file.is_test() { WALL_FOR_TESTS } else { WALL };
        let lines = file.text.lines().count();
        if lines > wall {
            violations.push(format!("{}: {lines} lines, {wall} at most", file.at(wall + 1)));
        }
    }
    report(&violations, "find the second subject in the file and give it a file of its own");
}

#[test]
fn modules_are_named_after_what_they_hold() {
    let is_mod = |file: &&File| file.path.ends_with("/mod.rs");
    let violations: Vec<_> = tree::files().iter().filter(is_mod).map(|file| file.at(1)).collect();
    report(&violations, "rename `foo/mod.rs` to `foo.rs`, beside the folder `foo/`");
}

#[test]
fn lints_are_expected_with_a_reason_and_never_allowed() {
    // Put together here, so that this file does not contain what it forbids.
    let allow = ["allow", "("].concat();
    let mut violations = Vec::new();
    for file in tree::files().iter().filter(|file| file.is_rust()) {
        for (index, line) in file.text.lines().enumerate() {
            let attribute = line.trim_start();
            if [format!("#[{allow}"), format!("#![{allow}")].iter().any(|start| attribute.starts_with(start)) {
                violations.push(format!("{}: {attribute}", file.at(index + 1)));
            }
            if (attribute.starts_with("#[expect(") || attribute.starts_with("#![expect("))
                && !attribute_from(&file.text, index).contains("reason")
            {
                violations.push(format!("{}: no reason: {attribute}", file.at(index + 1)));
            }
        }
    }
    report(&violations, "write `#[expect(lint, reason = \"…\")]`: it complains when it is no longer needed");
}

#[test]
fn every_crate_says_what_it_owns() {
    let mut violations = Vec::new();
    let is_head =
        |file: &&File| (file.under("crates/") && file.path.ends_with("/src/lib.rs")) || file.path == "src-tauri/lib.rs";
    for file in tree::files().iter().filter(is_head) {
        let header: String = file.text.lines().take_while(|line| line.starts_with("//!")).collect();
        for part in ["Owns", "Must not know", "Start reading"] {
            if !header.contains(part) {
                violations.push(format!("{}: the header lacks `{part}`", file.at(1)));
            }
        }
    }
    report(&violations, "begin the file with `//!`: what it owns, what it must not know, where to start reading");
}

fn is_source(file: &File) -> bool {
    [".rs", ".ts", ".svelte", ".css"].iter().any(|end| file.path.ends_with(end))
}

fn is_generated(file: &File) -> bool {
    file.path == "ui/src/backend/bindings.ts"
}

/// The attribute that begins on that line, up to its closing bracket.
fn attribute_from(text: &str, index: usize) -> String {
    let mut attribute = String::new();
    for line in text.lines().skip(index) {
        attribute.push_str(line);
        if line.contains(")]") {
            break;
        }
    }
    attribute
}

#[test]
fn every_link_within_the_repository_leads_somewhere() {
    let pages = tree::files().into_iter().filter(|file| file.path.ends_with(".md"));
    let mut broken = Vec::new();
    for page in pages {
        let folder = page.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for (number, line) in (1..).zip(page.text.lines()) {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let local = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
            let missing = local.filter(|target| !tree::exists(&format!("{folder}{target}")));
            broken.extend(missing.map(|_| page.at(number)));
        }
    }
    report(&broken, "name a file that is there, by its path from the page");
}
