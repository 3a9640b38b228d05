//! Children that never outlive us: Ctrl-C, a killed `make` and an error all end what was started.

use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A person or `make` asked us to end: not a failure of anything, so nothing more is said.
#[derive(Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// How often a waiting loop looks again.
pub const TICK: Duration = Duration::from_millis(25);

/// How long a program may take to end when asked, before it is made to.
const PATIENCE: Duration = Duration::from_secs(5);

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From here on a signal only raises a flag, which every loop that waits looks at.
#[cfg(unix)]
pub fn listen_for_interrupts() -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&INTERRUPTED)).context("signals cannot be listened for")?;
    }
    end_with_make()
}

/// A `make` that is killed outright, or a shell between it and us, cannot pass a signal on; the kernel can.
#[cfg(target_os = "linux")]
fn end_with_make() -> Result<()> {
    if std::env::var_os("MAKELEVEL").is_some() {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn end_with_make() -> Result<()> {
    Ok(())
}

/// The console of Windows ends the children together with us.
#[cfg(not(unix))]
pub fn listen_for_interrupts() -> Result<()> {
    Ok(())
}

/// Fails with [`Interrupted`] once a signal has come.
pub fn check_interrupted() -> Result<()> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Err(Interrupted.into());
    }
    Ok(())
}

/// Waits for a child that shares our terminal, and takes it along when we are asked to end.
pub fn wait(mut child: Child) -> Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait().context("a child cannot be waited for")? {
            check_interrupted()?;
            return Ok(status);
        }
        if let Err(interrupted) = check_interrupted() {
            ask_to_end(&mut child)?;
            wait_or_kill(&mut child)?;
            return Err(interrupted);
        }
        std::thread::sleep(TICK);
    }
}

/// A child in a process group of its own: the terminal's Ctrl-C does not reach it, so that we decide in
/// which order things end. Dropping it ends the group.
pub struct Guarded {
    child: Child,
    name: &'static str,
}

impl Guarded {
    pub fn spawn(name: &'static str, command: &mut Command) -> Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.spawn().with_context(|| {
            format!("{name} (`{}`) could not be started", std::path::Path::new(command.get_program()).display())
        })?;
        Ok(Guarded { child, name })
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The exit status, if it has ended by itself.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().with_context(|| format!("{} cannot be waited for", self.name))
    }

    /// Waits until it ends by itself; what a signal asks for is left to `drop`.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            check_interrupted()?;
            std::thread::sleep(TICK);
        }
    }

    fn end(&mut self) -> Result<()> {
        ask_to_end(&mut self.child)?;
        wait_or_kill(&mut self.child)?;
        kill_group(&self.child)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            eprintln!("warning: {} may still be running: {error:#}", self.name);
        }
    }
}

fn wait_or_kill(child: &mut Child) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(TICK);
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

#[cfg(unix)]
fn ask_to_end(child: &mut Child) -> Result<()> {
    if child.try_wait()?.is_none() {
        rustix::process::kill_process(pid_of(child)?, rustix::process::Signal::TERM)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn ask_to_end(child: &mut Child) -> Result<()> {
    if child.try_wait()?.is_none() {
        child.kill()?;
    }
    Ok(())
}

/// What a child has started and left behind in its group. An empty group is the normal case.
#[cfg(unix)]
fn kill_group(child: &Child) -> Result<()> {
    match rustix::process::kill_process_group(pid_of(child)?, rustix::process::Signal::KILL) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn kill_group(_child: &Child) -> Result<()> {
    Ok(())
}

#[cfg(unix)]
fn pid_of(child: &Child) -> Result<rustix::process::Pid> {
    let raw = i32::try_from(child.id())?;
    rustix::process::Pid::from_raw(raw).context("a process id of zero")
}
