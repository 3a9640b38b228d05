//! Lock files pin versions and contents, never the place they were fetched from.

use crate::tree::{self, report};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[test]
fn npm_lock_files_name_no_host() {
    let mut violations = Vec::new();
    for file in tree::files().iter().filter(|file| file.path.ends_with("package-lock.json")) {
        for (index, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("\"resolved\":") {
                violations.push(format!("{}: {}", file.at(index + 1), line.trim()));
            }
        }
    }
    report(&violations, "delete the lines; `omit-lockfile-registry-resolved=true` in .npmrc keeps them away");
}

#[test]
fn cargo_lock_files_name_only_crates_io() {
    let mut violations = Vec::new();
    for file in tree::files().iter().filter(|file| file.path.ends_with("Cargo.lock")) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(source) = line.strip_prefix("source = ")
                && source.trim_matches('"') != CRATES_IO
            {
                violations.push(format!("{}: {source}", file.at(index + 1)));
            }
        }
    }
    report(&violations, "use a released version from crates.io");
}
