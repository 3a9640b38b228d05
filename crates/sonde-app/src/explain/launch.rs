//! A program that can't be found, can't be run, or does not start.

use std::path::Path;

use sonde_registry::{Reach, ServerSpec};
use sonde_transport::{LaunchError, Platform, SearchFolder, StartError};

use super::advice::{Advice, interpreter};
use super::machine::Machine;
use super::server::facts;
use crate::api::error::{ApiError, ErrorCode};
use crate::shown;

pub(crate) fn launch(spec: &ServerSpec, folder: &Path, error: &LaunchError) -> ApiError {
    Machine::here().launch(spec, folder, error)
}

pub(crate) fn start(spec: &ServerSpec, folder: &Path, error: &StartError) -> ApiError {
    Machine::here().start(spec, folder, error)
}

/// A server that nobody has allowed; `binary` is what it would run, where it runs anything.
pub(crate) fn unapproved(spec: &ServerSpec, binary: Option<&Path>) -> ApiError {
    let id = &spec.id;
    let (message, whole) = match binary {
        Some(_) => (format!("server `{id}` would run a command that nobody has approved"), "the whole command"),
        None => {
            (format!("server `{id}` is at an address that nobody has approved"), "the address and what is sent there")
        }
    };
    let told = facts(ApiError::new(ErrorCode::ApprovalNeeded, "Approval needed", message), spec)
        .hint(format!("`sonde approve {id}` shows {whole} and asks, and so does the window's dialog"));
    match binary.and_then(|binary| shown::binary(spec, binary)) {
        Some(binary) => told.fact("program", binary),
        None => told,
    }
}

impl Machine {
    pub fn launch(&self, spec: &ServerSpec, folder: &Path, error: &LaunchError) -> ApiError {
        let error = &shown::launch_error(spec, error);
        let title = match error {
            LaunchError::Empty => "No command",
            LaunchError::NotFound { .. } | LaunchError::Missing { .. } => "Command not found",
            LaunchError::IsAFolder { .. } => "Not a program",
            LaunchError::NotExecutable { .. } => "Permission denied",
            LaunchError::NoFolder { .. } => "Folder not found",
        };
        let message = format!("server `{}`: {}", spec.id, self.words(error));
        let told = self.facts(ApiError::new(ErrorCode::StartFailed, title, message), spec);
        let told = told.fact("folder", self.folder(spec, folder));
        match error {
            LaunchError::NotFound { command, searched } => self.not_found(told, spec, command, searched),
            LaunchError::NotExecutable { path } => self.not_executable(told, spec, path),
            LaunchError::Missing { .. } => told
                .causes(&[
                    "the path is misspelt, or the file was moved",
                    "a relative path is meant from the folder above, not from where the file of configuration is",
                    "the server was not built or installed yet",
                ])
                .hint("check the path in `command`, or write it in full"),
            LaunchError::IsAFolder { .. } => told
                .causes(&["`command` names the folder of a server, and not the program in it"])
                .hint("write the path of the program in `command`, and the folder in `cwd`"),
            LaunchError::NoFolder { .. } => told
                .causes(&["`cwd` is misspelt", "the folder was moved or removed"])
                .hint("correct `cwd`, or create the folder"),
            LaunchError::Empty => told
                .causes(&["a variable in `command` is empty", "`command` was left empty"])
                .hint("write a program's name or path in `command`"),
        }
    }

    /// The error with its paths as a person writes them.
    fn words(&self, error: &LaunchError) -> String {
        match error {
            LaunchError::Empty | LaunchError::NotFound { .. } => error.to_string(),
            LaunchError::Missing { path } => format!("`{}` does not exist", self.path(path)),
            LaunchError::IsAFolder { path } => format!("`{}` is a folder, not a program", self.path(path)),
            LaunchError::NotExecutable { path } => format!("`{}` is not executable", self.path(path)),
            LaunchError::NoFolder { path } => format!("the working folder `{}` does not exist", self.path(path)),
        }
    }

    fn not_found(&self, told: ApiError, spec: &ServerSpec, command: &str, searched: &[SearchFolder]) -> ApiError {
        if let Some((program, args)) = command.split_once(char::is_whitespace) {
            let args: Vec<String> = args.split_whitespace().map(|arg| format!("\"{arg}\"")).collect();
            return told.causes(&["`command` is one program; its arguments belong into `args`"]).hint(format!(
                "write \"command\": \"{program}\", \"args\": [{}], with the other arguments behind these",
                args.join(", ")
            ));
        }
        let advice = Advice::for_program(command);
        let finder = self.finder();
        let searched: Vec<String> =
            searched.iter().map(|place| format!("{} ({})", self.path(&place.folder), place.source)).collect();
        let searched = if searched.is_empty() { "nowhere: PATH is empty".to_owned() } else { searched.join("\n") };
        let told = told.fact("searched", searched);
        let mut causes = vec![advice.cause(command)];
        causes.push(
            match self.platform {
                Platform::Unix => {
                    "it is installed where only your shell looks, by a version manager that we do not know"
                }
                Platform::Windows => "it was installed after this program was started, which has the PATH of before",
            }
            .to_owned(),
        );
        causes.push("the name is misspelt".to_owned());
        let told = told.causes(&causes);
        let told = match self.platform {
            Platform::Unix => told,
            Platform::Windows => self.with_windows_notes(told, spec, command, &advice),
        };
        let variables = advice.variables(self.platform);
        told.hint(format!(
            "{}; or find it with `{finder} {command}` in a terminal and write that path in `command`; variables that it \
             needs are passed on with \"env_passthrough\": [{variables}]",
            advice.install()
        ))
    }

    fn with_windows_notes(&self, told: ApiError, spec: &ServerSpec, command: &str, advice: &Advice) -> ApiError {
        let mut words = match &spec.reach {
            Reach::Command(line) => line.shown(),
            Reach::Url(_) => Vec::new(),
        };
        words.truncate(4);
        let rest: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.replace('\\', "\\\\"))).collect();
        let full = advice.windows_path(command).replace('\\', "\\\\");
        let notes = [
            "a bare name is tried with the endings of PATHEXT: .com, .exe, .bat and .cmd can be started".to_owned(),
            format!("a full path has its ending: \"command\": \"{full}\""),
            format!("or by the command interpreter: \"command\": \"cmd\", \"args\": [\"/c\", {}]", rest.join(", ")),
            "PATH, PATHEXT, SYSTEMROOT, COMSPEC, USERPROFILE, APPDATA and LOCALAPPDATA reach it anyway".to_owned(),
        ];
        told.fact("on Windows", notes.join("\n"))
    }

    fn not_executable(&self, told: ApiError, spec: &ServerSpec, path: &Path) -> ApiError {
        let shown = self.path(path);
        let runs = interpreter(path, self.platform);
        let args = match &spec.reach {
            Reach::Command(line) => line.shown().iter().skip(1).map(|arg| format!(", \"{arg}\"")).collect(),
            Reach::Url(_) => String::new(),
        };
        let by_interpreter = |interpreter: &str| {
            let path = path.display().to_string().replace('\\', "\\\\");
            format!("\"command\": \"{interpreter}\", \"args\": [\"{path}\"{args}]")
        };
        match self.platform {
            Platform::Unix => {
                let causes = ["the file lacks the right to be run", "it is a script that is given to its interpreter"];
                let otherwise = by_interpreter(runs.unwrap_or("python3"));
                let typed = self.typed(&[path.display().to_string()]);
                told.causes(&causes).hint(format!("run `chmod +x {typed}`, or let its interpreter run it: {otherwise}"))
            }
            Platform::Windows => {
                let causes =
                    ["Windows starts only .com, .exe, .bat and .cmd itself", "it is a script for its interpreter"];
                let otherwise = by_interpreter(runs.unwrap_or("python"));
                told.causes(&causes).hint(format!("let its interpreter run `{shown}`: {otherwise}"))
            }
        }
    }

    pub fn start(&self, spec: &ServerSpec, folder: &Path, error: &StartError) -> ApiError {
        let message = format!("server `{}`: {error}", spec.id);
        let (title, causes, hint): (_, &[&str], _) = match error {
            StartError::Program { source, .. } => program(source),
            StartError::Folder { .. } => {
                ("Folder can't be entered", &["you lack the right to it"], "check `cwd` and the rights of that folder")
            }
            StartError::NoRoom { .. } => (
                "No room for a process",
                &["too many programs run, or too many files are open"],
                "end other programs, or raise the limit of open files and processes",
            ),
            StartError::LostArgument { .. } => (
                "Argument can't be given",
                &["it holds the end of a line, which a batch file takes for the next command"],
                "write that argument otherwise, or start the program without the script",
            ),
            StartError::Supervisor { .. } => (
                "Server could not be started",
                &["the program Sonde was moved or replaced while it runs"],
                "check that this program itself can be run, or start it anew",
            ),
        };
        let told = ApiError::new(ErrorCode::StartFailed, title, message).because(error);
        self.facts(told, spec).fact("folder", self.folder(spec, folder)).causes(causes).hint(hint)
    }
}

/// What the system's refusal to run a program means.
fn program(source: &std::io::Error) -> (&'static str, &'static [&'static str], &'static str) {
    /// The system knows no way to run the file.
    const ENOEXEC: i32 = 8;
    match (source.kind(), source.raw_os_error()) {
        (std::io::ErrorKind::PermissionDenied, _) => (
            "Permission denied",
            &["the program or its interpreter lacks the right to be run", "its disk does not allow programs"],
            "run `chmod +x` on it, or let its interpreter run it: \"command\": \"python3\", \"args\": [\"server.py\"]",
        ),
        (std::io::ErrorKind::NotFound, _) => (
            "Interpreter not found",
            &["the first line of the script names a program that is not there", "a library of the program is missing"],
            "look at the first line of the script, or let its interpreter run it",
        ),
        (_, Some(ENOEXEC)) => (
            "Not a program",
            &["a script without a first line like `#!/usr/bin/env python3`", "a binary for another kind of machine"],
            "add that first line, let its interpreter run it, or install the server for this machine",
        ),
        _ => (
            "Server could not be started",
            &["the file is no program for this machine"],
            "a script needs a first line like `#!/usr/bin/env python3`, and a binary must be made for this machine",
        ),
    }
}
