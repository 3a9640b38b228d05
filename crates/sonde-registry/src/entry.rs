//! One entry of a file: a server, or what is wrong with it.

use std::path::PathBuf;

use serde_json::value::RawValue;

use crate::expand::{Unset, expand};
use crate::fields::{BadField, Fields};
use crate::file::EntryError;
use crate::profile::Profile;
use crate::reach::{CommandLine, Reach};
use crate::remote;
use crate::spec::{Origin, ServerId, ServerSpec};

/// Keys that it does not ask for belong to other clients and are none of our business.
pub(crate) struct Entry<'a> {
    pub name: &'a str,
    pub origin: &'a Origin,
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Entry<'_> {
    /// The server, and what is odd about the entry though it is used.
    pub fn read(&self, text: &RawValue) -> Result<(ServerSpec, Vec<EntryError>), EntryError> {
        let mut fields = Fields::read("", text).ok_or_else(|| self.problem("it must be an object"))?;
        let id = ServerId::from_name(self.name).ok_or_else(|| self.problem("the name is empty"))?;
        let command = self.sound(fields.text("command"))?;
        let address = remote::address(self, &mut fields)?;
        let mut own = self.sound(fields.object("sonde"))?;
        let mut warnings = Vec::new();
        let (reach, known) = match (command, address) {
            (Some(command), None) => (Reach::Command(self.command_line(command, &mut fields)?), Profile::KNOWN),
            (None, Some(address)) => {
                let remote = remote::read(self, &address, &mut fields, own.as_mut())?;
                warnings.extend(remote::exposed(self, &address, &remote));
                (Reach::Url(Box::new(remote)), remote::KNOWN)
            }
            (Some(_), Some(address)) => {
                let problem = format!("there are both `command` and `{}`; leave one of them out", address.field);
                return Err(self.problem(&problem));
            }
            (None, None) => return Err(self.problem("there is neither `command` nor `url`")),
        };
        let (mut profile, unknown) = match own {
            Some(own) => self.sound(Profile::read(own))?,
            None => Default::default(),
        };
        if let Some(roots) = &mut profile.roots {
            for root in roots {
                *root = self.expanded("sonde.roots", root)?;
            }
        }
        let server = self.name.to_owned();
        let unknown = unknown.into_iter().map(|field| EntryError::Unknown { server: server.clone(), field, known });
        warnings.extend(unknown);
        Ok((ServerSpec { id, origin: self.origin.clone(), reach, profile }, warnings))
    }

    fn command_line(&self, command: String, fields: &mut Fields) -> Result<CommandLine, EntryError> {
        let args = self.sound(fields.texts("args"))?.unwrap_or_default();
        let folder = match self.sound(fields.text("cwd"))? {
            Some(folder) => Some(("cwd", folder)),
            None => self.sound(fields.text("workdir"))?.map(|folder| ("workdir", folder)),
        };
        let env = match self.sound(fields.object("env"))? {
            Some(env) => self.sound(env.each_text())?,
            None => Vec::new(),
        };
        let env_passthrough = self.sound(fields.texts("env_passthrough"))?.unwrap_or_default();
        Ok(CommandLine {
            command: self.expanded("command", &command)?,
            args: args.iter().map(|arg| self.expanded("args", arg)).collect::<Result<_, _>>()?,
            written: std::iter::once(command).chain(args).collect(),
            folder: folder.map(|(field, folder)| self.expanded(field, &folder)).transpose()?.map(PathBuf::from),
            env: env
                .into_iter()
                .map(|(name, value)| Ok((name.clone(), self.expanded(&format!("env.{name}"), &value)?)))
                .collect::<Result<_, _>>()?,
            env_passthrough,
        })
    }

    pub fn problem(&self, problem: &str) -> EntryError {
        EntryError::Entry { server: self.name.to_owned(), problem: problem.to_owned() }
    }

    pub fn field(&self, field: &str, problem: String) -> EntryError {
        EntryError::Field { server: self.name.to_owned(), field: field.to_owned(), problem }
    }

    pub fn sound<T>(&self, read: Result<T, BadField>) -> Result<T, EntryError> {
        read.map_err(|bad| self.field(&bad.field, bad.problem))
    }

    pub fn expanded(&self, field: &str, text: &str) -> Result<String, EntryError> {
        expand(text, self.variable).map_err(|Unset(variable)| EntryError::Unset {
            server: self.name.to_owned(),
            variable,
            field: field.to_owned(),
        })
    }
}
