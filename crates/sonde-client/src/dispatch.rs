//! What comes in: answers find their calls, requests are answered, notifications are noted.
//!
//! Everything has been recorded before it gets here, so what is ignored is still in the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_protocol::{Frame, Message, Notification, Outcome, Response, Settlement, parse};
use sonde_transport::{Inbound, Incoming, Peer, StderrTail};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::answers::{Way, answer};
use crate::call::{Answer, CallError, Progress};
use crate::client::{Client, Ending};
use crate::events::Event;
use crate::listing::Catalog;
use crate::oversized;
use crate::pending::Withdrawal;
use crate::wire::clip;
use crate::withdraw::keep_time;

/// How long ending a server may take; what is left then is told of, not waited for.
const LONGEST_END: Duration = Duration::from_secs(8);
/// How long the last bytes of a server that is gone may take to arrive.
const LAST_BYTES: Duration = Duration::from_secs(1);
/// How long a server that closed its output may take to end by itself.
const CLOSING: Duration = Duration::from_secs(2);

/// Reads until the connection is over, then ends every open call.
pub(crate) async fn drive(client: Client, mut inbound: Inbound, peer: Peer, mut stderr: StderrTail) {
    let peer = Arc::new(peer);
    let stopper = tokio::spawn(stop_when_asked(client.clone(), peer.clone()));
    let timekeeper = tokio::spawn(keep_time(client.clone()));
    let watcher = tokio::spawn(end_reading(client.clone(), peer.clone(), inbound.overtime()));
    while let Some(incoming) = inbound.next().await {
        match incoming {
            Incoming::Frame(frame) => {
                client.shared().heard_ns.store(frame.stamp.monotonic_ns, Ordering::Relaxed);
                dispatch(&client, &frame);
                if let Some(cut) = frame.body.cut {
                    oversized::end_call(&client, &frame, cut).await;
                }
            }
            Incoming::Failed { ids, failure } => fail(&client, ids, &CallError::Http(failure)).await,
        }
    }
    watcher.abort();
    if inbound.was_cut_short() {
        client.shared().tap.mark("the server's output is held open by a process that is not ours".to_owned()).await;
    }
    client.shared().outbound.close();
    let lives_on = lives_on(&client, &peer).await;
    let by_us = client.shared().closing.is_cancelled();
    stopper.abort();
    peer.stop();
    let end = async {
        peer.gone().await;
        stderr.drained().await;
    };
    if tokio::time::timeout(LONGEST_END, end).await.is_err() {
        let words = match peer.pid() {
            Some(pid) => format!("processes of the server may still run; its first was {pid}"),
            None => "the connection was left without an end".to_owned(),
        };
        client.shared().tap.mark(words).await;
    }
    timekeeper.abort();
    for remark in client.losses() {
        client.shared().tap.mark(remark).await;
    }
    // How it ended is our own doing where it had only closed its output.
    let exit = peer.exit().filter(|_| !lives_on);
    let loss = peer.loss();
    let by_us = by_us && loss.is_none();
    let ending = Ending { exit, loss, by_us, stderr_tail: stderr.lines() };
    client.shared().tap.mark(describe(&ending)).await;
    client.shared().tap.end().await;
    client.shared().ending.send_replace(Some(ending));
    client.end_questions();
    for waiting in client.pending().close() {
        waiting.slot.finish(Err(CallError::Lost));
    }
}

impl Client {
    /// What was not done, and why, for the log.
    fn losses(&self) -> Vec<String> {
        let unread = self.shared().unread.load(Ordering::Relaxed);
        let refused = self.refused_questions();
        let unread = (unread > 0).then(|| format!("{unread} answers found no room, because the server did not read"));
        let refused = (refused > 0).then(|| format!("{refused} questions were refused, because too many waited"));
        unread.into_iter().chain(refused).collect()
    }
}

/// Ends the reading when nothing more can come from the server, though someone may still hold its output open.
async fn end_reading(client: Client, peer: Arc<Peer>, overtime: CancellationToken) {
    let given_up = async {
        client.shared().closing.cancelled().await;
        tokio::time::sleep(LONGEST_END).await;
    };
    tokio::select! {
        () = peer.gone() => {}
        () = given_up => {}
    }
    tokio::time::sleep(LAST_BYTES).await;
    overtime.cancel();
}

/// Whether a server whose output is at its end goes on running, though nobody asked it to end.
async fn lives_on(client: &Client, peer: &Peer) -> bool {
    tokio::select! {
        gone = tokio::time::timeout(CLOSING, peer.gone()) => gone.is_err() && peer.exit().is_none(),
        () = client.shared().closing.cancelled() => false,
    }
}

/// Beside the reading, not within it: a frame that waits for the recorder must not be dropped by a disconnect.
async fn stop_when_asked(client: Client, peer: Arc<Peer>) {
    client.shared().closing.cancelled().await;
    client.shared().outbound.close();
    peer.stop();
}

fn describe(ending: &Ending) -> String {
    if let Some(loss) = &ending.loss {
        return format!("the connection ended: {loss}");
    }
    match (ending.by_us, ending.exit) {
        (true, Some(exit)) => format!("disconnected · {exit}"),
        (true, None) => "disconnected".to_owned(),
        (false, Some(exit)) => format!("the server ended · {exit}"),
        (false, None) => "the server closed its output".to_owned(),
    }
}

/// Ends requests that will get no answer, and tells the log why.
async fn fail(client: &Client, ids: Vec<Box<str>>, error: &CallError) {
    for id in ids {
        let Some(waiting) = client.pending().take(&id) else { continue };
        client.shared().tap.settle(&id, Settlement::Failed(error.to_string().into())).await;
        waiting.slot.finish(Err(error.clone()));
    }
}

/// Takes one frame in, without waiting for anything.
pub(crate) fn dispatch(client: &Client, frame: &Frame) {
    let message = match frame.body.cut {
        Some(_) => Message::Opaque,
        None => parse(&frame.body.bytes).0,
    };
    match message {
        Message::Opaque => client.strays().note(&frame.body.bytes),
        Message::Batch(items) => {
            let requests = items.iter().filter(|item| matches!(item.message, Message::Request(_))).count();
            let together = client.agreed().revision.rules().batches;
            let way = if together { Way::of_batch(requests, frame.body.bytes.len()) } else { Way::Single };
            items.iter().for_each(|item| handle(client, &item.message, &way));
        }
        message => handle(client, &message, &Way::Single),
    }
}

fn handle(client: &Client, message: &Message<'_>, way: &Way) {
    match message {
        Message::Response(response) => settle(client, response),
        Message::Notification(notification) => note(client, notification),
        Message::Request(request) => answer(client, request, way),
        Message::Batch(_) | Message::Opaque => {}
    }
}

fn settle(client: &Client, response: &Response<'_>) {
    let Some(id) = response.id else { return };
    let waiting = client.pending().take(id.0);
    let Some(waiting) = waiting else { return settle_abandoned(client, id.0, response) };
    let answer = read_answer(response);
    if waiting.withdrawal == Withdrawal::Task
        && let Some(task) = answer.task_id()
    {
        client.running().begin(&task, id.0, &waiting);
    }
    waiting.slot.finish(Ok(answer));
}

/// An answer that nobody waits for. Where it names the task of a request that was given up, that task is cancelled.
fn settle_abandoned(client: &Client, id: &str, response: &Response<'_>) {
    let abandoned = {
        let mut running = client.running();
        running.awaits() && running.was_abandoned(id)
    };
    if abandoned && let Some(task) = read_answer(response).task_id() {
        let client = client.clone();
        tokio::spawn(async move { client.abandon_task(&task).await });
    }
}

fn read_answer(response: &Response<'_>) -> Answer {
    match &response.outcome {
        Outcome::Result(result) => Answer::Result((*result).to_owned()),
        Outcome::Error(error) => Answer::Error {
            code: error.code,
            message: clip(error.message.as_deref().unwrap_or_default()),
            raw: error.raw.to_owned(),
        },
    }
}

fn note(client: &Client, notification: &Notification<'_>) {
    let params = notification.params;
    match &*notification.method {
        "notifications/progress" => note_progress(client, params),
        "notifications/message" => client.tell(|| Event::log_message(params)),
        "notifications/cancelled" => client.withdraw_question(params),
        "notifications/tools/list_changed" => client.changed(Catalog::Tools),
        "notifications/prompts/list_changed" => client.changed(Catalog::Prompts),
        "notifications/resources/list_changed" => {
            client.changed(Catalog::Resources);
            client.changed(Catalog::Templates);
        }
        "notifications/resources/updated" => client.tell(|| Event::resource_updated(params)),
        "notifications/tasks/status" => {
            client.changed(Catalog::Tasks);
            client.tell(|| Event::task_status(params));
        }
        "notifications/elicitation/complete" => client.tell(|| Event::elicitation_complete(params)),
        _ => {}
    }
}

fn note_progress(client: &Client, params: Option<&RawValue>) {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "progressToken")]
        token: &'a RawValue,
        progress: f64,
        total: Option<f64>,
        #[serde(borrow)]
        message: Option<&'a RawValue>,
    }
    let Some(params) = params.and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok()) else { return };
    let message = params.message.and_then(|message| serde_json::from_str::<String>(message.get()).ok());
    let progress = Progress { progress: params.progress, total: params.total, message: message.as_deref().map(clip) };
    let token = params.token.get();
    let slot = client.pending().by_token(token).map(|waiting| {
        waiting.heard = Instant::now();
        waiting.slot.clone()
    });
    match slot {
        Some(slot) => slot.report(progress),
        None => {
            let running = client.running();
            if running.has_any() {
                running.report(token, progress);
            }
        }
    }
}
