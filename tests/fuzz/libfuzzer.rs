//! The program that looks for new inputs: one target, named by `SONDE_FUZZ_TARGET`, under libFuzzer.

#![no_main]
#![expect(clippy::panic, reason = "without a target there is nothing to do")]

use std::sync::OnceLock;

use fuzz::Target;

static TARGET: OnceLock<&'static Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| (TARGET.get_or_init(chosen).run)(data));

fn chosen() -> &'static Target {
    let name = std::env::var("SONDE_FUZZ_TARGET").unwrap_or_default();
    fuzz::target(&name).unwrap_or_else(|| panic!("`{name}` is not a target: set SONDE_FUZZ_TARGET"))
}
