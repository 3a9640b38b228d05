//! The folders of version managers and of other tools, where they put their programs unless a variable says otherwise.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Files, SearchFolder, Source};
use crate::command::Found;
use crate::platform::Platform;

/// Those that exist, the likeliest first.
pub(super) fn folders(
    platform: Platform,
    ours: &dyn Fn(&str) -> Option<OsString>,
    files: &dyn Files,
) -> Vec<SearchFolder> {
    let places = Places { platform, ours, files };
    let found = match platform {
        Platform::Unix => places.unix(),
        Platform::Windows => places.windows(),
    };
    let folders = found.into_iter().flat_map(|(tool, folders)| {
        folders.into_iter().map(move |folder| SearchFolder { folder, source: Source::Tool(tool) })
    });
    folders.filter(|place| files.look(&place.folder) == Found::Folder).collect()
}

struct Places<'a> {
    platform: Platform,
    ours: &'a dyn Fn(&str) -> Option<OsString>,
    files: &'a dyn Files,
}

type Tools = Vec<(&'static str, Vec<PathBuf>)>;

impl Places<'_> {
    fn unix(&self) -> Tools {
        let home = |below: &str| self.below("HOME", below);
        let mut nvm = self.either(&["NVM_DIR"], home(".nvm"));
        nvm.extend(home(".config/nvm"));
        let fnm = [self.variable("FNM_DIR"), home(".local/share/fnm"), home(".fnm")];
        let fnm = fnm.into_iter().chain([home("Library/Application Support/fnm")]).flatten().collect::<Vec<_>>();
        vec![
            ("nvm", nvm.iter().filter_map(|nvm| self.nvm(nvm)).collect()),
            ("fnm", fnm.iter().filter_map(|fnm| self.fnm(fnm, "bin")).collect()),
            ("volta", self.in_each(self.either(&["VOLTA_HOME"], home(".volta")), "bin")),
            ("asdf", self.in_each(self.either(&["ASDF_DATA_DIR"], home(".asdf")), "shims")),
            ("mise", self.in_each(self.either(&["MISE_DATA_DIR"], home(".local/share/mise")), "shims")),
            ("pyenv", self.in_each(self.either(&["PYENV_ROOT"], home(".pyenv")), "shims")),
            ("uv or pipx", home(".local/bin").into_iter().collect()),
            ("cargo", self.in_each(self.either(&["CARGO_HOME"], home(".cargo")), "bin")),
            ("bun", self.in_each(self.either(&["BUN_INSTALL"], home(".bun")), "bin")),
            ("deno", self.in_each(self.either(&["DENO_INSTALL"], home(".deno")), "bin")),
            (
                "pnpm",
                [self.variable("PNPM_HOME"), home(".local/share/pnpm"), home("Library/pnpm")]
                    .into_iter()
                    .flatten()
                    .collect(),
            ),
            ("npm", home(".npm-global/bin").into_iter().collect()),
            ("Homebrew", {
                let own = self.in_each(self.variable("HOMEBREW_PREFIX").into_iter().collect(), "bin");
                own.into_iter()
                    .chain(["/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin"].map(PathBuf::from))
                    .collect()
            }),
            ("Nix", home(".nix-profile/bin").into_iter().chain(["/run/current-system/sw/bin".into()]).collect()),
            ("Docker Desktop", {
                home(".docker/bin")
                    .into_iter()
                    .chain(["/Applications/Docker.app/Contents/Resources/bin".into()])
                    .collect()
            }),
            ("usual place", ["/usr/local/bin", "/usr/bin", "/bin", "/snap/bin"].map(PathBuf::from).to_vec()),
        ]
    }

    fn windows(&self) -> Tools {
        let home = |below: &str| self.below("USERPROFILE", below);
        let roaming = |below: &str| self.below("APPDATA", below);
        let local = |below: &str| self.below("LOCALAPPDATA", below);
        let programs = |below: &str| self.below("PROGRAMFILES", below);
        let nvm = self.either(&["NVM_HOME"], roaming("nvm"));
        let linked = self.variable("NVM_SYMLINK").into_iter();
        let fnm = self.either(&["FNM_DIR"], roaming("fnm"));
        let pythons = local(r"Programs\Python").and_then(|folder| self.newest(&folder, "Python"));
        vec![
            ("nvm", linked.chain(nvm.iter().filter_map(|nvm| self.newest(nvm, "v"))).collect()),
            ("fnm", fnm.iter().filter_map(|fnm| self.fnm(fnm, "")).collect()),
            ("volta", {
                let own = self.in_each(self.either(&["VOLTA_HOME"], local("Volta")), "bin");
                own.into_iter().chain(programs("Volta")).collect()
            }),
            ("npm", roaming("npm").into_iter().collect()),
            ("Node.js", programs("nodejs").into_iter().collect()),
            ("mise", local(r"mise\shims").into_iter().collect()),
            ("pyenv", home(r".pyenv\pyenv-win\shims").into_iter().collect()),
            ("Python", {
                let scripts = self.in_each(pythons.iter().cloned().collect(), "Scripts");
                pythons.into_iter().chain(scripts).collect()
            }),
            ("uv or pipx", home(r".local\bin").into_iter().collect()),
            ("cargo", self.in_each(self.either(&["CARGO_HOME"], home(".cargo")), "bin")),
            ("bun", self.in_each(self.either(&["BUN_INSTALL"], home(".bun")), "bin")),
            ("deno", self.in_each(self.either(&["DENO_INSTALL"], home(".deno")), "bin")),
            ("scoop", self.in_each(self.either(&["SCOOP"], home("scoop")), "shims")),
            ("Chocolatey", self.in_each(self.variable("ChocolateyInstall").into_iter().collect(), "bin")),
            ("Docker Desktop", programs(r"Docker\Docker\resources\bin").into_iter().collect()),
        ]
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        (self.ours)(name).map(PathBuf::from).filter(|path| self.platform.is_absolute(path))
    }

    fn below(&self, variable: &str, below: &str) -> Option<PathBuf> {
        self.variable(variable).map(|folder| self.platform.join(&folder, below))
    }

    /// Where a variable says, or else where it usually is.
    fn either(&self, variables: &[&str], usual: Option<PathBuf>) -> Vec<PathBuf> {
        let said = variables.iter().find_map(|name| self.variable(name));
        said.or(usual).into_iter().collect()
    }

    fn in_each(&self, folders: Vec<PathBuf>, below: &str) -> Vec<PathBuf> {
        folders.iter().map(|folder| self.platform.join(folder, below)).collect()
    }

    /// The version that a person chose as nvm's default, or else the newest.
    fn nvm(&self, nvm: &Path) -> Option<PathBuf> {
        let versions = self.platform.join(nvm, "versions/node");
        let installed = self.files.names(&versions);
        let chosen = self.nvm_alias(nvm, "default", &installed);
        let version = chosen.or_else(|| newest(installed.iter(), "v"))?;
        Some(self.platform.join(&versions, &format!("{version}/bin")))
    }

    fn nvm_alias(&self, nvm: &Path, alias: &str, installed: &[String]) -> Option<String> {
        let mut word = alias.to_owned();
        // An alias may name another, and that one the first.
        for _ in 0..5 {
            let fits = |version: &&String| {
                let digits = word.trim_start_matches('v');
                let rest = version.trim_start_matches('v').strip_prefix(digits);
                !digits.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            if let Some(version) = newest(installed.iter().filter(fits), "v") {
                return Some(version);
            }
            if word.contains("..") {
                return None;
            }
            let text = self.files.text(&self.platform.join(nvm, &format!("alias/{word}")))?;
            word = text.trim().to_owned();
        }
        None
    }

    /// The version that a person chose as fnm's default, or else the newest. On Windows `below` is empty: `node.exe`
    /// stands in the folder of the version.
    fn fnm(&self, fnm: &Path, below: &str) -> Option<PathBuf> {
        let bin = |folder: PathBuf| if below.is_empty() { folder } else { self.platform.join(&folder, below) };
        let chosen = bin(self.platform.join(&self.platform.join(fnm, "aliases"), "default"));
        if self.files.look(&chosen) == Found::Folder {
            return Some(chosen);
        }
        let version = self.newest(&self.platform.join(fnm, "node-versions"), "v")?;
        Some(bin(self.platform.join(&version, "installation")))
    }

    /// The newest version in a folder of versions.
    fn newest(&self, folder: &Path, prefix: &str) -> Option<PathBuf> {
        let names = self.files.names(folder);
        newest(names.iter(), prefix).map(|name| self.platform.join(folder, &name))
    }
}

/// The name with the highest version behind the prefix.
fn newest<'a>(names: impl Iterator<Item = &'a String>, prefix: &str) -> Option<String> {
    let version = |name: &str| -> Option<Vec<u64>> {
        let parts = name.strip_prefix(prefix)?.split(['.', '-']);
        parts.map(|part| part.parse().ok()).collect()
    };
    let dated = names.filter_map(|name| Some((version(name)?, name)));
    dated.max().map(|(_, name)| name.clone())
}
