//! Where programs are found beside PATH: on machines that exist only here, and by a real login shell.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sonde_transport::{Files, Found, LaunchError, Platform, SearchPath, Source};

use crate::harness::{supervisor, within};

/// A machine that has these files; all but those with a text are programs.
#[derive(Default)]
struct Machine {
    platform: Option<Platform>,
    files: BTreeMap<String, Option<String>>,
    variables: BTreeMap<String, String>,
}

impl Machine {
    fn new(platform: Platform, home: (&str, &str)) -> Self {
        let machine = Machine { platform: Some(platform), ..Machine::default() };
        machine.with_variable(home.0, home.1)
    }

    fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    fn with_program(mut self, path: &str) -> Self {
        self.files.insert(path.to_owned(), None);
        self
    }

    fn with_text(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), Some(text.to_owned()));
        self
    }

    fn separator(&self) -> char {
        if self.platform == Some(Platform::Windows) { '\\' } else { '/' }
    }

    /// The program that `command` is, the source of it, and the PATH that the server gets.
    fn find(&self, command: &str, path: &str, login: Option<&str>) -> Result<(String, String, String), LaunchError> {
        let platform = self.platform.unwrap();
        let folder = if platform == Platform::Windows { r"C:\work" } else { "/work" };
        let mut env = vec![("PATH".to_owned(), OsString::from(path))];
        let ours = |name: &str| self.variables.get(name).map(OsString::from);
        let further = || platform.further_folders(login.map(OsStr::new), &ours, self);
        let found = platform.resolve(command, Path::new(folder), &env, &further, self)?;
        platform.equip(&found, &mut env);
        let path = env.pop().unwrap().1.into_string().unwrap();
        Ok((found.binary.to_str().unwrap().to_owned(), found.source.to_string(), path))
    }
}

impl Files for Machine {
    fn look(&self, path: &Path) -> Found {
        let path = path.to_str().unwrap();
        if path == "/work" || path == r"C:\work" {
            return Found::Folder;
        }
        let below = format!("{}{}", path.trim_end_matches(self.separator()), self.separator());
        match self.files.get(path) {
            Some(None) => Found::Program,
            Some(Some(_)) => Found::Plain,
            None if self.files.keys().any(|file| file.starts_with(&below)) => Found::Folder,
            None => Found::Nothing,
        }
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let below = format!("{}{}", folder.to_str().unwrap(), self.separator());
        let names = self.files.keys().filter_map(|file| file.strip_prefix(&below)?.split(self.separator()).next());
        names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.files.get(path.to_str().unwrap())?.clone()
    }
}

fn found(binary: &str, source: &str, path: &str) -> (String, String, String) {
    (binary.to_owned(), source.to_owned(), path.to_owned())
}

#[test]
fn our_path_comes_first_then_the_login_shell_then_the_tools() {
    let machine = Machine::new(Platform::Unix, ("HOME", "/home/ada"))
        .with_program("/home/ada/.volta/bin/npx")
        .with_program("/home/ada/.volta/bin/node")
        .with_program("/opt/shell/npx");
    let volta = found("/home/ada/.volta/bin/npx", "volta", "/home/ada/.volta/bin:/usr/bin:/bin");
    assert_eq!(
        machine.find("npx", "/usr/bin:/bin", None).unwrap(),
        volta,
        "its folder goes first: `node` is beside it"
    );
    let shell = found("/opt/shell/npx", "login shell", "/opt/shell:/usr/bin");
    assert_eq!(machine.find("npx", "/usr/bin", Some("/nowhere:/opt/shell")).unwrap(), shell);
    let machine = machine.with_program("/usr/bin/npx");
    let ours = found("/usr/bin/npx", "PATH", "/usr/bin");
    assert_eq!(machine.find("npx", "/usr/bin", Some("/opt/shell")).unwrap(), ours, "and the PATH stays as it was");
    let written = found("/opt/shell/npx", "as written", "/usr/bin");
    assert_eq!(machine.find("/opt/shell/npx", "/usr/bin", None).unwrap(), written, "a path is what it is");
}

#[test]
fn of_several_versions_the_default_counts_and_else_the_newest() {
    let nvm = |alias: &[(&str, &str)]| {
        let machine = Machine::new(Platform::Unix, ("HOME", "/home/ada"))
            .with_program("/home/ada/.nvm/versions/node/v9.11.2/bin/npx")
            .with_program("/home/ada/.nvm/versions/node/v20.19.1/bin/npx")
            .with_program("/home/ada/.nvm/versions/node/v20.2.0/bin/npx")
            .with_program("/home/ada/.nvm/versions/node/v22.3.0/bin/npx");
        let named = |machine: Machine, (name, text): &(&str, &str)| {
            machine.with_text(&format!("/home/ada/.nvm/alias/{name}"), text)
        };
        let (binary, source, _) = alias.iter().fold(machine, named).find("npx", "", None).unwrap();
        assert_eq!(source, "nvm");
        binary.trim_start_matches("/home/ada/.nvm/versions/node/").trim_end_matches("/bin/npx").to_owned()
    };
    assert_eq!(nvm(&[]), "v22.3.0", "by number, not by letter: 9 is older");
    assert_eq!(nvm(&[("default", "20\n")]), "v20.19.1", "the newest that fits");
    assert_eq!(nvm(&[("default", "v20.2.0")]), "v20.2.0");
    assert_eq!(nvm(&[("default", "lts/iron"), ("lts/iron", "v20.2.0")]), "v20.2.0", "an alias may name another");
    assert_eq!(nvm(&[("default", "default")]), "v22.3.0", "a circle leads nowhere");
    assert_eq!(nvm(&[("default", "../../../etc/x")]), "v22.3.0");
    assert_eq!(nvm(&[("default", "2")]), "v22.3.0", "2 is not 20");
}

#[test]
fn on_a_mac_the_folders_of_a_mac_are_known() {
    let machine = Machine::new(Platform::Unix, ("HOME", "/Users/ada"))
        .with_program("/Users/ada/Library/Application Support/fnm/aliases/default/bin/npx")
        .with_program("/opt/homebrew/bin/uvx")
        .with_program("/Applications/Docker.app/Contents/Resources/bin/docker")
        .with_program("/Users/ada/.bun/bin/bunx");
    let source = |command: &str| machine.find(command, "/usr/bin:/bin", None).unwrap().1;
    assert_eq!(["npx", "uvx", "docker", "bunx"].map(source), ["fnm", "Homebrew", "Docker Desktop", "bun"]);
    match machine.find("deno", "/usr/bin", None) {
        Err(LaunchError::NotFound { searched, .. }) => {
            let searched: Vec<_> = searched.iter().map(|place| place.source.to_string()).collect();
            assert_eq!(searched, ["PATH", "fnm", "bun", "Homebrew", "Docker Desktop"], "only folders that are there");
        }
        other => panic!("it is nowhere: {other:?}"),
    }
}

#[test]
fn on_linux_a_variable_says_where_a_tool_is() {
    let machine = Machine::new(Platform::Unix, ("HOME", "/home/ada"))
        .with_variable("ASDF_DATA_DIR", "/data/asdf")
        .with_variable("PYENV_ROOT", "relative")
        .with_program("/data/asdf/shims/npx")
        .with_program("/home/ada/.local/share/mise/shims/node")
        .with_program("/home/ada/.local/bin/uvx")
        .with_program("/home/ada/.cargo/bin/server")
        .with_program("/home/ada/.pyenv/shims/python")
        .with_program("/home/ada/.local/share/fnm/node-versions/v18.0.0/installation/bin/old")
        .with_program("/home/ada/.local/share/fnm/node-versions/v21.0.0/installation/bin/tsx");
    let source = |command: &str| machine.find(command, "", None).unwrap().1;
    let commands = ["npx", "node", "uvx", "server", "python", "tsx"];
    assert_eq!(commands.map(source), ["asdf", "mise", "uv or pipx", "cargo", "pyenv", "fnm"]);
    assert!(machine.find("old", "", None).is_err(), "an older version is not searched");
}

#[test]
fn on_windows_the_shims_of_tools_are_found_with_their_suffix() {
    let machine = Machine::new(Platform::Windows, ("USERPROFILE", r"C:\Users\ada"))
        .with_variable("APPDATA", r"C:\Users\ada\AppData\Roaming")
        .with_variable("LOCALAPPDATA", r"C:\Users\ada\AppData\Local")
        .with_variable("PROGRAMFILES", r"C:\Program Files")
        .with_variable("NVM_SYMLINK", r"C:\nvm4w\nodejs")
        .with_program(r"C:\nvm4w\nodejs\npx.cmd")
        .with_program(r"C:\Users\ada\AppData\Roaming\npm\server.cmd")
        .with_program(r"C:\Users\ada\AppData\Local\Volta\bin\tsx.exe")
        .with_program(r"C:\Users\ada\scoop\shims\deno.exe")
        .with_program(r"C:\Users\ada\.local\bin\uvx.exe")
        .with_program(r"C:\Users\ada\AppData\Local\Programs\Python\Python39\python.exe")
        .with_program(r"C:\Users\ada\AppData\Local\Programs\Python\Python312\python.exe")
        .with_program(r"C:\Users\ada\AppData\Local\Programs\Python\Python312\Scripts\mcp.exe");
    let whole = machine.find("npx", r"C:\Windows", None).unwrap();
    assert_eq!(whole, found(r"C:\nvm4w\nodejs\npx.cmd", "nvm", r"C:\nvm4w\nodejs;C:\Windows"));
    let source = |command: &str| machine.find(command, r"C:\Windows", None).unwrap().1;
    let commands = ["server", "tsx", "deno", "uvx", "mcp"];
    assert_eq!(commands.map(source), ["npm", "volta", "scoop", "uv or pipx", "Python"]);
    let python = machine.find("python", "", None).unwrap().0;
    assert!(python.contains("Python312"), "the newest: {python}");
}

fn write_program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// A shell whose start-up files greet, and a program that only they know of.
fn shell_that(does: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    write_program(&folder.path().join("tools/only-by-shell"), "#!/bin/sh\n");
    let shell = folder.path().join("shell");
    let script = format!("#!/bin/sh\nexec 9>>{}/asked; echo x >&9\n{does}\n", folder.path().display());
    write_program(&shell, &script);
    (folder, shell)
}

#[tokio::test]
async fn a_login_shell_is_asked_once_and_only_for_what_is_not_in_path() {
    let (folder, shell) = shell_that(
        r#"echo 'Welcome!'; echo 'a complaint' >&2; read -r line && exit 1
           [ "$1 $2 $3" = "-l -i -c" ] || exit 1; PATH="$(dirname "$0")/tools:$PATH"; eval "$4"; sleep 1000"#,
    );
    let search = SearchPath::with_login_shell(&supervisor(), shell);
    let env = vec![("PATH".to_owned(), OsString::from("/usr/bin:/bin"))];
    let asked = || std::fs::read_to_string(folder.path().join("asked")).unwrap_or_default().lines().count();
    within("a search", search.settle("sh", folder.path(), &env)).await;
    assert_eq!(asked(), 0, "`sh` is in PATH, so nobody needs the shell");
    for _ in 0..2 {
        within("a search", search.settle("only-by-shell", folder.path(), &env)).await;
    }
    assert_eq!(asked(), 1, "what it said is kept");
    let mut equipped = env.clone();
    let located = search.resolve("only-by-shell", folder.path(), &mut equipped).unwrap();
    let tools = folder.path().join("tools");
    assert_eq!((located.binary, located.source), (tools.join("only-by-shell"), Source::LoginShell));
    let path = equipped[0].1.to_str().unwrap();
    assert_eq!(path, format!("{}:/usr/bin:/bin", tools.display()), "the server finds what is beside it");
    let all: Vec<_> = search.all("only-by-shell", &env).into_iter().map(|located| located.source).collect();
    assert_eq!(all, [Source::LoginShell]);
}

#[tokio::test]
async fn a_shell_that_says_nothing_is_not_waited_for() {
    for does in ["exit 0", "while :; do echo flood; done", "exec sleep 1000"] {
        let (folder, shell) = shell_that(does);
        let search = SearchPath::with_login_shell(&supervisor(), shell);
        within("a search", search.settle("only-by-shell", folder.path(), &[])).await;
        let found = search.resolve("only-by-shell", folder.path(), &mut Vec::new());
        assert!(matches!(found, Err(LaunchError::NotFound { .. })), "`{does}` says no PATH");
    }
}
