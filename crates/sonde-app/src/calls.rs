//! Requests to servers: begun here, looked at by number, kept for a while after they ended.

mod begin;
mod checks;
mod finish;
mod raw;
mod task;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use sonde_client::Client;
use tokio::sync::Notify;

use crate::api::calls::{Call, CallList, CallRequest, CallStatus, CallsRequest};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;

pub use begin::{Ask, Begun};
pub(crate) use begin::{read_json, tool_params_of};
pub use finish::Ended;
pub use raw::RawSent;

/// Ended calls that are kept: of one kind, in all, and their bytes. The log has every one. Of one kind there are
/// enough for whoever begins many at once and looks at each afterwards.
const KEPT_OF_A_KIND: usize = 200;
const KEPT: usize = 500;
const KEPT_BYTES: usize = 32 << 20;
/// Of these, results that are kept whole for what is in them.
const KEPT_WHOLE_BYTES: usize = 24 << 20;
/// Calls about one thing that are listed.
const LISTED: usize = 20;
/// Calls that may run at once.
const MOST_RUNNING: usize = 10_000;

#[derive(Default)]
pub(crate) struct Calls {
    last: AtomicU64,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    entries: BTreeMap<u64, Kept>,
    /// How many of them run, so that it need not be counted.
    running: usize,
}

/// A call that was sent, as it is entered.
struct Entry {
    call: Call,
    client: Client,
    wire_id: Box<RawValue>,
    /// Set where the call looks after a task of the server.
    task: Option<String>,
}

/// A call with what cancelling needs.
struct Kept {
    call: Call,
    wire_id: Box<RawValue>,
    task: Option<String>,
    /// There while it runs: a client costs 40 KiB, and those of ended calls would outlive their connections.
    client: Option<Client>,
    /// By which the client is found again after the call ended, for its task may still run.
    connection: Option<i64>,
    /// The result where the call itself has only its beginning.
    whole: Option<Arc<RawValue>>,
    /// Told when the person has had enough of a task that it became.
    enough: Arc<Notify>,
}

/// What a call is about: of one kind only so many are kept.
struct About {
    server: String,
    method: String,
    target: Option<String>,
}

impl Call {
    fn about(&self) -> About {
        About { server: self.server.clone(), method: self.method.clone(), target: self.target.clone() }
    }
}

impl Calls {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Refuses one more while too many run.
    fn admit(&self) -> Result<(), ApiError> {
        if self.table().running < MOST_RUNNING {
            return Ok(());
        }
        let message = format!("{MOST_RUNNING} requests are under way");
        Err(ApiError::new(ErrorCode::Busy, "Too many requests", message).hint("wait for them, or cancel some"))
    }

    /// The call that has this id on the wire of that server, where it still runs.
    pub fn by_wire_id(&self, server: &str, id: &str) -> Option<u64> {
        let table = self.table();
        let newest = table.entries.values().rev().find(|entry| {
            entry.call.status == CallStatus::Running && entry.call.server == server && entry.wire_id.get() == id
        });
        newest.map(|entry| entry.call.id)
    }
}

impl Table {
    /// Takes out old calls that ended; gives their numbers.
    fn forget_old(&mut self, newest: &About) -> Vec<u64> {
        self.forget_whole();
        let ended = || self.entries.values().filter(|kept| kept.call.status != CallStatus::Running);
        let same_kind = |kept: &&Kept| {
            let call = &kept.call;
            call.server == newest.server && call.method == newest.method && call.target == newest.target
        };
        let of_a_kind = ended().filter(same_kind).count();
        let surplus = of_a_kind.saturating_sub(KEPT_OF_A_KIND);
        let mut old: Vec<u64> = ended().filter(same_kind).take(surplus).map(|kept| kept.call.id).collect();
        let (mut count, mut bytes) = (0, 0);
        // Newest first: what no longer fits is older than all that does.
        // Those that run are no past, and however many there are they push nobody else's out.
        for kept in ended().rev() {
            count += 1;
            bytes += size(kept);
            if count > KEPT || bytes > KEPT_BYTES {
                old.push(kept.call.id);
            }
        }
        for id in &old {
            self.entries.remove(id);
        }
        old
    }
}

impl Table {
    /// Whole results go first, the oldest of them: a call is worth more than its pictures.
    fn forget_whole(&mut self) {
        let mut bytes = 0;
        for kept in self.entries.values_mut().rev() {
            bytes += kept.whole.as_ref().map_or(0, |whole| whole.get().len());
            if bytes > KEPT_WHOLE_BYTES {
                kept.whole = None;
            }
        }
    }
}

/// Bytes that a call holds, as far as they can be many.
fn size(kept: &Kept) -> usize {
    let Call { arguments, result, .. } = &kept.call;
    let whole = kept.whole.as_ref().map_or(0, |whole| whole.get().len());
    arguments.len() + result.as_ref().map_or(0, |result| result.text.len()) + whole
}

impl App {
    pub(crate) async fn read_call(&self, request: CallRequest) -> Result<Call, ApiError> {
        self.call(request.call)
    }

    pub(crate) fn call(&self, call: u64) -> Result<Call, ApiError> {
        self.inner.calls.table().entries.get(&call).map(|entry| entry.call.clone()).ok_or_else(|| unknown(call))
    }

    /// The newest calls about one thing, newest first.
    pub(crate) async fn list_calls(&self, request: CallsRequest) -> Result<CallList, ApiError> {
        let table = self.inner.calls.table();
        let meant = |kept: &&Kept| {
            let call = &kept.call;
            call.server == request.server
                && call.method == request.method
                && call.target.as_ref() == Some(&request.target)
        };
        let newest = table.entries.values().rev().filter(meant).take(LISTED);
        Ok(CallList { calls: newest.map(|entry| entry.call.clone()).collect() })
    }

    pub(crate) async fn cancel_call(&self, request: CallRequest) -> Result<Nothing, ApiError> {
        self.cancel(request.call).map(|()| Nothing {})
    }

    /// Gives a call up and tells the server. A task is cancelled as a task, also after the server has named it.
    pub fn cancel(&self, call: u64) -> Result<(), ApiError> {
        let (server, client, connection, id, task, enough) = {
            let table = self.inner.calls.table();
            let kept = table.entries.get(&call).ok_or_else(|| unknown(call))?;
            let server = kept.call.server.clone();
            (server, kept.client.clone(), kept.connection, kept.wire_id.clone(), kept.task.clone(), kept.enough.clone())
        };
        let client = client.or_else(|| match self.connection(&server) == connection {
            true => self.server(&server).and_then(|server| server.client()).ok(),
            false => None,
        });
        // What ran on a connection that is over needs no cancelling.
        let Some(client) = client else { return Ok(()) };
        // Not waited for: a server that does not read its input would keep the command for ever.
        tokio::spawn(async move {
            match task {
                Some(task) => {
                    client.follow_task(task).cancel().await;
                    enough.notify_one();
                }
                None => client.cancel(&id, "the person cancelled").await,
            }
        });
        Ok(())
    }

    /// Enters a call that was sent.
    fn enter(&self, entry: Entry) {
        let Entry { call, client, wire_id, task } = entry;
        let connection = self.connection(&call.server);
        let kept = Kept {
            call: call.clone(),
            wire_id,
            task,
            client: Some(client),
            connection,
            whole: None,
            enough: Arc::default(),
        };
        let forgotten = {
            let mut table = self.inner.calls.table();
            table.running += 1;
            table.entries.insert(call.id, kept);
            table.forget_old(&call.about())
        };
        for id in forgotten {
            self.inner.changes.forget_call(id);
        }
        self.inner.changes.call_changed(call.id);
    }

    /// The result of a call, whole.
    pub(crate) fn whole_result(&self, call: u64) -> Result<Arc<RawValue>, ApiError> {
        let table = self.inner.calls.table();
        let kept = table.entries.get(&call).ok_or_else(|| unknown(call))?;
        let shown = kept.call.result.as_ref().filter(|result| result.shown == result.size);
        let short = shown.and_then(|result| RawValue::from_string(result.text.clone()).ok()).map(Arc::from);
        kept.whole.clone().or(short).ok_or_else(|| {
            let message = format!("the result of call {call} is not kept whole");
            ApiError::new(ErrorCode::TooLarge, "Result too large", message).hint("the log has every byte of it")
        })
    }

    /// The server made a task of a call that still runs: whoever cancels it means the task.
    fn adopt_task(&self, call: u64, task: &str) -> Arc<Notify> {
        match self.inner.calls.table().entries.get_mut(&call) {
            Some(kept) => {
                kept.task = Some(task.to_owned());
                kept.enough.clone()
            }
            None => Arc::default(),
        }
    }

    fn keep_whole(&self, call: u64, whole: Arc<RawValue>) {
        if let Some(kept) = self.inner.calls.table().entries.get_mut(&call) {
            kept.whole = Some(whole);
        }
    }

    fn change(&self, id: u64, change: impl FnOnce(&mut Call)) {
        let mut client = None;
        let mut forgotten = Vec::new();
        {
            let mut table = self.inner.calls.table();
            if let Some(kept) = table.entries.get_mut(&id) {
                let ran = kept.call.status == CallStatus::Running;
                change(&mut kept.call);
                if ran && kept.call.status != CallStatus::Running {
                    client = kept.client.take();
                    let ended = kept.call.about();
                    table.running = table.running.saturating_sub(1);
                    // What it brought counts from now on.
                    forgotten = table.forget_old(&ended);
                }
            }
        }
        for id in forgotten {
            self.inner.changes.forget_call(id);
        }
        // Outside of the lock: it may be the last one of its connection.
        drop(client);
        self.inner.changes.call_changed(id);
    }
}

fn unknown(call: u64) -> ApiError {
    ApiError::new(ErrorCode::UnknownCall, "No such call", format!("call {call} is not known, or was long ago"))
        .hint("the log has every call")
}
