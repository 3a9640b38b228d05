//! The invariants of the repository that no compiler checks, each one a test over the files git knows.
//!
//! `tree` lists and reads the files; the other modules hold the rules: `edges` between crates, `shape` of
//! files, `words` that belong to one place, `window` for what the webview may do, `locks` for lock files.
//! A failure lists `file:line` and ends with what to do.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a tidy test that cannot read the tree has nothing to report but that"
)]

mod tree;

mod edges;
mod locks;
mod shape;
mod window;
mod words;
