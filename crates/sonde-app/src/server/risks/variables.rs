//! Variables by which others decide what a program runs.

use super::Looked;
use crate::text::visible;

pub(super) fn of(looked: &Looked) -> Vec<String> {
    /// Of ours, these reach every server anyway.
    const USUAL: [&str; 3] = ["PATH", "HOME", "USERPROFILE"];
    let own = looked.env.iter().filter(|(name, _)| loads_code(name)).map(|(name, value)| {
        format!("the variable `{}` is set to `{}`: it decides which code is run", visible(name), visible(value))
    });
    let from_file = looked.from_file.iter().filter(|name| loads_code(name)).map(|name| {
        format!("the variable `{}` is set by the file of variables: it decides which code is run", visible(name))
    });
    let passed = looked.env_passthrough.iter().filter(|name| loads_code(name) && !USUAL.contains(&name.as_str()));
    let passed = passed
        .map(|name| format!("our own variable `{}` is passed through: it decides which code is run", visible(name)));
    own.chain(from_file).chain(passed).collect()
}

/// Whether a variable decides which code a program runs, or where packages come from.
pub(crate) fn loads_code(name: &str) -> bool {
    const NAMES: [&str; 33] = [
        "PATH",
        "HOME",
        "USERPROFILE",
        "GCONV_PATH",
        "NODE_OPTIONS",
        "NODE_PATH",
        "NODE_EXTRA_CA_CERTS",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONSTARTUP",
        "PYTHONUSERBASE",
        "PERL5LIB",
        "PERL5OPT",
        "RUBYLIB",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "_JAVA_OPTIONS",
        "CLASSPATH",
        "BASH_ENV",
        "ENV",
        "ZDOTDIR",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_EXEC_PATH",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "DOCKER_HOST",
        "PATHEXT",
        "COMSPEC",
        "DOTNET_STARTUP_HOOKS",
    ];
    const PREFIXES: [&str; 10] =
        ["LD_", "DYLD_", "NPM_CONFIG_", "PIP_", "UV_", "DENO_", "BUN_", "YARN_", "PNPM_", "GIT_CONFIG"];
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
