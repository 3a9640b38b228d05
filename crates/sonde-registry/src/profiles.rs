//! What a person edited about a server, kept beside the approvals.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::fields::{BadField, Fields};
use crate::private;
use crate::profile::Profile;
use crate::spec::ServerId;

#[derive(Debug, thiserror::Error)]
pub enum ProfilesError {
    #[error("the profiles `{}` can't be read", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the profiles `{}` are not valid", path.display())]
    Invalid { path: PathBuf, source: serde_json::Error },
    #[error("the profiles `{}`: server `{server}`: `{field}`: {problem}", path.display())]
    Field { path: PathBuf, server: String, field: String, problem: String },
    #[error("the profiles `{}` can't be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// The file of profiles. Read anew for each question, since another front door may have written one.
#[derive(Debug, Clone)]
pub struct Profiles {
    path: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct Written {
    /// Server to profile; those of other servers are kept as they stand.
    profiles: BTreeMap<String, Box<RawValue>>,
}

impl Profiles {
    pub fn at(path: PathBuf) -> Self {
        Profiles { path }
    }

    /// What was edited; an empty profile where nothing was.
    pub fn of(&self, server: &ServerId) -> Result<Profile, ProfilesError> {
        let Some(text) = self.read()?.profiles.remove(server.as_str()) else { return Ok(Profile::default()) };
        let not_an_object = || BadField { field: "profiles".to_owned(), problem: "it must be an object".to_owned() };
        let fields = Fields::parse(text.get()).ok().flatten();
        let read = fields.ok_or_else(not_an_object).and_then(Profile::read);
        let profile = read.map_err(|bad| ProfilesError::Field {
            path: self.path.clone(),
            server: server.to_string(),
            field: bad.field,
            problem: bad.problem,
        });
        profile.map(|(profile, _unknown)| profile)
    }

    /// Replaces what was edited; an empty profile is no longer kept.
    pub fn set(&self, server: &ServerId, profile: &Profile) -> Result<(), ProfilesError> {
        let mut written = self.read()?;
        let invalid = |source| ProfilesError::Invalid { path: self.path.clone(), source };
        match profile.is_empty() {
            true => written.profiles.remove(server.as_str()),
            false => written.profiles.insert(server.to_string(), profile.write().map_err(invalid)?),
        };
        let text = serde_json::to_vec_pretty(&written).map_err(invalid)?;
        private::write(&self.path, &text).map_err(|source| ProfilesError::Write { path: self.path.clone(), source })
    }

    fn read(&self) -> Result<Written, ProfilesError> {
        match private::read(&self.path) {
            Ok(Some(bytes)) => serde_json::from_slice(&bytes)
                .map_err(|source| ProfilesError::Invalid { path: self.path.clone(), source }),
            Ok(None) => Ok(Written::default()),
            Err(source) => Err(ProfilesError::Read { path: self.path.clone(), source }),
        }
    }
}
