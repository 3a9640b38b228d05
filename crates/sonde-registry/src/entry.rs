//! One entry: a server, or what is wrong with it.

use std::cell::RefCell;
use std::path::PathBuf;

use crate::command;
use crate::definition::{Definition, Missing};
use crate::expand::{Expanded, Reference, Unset, Variables, expand};
use crate::fields::{BadField, Fields};
use crate::file::EntryError;
use crate::foreign;
use crate::profile::Profile;
use crate::quantity::parse_duration;
use crate::reach::Reach;
use crate::remote;
use crate::spec::{Defaults, Origin, ServerId, ServerSpec};

const TIME: &str = "a time like `500ms`, `30s` or `2m`";

/// What the fields of an entry are called, as far as they mean something to us.
const KNOWN: &str = "command, args, env, env_passthrough, envFile, cwd, url, type, headers, enabled, auto_start, timeout, \
    connection_timeout, http_max_retries, http_retry_backoff, fail_if_no_tools, sonde";

/// Why an entry is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// To be shown: what a person gives may come later, and no other file is read.
    Reading,
    /// To be started now.
    Launching,
}

pub(crate) struct Entry<'a> {
    pub definition: &'a Definition,
    origin: &'a Origin,
    defaults: Defaults,
    pub variables: &'a dyn Variables,
    pub when: When,
    /// What a person has not given yet.
    missing: RefCell<Vec<Missing>>,
}

impl<'a> Entry<'a> {
    pub fn new(
        definition: &'a Definition,
        origin: &'a Origin,
        defaults: Defaults,
        variables: &'a dyn Variables,
        when: When,
    ) -> Self {
        Entry { definition, origin, defaults, variables, when, missing: RefCell::default() }
    }

    /// The server, and what is odd about the entry though it is used.
    pub fn read(&self) -> Result<(ServerSpec, Vec<EntryError>), EntryError> {
        let server = self.definition.name.clone();
        if let Some((field, twice)) = self.definition.entry.first_twice() {
            return Err(EntryError::Twice { server, field: Some(field), first: twice.first, second: twice.second });
        }
        let id = ServerId::from_name(&server).ok_or_else(|| self.problem("the name is empty"))?;
        let mut fields = Fields::of(self.definition.entry.clone());
        let mut own = self.sound(fields.object("sonde"))?;
        let mut warnings = Vec::new();
        let address = remote::address(self, &mut fields)?;
        let has_command = fields.has("command");
        let (reach, known) = match address {
            Some(address) if has_command => {
                return Err(EntryError::Both { server, address: address.field });
            }
            Some(address) => {
                let remote = remote::read(self, &address, &mut fields, own.as_mut())?;
                warnings.extend(remote::exposed(self, &address, &remote));
                (Reach::Url(Box::new(remote)), remote::KNOWN)
            }
            None if has_command => (Reach::Command(command::read(self, &mut fields)?), Profile::KNOWN),
            None => return Err(EntryError::Neither { server }),
        };
        let on = self.sound(fields.flag("enabled"))?.unwrap_or(true);
        let off = self.sound(fields.flag("disabled"))?.unwrap_or(false);
        let auto_start = self.either(&mut fields, "auto_start", "autoStart")?.unwrap_or(false);
        let fail_if_no_tools = self.sound(fields.flag("fail_if_no_tools"))?.unwrap_or(false);
        let (reconnect, ping) = match &mut own {
            Some(own) => (self.sound(own.flag("reconnect"))?, self.sound(own.quantity("ping", parse_duration, TIME))?),
            None => (None, None),
        };
        let (profile, unknown) = match own {
            Some(own) => self.sound(Profile::read(own))?,
            None => Default::default(),
        };
        let profile = self.profile(profile, &mut fields, &mut warnings)?;
        self.definition.entry.each_text("", &mut |field, text| {
            if Reference::is_unclosed_in(text) {
                let warning = EntryError::Unclosed { server: server.clone(), field: field.to_owned() };
                // Of a list, once.
                if warnings.last() != Some(&warning) {
                    warnings.push(warning);
                }
            }
        });
        let loose = fields.loose().into_iter();
        warnings.extend(loose.map(|field| EntryError::TakenAsText { server: server.clone(), field }));
        let unknown = unknown.into_iter().map(|field| EntryError::Unknown { server: server.clone(), field, known });
        warnings.extend(unknown);
        let left = fields.left().into_iter().filter(|name| !foreign::is_known(name));
        warnings.extend(left.map(|field| EntryError::Unknown { server: server.clone(), field, known: KNOWN }));
        let missing = self.missing.take();
        if self.when == When::Launching && !missing.is_empty() {
            return Err(EntryError::Needed { server, missing });
        }
        let spec = ServerSpec {
            id,
            name: server,
            origin: self.origin.clone(),
            overrides: Vec::new(),
            reach,
            profile,
            enabled: on && !off && !self.defaults.disabled,
            auto_start,
            fail_if_no_tools,
            reconnect: reconnect.unwrap_or(auto_start),
            ping,
            definition: self.definition.clone(),
            defaults: self.defaults,
            flaw: None,
        };
        Ok((spec, warnings))
    }

    /// The profile with what the entry, and then its file, says outside of `sonde`.
    fn profile(
        &self,
        own: Profile,
        fields: &mut Fields,
        warnings: &mut Vec<EntryError>,
    ) -> Result<Profile, EntryError> {
        let (timeout, is_odd) = match self.sound(fields.quantity("timeout", time, TIME))? {
            Some((timeout, is_odd)) => (Some(timeout), is_odd),
            None => (None, false),
        };
        if is_odd {
            warnings.push(EntryError::Milliseconds { server: self.definition.name.clone(), field: "timeout" });
        }
        let mut connect_timeout = None;
        for name in ["connection_timeout", "connect_timeout", "connectTimeout"] {
            connect_timeout = connect_timeout.or(self.sound(fields.quantity(name, parse_duration, TIME))?);
        }
        let mut profile = own.over(&Profile { timeout, connect_timeout, ..Profile::default() });
        if profile.timeout.is_none() && profile.connect_timeout.is_none() {
            profile.connect_timeout = self.defaults.connect_timeout;
        }
        for root in profile.roots.iter_mut().flatten() {
            *root = self.expanded("sonde.roots", root)?.text;
        }
        Ok(profile)
    }

    fn either(&self, fields: &mut Fields, name: &str, other: &str) -> Result<Option<bool>, EntryError> {
        let (first, second) = (self.sound(fields.flag(name))?, self.sound(fields.flag(other))?);
        Ok(first.or(second))
    }

    pub fn problem(&self, problem: &str) -> EntryError {
        EntryError::Entry { server: self.definition.name.clone(), problem: problem.to_owned() }
    }

    pub fn field(&self, field: &str, problem: String) -> EntryError {
        EntryError::Field { server: self.definition.name.clone(), field: field.to_owned(), problem }
    }

    pub fn sound<T>(&self, read: Result<T, BadField>) -> Result<T, EntryError> {
        read.map_err(|bad| self.field(&bad.field, bad.problem))
    }

    pub fn expanded(&self, field: &str, text: &str) -> Result<Expanded, EntryError> {
        let expanded = expand(text, self.variables).map_err(|Unset(variable)| EntryError::Unset {
            server: self.definition.name.clone(),
            variable,
            field: field.to_owned(),
        })?;
        let missing = expanded.missing.iter().cloned();
        self.missing.borrow_mut().extend(missing.map(|reference| Missing { field: field.to_owned(), reference }));
        Ok(expanded)
    }

    pub fn path(&self, field: &str, text: &str) -> Result<PathBuf, EntryError> {
        self.expanded(field, text).map(|expanded| PathBuf::from(expanded.text))
    }
}

/// A time, and whether a bare number was taken as milliseconds: other clients count in them, and nobody waits for
/// a thousand seconds.
fn time(text: &str) -> Option<(std::time::Duration, bool)> {
    match text.trim().parse::<u32>() {
        Ok(milliseconds) if milliseconds >= 1000 => {
            Some((std::time::Duration::from_millis(u64::from(milliseconds)), true))
        }
        _ => parse_duration(text).map(|time| (time, false)),
    }
}
