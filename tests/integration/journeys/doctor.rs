//! What a person is told when a server can't be used, and what the launch doctor finds.
//!
//! `errors`: what `sonde` prints, word for word. `commands`: programs that are examined. `addresses`: servers at an
//! address that are.

#![expect(clippy::unwrap_used, reason = "a journey stops at the first thing that is not as it says")]

mod addresses;
mod commands;
mod errors;

use serde_json::Value;

/// The step of that name.
fn step<'a>(found: &'a Value, name: &str) -> &'a Value {
    let steps = found["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["name"] == name);
    step.unwrap_or_else(|| panic_with(&format!("no step `{name}`"), found))
}

/// A fact of a step.
fn fact<'a>(step: &'a Value, name: &str) -> &'a str {
    let fact = step["facts"].as_array().unwrap().iter().find(|fact| fact["name"] == name);
    fact.unwrap_or_else(|| panic_with(&format!("no fact `{name}`"), step))["value"].as_str().unwrap()
}

#[expect(clippy::panic, reason = "the whole of what was found is the best explanation")]
fn panic_with(what: &str, found: &Value) -> ! {
    panic!("{what} in {found:#}")
}
