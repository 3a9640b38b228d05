//! Load: a call, again and again.

use integration::{Profile, binary};

use super::console::{Person, run, sonde};

#[test]
fn calls_are_repeated_and_measured() {
    let profile = Profile::default();
    let words = ["load", "demo.echo", "--arg", "text=x", "--count", "200", "--concurrency", "8"];
    let ran = run(&profile, &words).exits(0);
    for name in ["calls      200", "calls/s", "p50", "p95", "p99", "errors     0"] {
        assert!(ran.out.contains(name), "`{name}`: {ran:?}");
    }
    let json: Vec<&str> = words.into_iter().chain(["--output", "json"]).collect();
    let told = run(&profile, &json).exits(0).json();
    assert_eq!((&told["calls"], &told["errors"]), (&200.into(), &0.into()), "{told}");
    assert!(
        told["p50_ms"].as_f64() <= told["p99_ms"].as_f64() && told["calls_per_second"].as_f64() > Some(0.0),
        "{told}"
    );
    let log = run(&profile, &["log", "--kind", "exchange", "--limit", "1000", "--output", "json"]).exits(0).json();
    let calls = log["rows"].as_array().unwrap().iter().filter(|row| row["method"] == "tools/call").count();
    assert_eq!(calls, 400, "each of them was a call of its own");
}

#[test]
fn failures_are_counted_by_kind() {
    let profile = Profile::default();
    let told = run(&profile, &["load", "demo.fail", "--count", "5", "--output", "json"]).exits(1).json();
    assert_eq!(told["errors_by_kind"], serde_json::json!({ "tool error": 5 }), "{told}");
    let words = ["load", "demo.nosuch", "--count", "5", "--yes", "--no-validate", "--output", "json"];
    let told = run(&profile, &words).exits(4).json();
    assert_eq!(told["errors_by_kind"], serde_json::json!({ "error -32602": 5 }), "{told}");
}

#[test]
fn a_tool_that_may_change_something_is_asked_about_first() {
    let profile = Profile::default();
    let load = binary("sonde-load");
    let words = ["load", "echo", "--count", "3", "--", load.to_str().unwrap()];
    let ran = run(&profile, &words).exits(2);
    assert!(ran.err.contains("read-only") && ran.err.contains("--yes"), "{ran:?}");
    let mut person = Person::start(sonde(&profile, &words));
    person.sees("would be called 3 times").sees("Type yes: ").types("no").sees("was not called");
    assert_eq!(person.ends().0, Some(2));
    let log = run(&profile, &["log", "--kind", "exchange", "--output", "json"]).exits(0).json();
    let called = log["rows"].as_array().unwrap().iter().any(|row| row["method"] == "tools/call");
    assert!(!called, "nobody said yes, so nothing was called: {log}");
    let mut person = Person::start(sonde(&profile, &words));
    person.sees("Type yes: ").types("yes").sees("calls/s");
    assert_eq!(person.ends().0, Some(0));
}
