//! What passes through the pipes of a real server, and what is recorded of it.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use sonde_protocol::{Channel, ConnectionId, Direction, Record};
use sonde_transport::{Clock, InFlight, Link, Repeat, Tap, Verbatim, start_stdio};
use tokio::sync::mpsc;

use crate::harness::{Started, frame_of, launch, shell, start, supervisor, text, until_aside, within};

async fn cat(folder: &std::path::Path) -> Started {
    start(&launch("/bin/cat", &[], folder)).await.unwrap()
}

#[tokio::test]
async fn every_line_is_recorded_before_it_is_given_out() {
    let folder = tempfile::tempdir().unwrap();
    let script = r"printf '\357\273\277one\r\n\ntwo\nhalf'; printf 'oops\nlast' >&2";
    let mut started = shell(script, folder.path()).await;
    let lines = started.stdout().await;
    assert_eq!(lines, ["\u{feff}one\r", "", "two", "half"], "as they were written");
    within("stderr to end", started.link.stderr.drained()).await;
    assert_eq!(started.link.stderr.lines(), ["oops", "last"], "for the error message");
    let mut recorded = Vec::new();
    while let Ok(Record::Frame(frame)) = started.records.try_recv() {
        recorded.push((frame.channel, frame.body.bytes.to_vec(), frame.body.terminated));
    }
    let messages: Vec<_> = recorded.iter().filter(|(channel, ..)| *channel == Channel::Message).collect();
    assert_eq!(messages.len(), 4, "all of stdout is there already: {recorded:?}");
    assert!(!messages[3].2, "and that the last line broke off");
    assert_eq!(recorded.iter().filter(|(channel, ..)| *channel == Channel::Stderr).count(), 2, "and all of stderr");
}

#[tokio::test]
async fn a_long_line_comes_whole_and_the_next_ones_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let long = "head -c 9000000 /dev/zero | tr '\\0' x";
    let script = format!("echo one; {long}; printf '\\ntwo\\n\\nthree\\n'; {long}; printf y");
    let mut started = shell(&script, folder.path()).await;
    let lines = started.stdout().await;
    let sizes: Vec<usize> = lines.iter().map(String::len).collect();
    assert_eq!(sizes, [3, 9_000_000, 3, 0, 5, 9_000_001], "each with its length");
    assert!(lines[1].bytes().all(|byte| byte == b'x'), "nothing got into the long one");
    assert_eq!((lines[0].as_str(), lines[2].as_str(), lines[4].as_str()), ("one", "two", "three"));
    assert!(lines[5].ends_with("xy"), "one that is never ended is read to its end, too");
}

#[tokio::test]
async fn a_line_beyond_the_servers_limit_leaves_prefix_length_and_digest() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo before; head -c 5000000 /dev/zero | tr '\\0' x; printf '\\nafter\\n'";
    let mut launch = launch("/bin/sh", &["-c", script], folder.path());
    launch.longest_line = 3 << 20;
    let mut started = start(&launch).await.unwrap();
    assert_eq!(text(&started.frame().await.unwrap()), "before");
    let cut = started.frame().await.unwrap();
    let facts = cut.body.cut.unwrap();
    assert_eq!(cut.body.bytes.len(), 1 << 20, "the prefix");
    assert_eq!(facts.size, 5_000_000, "the length");
    assert_eq!(facts.sha256, <[u8; 32]>::from(Sha256::digest(vec![b'x'; 5_000_000])), "the digest");
    let after = started.frame().await.unwrap();
    assert_eq!((text(&after).as_str(), after.body.cut), ("after", None), "the next line is whole");
}

#[tokio::test]
async fn a_message_in_two_pieces_is_the_message_wherever_it_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = cat(folder.path()).await;
    let message = "{\"id\":1,\"text\":\"ü\"}\r\n".as_bytes();
    for place in 0..=message.len() {
        let (before, after) = message.split_at(place);
        started.link.outbound.send_raw(before.to_vec()).await.unwrap();
        started.link.outbound.send_raw(after.to_vec()).await.unwrap();
        let frame = started.frame().await.unwrap();
        assert_eq!(frame.body.bytes, message[..message.len() - 1], "cut at {place}");
        assert!(frame.body.terminated);
    }
    for byte in message {
        started.link.outbound.send_raw(vec![*byte]).await.unwrap();
    }
    assert_eq!(started.frame().await.unwrap().body.bytes, message[..message.len() - 1], "one byte at a time");
    started.stop().await;
}

#[tokio::test]
async fn raw_bytes_are_sent_as_they_are_and_recorded_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = cat(folder.path()).await;
    let outbound = started.link.outbound.clone();
    outbound.send(b"first".to_vec(), Repeat::Never).await.unwrap();
    outbound.send_raw(b"{]\n\n\xff\xfe\r\nno end".to_vec()).await.unwrap();
    outbound.send_raw(Vec::new()).await.unwrap();
    outbound.send(b"{}".to_vec(), Repeat::Never).await.unwrap();
    for expected in [&b"first"[..], b"{]", b"", b"\xff\xfe\r", b"no end{}"] {
        assert_eq!(started.frame().await.unwrap().body.bytes, expected, "what the server saw");
    }
    let sent = started.sent();
    let sent: Vec<(&str, bool)> = sent.iter().map(|(text, terminated)| (text.as_str(), *terminated)).collect();
    let expected =
        [("first", true), ("{]", true), ("", true), ("\u{fffd}\u{fffd}\r", true), ("no end", false), ("{}", true)];
    assert_eq!(sent, expected, "what was recorded");
    started.stop().await;
}

#[tokio::test]
async fn what_waits_for_a_slow_reader_arrives_in_order_and_is_recorded_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while [ ! -e go ]; do sleep 0.01; done; exec cat";
    let mut started = shell(script, folder.path()).await;
    let outbound = started.link.outbound.clone();
    let padding = "x".repeat(2000);
    for number in 0..300 {
        let message = format!("{number} {padding}").into_bytes();
        match number % 3 {
            0 => outbound.send(message, Repeat::Never).await.unwrap(),
            1 => outbound.try_send(message, Repeat::Never).unwrap(),
            _ => outbound.send_raw([message.as_slice(), b"\n"].concat()).await.unwrap(),
        }
    }
    assert!(outbound.unread() > 0, "more than a pipe holds, and nobody reads");
    std::fs::write(folder.path().join("go"), "").unwrap();
    for number in 0..300 {
        assert_eq!(text(&started.frame().await.unwrap()), format!("{number} {padding}"), "in the order of sending");
    }
    assert_eq!(outbound.unread(), 0, "all of it was taken");
    let sent = started.sent();
    let numbers: Vec<_> = sent.iter().map(|(line, _)| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(numbers, (0..300).map(|number| number.to_string()).collect::<Vec<_>>(), "and recorded so");
    started.stop().await;
}

#[tokio::test]
async fn a_server_that_never_reads_is_named_and_holds_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = start(&launch("/bin/sleep", &["1000"], folder.path())).await.unwrap();
    let outbound = started.link.outbound.clone();
    outbound.send(vec![b'x'; 1 << 20], Repeat::Never).await.unwrap();
    assert!(outbound.unread() > 0, "a pipe takes less than this");
    let room = (0..100_000).position(|_| outbound.try_send(vec![b'x'; 1 << 20], Repeat::Never).is_err());
    assert!(room.is_some_and(|taken| taken <= 16), "what waits is bounded: {room:?}");
    let waiting = tokio::spawn({
        let outbound = outbound.clone();
        async move { outbound.send(vec![b'x'; 1 << 20], Repeat::Never).await }
    });
    started.stop().await;
    assert!(within("whoever waits for room", waiting).await.unwrap().is_err(), "is told that the input is closed");
    assert!(outbound.send(b"late".to_vec(), Repeat::Never).await.is_err(), "and so is everyone after that");
    assert!(
        outbound.try_send(b"late".to_vec(), Repeat::Never).is_err_and(|message| message == b"late"),
        "with the message back"
    );
    let mark = started.recorded(Channel::Mark).await;
    assert!(mark.starts_with("the server does not read its input: "), "{mark}");
}

#[tokio::test]
async fn a_server_that_closes_its_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = shell("exec <&-; echo closed; exec sleep 1000", folder.path()).await;
    assert_eq!(text(&started.frame().await.unwrap()), "closed");
    // The first one finds it out, whether it is told so or only the log is.
    started.link.outbound.send(b"anyone?".to_vec(), Repeat::Never).await.ok();
    let mark = started.recorded(Channel::Mark).await;
    assert!(mark.starts_with("the server no longer reads its input: "), "{mark}");
    assert!(started.link.outbound.send(b"anyone?".to_vec(), Repeat::Never).await.is_err(), "from then on it is closed");
    started.stop().await;
}

#[tokio::test]
async fn the_input_closes_when_nobody_can_send_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let started = cat(folder.path()).await;
    let Started { link, records: _records } = started;
    let sonde_transport::Link { mut inbound, outbound, peer, .. } = link;
    let clone = outbound.clone();
    outbound.send(b"one".to_vec(), Repeat::Never).await.unwrap();
    drop(outbound);
    clone.send(b"two".to_vec(), Repeat::Never).await.unwrap();
    drop(clone);
    let mut lines = Vec::new();
    while let Some(frame) = within("a line", inbound.next()).await.map(frame_of) {
        lines.push(text(&frame));
    }
    assert_eq!(lines, ["one", "two"], "what was sent is written before the end");
    within("its end", peer.gone()).await;
}

#[tokio::test]
async fn stderr_is_recorded_up_to_its_limit_and_counted_exactly_beyond() {
    let folder = tempfile::tempdir().unwrap();
    // 80 MB in lines of 999 bytes and a line feed, the numbers, and one line that breaks off.
    let script = "line=$(head -c 999 /dev/zero | tr '\\0' e); yes $line | head -c 80000000 >&2
        seq 1 30 >&2; printf broken >&2; echo done; exec cat";
    let mut started = shell(script, folder.path()).await;
    let sent: u64 = 80_000_000 + (1..=30).map(|number: u32| number.to_string().len() as u64 + 1).sum::<u64>() + 6;
    // The records are taken while they come: they hold the budget that all output shares.
    let mut records = std::mem::replace(&mut started.records, tokio::sync::mpsc::channel(1).1);
    let taking = tokio::spawn(async move {
        let (mut recorded, mut marks) = (0, Vec::new());
        while let Some(record) = records.recv().await {
            match record {
                Record::Frame(frame) if frame.channel == Channel::Stderr => {
                    recorded += frame.body.size() + u64::from(frame.body.terminated);
                }
                Record::Frame(frame) if frame.channel == Channel::Mark => marks.push(text(&frame)),
                _ => {}
            }
        }
        (recorded, marks)
    });
    assert_eq!(text(&started.frame().await.unwrap()), "done", "stdout was never held up for good");
    started.stop().await;
    within("stderr to end", started.link.stderr.drained()).await;
    let tail = started.link.stderr.lines();
    let newest: Vec<String> = (12..=30).map(|number| number.to_string()).chain(["broken".to_owned()]).collect();
    assert_eq!(tail, newest, "the newest lines are known all the same");
    drop(started);
    let (recorded, marks) = within("the records", taking).await.unwrap();
    assert!((64 << 20..65 << 20).contains(&recorded), "up to the limit: {recorded}");
    assert_eq!(marks.len(), 2, "told when it begins and when it is over: {marks:?}");
    assert_eq!(marks[0], "stderr: 64 MiB are recorded, what follows is only counted");
    let counted: u64 = marks[1].split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(recorded + counted, sent, "not a byte is missing: {}", marks[1]);
}

#[tokio::test]
async fn a_line_of_stderr_has_its_own_limit() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = shell("head -c 3000000 /dev/zero >&2; echo >&2; echo short >&2; exec cat", folder.path()).await;
    let frame = within("stderr", async {
        loop {
            match started.records.recv().await.unwrap() {
                Record::Frame(frame) if frame.channel == Channel::Stderr => return frame,
                _ => {}
            }
        }
    })
    .await;
    assert_eq!(frame.direction, Direction::In);
    assert_eq!(frame.body.cut.unwrap().size, 3_000_000, "its length is known");
    assert!(frame.body.bytes.len() < 1 << 20, "a part of it is kept");
    assert_eq!(started.recorded(Channel::Stderr).await, "short");
    started.stop().await;
}

#[tokio::test]
async fn what_a_server_wrote_before_its_end_waits_for_the_recorder() {
    let folder = tempfile::tempdir().unwrap();
    let (sink, mut records) = mpsc::channel(4);
    let tap = Tap::new(ConnectionId(1), Clock::start(), sink, InFlight::default(), Arc::new(Verbatim));
    // It stays, and with it its output: so the end of the reading can only come from us.
    let script = "seq 1 2000; printf half; : > written; exec sleep 1000";
    let link = start_stdio(&launch("/bin/sh", &["-c", script], folder.path()), &supervisor(), tap).await.unwrap();
    let Link { mut inbound, outbound, peer, tap, .. } = link;
    let written = folder.path().join("written");
    until_aside("the lines are written", move || written.exists()).await;
    let overtime = inbound.overtime();
    overtime.cancel();
    let reading = tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Some(frame) = inbound.next().await.map(frame_of) {
            lines.push(text(&frame));
        }
        (lines, inbound.was_cut_short())
    });
    let recording = tokio::spawn(async move {
        let mut count = 0;
        while records.recv().await.is_some() {
            count += 1;
            // A slow disk, as far as the reader can tell.
            tokio::task::yield_now().await;
        }
        count
    });
    let (lines, cut_short) = within("the end of the reading", reading).await.unwrap();
    let expected: Vec<String> = (1..=2000).map(|number| number.to_string()).chain(["half".to_owned()]).collect();
    assert_eq!(lines, expected, "nothing that was written is lost");
    assert!(cut_short, "the output is still open");
    outbound.close();
    peer.stop();
    within("the end of the tree", peer.gone()).await;
    drop((outbound, tap));
    assert_eq!(within("the records", recording).await.unwrap(), 2001, "and all of it was recorded");
}
