//! The command line.

use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: hostile-server --case ID [OPTIONS] [-- ARGUMENTS THAT MEAN NOTHING]

  --case ID        what to play
  --variant NAME   which form of it, where it has several
  --seed N         what chance draws from
  --tally FOLDER   count what is written to stdout and stderr in a file there
  --list           name every case

What sleeps on purpose ends by itself after ten minutes, so nothing is left behind for ever.";

#[derive(Default)]
pub struct Options {
    pub case: String,
    /// Empty where the case has one form only.
    pub variant: String,
    pub seed: u64,
    pub tally: Option<PathBuf>,
    pub list: bool,
}

impl Options {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("option `{word}` needs a value"));
            match word.as_str() {
                "--case" => options.case = value()?,
                "--variant" => options.variant = value()?,
                "--seed" => options.seed = value()?.parse().map_err(|_| "a seed is a number".to_owned())?,
                "--tally" => options.tally = Some(PathBuf::from(value()?)),
                "--list" => options.list = true,
                "--" => break,
                stranger => return Err(format!("unknown option `{stranger}`")),
            }
        }
        if options.case.is_empty() && !options.list {
            return Err("which case?".to_owned());
        }
        Ok(options)
    }
}
