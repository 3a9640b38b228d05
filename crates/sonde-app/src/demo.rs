//! The demo server: our own program, run again.

use std::path::Path;

use sonde_registry::ServerSpec;

pub(crate) fn spec(program: &Path) -> Option<ServerSpec> {
    ServerSpec::built_in("demo", program.to_str()?.to_owned(), vec!["demo".to_owned()])
}
