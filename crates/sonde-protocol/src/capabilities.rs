//! What one side declared that it can do, read once.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::members::FirstMembers;

/// The capabilities of one side. Whatever a side declares is in the log; here is what can be asked for by its name.
#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    /// The dotted path of everything that is declared, such as `resources.subscribe`.
    declared: HashSet<String>,
}

/// How deep a capability of the protocol can lie: `tasks.requests.sampling.createMessage`.
const DEEPEST: usize = 4;
/// No revision knows a tenth of this; a side that declares more gets the rest ignored, not remembered.
const MOST: usize = 512;
/// A longer name is none of the protocol, and would be part of the path of all that stands below it.
const LONGEST_NAME: usize = 64;

impl Capabilities {
    pub fn none() -> Self {
        Capabilities::default()
    }

    /// Reads the object of `initialize` or of its answer. What is no object declares nothing.
    pub fn read(raw: &RawValue) -> Self {
        let mut declared = HashSet::new();
        collect(raw, "", DEEPEST, &mut declared);
        Capabilities { declared }
    }

    /// Whether a capability such as `resources.subscribe` is there, and neither false nor null.
    pub fn declares(&self, path: &str) -> bool {
        self.declared.contains(path)
    }
}

fn collect(object: &RawValue, prefix: &str, depth: usize, declared: &mut HashSet<String>) {
    let Ok(FirstMembers(members)) = serde_json::from_str::<FirstMembers<'_, MOST>>(object.get()) else { return };
    for (name, value) in members {
        // A name with a dot is nobody's path, and must not pass for one.
        let nobodys = name.contains('.') || name.len() > LONGEST_NAME;
        if nobodys || matches!(value.get(), "null" | "false") || declared.len() >= MOST {
            continue;
        }
        let path = if prefix.is_empty() { name.into_owned() } else { format!("{prefix}.{name}") };
        // What is experimental may be of any number, and no rule asks for one of it.
        if depth > 1 && path != "experimental" {
            collect(value, &path, depth - 1, declared);
        }
        declared.insert(path);
    }
}
