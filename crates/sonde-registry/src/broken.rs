//! An entry that can't be used is an entry all the same: it is listed with what is wrong, to be corrected or removed.

use crate::definition::Definition;
use crate::entry::{Entry, When};
use crate::expand::{Lookup, Reference, Variables};
use crate::file::{EntryError, FileProblem};
use crate::reach::{CommandLine, Reach};
use crate::spec::{Defaults, Origin, ServerId, ServerSpec};

/// Fields that are left out, one after the other, until the rest can be read.
const MOST_MISTAKES: usize = 16;

/// The server as far as its entry can be read, with its flaw. It is there to be shown and never to be started. None where
/// it has no name.
pub(crate) fn listed(
    definition: &Definition,
    origin: &Origin,
    defaults: Defaults,
    variables: &dyn Variables,
    flaw: FileProblem,
) -> Option<ServerSpec> {
    let id = ServerId::from_name(&definition.name)?;
    let spec = readable(definition, origin, defaults, variables).unwrap_or_else(|| {
        let nothing = Reach::Command(CommandLine::default());
        let blank = ServerSpec::plain(id, definition.name.clone(), origin.clone(), nothing);
        ServerSpec { enabled: !defaults.disabled, ..blank }
    });
    Some(ServerSpec { definition: definition.clone(), defaults, flaw: Some(Box::new(flaw)), ..spec })
}

fn readable(
    definition: &Definition,
    origin: &Origin,
    defaults: Defaults,
    variables: &dyn Variables,
) -> Option<ServerSpec> {
    let variables = Lenient(variables);
    let mut rest = definition.clone();
    for _ in 0..MOST_MISTAKES {
        let error = match Entry::new(&rest, origin, defaults, &variables, When::Reading).read() {
            Ok((spec, _told_elsewhere)) => return Some(spec),
            Err(error) => error,
        };
        let field = match &error {
            EntryError::Both { address, .. } => address,
            error => error.field()?,
        };
        rest.entry.take(field.split('.').next().unwrap_or(field))?;
    }
    None
}

/// What is not set stays as it is written.
struct Lenient<'a>(&'a dyn Variables);

impl Variables for Lenient<'_> {
    fn look_up(&self, reference: &Reference) -> Lookup {
        match self.0.look_up(reference) {
            Lookup::Unset => Lookup::Later,
            found => found,
        }
    }
}
