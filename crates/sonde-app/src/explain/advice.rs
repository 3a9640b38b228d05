//! What brings the programs that servers are most often started with.

use std::path::Path;

use sonde_transport::Platform;

/// What is known of a program by its name.
pub(super) struct Advice {
    /// What it comes with; None for a program that we do not know.
    package: Option<Package>,
}

struct Package {
    name: &'static str,
    page: &'static str,
    /// Where its programs usually are on Windows, with `NAME` for the program.
    windows: &'static str,
    /// Variables that its version managers use.
    variables: [&'static str; 2],
}

const NODE: Package = Package {
    name: "Node.js",
    page: "https://nodejs.org",
    windows: r"C:\Program Files\nodejs\NAME.cmd",
    variables: ["NVM_DIR", "VOLTA_HOME"],
};
const UV: Package = Package {
    name: "uv",
    page: "https://docs.astral.sh/uv",
    windows: r"C:\Users\you\.local\bin\NAME.exe",
    variables: ["UV_PYTHON", "UV_CACHE_DIR"],
};
const PYTHON: Package = Package {
    name: "Python",
    page: "https://www.python.org/downloads",
    windows: r"C:\Users\you\AppData\Local\Programs\Python\Python312\NAME.exe",
    variables: ["VIRTUAL_ENV", "PYTHONPATH"],
};
const DOCKER: Package = Package {
    name: "Docker",
    page: "https://docs.docker.com/get-started/get-docker",
    windows: r"C:\Program Files\Docker\Docker\resources\bin\NAME.exe",
    variables: ["DOCKER_HOST", "DOCKER_CONFIG"],
};
const BUN: Package = Package {
    name: "Bun",
    page: "https://bun.sh",
    windows: r"C:\Users\you\.bun\bin\NAME.exe",
    variables: ["BUN_INSTALL", "BUN_CONFIG_REGISTRY"],
};
const DENO: Package = Package {
    name: "Deno",
    page: "https://deno.com",
    windows: r"C:\Users\you\.deno\bin\NAME.exe",
    variables: ["DENO_DIR", "DENO_INSTALL"],
};

impl Advice {
    pub fn for_program(command: &str) -> Self {
        let name = command.to_ascii_lowercase();
        let name =
            [".exe", ".cmd", ".bat", ".com"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        let package = match name {
            "npx" | "npm" | "node" | "corepack" | "pnpm" | "yarn" | "tsx" => Some(NODE),
            "uvx" | "uv" => Some(UV),
            "python" | "python3" | "py" | "pip" | "pipx" => Some(PYTHON),
            "docker" | "docker-compose" => Some(DOCKER),
            "bunx" | "bun" => Some(BUN),
            "deno" => Some(DENO),
            _ => None,
        };
        Advice { package }
    }

    /// The likeliest reason for it to be missing.
    pub fn cause(&self, command: &str) -> String {
        match &self.package {
            Some(package) => format!("{} is not installed: `{command}` comes with it", package.name),
            None => format!("`{command}` is not installed"),
        }
    }

    pub fn install(&self) -> String {
        match &self.package {
            Some(package) => format!("install {} ({})", package.name, package.page),
            None => "install it".to_owned(),
        }
    }

    /// Names for an example of `env_passthrough`.
    pub fn variables(&self, platform: Platform) -> String {
        let names = match (&self.package, platform) {
            (Some(package), _) => package.variables,
            (None, Platform::Unix) => ["LD_LIBRARY_PATH", "HTTPS_PROXY"],
            (None, Platform::Windows) => ["PROGRAMDATA", "HTTPS_PROXY"],
        };
        names.map(|name| format!("\"{name}\"")).join(", ")
    }

    pub fn windows_path(&self, command: &str) -> String {
        let pattern = self.package.as_ref().map_or(r"C:\full\path\NAME.exe", |package| package.windows);
        let ending = if command == "node" { pattern.replace(".cmd", ".exe") } else { pattern.to_owned() };
        ending.replace("NAME", command)
    }
}

/// What runs a script, by the ending of its name.
pub(super) fn interpreter(path: &Path, platform: Platform) -> Option<&'static str> {
    let name = path.to_str()?;
    let (_, ending) = name.rsplit_once('.')?;
    match (ending.to_ascii_lowercase().as_str(), platform) {
        ("py", Platform::Unix) => Some("python3"),
        ("py", Platform::Windows) => Some("python"),
        ("js" | "mjs" | "cjs", _) => Some("node"),
        ("ts", _) => Some("bun"),
        ("sh", _) => Some("sh"),
        ("rb", _) => Some("ruby"),
        ("ps1", _) => Some("powershell"),
        _ => None,
    }
}
