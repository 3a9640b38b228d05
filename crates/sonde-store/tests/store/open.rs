//! Whose file it is, who else uses it, and what a dead process left behind.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sonde_protocol::{Body, Channel, ConnectionId, Direction, Frame, Record, Stamp};
use sonde_store::{Recorder, RowKind, RowStatus, Store, StoreError, View};
use sqlx::{Connection, SqliteConnection};

use crate::scribe::{LIMIT, OWN_START, Scribe, all, start_of};

async fn run_sql(path: &Path, sql: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn the_log_and_its_side_files_are_private() {
    let mut scribe = Scribe::new().await;
    scribe.inward("x").await;
    let mut state = scribe.recorder.state();
    state.wait_for(|state| state.rows == 1).await.unwrap();
    let files: Vec<_> = std::fs::read_dir(scribe.folder.path()).unwrap().flatten().collect();
    assert!(files.len() >= 3, "the log, its write-ahead log and their index: {files:?}");
    for file in files {
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", file.file_name());
    }
    scribe.rows().await;
}

#[tokio::test]
async fn a_file_that_is_not_ours_is_refused_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    run_sql(&path, "CREATE TABLE holiday (photo BLOB); INSERT INTO holiday VALUES (x'00');").await;
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(&path, start_of, |_, _| true).await.unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "someone else's tables: {error}");
    assert!(std::fs::read(&path).unwrap() == before, "not one byte of it was changed");

    std::fs::write(&path, "this is a diary, not a database, and it is longer than a header").unwrap();
    let error = Store::open(&path, start_of, |_, _| true).await.unwrap_err();
    assert!(matches!(error, StoreError::Open { .. }), "no database at all: {error}");
    assert!(std::fs::read(&path).unwrap().starts_with(b"this is a diary"), "it is still a diary");
    let error = Store::open(folder.path(), start_of, |_, _| true).await.unwrap_err();
    assert!(matches!(error, StoreError::Open { .. }), "a folder is no log: {error}");
}

#[tokio::test]
async fn a_newer_schema_is_refused_with_both_versions() {
    let (_, store, folder) = Scribe::new().await.rows().await;
    drop(store);
    let path = folder.path().join("log.db");
    run_sql(&path, "PRAGMA user_version = 99").await;
    match Store::open(&path, start_of, |_, _| true).await.unwrap_err() {
        StoreError::Newer { found, known, .. } => assert_eq!((found, known), (99, 5), "what it has, what we know"),
        other => panic!("a newer log is not to be touched: {other}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_can_create_the_same_log_at_once() {
    const OPENERS: usize = 16;
    for round in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        let start = std::sync::Arc::new(tokio::sync::Barrier::new(OPENERS));
        let openings: Vec<_> = (0..OPENERS)
            .map(|number| {
                let (path, start) = (path.clone(), start.clone());
                tokio::spawn(async move {
                    start.wait().await;
                    let store = Store::open(&path, start_of, |_, _| true).await?;
                    // Half of them record at once, so that the others open what is being written.
                    if number % 2 == 0 {
                        let recorder = Recorder::start(&store).await?;
                        recorder.open_connection("alpha", 0).await?;
                        recorder.finish().await;
                    }
                    Ok::<_, StoreError>(())
                })
            })
            .collect();
        for opening in openings {
            let opened = tokio::time::timeout(LIMIT, opening).await.unwrap().unwrap();
            assert!(opened.is_ok(), "window and terminal may start together, in round {round}: {opened:?}");
        }
    }
}

#[tokio::test]
async fn opening_outlives_a_moment_in_which_another_creates_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut creator = SqliteConnection::connect_with(&options).await.unwrap();
    // As long as this lasts the journal cannot be switched, and SQLite does not wait for that.
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut creator).await.unwrap();
    let opening = tokio::spawn(async move { Store::open(&path, start_of, |_, _| true).await.map(drop) });
    for _ in 0..50 {
        assert!(!opening.is_finished(), "it must not give up: {:?}", opening.await);
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    creator.close().await.unwrap();
    let opened = tokio::time::timeout(LIMIT, opening).await.unwrap().unwrap();
    assert!(opened.is_ok(), "the moment is over: {opened:?}");
}

#[tokio::test]
async fn what_a_dead_process_left_pending_is_lost_and_a_live_ones_is_not() {
    let mut scribe = Scribe::new().await;
    scribe.out(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    scribe.out(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
    scribe.inward(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
    let path = scribe.path();
    let (rows, store, _folder) = scribe.rows().await;
    assert_eq!(rows[0].status, Some(RowStatus::Pending));
    drop(store);
    let is_us = |pid, start| pid == std::process::id() && start == OWN_START;
    let alive = Store::open(&path, start_of, is_us).await.unwrap();
    assert_eq!(all(&alive, &View::default()).await[0].status, Some(RowStatus::Pending), "its owner still waits");
    // The same number, but another process has it now.
    run_sql(&path, "UPDATE connection SET owner_start = 5").await;
    let dead = Store::open(&path, start_of, is_us).await.unwrap();
    let rows = all(&dead, &View::default()).await;
    assert_eq!(rows[0].status, Some(RowStatus::Lost), "nobody will ever settle it");
    assert_eq!(rows[1].status, Some(RowStatus::Ok), "what was answered stays answered");
}

#[tokio::test]
async fn a_log_of_the_first_schema_is_taken_over_with_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    run_sql(&path, include_str!("../../migrations/1.sql")).await;
    let rows = "PRAGMA application_id = 0x536f6e64; PRAGMA user_version = 1;
        INSERT INTO server VALUES (1, 'old'); INSERT INTO connection VALUES (4, 1, 1, 0, NULL);
        INSERT INTO row (seq, connection, server, at, dir, kind, status, size) VALUES (1, 4, 1, 9, 0, 0, 0, 1);";
    run_sql(&path, rows).await;
    let store = Store::open(&path, start_of, |_, _| true).await.unwrap();
    let view = View { connection: Some(4), ..View::default() };
    let found = all(&store, &view).await;
    assert_eq!((found.len(), &*found[0].server), (1, "old"), "its rows are found, by their connection, too");
    assert_eq!(found[0].status, Some(RowStatus::Lost), "whoever recorded them is not known to live");
    let recorder = Recorder::start(&store).await.unwrap();
    let connection = recorder.open_connection("old", 0).await.unwrap();
    assert_eq!(connection, ConnectionId(5), "and it goes on from there");
    tokio::time::timeout(LIMIT, recorder.finish()).await.unwrap();
}

/// Writes requests and their answers, with notifications between them.
async fn converse(recorder: &Recorder, connection: ConnectionId, name: &str, rounds: usize) {
    let sink = recorder.sink();
    let frame = |direction, text: String| {
        let stamp = Stamp::default();
        Record::Frame(Frame {
            connection,
            direction,
            channel: Channel::Message,
            stamp,
            body: Body::whole(text),
            http: None,
        })
    };
    for round in 0..rounds {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{round},"method":"tools/call","params":{{"name":"{name}-{round}"}}}}"#);
        sink.send(frame(Direction::Out, request)).await.unwrap();
        let note = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{name}"}}"#);
        sink.send(frame(Direction::In, note)).await.unwrap();
        if let Some(answered) = round.checked_sub(3) {
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{answered},"result":{{"of":"{name}-{answered}"}}}}"#);
            sink.send(frame(Direction::In, answer)).await.unwrap();
        }
        if round % 50 == 0 {
            // Lets both commit by turns, so that each finds the other's rows in its way.
            let mut state = recorder.state();
            let commits = state.borrow().commits;
            state.wait_for(|state| state.commits > commits).await.unwrap();
        }
    }
    sink.send(Record::Ended { connection, stamp: Stamp::default() }).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_recorders_on_one_file_lose_nothing_and_mix_nothing_up() {
    const ROUNDS: usize = 1000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let (first, second) = (
        Store::open(&path, start_of, |_, _| true).await.unwrap(),
        Store::open(&path, start_of, |_, _| true).await.unwrap(),
    );
    let (one, two) = (Recorder::start(&first).await.unwrap(), Recorder::start(&second).await.unwrap());
    let connection_one = one.open_connection("one", 0).await.unwrap();
    let connection_two = two.open_connection("two", 0).await.unwrap();
    let both = async {
        tokio::join!(converse(&one, connection_one, "one", ROUNDS), converse(&two, connection_two, "two", ROUNDS));
        let (mut state_one, mut state_two) = (one.state(), two.state());
        tokio::join!(one.finish(), two.finish());
        let total = all(&first, &View::default()).await.len() as i64;
        let newest = state_one.borrow_and_update().rows.max(state_two.borrow_and_update().rows);
        assert_eq!(newest, total, "whoever commits last knows of all rows");
    };
    tokio::time::timeout(LIMIT, both).await.unwrap();

    let rows = all(&first, &View::default()).await;
    assert_eq!(rows.len(), 2 * 2 * ROUNDS, "a row for each exchange and each notification");
    assert!(rows.iter().map(|row| row.seq).eq(1..=rows.len() as i64), "numbers are dense");
    for row in &rows {
        let detail = first.row(row.seq, 1000).await.unwrap().unwrap();
        let texts: Vec<_> = detail.frames.iter().map(|frame| String::from_utf8_lossy(&frame.head)).collect();
        match row.kind {
            RowKind::Exchange => {
                let target = row.target.as_deref().unwrap();
                assert!(target.starts_with(&row.server), "the row is its own server's");
                assert!(texts.iter().all(|text| text.contains(&format!("\"{target}\""))), "{target} has {texts:?}");
                let answered = row.id.as_deref().unwrap().parse::<usize>().unwrap() < ROUNDS - 3;
                let wanted = if answered { RowStatus::Ok } else { RowStatus::Unanswered };
                assert_eq!((row.status, texts.len()), (Some(wanted), 1 + usize::from(answered)), "{target}");
            }
            RowKind::Notification => assert!(texts[0].contains(&format!("notifications/{}", row.server))),
            other => panic!("nobody wrote a row of {other:?}"),
        }
    }
}
