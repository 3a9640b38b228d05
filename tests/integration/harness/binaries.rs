//! The programs that journeys run, built once if they are not there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of a binary of the workspace: `sonde`, `sonde-demo` or `sonde-load`.
pub fn binary(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(built).join(name)
}

/// Test binaries lie in `target/PROFILE/deps`, programs in `target/PROFILE`.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the test binary knows its path");
    let folder = test.parent().and_then(Path::parent).expect("the test binary lies in deps").to_owned();
    if ["sonde", "sonde-demo", "sonde-load"].iter().all(|name| folder.join(name).exists()) {
        return folder;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "-p", "sonde-demo", "-p", "sonde-cli"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("cargo can be run");
    assert!(status.success(), "the programs of the journeys do not build");
    folder
}

/// The program that stands between the app and a journey that speaks for the server. The tests of the client have it.
pub(crate) fn relay() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| example("sonde-client", "relay")).clone()
}

/// An example of a package, which `cargo test` does not build where one test is asked for.
pub fn example(package: &str, name: &str) -> PathBuf {
    let program = binary(&format!("examples/{name}"));
    if !program.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "-p", package, "--example", name]);
        if program.parent().and_then(Path::parent).is_some_and(|folder| folder.ends_with("release")) {
            cargo.arg("--release");
        }
        let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo can be run");
        assert!(status.success(), "`{name}` does not build");
    }
    program
}
