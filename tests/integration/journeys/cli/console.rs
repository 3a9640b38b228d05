//! Running the program as a script does, and as a person at a terminal does.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use integration::{Profile, binary};
use serde_json::Value;

/// No run of the program may take longer. Nothing is measured by it.
const LIMIT: Duration = Duration::from_secs(90);

/// What a finished run left.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The JSON that it printed, which is all that it printed.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// Itself, if it exited like that.
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "exit {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.out, self.err)
    }
}

/// `sonde` on a profile of its own, with nothing of this machine's configuration, and its proxies least of all.
pub fn sonde(profile: &Profile, words: &[&str]) -> Command {
    let mut command = Command::new(binary("sonde"));
    command
        .args(words)
        .env("SONDE_DATA_DIR", profile.data())
        .env("HOME", profile.project())
        .env("XDG_CONFIG_HOME", profile.project().join("no-configuration"))
        .env_remove("NO_COLOR")
        .env("NO_PROXY", "127.0.0.1")
        .current_dir(profile.project())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs it to its end, without a terminal.
pub fn run(profile: &Profile, words: &[&str]) -> Ran {
    finish(sonde(profile, words).spawn().unwrap())
}

/// Runs it with this on its standard input.
pub fn run_with_input(profile: &Profile, words: &[&str], input: &[u8]) -> Ran {
    let mut child = sonde(profile, words).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    finish(child)
}

/// Waits for the end of a run that was started.
pub fn finish(child: Child) -> Ran {
    let pid = child.id();
    let (send, ended) = sync_channel(1);
    std::thread::spawn(move || send.send(child.wait_with_output()));
    match ended.recv_timeout(LIMIT) {
        Ok(output) => ran(output.unwrap()),
        Err(_elapsed) => {
            signal(pid, rustix::process::Signal::KILL);
            panic!("the program did not end within {} s", LIMIT.as_secs());
        }
    }
}

fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_else(|bytes| format!("{:?}", bytes.as_bytes()));
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

pub fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    // It may have ended in the meantime.
    rustix::process::kill_process(pid, signal).ok();
}

/// A file in the profile's project folder, which is also the working folder.
pub fn write(profile: &Profile, name: &str, text: &str) -> PathBuf {
    let path = profile.project().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A program run at a pseudo-terminal: what it shows can be waited for, and lines can be typed.
pub struct Person {
    child: Option<Child>,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
    /// How much of `seen` was waited for.
    read: usize,
}

impl Person {
    pub fn start(mut command: Command) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let side = || File::options().read(true).write(true).open(&name).unwrap();
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
        // The command still holds its ends of the terminal, which would never be over.
        drop(command);
        let mut eyes = File::from(master.try_clone().unwrap());
        let (show, screen) = sync_channel(1024);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // At the end of the last process at it, reading a terminal fails.
            while let Ok(count @ 1..) = eyes.read(&mut bytes) {
                if show.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Person { child: Some(child), keyboard: File::from(master), screen, seen: String::new(), read: 0 }
    }

    /// Waits until the text stands on the screen, after what was waited for before.
    pub fn sees(&mut self, text: &str) -> &mut Self {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(found) = self.seen[self.read..].find(text) {
                self.read += found + text.len();
                return self;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_over) => panic!("`{text}` was not shown; the screen has:\n{}", self.seen),
            }
        }
    }

    pub fn types(&mut self, line: &str) -> &mut Self {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
        self
    }

    /// Presses Ctrl+C.
    pub fn interrupts(&mut self) -> &mut Self {
        signal(self.child.as_ref().unwrap().id(), rustix::process::Signal::INT);
        self
    }

    /// Waits for the end; gives the exit status and everything that was shown.
    pub fn ends(mut self) -> (Option<i32>, String) {
        let ran = finish(self.child.take().unwrap());
        while let Ok(bytes) = self.screen.recv_timeout(Duration::from_secs(10)) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        (ran.code, std::mem::take(&mut self.seen))
    }
}
