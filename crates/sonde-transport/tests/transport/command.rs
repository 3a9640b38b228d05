//! Finding what will be started, and saying why it can't be.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sonde_transport::{LaunchError, resolve};

/// A folder with `bin/tool`, which can be run, and `bin/plain`, which can't.
fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode) in [("bin/tool", 0o755), ("bin/plain", 0o644), ("tool", 0o755)] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    }
    folder
}

fn path_of(folders: &[PathBuf]) -> OsString {
    std::env::join_paths(folders).unwrap()
}

#[test]
fn a_bare_name_is_looked_up_and_a_path_is_taken_from_the_folder() {
    let folder = workshop();
    let root = folder.path();
    let path = path_of(&[root.join("empty"), root.join("bin")]);
    let found = |command: &str| resolve(command, root, Some(&path)).unwrap();
    assert_eq!(found("tool"), root.join("bin/tool"), "by PATH, though a file of that name lies in the folder");
    assert_eq!(found("./tool"), root.join("./tool"), "relative to the folder");
    assert_eq!(found("bin/tool"), root.join("bin/tool"));
    let absolute = root.join("bin/tool");
    assert_eq!(found(absolute.to_str().unwrap()), absolute, "an absolute path is what it is");
}

#[test]
fn each_way_to_be_unusable_is_told_apart() {
    let folder = workshop();
    let root = folder.path();
    let path = path_of(&[root.join("empty"), root.join("bin")]);
    let refused = |command: &str, folder: &Path| resolve(command, folder, Some(&path)).unwrap_err();
    match refused("no-such-tool", root) {
        LaunchError::NotFound { command, searched } => {
            assert_eq!(command, "no-such-tool");
            assert_eq!(searched, [root.join("empty"), root.join("bin")], "every folder that was searched, in order");
        }
        other => panic!("it is nowhere: {other}"),
    }
    assert!(matches!(refused("plain", root), LaunchError::NotExecutable { path } if path == root.join("bin/plain")));
    assert!(matches!(refused("./bin/plain", root), LaunchError::NotExecutable { .. }));
    assert!(matches!(refused("./bin", root), LaunchError::IsAFolder { .. }));
    assert!(matches!(refused("./gone", root), LaunchError::Missing { .. }));
    assert!(matches!(refused("", root), LaunchError::Empty));
    assert!(matches!(refused("tool", &root.join("gone")), LaunchError::NoFolder { .. }), "the folder comes first");
    assert!(matches!(resolve("tool", root, None), Err(LaunchError::NotFound { searched, .. }) if searched.is_empty()));
    let relative = OsString::from("bin:.:");
    assert!(
        matches!(resolve("tool", root, Some(&relative)), Err(LaunchError::NotFound { searched, .. }) if searched.is_empty()),
        "a relative entry would be another folder to us than to the server"
    );
    assert!(matches!(refused("tool -x", root), LaunchError::NotFound { .. }), "a command is one word, never a shell's");
}
