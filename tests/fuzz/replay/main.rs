//! Every committed input through its target. What a fuzzer once found, no change may bring back.

#![expect(clippy::expect_used, reason = "a test stops at the first thing that is not as it says")]

use std::path::{Path, PathBuf};

use fuzz::TARGETS;

/// A larger file is no example that anyone can read.
const LARGEST: u64 = 4096;

#[test]
fn every_committed_input_keeps_the_properties_of_its_target() {
    for target in TARGETS {
        let inputs = inputs(target.name);
        assert!(inputs.len() >= 5, "`{}` has {} inputs: an empty corpus shows nothing", target.name, inputs.len());
        for input in inputs {
            // Shown only when the target panics.
            println!("replaying {}", input.display());
            (target.run)(&std::fs::read(&input).unwrap());
        }
    }
}

#[test]
fn every_input_belongs_to_a_target_and_is_small() {
    for folder in std::fs::read_dir(corpus()).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name().to_string_lossy().into_owned();
        assert!(fuzz::target(&name).is_some(), "corpus/{name} belongs to no target");
        for input in inputs(&name) {
            let size = input.metadata().unwrap().len();
            assert!(size <= LARGEST, "{} has {size} bytes, {LARGEST} at most", input.display());
        }
    }
}

/// Long streams of any bytes, the same ones each time: what a corpus of small files does not reach.
#[test]
fn long_inputs_keep_the_properties_as_well() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = |count: usize| {
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        };
        std::iter::repeat_with(next).take(count).collect::<Vec<u8>>()
    };
    for _ in 0..5 {
        let noise = bytes(3000);
        TARGETS.iter().for_each(|target| (target.run)(&noise));
    }
}

fn inputs(target: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus().join(target)).expect("a corpus can be read").flatten();
    let mut inputs: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    inputs.sort();
    inputs
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}
