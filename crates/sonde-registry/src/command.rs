//! An entry with a command: what is run, where, and with which variables.

use crate::entry::{Entry, When};
use crate::env_file::EnvFile;
use crate::fields::Fields;
use crate::file::EntryError;
use crate::language::Value;
use crate::reach::{CommandLine, Dialect};

pub(crate) fn read(entry: &Entry, fields: &mut Fields) -> Result<CommandLine, EntryError> {
    kind(entry, fields)?;
    let written = words(entry, fields)?;
    let mut expanded = Vec::with_capacity(written.len());
    for (index, word) in written.iter().enumerate() {
        expanded.push(entry.expanded(if index == 0 { "command" } else { "args" }, word)?.text);
    }
    let mut expanded = expanded.into_iter();
    let mut place = entry.sound(fields.text("cwd"))?.map(|folder| ("cwd", folder));
    if place.is_none() {
        place = entry.sound(fields.text("workdir"))?.map(|folder| ("workdir", folder));
    }
    let folder = place.as_ref().map(|(field, folder)| entry.path(field, folder)).transpose()?;
    let written_env = entry.sound(fields.pairs("env"))?;
    let mut env = Vec::new();
    for (name, value) in written_env.iter().cloned() {
        let field = format!("env.{name}");
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(entry.field(&field, "no variable can have such a name".to_owned()));
        }
        let value = entry.expanded(&field, &value)?.text;
        env.push((name, value));
    }
    let written_file = entry.sound(fields.text("envFile"))?;
    let mut env_file = match &written_file {
        Some(written) => Some(Box::new(EnvFile::at(entry.path("envFile", written)?, entry.variables))),
        None => None,
    };
    if let (Some(file), Some(written), When::Launching) = (&mut env_file, &written_file, entry.when) {
        let more = file.read().map_err(|problem| {
            // What was filled into its path may be a secret.
            entry.field("envFile", problem.replace(&file.path.display().to_string(), written))
        })?;
        // What the entry says itself is nearer.
        let more = more.into_iter().filter(|(name, _)| !env.iter().any(|(there, _)| there == name));
        let more: Vec<_> = more.collect();
        env.extend(more);
    }
    Ok(CommandLine {
        command: expanded.next().unwrap_or_default(),
        args: expanded.collect(),
        written,
        folder,
        written_folder: place.map(|(_, folder)| folder),
        env,
        written_env,
        env_passthrough: entry.sound(fields.texts("env_passthrough"))?.unwrap_or_default(),
        env_file,
    })
}

/// The program and its arguments: `command` is one string or a list, and `args` follow.
fn words(entry: &Entry, fields: &mut Fields) -> Result<Vec<String>, EntryError> {
    let found = fields.value("command").unwrap_or(Value::Null);
    let mut words: Vec<String> = match &found {
        Value::Text(program) => vec![program.clone()],
        Value::List(list) => {
            let words: Option<Vec<&str>> = list.iter().map(|node| node.value.as_word()).collect();
            let words = words.ok_or_else(|| fields.bad("command", "a string or a list of strings", &found));
            entry.sound(words)?.into_iter().map(str::to_owned).collect()
        }
        found => return entry.sound(Err(fields.bad("command", "a string or a list of strings", found))),
    };
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(entry.field("command", "the program is missing".to_owned()));
    }
    words.extend(entry.sound(fields.words("args"))?.unwrap_or_default());
    match words.iter().any(|word| word.contains('\0')) {
        true => Err(entry.field("args", "no argument can have a NUL in it".to_owned())),
        false => Ok(words),
    }
}

/// Whoever says which transport is meant must mean this one.
fn kind(entry: &Entry, fields: &mut Fields) -> Result<(), EntryError> {
    for field in ["type", "transport"] {
        let Some(word) = entry.sound(fields.text(field))? else { continue };
        if Dialect::parse(&word).is_some_and(|dialect| dialect != Dialect::Auto) {
            let problem =
                format!("it is `{word}`, but there is a `command` and no `url`; leave it out or write `stdio`");
            return Err(entry.field(field, problem));
        }
    }
    Ok(())
}
