//! What comes in: answers find their calls, requests are answered, notifications are noted.
//!
//! Everything has been recorded before it gets here, so what is ignored is still in the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_protocol::{Direction, Frame, Id, Message, Notification, Outcome, Request, Response, Settled, parse};
use sonde_transport::{Inbound, Process, StderrTail};

use crate::call::{Answer, CallError, Progress};
use crate::client::{Client, Ending};
use crate::wire;

const METHOD_NOT_FOUND: i64 = -32601;

/// How long ending a server may take; what is left then is told of, not waited for.
const LONGEST_END: Duration = Duration::from_secs(8);
/// How long the last bytes of a server that is gone may take to arrive.
const LAST_BYTES: Duration = Duration::from_secs(1);

/// Reads until the connection is over, then ends every open call.
pub(crate) async fn drive(client: Client, mut inbound: Inbound, process: Process, mut stderr: StderrTail) {
    let process = Arc::new(process);
    let stopper = tokio::spawn(stop_when_asked(client.clone(), process.clone()));
    let over = over(&client, &process);
    let mut over = std::pin::pin!(over);
    loop {
        tokio::select! {
            biased;
            // Never dropped half-way but at the very end: a line that waits for the recorder would be lost.
            frame = inbound.next() => match frame {
                Some(frame) => dispatch(&client, &frame),
                None => break,
            },
            () = &mut over => {
                client.shared().tap.mark("the server's output is held open by a process that is not ours".to_owned()).await;
                break;
            }
        }
    }
    let by_us = client.shared().closing.is_cancelled();
    stopper.abort();
    client.shared().outbound.close();
    process.stop();
    let end = async {
        process.gone().await;
        stderr.drained().await;
    };
    if tokio::time::timeout(LONGEST_END, end).await.is_err() {
        client.shared().tap.mark(format!("processes of the server may still run; its first was {}", process.pid)).await;
    }
    let ending = Ending { exit: process.exit(), by_us, stderr_tail: stderr.lines() };
    client.shared().tap.mark(describe(&ending)).await;
    client.shared().tap.end().await;
    client.shared().ending.send_replace(Some(ending));
    for exchange in client.open().drain() {
        if let Some(answer) = exchange.payload.answer {
            answer.send(Err(CallError::Lost)).ok();
        }
    }
}

/// Resolves when nothing more can come from the server, though someone may still hold its output open.
async fn over(client: &Client, process: &Process) {
    let given_up = async {
        client.shared().closing.cancelled().await;
        tokio::time::sleep(LONGEST_END).await;
    };
    tokio::select! {
        () = process.gone() => {}
        () = given_up => {}
    }
    tokio::time::sleep(LAST_BYTES).await;
}

/// Beside the reading, not within it: a frame that waits for the recorder must not be dropped by a disconnect.
async fn stop_when_asked(client: Client, process: Arc<Process>) {
    client.shared().closing.cancelled().await;
    client.shared().outbound.close();
    process.stop();
}

fn describe(ending: &Ending) -> String {
    match (ending.by_us, ending.exit) {
        (true, Some(exit)) => format!("disconnected · {exit}"),
        (true, None) => "disconnected".to_owned(),
        (false, Some(exit)) => format!("the server ended · {exit}"),
        (false, None) => "the server closed its output".to_owned(),
    }
}

fn dispatch(client: &Client, frame: &Frame) {
    let (message, _findings) = match frame.body.cut {
        Some(_) => (Message::Opaque, Vec::new()),
        None => parse(&frame.body.bytes),
    };
    if matches!(message, Message::Opaque) {
        client.strays().note(&frame.body.bytes);
    }
    handle(client, &message);
}

fn handle(client: &Client, message: &Message<'_>) {
    match message {
        Message::Response(response) => settle(client, response),
        Message::Notification(notification) => note(client, notification),
        Message::Request(request) => answer(client, request),
        Message::Batch(items) => items.iter().for_each(|item| handle(client, &item.message)),
        Message::Opaque => {}
    }
}

fn settle(client: &Client, response: &Response<'_>) {
    let Some(id) = response.id else { return };
    let Settled::Answered(exchange) = client.open().answer(Direction::In, id) else { return };
    let answer = match &response.outcome {
        Outcome::Result(result) => Answer::Result((*result).to_owned()),
        Outcome::Error(error) => Answer::Error {
            code: error.code,
            message: clip(error.message.as_deref().unwrap_or_default()),
            raw: error.raw.to_owned(),
        },
    };
    if let Some(waiter) = exchange.payload.answer {
        // Whoever asked may have stopped waiting.
        waiter.send(Ok(answer)).ok();
    }
}

fn note(client: &Client, notification: &Notification<'_>) {
    match &*notification.method {
        "notifications/progress" => note_progress(client, notification.params),
        "notifications/tools/list_changed" => client.shared().tools_changed.send_modify(|version| *version += 1),
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
        message: Option<String>,
    }
    let Some(params) = params.and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok()) else { return };
    // The token of a request is its id.
    if let Some(waiting) = client.open().payload(Direction::Out, Id(params.token.get())) {
        let progress =
            Progress { progress: params.progress, total: params.total, message: params.message.as_deref().map(clip) };
        waiting.progress.send_replace(Some(progress));
    }
}

fn answer(client: &Client, request: &Request<'_>) {
    let (Ok(id), Ok(nothing)) =
        (RawValue::from_string(request.id.0.to_owned()), RawValue::from_string("{}".to_owned()))
    else {
        return;
    };
    let reply = match &*request.method {
        "ping" => wire::result(&id, &nothing),
        other => wire::refusal(&id, METHOD_NOT_FOUND, &format!("this client has no method `{}`", clip(other))),
    };
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => return tracing::error!(%error, "an answer could not be written"),
    };
    // Waiting for room here would stop the reading, and a server that only writes would then stop us for good.
    if client.shared().outbound.try_send(reply).is_err() && !client.shared().unread.swap(true, Ordering::Relaxed) {
        let tap = client.shared().tap.clone();
        tokio::spawn(async move {
            tap.mark("the server does not read its input: requests of it stay unanswered".to_owned()).await
        });
    }
}

/// Longest text of a server that is carried along; the log has the whole of it.
const LONGEST_TEXT: usize = 4000;

fn clip(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
