//! Properties that hold for any bytes whatsoever, each a function that panics where one does not.
//!
//! `cargo test -p fuzz` replays the committed corpora through them; `make fuzz` looks for new inputs with libFuzzer.
//! Start reading at [`TARGETS`].

#![expect(clippy::panic, reason = "a target says that a property is broken by panicking, which is what a fuzzer sees")]

mod config_import;
mod conversation;
mod framing;
mod message;
mod pairing;
mod redactor;
mod sse;
mod template;
mod www_authenticate;

/// What is fuzzed, under the name of its corpus.
pub const TARGETS: &[Target] = &[
    Target { name: "config_import", run: config_import::run },
    Target { name: "conversation", run: conversation::run },
    Target { name: "framing", run: framing::run },
    Target { name: "message", run: message::run },
    Target { name: "pairing", run: pairing::run },
    Target { name: "redactor", run: redactor::run },
    Target { name: "sse", run: sse::run },
    Target { name: "template", run: template::run },
    Target { name: "www_authenticate", run: www_authenticate::run },
];

pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

/// The target of that name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
