//! The official test suite of JSON Schema 2020-12, which the validator and the form of a tool are held to: installed
//! once, no network afterwards.
//!
//! It is published within the sources of the Python package `jsonschema`. The package of that name on npm is only a
//! pointer to a repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::peers;
use crate::repository::Repository;
use crate::step;

const SOURCES: &str = "jsonschema==4.26.0";

pub fn install(repository: &Repository) -> Result<()> {
    let folder = repository.target().join("json-schema");
    peers::installed_once(repository, "json-schema", SOURCES, &folder, || {
        eprintln!("sonde: installing the test suite of JSON Schema, out of {SOURCES}");
        let environment = peers::python_environment(&folder.join("python"))?;
        let options = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary"];
        step::run(Command::new(environment).args(options).args([":all:", SOURCES, "--dest"]).arg(&folder))?;
        let archive = files_in(&folder, "gz")?.pop().context("pip downloaded no archive")?;
        step::run(
            Command::new("tar").args(["-x", "-z", "--strip-components=1", "-f"]).arg(archive).current_dir(&folder),
        )?;
        let suite = folder.join("json");
        let tests = joined(&suite.join("tests/draft2020-12"), |_| true)?;
        let remotes = joined(&suite.join("remotes"), |name| name.starts_with("draft2020-12/") || !name.contains('/'))?;
        let text = format!("{{\"tests\":{{\n{tests}}},\n\"remotes\":{{\n{remotes}}}}}\n");
        fs::write(folder.join("2020-12.json"), text).context("the suite could not be written")
    })
}

/// The members of one object, a file each under its name below `root`. Their texts stay as they are: a number is a test
/// of how it is written, too.
fn joined(root: &Path, chosen: impl Fn(&str) -> bool) -> Result<String> {
    let mut members = Vec::new();
    for path in files_in(root, "json")? {
        let name = path.strip_prefix(root)?.to_str().context("a name of the suite is no text")?.replace('\\', "/");
        if chosen(&name) {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            members.push(format!("{name:?}:{text}"));
        }
    }
    Ok(members.join(","))
}

/// All files of that kind below a folder, by name.
fn files_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(files_in(&path, extension)?);
        } else if path.extension().is_some_and(|own| own == extension) {
            files.push(path);
        }
    }
    Ok(files)
}
