//! Finding what will be started, and saying why it can't be.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sonde_transport::{Found, LaunchError, Platform, SearchFolder};

/// Only in PATH, as a terminal does where nothing else is found.
fn resolve(command: &str, folder: &Path, env: &[(String, OsString)]) -> Result<PathBuf, LaunchError> {
    let look = |path: &Path| match path.metadata() {
        Err(_) => Found::Nothing,
        Ok(facts) if facts.is_dir() => Found::Folder,
        Ok(facts) if facts.permissions().mode() & 0o111 != 0 => Found::Program,
        Ok(_) => Found::Plain,
    };
    Platform::Unix.resolve(command, folder, env, &Vec::new, &look).map(|located| located.binary)
}

fn folders(searched: &[SearchFolder]) -> Vec<PathBuf> {
    searched.iter().map(|place| place.folder.clone()).collect()
}

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

fn path_of(folders: &[PathBuf]) -> Vec<(String, OsString)> {
    vec![("PATH".to_owned(), std::env::join_paths(folders).unwrap())]
}

#[test]
fn a_bare_name_is_looked_up_and_a_path_is_taken_from_the_folder() {
    let folder = workshop();
    let root = folder.path();
    let path = path_of(&[root.join("empty"), root.join("bin")]);
    let found = |command: &str| resolve(command, root, &path).unwrap();
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
    let refused = |command: &str, folder: &Path| resolve(command, folder, &path).unwrap_err();
    match refused("no-such-tool", root) {
        LaunchError::NotFound { command, searched } => {
            assert_eq!(command, "no-such-tool");
            assert_eq!(
                folders(&searched),
                [root.join("empty"), root.join("bin")],
                "every folder that was searched, in order"
            );
        }
        other => panic!("it is nowhere: {other}"),
    }
    assert!(matches!(refused("plain", root), LaunchError::NotExecutable { path } if path == root.join("bin/plain")));
    assert!(matches!(refused("./bin/plain", root), LaunchError::NotExecutable { .. }));
    assert!(matches!(refused("./bin", root), LaunchError::IsAFolder { .. }));
    assert!(matches!(refused("./gone", root), LaunchError::Missing { .. }));
    assert!(matches!(refused("", root), LaunchError::Empty));
    assert!(matches!(refused("tool", &root.join("gone")), LaunchError::NoFolder { .. }), "the folder comes first");
    assert!(matches!(resolve("tool", root, &[]), Err(LaunchError::NotFound { searched, .. }) if searched.is_empty()));
    let relative = [("PATH".to_owned(), OsString::from("bin:.:"))];
    assert!(
        matches!(resolve("tool", root, &relative), Err(LaunchError::NotFound { searched, .. }) if searched.is_empty()),
        "a relative entry would be another folder to us than to the server"
    );
    assert!(matches!(refused("tool -x", root), LaunchError::NotFound { .. }), "a command is one word, never a shell's");
}

/// Resolves on a Windows machine that has these files.
fn on_windows(files: &[&str], env: &[(&str, &str)], command: &str) -> Result<String, LaunchError> {
    let env: Vec<_> = env.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
    let look = |path: &Path| {
        // As Windows reads a path: either separator, and a dot for the folder itself.
        let path = &path.to_str().unwrap().replace('/', "\\").replace("\\.\\", "\\");
        let folder = format!("{}\\", path.trim_end_matches('\\'));
        match files.iter().any(|file| file.eq_ignore_ascii_case(path)) {
            true => Found::Program,
            false if files.iter().any(|file| file.starts_with(&folder)) => Found::Folder,
            false => Found::Nothing,
        }
    };
    Platform::Windows
        .resolve(command, Path::new(r"C:\work"), &env, &Vec::new, &look)
        .map(|found| found.binary.into_os_string().into_string().unwrap())
}

const MACHINE: &[&str] = &[
    r"C:\work\server.js",
    r"C:\work\run.bat",
    r"C:\nodejs\npx",
    r"C:\nodejs\npx.cmd",
    r"C:\nodejs\node.exe",
    r"D:\my;tools\uvx.exe",
    r"D:\old\node.com",
    r"D:\old\script.vbs",
];
const PATH: (&str, &str) = ("Path", r#"C:\nodejs\;tools;"D:\my;tools";D:\old"#);

#[test]
fn on_windows_a_command_gets_the_suffix_that_can_be_started() {
    let found = |env: &[(&str, &str)], command: &str| on_windows(MACHINE, env, command).unwrap();
    let usual = [PATH, ("PATHEXT", ".COM;.EXE;.BAT;.CMD;.VBS;.JS")];
    assert_eq!(found(&usual, "npx"), r"C:\nodejs\npx.cmd", "not the script for another system that lies beside it");
    assert_eq!(found(&usual, "node"), r"C:\nodejs\node.exe", "the first folder counts, whatever its suffix");
    assert_eq!(found(&usual, "NPX.CMD"), r"C:\nodejs\NPX.CMD", "one that has its suffix is left as it is");
    assert_eq!(found(&usual, "uvx"), r"D:\my;tools\uvx.exe", "a folder in quotation marks may contain a semicolon");
    assert_eq!(found(&[PATH], "npx"), r"C:\nodejs\npx.cmd", "without PATHEXT the usual four are tried");
    assert_eq!(found(&usual, r".\run"), r"C:\work\.\run.bat", "a path is taken from the working folder");
    assert_eq!(found(&usual, "./run.bat"), r"C:\work\./run.bat", "either separator will do");
    assert_eq!(found(&usual, r"D:\old\node"), r"D:\old\node.com", "an absolute path is what it is");
    let exe_last = [PATH, ("pathext", ".CMD;.EXE")];
    assert_eq!(on_windows(&[r"C:\work\x", r"D:\old\a.exe", r"D:\old\a.cmd"], &exe_last, "a").unwrap(), r"D:\old\a.cmd");
}

#[test]
fn on_windows_what_cannot_be_started_is_told_apart() {
    let usual = [PATH, ("PATHEXT", ".EXE;.CMD;.VBS")];
    let refused = |command: &str| on_windows(MACHINE, &usual, command).unwrap_err();
    match refused("deno") {
        LaunchError::NotFound { command, searched } => {
            assert_eq!(command, "deno");
            let searched: Vec<_> = searched.iter().map(|place| place.folder.to_str().unwrap()).collect();
            assert_eq!(searched, [r"C:\nodejs\", r"D:\my;tools", r"D:\old"], "all but the relative one, in order");
        }
        other => panic!("it is nowhere: {other}"),
    }
    assert!(matches!(refused("script"), LaunchError::NotFound { .. }), "the system does not start such a file itself");
    assert!(matches!(refused("server.js"), LaunchError::NotFound { .. }), "the working folder is not searched");
    assert!(matches!(refused(r".\server.js"), LaunchError::NotExecutable { .. }), "it is there, but it is no program");
    assert!(matches!(refused(r"C:\nodejs"), LaunchError::IsAFolder { .. }));
    assert!(matches!(refused(r"C:\gone\x.exe"), LaunchError::Missing { .. }));
}

#[test]
fn an_argument_that_a_batch_file_would_lose_is_named() {
    let args = ["a b", "%PATH%", "\"^&|<>", "two\nlines", "x"].map(str::to_owned);
    let lost = |platform: Platform, binary: &str| platform.lost_argument(Path::new(binary), &args);
    assert_eq!(lost(Platform::Windows, r"C:\x\npx.CMD"), Some(3), "the end of a line would begin another command");
    assert_eq!(lost(Platform::Windows, r"C:\x\run.bat"), Some(3));
    assert_eq!(lost(Platform::Windows, r"C:\x\node.exe"), None, "only batch files are read by a shell");
    assert_eq!(lost(Platform::Unix, "/bin/run.bat"), None);
    assert_eq!(Platform::Unix.lost_argument(Path::new("/bin/x"), &["a\0b".to_owned()]), Some(0), "nobody takes a NUL");
}
