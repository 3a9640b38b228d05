//! A command made of parts that all run, whatever the others do; the end says which of them failed.

use anyhow::{Result, bail};

use crate::process;

#[derive(Default)]
pub struct Parts {
    passed: Vec<&'static str>,
    failed: Vec<(&'static str, anyhow::Error)>,
}

impl Parts {
    /// Runs one part. Only an interrupt keeps the following parts from running.
    pub fn run(&mut self, name: &'static str, part: impl FnOnce() -> Result<()>) -> Result<()> {
        eprintln!("\nsonde: {name}");
        match part() {
            Ok(()) => self.passed.push(name),
            Err(error) if error.is::<process::Interrupted>() => return Err(error),
            Err(error) => self.failed.push((name, error)),
        }
        Ok(())
    }

    pub fn conclude(self) -> Result<()> {
        eprintln!();
        for name in &self.passed {
            eprintln!("  passed  {name}");
        }
        for (name, error) in &self.failed {
            eprintln!("  FAILED  {name}: {error:#}");
        }
        if self.failed.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = self.failed.iter().map(|(name, _)| *name).collect();
        bail!("failed: {}\nhint: the output of each stands above, under its name", names.join(", "));
    }
}
