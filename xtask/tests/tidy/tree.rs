//! The files that git tracks or would track, and how the rules read them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// One text file of the repository.
pub struct File {
    /// From the root, with `/`.
    pub path: String,
    pub text: String,
}

/// Every text file; what is not UTF-8 (icons, captures) is nobody's rule.
pub fn files() -> Vec<File> {
    let root = root();
    let read = |path: String| std::fs::read_to_string(root.join(&path)).ok().map(|text| File { path, text });
    paths(&root).into_iter().filter_map(read).collect()
}

pub fn read(path: &str) -> Option<File> {
    let text = std::fs::read_to_string(root().join(path)).ok()?;
    Some(File { path: path.to_owned(), text })
}

pub fn exists(path: &str) -> bool {
    root().join(path).exists()
}

/// Fails with one line per violation, then with the way out.
#[track_caller]
pub fn report(violations: &[String], advice: &str) {
    assert!(violations.is_empty(), "\n  {}\nhint: {advice}\n", violations.join("\n  "));
}

impl File {
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub fn under(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// Code that only tests run.
    pub fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        self.under("tests/") || self.path.contains("/tests/") || name == "tests.rs" || name.ends_with(".test.ts")
    }

    /// The lines of Rust that ship, with their numbers and without comments. A test module ends the file.
    pub fn shipped(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut lines = self.text.lines().enumerate().peekable();
        std::iter::from_fn(move || {
            let (index, line) = lines.next()?;
            let next = lines.peek().map_or("", |(_, next)| next.trim());
            let opens_tests = line.trim() == "#[cfg(test)]" && next.starts_with("mod ") && next.ends_with('{');
            (!opens_tests).then(|| (index + 1, without_comment(line)))
        })
    }

    /// `path:line`, as an editor opens it.
    pub fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }
}

/// Whether `word` stands in `line` on its own and not as a part of a longer name.
pub fn has_word(line: &str, word: &str) -> bool {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        let touches =
            |edge: Option<char>, neighbour: Option<char>| edge.is_some_and(is_name) && neighbour.is_some_and(is_name);
        !touches(word.chars().next(), before) && !touches(word.chars().next_back(), after)
    })
}

/// `//` inside a string is an address more often than a comment, so it must follow a space.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with("//") {
        return "";
    }
    line.find(" //").map_or(line, |start| &line[..start])
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the repository").to_path_buf()
}

fn paths(root: &Path) -> Vec<String> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let listed = Command::new("git").args(arguments).current_dir(root).output();
    let mut paths = match listed {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).split_terminator('\0').map(str::to_owned).collect()
        }
        // A source archive has no git; it holds nothing but the tracked files and what was built since.
        _ => walk(root, ""),
    };
    paths.sort();
    paths.dedup();
    paths
}

fn walk(root: &Path, folder: &str) -> Vec<String> {
    let built = ["target", "gen", "ui/dist", "ui/node_modules", ".git"];
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join(folder)).expect("a folder of the repository is readable") {
        let entry = entry.expect("a folder of the repository is readable");
        let path = format!("{folder}{}", entry.file_name().to_string_lossy());
        if entry.path().is_file() {
            found.push(path);
        } else if !built.contains(&path.as_str()) {
            found.extend(walk(root, &format!("{path}/")));
        }
    }
    found
}

#[test]
fn a_word_is_not_found_inside_a_longer_name() {
    assert!(has_word("tokio::process::Command::new(x)", "Command::new"), "it stands after a path separator");
    assert!(!has_word("SubCommand::new(x)", "Command::new"), "`SubCommand` is another type");
    assert!(!has_word("#![deny(unsafe_code)]", "unsafe"), "the lint is not the keyword");
}

#[test]
fn shipped_lines_leave_out_comments_and_the_test_module() {
    let text = "//! unsafe\nfn a() {} // unsafe\nlet u = \"http://x\";\n#[cfg(test)]\nmod tests {\n    unsafe {}\n}\n";
    let file = File { path: "a.rs".to_owned(), text: text.to_owned() };
    let shipped: Vec<_> = file.shipped().collect();
    assert_eq!(shipped, [(1, ""), (2, "fn a() {}"), (3, "let u = \"http://x\";")], "only code is left");
}
