//! A server that is reached by HTTP: started by the stage itself, and stopped before its bodies are compared.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{LIMIT, Plan, lock};

pub struct RemoteServer {
    /// Its process, until it is stopped.
    child: Mutex<Option<Child>>,
    /// Where it listens, by name.
    told: Value,
    /// Its diary, and the tally of its bodies.
    folder: tempfile::TempDir,
}

/// What the server wrote of one answer's body.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    /// As we should understand it, and as it was on the wire.
    pub bytes: u64,
    pub wire: u64,
    /// True when it was written as it should be, from its first byte to its last.
    pub whole: bool,
}

impl RemoteServer {
    /// Starts the case's server and waits until it listens.
    pub fn start(plan: &Plan) -> Result<Self> {
        let folder = tempfile::tempdir().context("a temporary folder can be made")?;
        let mut child = Command::new(plan.program("hostile-server"))
            .args(["--case", plan.case.id, "--tally"])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the server cannot be started")?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let told = serde_json::from_str(&line).with_context(|| format!("where the server listens: {line:?}"))?;
        if let Some(authority) = Value::get(&told, "authority").and_then(Value::as_str) {
            std::fs::write(folder.path().join("authority.pem"), authority)?;
        }
        Ok(RemoteServer { child: Mutex::new(Some(child)), told, folder })
    }

    /// The port of one of its listeners.
    pub fn port(&self, name: &str) -> Result<u16> {
        let told = self.told.get(name).with_context(|| format!("nobody listens as `{name}`: {}", self.told))?;
        let port = told.as_u64().or(told["port"].as_u64()).context("a port is a number")?;
        Ok(u16::try_from(port)?)
    }

    /// Every port on which somebody of the case listens, the stranger's left out.
    pub fn ports(&self) -> Vec<u16> {
        let names = self.told.as_object().into_iter().flatten().map(|(name, _)| name);
        names.filter(|name| *name != "stranger").filter_map(|name| self.port(name).ok()).collect()
    }

    pub fn fingerprint(&self, name: &str) -> Result<String> {
        let told = self.told[name]["fingerprint"].as_str();
        Ok(told.with_context(|| format!("`{name}` has no certificate"))?.to_owned())
    }

    /// The address of one form of the case.
    pub fn url(&self, form: &str) -> Result<String> {
        Ok(format!("http://127.0.0.1:{}/mcp/{form}", self.port("port")?))
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it saw so far, in its order.
    pub fn diary(&self) -> Result<Vec<Value>> {
        let text = std::fs::read_to_string(self.folder.path().join("diary"))?;
        Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    }

    /// The entries of one kind.
    pub fn noted(&self, what: &str) -> Result<Vec<Value>> {
        Ok(self.diary()?.into_iter().filter(|entry| entry["what"] == what).collect())
    }

    /// The requests that are as `wanted` says.
    pub fn requests(&self, wanted: impl Fn(&Value) -> bool) -> Result<Vec<Value>> {
        Ok(self.noted("request")?.into_iter().filter(wanted).collect())
    }

    /// Looks into the diary until `look` finds what it looks for. Nobody tells of a new entry.
    pub async fn until<T>(&self, what: &str, look: impl FnMut(&[Value]) -> Option<T>) -> Result<T> {
        self.until_within(LIMIT, what, look).await
    }

    pub async fn until_within<T>(
        &self,
        limit: Duration,
        what: &str,
        mut look: impl FnMut(&[Value]) -> Option<T>,
    ) -> Result<T> {
        let end = Instant::now() + limit;
        loop {
            if let Some(found) = look(&self.diary()?) {
                return Ok(found);
            }
            if Instant::now() > end {
                bail!("O3: {what}: the server saw nothing of it within {} s", limit.as_secs());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends the server; gives what it wrote, by the number in the answer's `X-Hostile`.
    pub fn stop(&self) -> Result<Vec<(u64, Body)>> {
        if let Some(mut child) = lock(&self.child).take() {
            drop(child.stdin.take());
            let status = child.wait()?;
            ensure!(status.success(), "the server itself ended with {status}");
        }
        let text = std::fs::read_to_string(self.folder.path().join("bodies"))?;
        text.lines().map(body).collect()
    }

    /// Whether it had a complaint of its own.
    pub fn complaints(&self) -> Result<Vec<String>> {
        crate::tallies::complaints(self.folder.path())
    }
}

impl Drop for RemoteServer {
    fn drop(&mut self) {
        if let Some(mut child) = lock(&self.child).take() {
            // A case that failed may leave it; it is ours alone, and nothing depends on how it ends.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// One line of the tally: number, bytes, bytes on the wire, and whether it was whole.
fn body(line: &str) -> Result<(u64, Body)> {
    let numbers: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    match numbers.as_slice() {
        [number, bytes, wire, whole] => Ok((*number, Body { bytes: *bytes, wire: *wire, whole: *whole == 1 })),
        _ => bail!("a line of the tally has four numbers: {line:?}"),
    }
}
