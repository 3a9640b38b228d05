//! Secrets: forty of them planted, a server that says all of them again, and nowhere to be found.
//!
//! The journey runs in a process of its own, whose environment has some of the secrets: once with a keyring that is
//! nobody's, once without any.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a journey stops at the first thing that is not as it says"
)]

mod canaries;
mod journey;
mod moved;

use std::path::Path;
use std::process::Command;

use integration::{Profile, binary};
use serde_json::json;

use canaries::{Canary, Search};
use journey::Keyring;

/// Set where the journey itself runs.
const INSIDE: &str = "SONDE_CANARIES";

#[test]
fn forty_secrets_are_seen_by_their_servers_alone_with_a_keyring() {
    inside("secrets::forty_secrets_are_seen_by_their_servers_alone_with_a_keyring", beside_a_keyring, async || {
        journey::travel(Keyring::Present).await
    });
}

#[test]
fn what_is_moved_out_of_a_file_is_in_the_keyring_and_in_no_copy_of_the_file() {
    inside(
        "secrets::what_is_moved_out_of_a_file_is_in_the_keyring_and_in_no_copy_of_the_file",
        beside_a_keyring,
        async || moved::travel().await,
    );
}

#[test]
fn forty_secrets_are_seen_by_their_servers_alone_without_a_keyring() {
    let alone = |script: &str| {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    };
    inside("secrets::forty_secrets_are_seen_by_their_servers_alone_without_a_keyring", alone, async || {
        journey::travel(Keyring::Absent).await;
    });
}

#[test]
fn a_keyring_that_is_locked_or_says_nothing_is_told_of_and_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let entry = json!({ "command": "/bin/true", "env": { "A": "${secret:A}" } });
    let profile = Profile::default().with_entry("shop", entry);
    let search = Search::of(vec![Canary { name: "A".to_owned(), value: "abcdef".to_owned() }]);
    for (state, prepare, words) in [
        ("locked", "gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1", "the keyring is locked"),
        ("stopped", STOPPED, "the keyring does not answer"),
    ] {
        let set = format!("printf abcdef | {} secret set shop A", quoted(&binary("sonde")));
        let script = format!("K=\n{prepare}\n{set}; code=$?; [ -z \"$K\" ] || kill -KILL $K; exit $code");
        let mut command = Command::new("dbus-run-session");
        command.args(["--", "/bin/sh", "-c", &script]);
        command.env("SONDE_DATA_DIR", profile.data()).current_dir(profile.project());
        let output = at_home(&mut command, &home.path().join(state)).output().expect(NEEDED);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{state}: {told}");
        assert!(told.contains(words) && told.contains("can't be kept"), "{state}: {told}");
        assert_eq!(search.found_under(&profile.data(), &mut Vec::new()), Vec::<String>::new(), "it is written nowhere");
    }
}

const NEEDED: &str = "dbus and gnome-keyring are there: `make setup` installs them";

/// A keyring that is there, unlocked, and has stopped in the middle of its work.
const STOPPED: &str = r#"
ask() { dbus-send --print-reply --dest=org.freedesktop.DBus / "org.freedesktop.DBus.$1" string:org.freedesktop.secrets; }
printf '\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
until ask GetNameOwner >/dev/null 2>&1; do sleep 0.05; done
K=$(ask GetConnectionUnixProcessID | sed -n 's/.*uint32 //p')
kill -STOP $K"#;

fn beside_a_keyring(script: &str) -> Command {
    let keyring = "printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1";
    let mut command = Command::new("dbus-run-session");
    command.args(["--", "/bin/sh", "-c", &format!("{keyring}\n{script}")]);
    command
}

/// Runs the named test again where `around` puts it, and the journey in there.
fn inside(test: &str, around: impl FnOnce(&str) -> Command, journey: impl AsyncFnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        return runtime.block_on(journey());
    }
    let home = tempfile::tempdir().unwrap();
    let variables = home.path().join("variables.sh");
    std::fs::write(&variables, canaries::exports()).unwrap();
    let program = std::env::current_exe().unwrap();
    // Only the test gets the secrets of the environment, not what was started around it.
    let script = format!(". {}; exec {} --exact {test} --nocapture", quoted(&variables), quoted(&program));
    let mut command = around(&script);
    command.env(INSIDE, "1").env("SONDE_LOG", "trace").env("NO_PROXY", "127.0.0.1");
    let output = at_home(&mut command, home.path()).output().expect(NEEDED);
    let told = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "alone in its process:\n{told}{complaint}");
}

/// With folders of its own, and no keyring but the one that is started in there.
fn at_home<'a>(command: &'a mut Command, home: &Path) -> &'a mut Command {
    std::fs::create_dir_all(home).unwrap();
    command.env_remove("DBUS_SESSION_BUS_ADDRESS").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(name, home);
    }
    command
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_str().unwrap().replace('\'', r"'\''"))
}
