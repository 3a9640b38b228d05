//! How servers are kept alive, and what all of them together offer.
//!
//! `reconnect`: started again when they end by themselves. `pings`: noticed when they no longer answer. `lists`: what is
//! missing, told and asked for again. `together`: many servers, started from the beginning, searched and listed as one.

#![expect(clippy::unwrap_used, reason = "a journey stops at the first thing that is not as it says")]

mod lists;
mod pings;
mod reconnect;
mod together;

use std::time::Duration;

use integration::{Profile, binary};
use serde_json::{Value, json};
use sonde_app::Pace;

/// No pause that a journey must wait for.
const AT_ONCE: Pace = Pace {
    first: Duration::from_millis(5),
    longest: Duration::from_millis(20),
    most: 5,
    good: Duration::from_secs(3600),
};

/// No pause that ends by itself.
const NEVER: Pace = Pace { first: Duration::from_secs(3600), longest: Duration::from_secs(3600), ..AT_ONCE };

/// `sonde-load` under the name `load`, its entry with more members.
fn load_with(more: Value) -> Profile {
    Profile::default().with_entry("load", entry(&binary("sonde-load").display().to_string(), &[], more))
}

/// A shell script under the name `script`, its entry with more members. `$LOAD` is `sonde-load`.
fn script_with(script: &str, more: Value) -> Profile {
    let profile = Profile::default();
    let path = profile.project().join("script.sh");
    let load = binary("sonde-load").display().to_string();
    std::fs::write(&path, format!("LOAD='{load}'\n{script}")).unwrap();
    profile.with_entry("script", entry("/bin/sh", &[&path.display().to_string()], more))
}

fn entry(command: &str, args: &[&str], more: Value) -> Value {
    let mut entry = json!({ "command": command, "args": args });
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}
