//! Coverage-guided fuzzing with libFuzzer. Needs no other toolchain: the pass that counts edges is part of stable Rust,
//! and libFuzzer itself comes as a crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::Repository;
use crate::step;
use crate::toolchain::cargo;

/// What makes the compiler count which edges and comparisons an input reached, and check what it computes.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions",
    "-Coverflow-checks",
    "-Ccodegen-units=1",
];

/// For each target, unless told otherwise.
const SECONDS: u32 = 60;

pub fn fuzz(repository: &Repository, arguments: &[String]) -> Result<()> {
    let corpus = repository.root().join("tests/fuzz/corpus");
    let wish = Wish::parse(arguments, &targets(&corpus)?)?;
    let workshop = repository.target().join("fuzz");
    let program = build(repository, &workshop)?;
    for target in &wish.targets {
        let found = folder(&workshop.join("corpus").join(target))?;
        let artifacts = folder(&workshop.join("artifacts"))?;
        let committed = corpus.join(target);
        let fuzzer = || {
            let mut fuzzer = Command::new(&program);
            fuzzer.env("SONDE_FUZZ_TARGET", target).current_dir(&workshop);
            fuzzer
        };
        eprintln!("sonde: fuzzing {target} for {} s", wish.seconds);
        let mut run = fuzzer();
        // The first folder takes what is found; the committed one is only read.
        run.args([&found, &committed])
            .args([
                format!("-max_total_time={}", wish.seconds),
                format!("-artifact_prefix={}/{target}-", artifacts.display()),
            ])
            .args(["-max_len=2048", "-timeout=20", "-rss_limit_mb=2048", "-verbosity=0", "-print_final_stats=1"]);
        step::run(&mut run).with_context(|| {
            format!(
                "`{target}` broke a property\nhint: the input is the newest in {}; put it into {} and run `cargo test -p fuzz`",
                artifacts.display(),
                committed.display()
            )
        })?;
        if wish.keep == Keep::Findings {
            // Of all that reaches something new, as few and as small files as reach the same.
            step::run(
                fuzzer()
                    .args(["-set_cover_merge=1", "-use_counters=0", "-max_len=256", "-verbosity=0"])
                    .args([&committed, &found]),
            )?;
        }
    }
    Ok(())
}

/// What was asked for.
struct Wish {
    targets: Vec<String>,
    seconds: u32,
    keep: Keep,
}

#[derive(PartialEq, Eq)]
enum Keep {
    Nothing,
    /// What reaches code that the committed inputs do not is put beside them.
    Findings,
}

impl Wish {
    fn parse(arguments: &[String], known: &[String]) -> Result<Self> {
        let mut wish = Wish { targets: Vec::new(), seconds: SECONDS, keep: Keep::Nothing };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seconds" => {
                    let seconds = words.next().and_then(|word| word.parse().ok());
                    wish.seconds = seconds.context("`--seconds` needs a number\nhint: fuzz --seconds 60")?;
                }
                "--keep" => wish.keep = Keep::Findings,
                target if known.iter().any(|name| name == target) => wish.targets.push(target.to_owned()),
                stranger => bail!("`{stranger}` is no target\nhint: choose from {}", known.join(", ")),
            }
        }
        if wish.targets.is_empty() {
            wish.targets = known.to_vec();
        }
        Ok(wish)
    }
}

/// Every target has a folder of inputs.
fn targets(corpus: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(corpus).with_context(|| format!("cannot read {}", corpus.display()))?;
    let folders = entries.flatten().filter(|entry| entry.path().is_dir());
    let mut names: Vec<_> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// In a folder of its own: the flags make other artifacts of everything, and a build would throw away the usual ones.
fn build(repository: &Repository, workshop: &Path) -> Result<PathBuf> {
    let host = host()?;
    let mut build = cargo();
    // With the host named, build scripts are compiled without the flags, which they could not be linked with.
    build
        .args(["build", "--release", "-p", "fuzz", "--features", "libfuzzer", "--bin", "fuzz", "--target", &host])
        .arg("--target-dir")
        .arg(workshop)
        .env("RUSTFLAGS", FLAGS.join(" "))
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_STRIP", "none")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only")
        .current_dir(repository.root());
    step::build(&mut build)?;
    Ok(workshop.join(host).join("release").join(format!("fuzz{}", std::env::consts::EXE_SUFFIX)))
}

fn host() -> Result<String> {
    let version = step::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not tell its host")?.to_owned())
}

fn folder(path: &Path) -> Result<PathBuf> {
    fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
    Ok(path.to_owned())
}
