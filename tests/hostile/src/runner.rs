//! Each case in a process of its own, so that memory, descriptors and children are that case's alone.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::cases::Case;
use crate::figures::Outcome;
use crate::secrets;
use crate::stage::Scale;

/// How the cases are run.
#[derive(Debug, Clone)]
pub struct Run {
    /// The program `hostile`; `hostile-server` lies beside it.
    pub program: PathBuf,
    pub seed: u64,
    pub scale: Scale,
}

/// A case that takes longer hangs.
const HANGS: Duration = Duration::from_secs(420);

impl Run {
    /// Plays one case. A case that cannot even be begun has not survived.
    pub fn play(&self, case: &Case) -> Outcome {
        let failed = |problem: String| Outcome { failures: vec![problem], ..Outcome::default() };
        self.try_play(case).unwrap_or_else(|error| failed(format!("{error:#}")))
    }

    fn try_play(&self, case: &Case) -> Result<Outcome> {
        let folder = tempfile::tempdir().context("a temporary folder can be made")?;
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("home"))?;
        let scale = match self.scale {
            Scale::Full => "full",
            Scale::Quick => "quick",
        };
        let mut command = Command::new(&self.program);
        command
            .args(["--inside", case.id, "--seed", &self.seed.to_string(), "--scale", scale, "--report"])
            .arg(path("report"))
            .envs(secrets::OURS.iter().copied())
            // What the case leaves lying about goes with this folder, whatever happens to the case.
            .env("TMPDIR", folder.path())
            // Nobody's own files and nobody's keyring.
            .env("HOME", path("home"))
            .env_remove("XDG_CONFIG_HOME")
            .env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", path("bus").display()))
            .stdin(Stdio::null())
            .stdout(File::create(path("stdout"))?)
            .stderr(File::create(path("stderr"))?);
        let status = wait(command)?;
        let said = std::fs::read_to_string(path("stderr")).unwrap_or_default();
        let report = std::fs::read(path("report")).ok();
        let mut outcome: Outcome = match (report, status) {
            (Some(report), _) => serde_json::from_slice(&report)?,
            (None, None) => {
                Outcome { failures: vec![format!("O3: nothing after {} s", HANGS.as_secs())], ..Outcome::default() }
            }
            (None, Some(status)) => Outcome {
                failures: vec![format!("O1: the app ended with {status}: {}", tail(&said))],
                ..Outcome::default()
            },
        };
        for name in ["stdout", "stderr"] {
            outcome
                .failures
                .extend(secrets::found_in_file(&path(name))?.into_iter().map(|found| format!("O8: {found}")));
        }
        Ok(outcome)
    }
}

/// None when the case hangs; it is ended then.
fn wait(mut command: Command) -> Result<Option<ExitStatus>> {
    let mut child = command.spawn().context("the case cannot be started")?;
    let end = Instant::now() + HANGS;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The folder of this program.
pub fn own_folder() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    program.parent().map(Path::to_owned).context("this program has no folder")
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(12)..).unwrap_or_default().join("\n")
}
