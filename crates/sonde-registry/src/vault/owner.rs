//! Whose secrets they are.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::spec::{Layer, Origin, ServerId};

/// Under which name the secrets of a server are kept: its id, and for what stands in a project the project as well. So a
/// project that calls a server like one of yours gets nothing that was given for yours, nor for another project's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner(String);

impl Owner {
    /// `project` is the folder that is open; what was typed belongs to it.
    pub fn of(id: &ServerId, origin: &Origin, project: &Path) -> Self {
        let folder = match (origin.layer, origin.file.as_deref()) {
            (Layer::BuiltIn | Layer::Global, _) => return Owner(id.to_string()),
            (Layer::Ancestor | Layer::Project, Some(file)) => folder_of(file),
            (Layer::Ancestor | Layer::Project, None) | (Layer::Typed, _) => project,
        };
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let hash = Sha256::digest(folder.as_os_str().as_encoded_bytes());
        let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        // No id has such a sign in it.
        Owner(format!("{id}@{hash}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The project that a file belongs to: all of its files are one.
fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().unwrap_or(file);
    match folder.file_name() {
        Some(name) if name == ".sonde" => folder.parent().unwrap_or(folder),
        _ => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_secrets_of_its_own_and_all_of_its_files_share_them() {
        let id = ServerId::from_name("shop").unwrap();
        let owner = |layer, file: &str| {
            Owner::of(&id, &Origin { layer, file: Some(file.into()) }, Path::new("/no/such/project"))
        };
        let global = owner(Layer::Global, "/no/such/config/sonde/mcp.json");
        assert_eq!(global.as_str(), "shop", "as it was always kept");
        let own = owner(Layer::Project, "/no/such/a/.mcp.json");
        assert!(own.as_str().starts_with("shop@") && own.as_str().len() == "shop@".len() + 12, "{own}");
        assert_eq!(own, owner(Layer::Project, "/no/such/a/.sonde/mcp.json"), "another file of the same project");
        assert_eq!(own, owner(Layer::Ancestor, "/no/such/a/.mcp.json"), "from a folder within it");
        assert_ne!(own, owner(Layer::Project, "/no/such/b/.mcp.json"), "another project");
        let typed = Owner::of(&id, &Origin { layer: Layer::Typed, file: None }, Path::new("/no/such/a"));
        assert_eq!(typed, own, "what is typed belongs to the project that is open");
    }
}
