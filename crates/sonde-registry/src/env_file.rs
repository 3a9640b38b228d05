//! A file of variables, one `NAME=value` in each line. It is read, never run.

use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::approvals::hexadecimal;
use crate::expand::{Lookup, Reference, Variables};
use crate::reach::Reach;
use crate::spec::ServerSpec;
use crate::text;

/// Bytes beyond which it is no such file.
const LARGEST: u64 = 256 << 10;

/// Variables beyond which no program could be started with them.
const MOST: usize = 1000;

/// A file of variables that an entry names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvFile {
    /// From the folder of the project; relative only where there is none.
    pub path: PathBuf,
    pub content: EnvContent,
}

/// What is known of the content of a file of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvContent {
    /// Nobody has looked.
    Unread,
    /// There is no such file, or it is none of variables.
    Unreadable,
    /// Of the text that was read, in hexadecimal.
    Sha256(String),
}

impl EnvFile {
    /// The one place that says what a relative path means.
    pub(crate) fn at(path: PathBuf, variables: &dyn Variables) -> Self {
        let path = match variables.look_up(&Reference::WorkspaceFolder) {
            Lookup::Value(folder) => PathBuf::from(folder).join(path),
            Lookup::Unset | Lookup::Later => path,
        };
        EnvFile { path, content: EnvContent::Unread }
    }

    /// Looks at the content. Gives the names that it sets, or why it can't be used.
    pub fn look(&mut self) -> Result<Vec<String>, String> {
        self.read().map(|variables| variables.into_iter().map(|(name, _)| name).collect())
    }

    pub(crate) fn read(&mut self) -> Result<Vec<(String, String)>, String> {
        self.content = EnvContent::Unreadable;
        if self.path.is_relative() {
            // Our own folder may be any: it is nobody's project.
            return Err("it is relative to a project, and there is none".to_owned());
        }
        let text = match text::read(&self.path, LARGEST) {
            Ok(Some(text)) => text,
            Ok(None) => return Err(format!("there is no file `{}`", self.path.display())),
            Err(error) => return Err(error.to_string()),
        };
        let variables = parse(&text)?;
        self.content = EnvContent::Sha256(hexadecimal(&Sha256::digest(text.as_bytes())));
        Ok(variables)
    }
}

impl ServerSpec {
    /// The file of further variables that its entry names.
    pub fn env_file(&self) -> Option<&EnvFile> {
        match &self.reach {
            Reach::Command(line) => line.env_file.as_deref(),
            Reach::Url(_) => None,
        }
    }
}

/// A value stands bare, in single quotes as it is, or in double quotes with `\n`, `\"` and `\\` in it.
fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        // The line itself is not shown: it may be a secret.
        let Some((name, value)) = line.split_once('=') else {
            return Err(format!("its line {} is not `NAME=value`", index + 1));
        };
        let name = name.trim();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err(format!("no variable can have such a name as its line {} has", index + 1));
        }
        let value = unquoted(value.trim());
        if value.contains('\0') {
            return Err(format!("the value in its line {} has a NUL in it", index + 1));
        }
        found.retain(|(there, _)| there != name);
        found.push((name.to_owned(), value));
        if found.len() > MOST {
            return Err(format!("it has more than {MOST} variables"));
        }
    }
    Ok(found)
}

fn unquoted(value: &str) -> String {
    let within = |quote: char| {
        let rest = value.strip_prefix(quote)?;
        let end = rest.rfind(quote)?;
        let after = rest.get(end + 1..)?.trim_start();
        (after.is_empty() || after.starts_with('#')).then(|| rest.get(..end))?
    };
    if let Some(value) = within('\'') {
        return value.to_owned();
    }
    let Some(value) = within('"') else {
        // What follows a space and `#` is a comment.
        return value.split_once(" #").map_or(value, |(value, _)| value.trim_end()).to_owned();
    };
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match (character, character == '\\') {
            (_, true) => match characters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some(other @ ('"' | '\\' | '$')) => plain.push(other),
                Some(other) => plain.extend(['\\', other]),
                None => plain.push('\\'),
            },
            (character, false) => plain.push(character),
        }
    }
    plain
}
