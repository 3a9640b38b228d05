//! A short torture for every day; `make torture` is the long one.
//!
//! In a process of its own, because it adopts orphans and waits for all of them.

#![expect(clippy::expect_used, reason = "a test stops at the first thing that is not as it says")]

use std::process::Command;

/// Whatever the dice say, nothing may be left; but a failure should be the same one again.
const SEED: &str = "7";

#[test]
fn fifty_connections_killed_at_any_moment_leave_no_process_no_zombie_and_no_descriptor() {
    torture(&["--cycles", "50", "--kills", "0"]);
}

#[test]
fn ten_killed_apps_take_their_servers_with_them() {
    torture(&["--cycles", "0", "--kills", "10"]);
}

fn torture(plan: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_torture"));
    let output = command.args(plan).args(["--seed", SEED]).output().expect("it can be run");
    let (told, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "something was left behind:\n{told}{complaint}");
    assert!(told.contains("nothing was left behind"), "the run came to its end:\n{told}{complaint}");
    println!("{told}");
}
