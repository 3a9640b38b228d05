//! The command line as a person runs it, one folder of data for each journey.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use integration::{binary, until_gone};
use serde_json::Value;
use tempfile::TempDir;

use super::reach::Server;

/// Nothing here takes longer, whatever else the machine does.
const LIMIT: Duration = Duration::from_secs(120);

pub struct Sonde {
    folder: TempDir,
}

/// A run of the program that has ended.
pub struct Run {
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A run of the program that goes on until it is interrupted.
pub struct Running {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
}

impl Sonde {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        for part in ["work", "config"] {
            std::fs::create_dir(folder.path().join(part)).expect("a folder can be made");
        }
        Sonde { folder }
    }

    /// Where servers run, and may leave files.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    /// A file with rules that answer what a server asks.
    pub fn rules(&self, rules: &Value) -> String {
        let path = self.folder.path().join("rules.json");
        std::fs::write(&path, serde_json::json!({ "rules": rules }).to_string()).expect("the rules can be written");
        path.to_str().unwrap().to_owned()
    }

    /// Runs a command against a server, and expects that nothing of the server is left.
    pub fn run(&self, words: &[&str], server: &Server) -> Run {
        self.execute(words, &server.words())
    }

    fn execute(&self, words: &[&str], server: &[String]) -> Run {
        let mut child = self.command(words, server).spawn().expect("the program starts");
        let (stdout, stderr) = (reading(child.stdout.take().unwrap()), reading(child.stderr.take().unwrap()));
        let exit = exit_of(&mut child, words);
        let run = Run { exit, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() };
        let left = until_gone(&self.work(), LIMIT);
        assert!(left.is_empty(), "`sonde {}` left its server behind: {left:?}", words.join(" "));
        run
    }

    /// Starts a command that does not end by itself.
    pub fn start(&self, words: &[&str], server: &Server) -> Running {
        let mut child = self.command(words, &server.words()).stderr(Stdio::null()).spawn().expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Running { child, stdout }
    }

    /// A command that must succeed; gives what it prints.
    pub fn json(&self, words: &[&str], server: &Server) -> Value {
        self.run(words, server).printed(words)
    }

    /// The same for words that say themselves where the server is.
    pub fn json_at(&self, words: &[&str]) -> Value {
        self.execute(words, &[]).printed(words)
    }

    /// The whole log, each row with its frames.
    pub fn log(&self) -> Vec<Value> {
        let mut log = self.json_at(&["log", "--limit", "100000"]);
        let Value::Array(rows) = log["rows"].take() else { panic!("the log has no rows") };
        assert_eq!(log["total"], rows.len(), "every row is printed");
        rows
    }

    fn command(&self, words: &[&str], server: &[String]) -> Command {
        let mut command = Command::new(binary("sonde"));
        command
            .args(["--output", "json", "--data-dir"])
            .arg(self.folder.path().join("data"))
            .arg("--project")
            .arg(self.work())
            .args(words)
            .args(server)
            .current_dir(self.work())
            .env("XDG_CONFIG_HOME", self.folder.path().join("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl Run {
    /// What it printed, having succeeded.
    fn printed(&self, words: &[&str]) -> Value {
        assert_eq!(self.exit, Some(0), "`sonde {}`: {}{}", words.join(" "), self.stdout, self.stderr);
        self.json()
    }

    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("no JSON ({error}): {}\n{}", self.stdout, self.stderr),
        }
    }
}

impl Running {
    /// The next line that it prints.
    pub fn line(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("its output can be read");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("no JSON ({error}): {line:?}"))
    }

    /// Presses Ctrl+C and waits for the end.
    pub fn interrupt(mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it can be interrupted");
        exit_of(&mut self.child, &["interrupted"])
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A journey that stopped early must not leave its program behind; one that has ended can't be killed.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn exit_of(child: &mut Child, words: &[&str]) -> Option<i32> {
    let end = Instant::now() + LIMIT;
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code();
        }
        if Instant::now() > end {
            child.kill().expect("a child can be killed");
            panic!("`sonde {}` does not end", words.join(" "));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn reading(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        stream.read_to_end(&mut text).expect("a pipe can be read");
        String::from_utf8_lossy(&text).into_owned()
    })
}
