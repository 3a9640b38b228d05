//! What a server sees of our environment, by the rules of each platform.

use std::ffi::OsString;

use sonde_transport::Platform;

fn names(platform: Platform, ours: &[(&str, &str)], passed: &[&str], own: &[(&str, &str)]) -> Vec<String> {
    let ours = ours.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let passed: Vec<String> = passed.iter().map(|name| (*name).to_owned()).collect();
    let own: Vec<(String, String)> =
        own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let variables = platform.variables(ours, &passed, &own);
    variables.into_iter().map(|(name, value)| format!("{name}={}", value.to_string_lossy())).collect()
}

#[test]
fn a_secret_of_ours_reaches_only_the_server_that_asks_for_it() {
    let ours = [("PATH", "/bin"), ("OPENAI_API_KEY", "sk-1"), ("AWS_SECRET", "x"), ("LC_ALL", "C"), ("TMP", "/tmp")];
    let seen = |passed: &[&str], own: &[(&str, &str)]| names(Platform::Unix, &ours, passed, own);
    assert_eq!(seen(&[], &[]), ["PATH=/bin", "LC_ALL=C", "TMP=/tmp"], "secrets are not on the list");
    assert_eq!(seen(&["AWS_SECRET"], &[]), ["PATH=/bin", "AWS_SECRET=x", "LC_ALL=C", "TMP=/tmp"], "it was asked for");
    assert_eq!(seen(&["aws_secret"], &[]).len(), 3, "here a name in other letters is another name");
    assert_eq!(seen(&[], &[("PATH", "/opt")]), ["LC_ALL=C", "TMP=/tmp", "PATH=/opt"], "the configuration wins");
}

#[test]
fn an_exported_shell_function_never_passes() {
    let ours = [("SHELL", "() { :; }; echo pwned"), ("BASH_FUNC_ls%%", "() { rm -rf x; }"), ("HOME", "/root")];
    let asked = ["SHELL", "BASH_FUNC_ls%%", "HOME"];
    for platform in [Platform::Unix, Platform::Windows] {
        let seen = names(platform, &ours, &asked, &[]);
        assert_eq!(seen, ["HOME=/root"], "not even where its name is asked for: {platform:?}");
    }
}

#[test]
fn on_windows_a_name_is_the_same_in_any_letters() {
    let ours = [("Path", r"C:\bin"), ("SystemRoot", r"C:\Windows"), ("HOME", "x"), ("Api_Key", "k"), ("LANG", "C")];
    let seen = |passed: &[&str], own: &[(&str, &str)]| names(Platform::Windows, &ours, passed, own);
    assert_eq!(seen(&[], &[]), [r"Path=C:\bin", r"SystemRoot=C:\Windows"], "what programs need there");
    assert_eq!(seen(&["API_KEY"], &[]).len(), 3, "asked for in other letters");
    assert_eq!(seen(&[], &[("PATH", r"D:\")]), [r"SystemRoot=C:\Windows", r"PATH=D:\"], "it replaces, and adds none");
    let needed = ["PATHEXT", "COMSPEC", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"];
    let ours: Vec<(&str, &str)> = needed.iter().map(|name| (*name, "1")).collect();
    assert_eq!(names(Platform::Windows, &ours, &[], &[]).len(), needed.len(), "each of these passes");
}
