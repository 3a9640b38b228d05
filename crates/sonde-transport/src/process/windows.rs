//! The same on Windows: a job object holds every process of a server and ends them all when its handle is closed,
//! which the system does even where we are killed. Asked politely first: input closed, CTRL_BREAK, then the job.
//!
//! This has never run: none of the machines that build Sonde is one of these. It is kept small for that reason.

use std::ffi::c_void;
use std::os::windows::io::{FromRawHandle, OwnedHandle, RawHandle};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

use super::{Exit, Pipes, Process, StartError, Swept};
use crate::command::Launch;
use crate::platform::Platform;

const PATIENCE: Duration = Duration::from_secs(2);

/// No program of ours stands between us and a server here; this only has the same shape as elsewhere.
#[derive(Debug, Clone)]
pub struct Supervisor;

impl Supervisor {
    pub fn current() -> std::io::Result<Self> {
        Ok(Supervisor)
    }

    pub fn at(_program: PathBuf) -> Self {
        Supervisor
    }

    /// Nothing has to be written down: the system ends what is in a job.
    pub fn noting_in(self, _folder: PathBuf) -> Self {
        self
    }

    pub fn warm(&self) {}
}

/// Nobody supervises here.
pub fn run_supervisor() -> Option<ExitCode> {
    None
}

/// A job leaves nothing to sweep.
pub fn sweep(_folder: &Path) -> Vec<Swept> {
    Vec::new()
}

#[derive(Debug)]
pub(crate) struct Stdin(Mutex<ChildStdin>);
pub(crate) type Stdout = ChildStdout;
pub(crate) type Stderr = ChildStderr;

impl Stdin {
    /// These pipes can't be asked whether they would take it at once.
    pub fn try_write(&self, _bytes: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::WouldBlock.into())
    }

    pub async fn write(&self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut pipe = self.0.lock().await;
        let size = pipe.write(bytes).await?;
        pipe.flush().await?;
        Ok(size)
    }
}

pub(crate) fn enlarge(_pipe: &Stdout) {}

/// Starts a server in a job of its own, before it can start anything that is not in it. A batch file is started by
/// the library through `cmd.exe` with every argument escaped for it, or refused.
pub(crate) async fn spawn(launch: &Launch, _supervisor: &Supervisor) -> Result<(Process, Pipes), StartError> {
    if let Some(place) = Platform::HERE.lost_argument(&launch.binary, &launch.args) {
        return Err(StartError::LostArgument { binary: launch.binary.clone(), number: place + 1 });
    }
    if let Err(source) = launch.folder.read_dir() {
        return Err(StartError::Folder { folder: launch.folder.clone(), source });
    }
    let job = Job::new().map_err(|source| StartError::NoRoom { source })?;
    let mut child = Command::new(&launch.binary)
        .args(&launch.args)
        .current_dir(&launch.folder)
        .env_clear()
        .envs(launch.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW)
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| StartError::Program { binary: launch.binary.clone(), source })?;
    let failed = |source| StartError::Program { binary: launch.binary.clone(), source };
    let (Some(handle), Some(pid)) = (child.raw_handle(), child.id()) else {
        return Err(failed(std::io::Error::other("it ended at once")));
    };
    job.take_in_and_resume(handle).map_err(failed)?;
    let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed(std::io::Error::other("it has no pipes")));
    };
    let (exit_sender, exit) = watch::channel(None);
    let (gone_sender, gone) = watch::channel(false);
    let stop = CancellationToken::new();
    tokio::spawn(follow(child, pid, job, exit_sender, gone_sender, stop.clone()));
    Ok((Process { pid, exit, gone, stop }, Pipes { stdin: Stdin(Mutex::new(stdin)), stdout, stderr }))
}

async fn follow(
    mut child: Child,
    pid: u32,
    job: Job,
    exit: watch::Sender<Option<Exit>>,
    gone: watch::Sender<bool>,
    stop: CancellationToken,
) {
    let ended = tokio::select! {
        ended = child.wait() => Some(ended),
        () = stop.cancelled() => match tokio::time::timeout(PATIENCE, child.wait()).await {
            Ok(ended) => Some(ended),
            Err(_elapsed) => {
                ask_to_end(pid);
                tokio::time::timeout(PATIENCE, child.wait()).await.ok()
            }
        },
    };
    // Closing the job ends whatever is left in it.
    drop(job);
    let ended = match ended {
        Some(ended) => ended,
        None => child.wait().await,
    };
    match ended.map(|status| status.code()) {
        Ok(code) => {
            exit.send_replace(code.map(Exit::Code));
        }
        Err(error) => tracing::warn!(%error, "a server could not be waited for"),
    }
    gone.send_replace(true);
}

const CREATE_SUSPENDED: u32 = 0x4;
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
const CREATE_NO_WINDOW: u32 = 0x0800_0000;
const CTRL_BREAK_EVENT: u32 = 1;
const KILL_ON_JOB_CLOSE: u32 = 0x2000;
/// The number of the structure that holds the extended limits of a job.
const EXTENDED_LIMITS: u32 = 9;
const QUERY_LIMITED_INFORMATION: u32 = 0x1000;

#[repr(C)]
#[derive(Default)]
struct BasicLimits {
    process_time: i64,
    job_time: i64,
    flags: u32,
    smallest_working_set: usize,
    largest_working_set: usize,
    active_processes: u32,
    affinity: usize,
    priority: u32,
    scheduling: u32,
}

#[repr(C)]
#[derive(Default)]
struct ExtendedLimits {
    basic: BasicLimits,
    io_counters: [u64; 6],
    process_memory: usize,
    job_memory: usize,
    peak_process_memory: usize,
    peak_job_memory: usize,
}

#[link(name = "kernel32")]
#[expect(unsafe_code, reason = "what the system offers is declared here as its documentation has it")]
unsafe extern "system" {
    fn CreateJobObjectW(attributes: *const c_void, name: *const u16) -> RawHandle;
    fn SetInformationJobObject(job: RawHandle, class: u32, limits: *const c_void, size: u32) -> i32;
    fn AssignProcessToJobObject(job: RawHandle, process: RawHandle) -> i32;
    fn GenerateConsoleCtrlEvent(event: u32, group: u32) -> i32;
    fn OpenProcess(access: u32, inherit: i32, pid: u32) -> RawHandle;
    fn GetProcessTimes(process: RawHandle, made: *mut u64, ended: *mut u64, kernel: *mut u64, user: *mut u64) -> i32;
}

#[link(name = "ntdll")]
#[expect(unsafe_code, reason = "what the system offers is declared here as its documentation has it")]
unsafe extern "system" {
    fn NtResumeProcess(process: RawHandle) -> i32;
}

/// All processes of one server. Ends them when it is dropped.
struct Job(OwnedHandle);

#[expect(unsafe_code, reason = "the system's own interface")]
impl Job {
    fn new() -> std::io::Result<Self> {
        let limits = ExtendedLimits {
            basic: BasicLimits { flags: KILL_ON_JOB_CLOSE, ..BasicLimits::default() },
            ..ExtendedLimits::default()
        };
        // SAFETY: null asks for the usual attributes and no name; the handle is ours alone; the size is the structure's.
        unsafe {
            let handle = CreateJobObjectW(std::ptr::null(), std::ptr::null());
            if handle.is_null() {
                return Err(std::io::Error::last_os_error());
            }
            let job = Job(OwnedHandle::from_raw_handle(handle));
            let size = u32::try_from(size_of::<ExtendedLimits>()).map_err(std::io::Error::other)?;
            match SetInformationJobObject(handle, EXTENDED_LIMITS, (&raw const limits).cast(), size) {
                0 => Err(std::io::Error::last_os_error()),
                _ => Ok(job),
            }
        }
    }

    fn take_in_and_resume(&self, process: RawHandle) -> std::io::Result<()> {
        let job = std::os::windows::io::AsRawHandle::as_raw_handle(&self.0);
        // SAFETY: both handles are open for as long as these calls last.
        unsafe {
            if AssignProcessToJobObject(job, process) == 0 {
                return Err(std::io::Error::last_os_error());
            }
            match NtResumeProcess(process) {
                0.. => Ok(()),
                refused => Err(std::io::Error::other(format!("it could not be resumed: {refused:#x}"))),
            }
        }
    }
}

#[expect(unsafe_code, reason = "the system's own interface")]
fn ask_to_end(group: u32) {
    // SAFETY: a number that is no group of ours any more is only an error, and then the job ends it.
    if unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) } == 0 {
        tracing::debug!(group, "the server could not be asked to end");
    }
}

/// When a process was made, in the system's units.
#[expect(unsafe_code, reason = "the system's own interface")]
pub(super) fn start(pid: u32) -> Option<u64> {
    let (mut made, mut ended, mut kernel, mut user) = (0, 0, 0, 0);
    // SAFETY: the handle is ours alone, and each pointer leads to eight bytes, as the structure for a time has.
    unsafe {
        let handle = OpenProcess(QUERY_LIMITED_INFORMATION, 0, pid);
        if handle.is_null() {
            return None;
        }
        let handle = OwnedHandle::from_raw_handle(handle);
        let raw = std::os::windows::io::AsRawHandle::as_raw_handle(&handle);
        (GetProcessTimes(raw, &mut made, &mut ended, &mut kernel, &mut user) != 0 && ended == 0)
            .then_some(made & (u64::MAX >> 1))
    }
}
