//! Pages, views and bytes.

use proptest::prelude::*;
use sonde_protocol::{Body, Channel, Direction, Frame, Record, Stamp};
use sonde_store::{Row, RowKind, View};
use sqlx::{Connection as _, Row as _};

use crate::scribe::{Scribe, all};

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

const KINDS: [RowKind; 7] = [
    RowKind::Exchange,
    RowKind::Notification,
    RowKind::Orphan,
    RowKind::Unparsable,
    RowKind::Stderr,
    RowKind::Mark,
    RowKind::Http,
];

fn views() -> Vec<View> {
    let servers = [None, Some("alpha"), Some("beta"), Some("nobody")];
    let kinds = std::iter::once(None).chain(KINDS.map(Some));
    let pairs = servers.into_iter().flat_map(|server| kinds.clone().map(move |kind| (server, kind)));
    let plain = pairs.map(|(server, kind)| View { server: server.map(str::to_owned), kind, ..View::default() });
    let narrow = [(Some(1), None), (Some(99), None), (None, Some(0)), (None, Some(1234)), (Some(2), Some(1234))];
    let narrowed = narrow.into_iter().flat_map(|(connection, after)| {
        let view = View { connection, after, ..View::default() };
        let server = Some("beta".to_owned());
        let of_server = View { server: server.clone(), ..view.clone() };
        [view.clone(), of_server.clone(), View { kind: Some(RowKind::Stderr), ..of_server }]
    });
    plain.chain(narrowed).collect()
}

fn belongs(row: &Row, view: &View) -> bool {
    view.server.as_ref().is_none_or(|server| *server == row.server)
        && view.kind.is_none_or(|kind| kind == row.kind)
        && view.connection.is_none_or(|connection| connection == row.connection.0)
        && view.after.is_none_or(|after| row.seq > after)
}

#[tokio::test]
async fn every_page_of_every_view_is_what_a_plain_filter_gives() {
    let mut scribe = Scribe::new().await;
    let connections = [scribe.connection, scribe.recorder.open_connection("beta", 0).await.unwrap()];
    let mut dice = Dice(7);
    for number in 0..3000 {
        scribe.connection = connections[dice.roll(2) as usize];
        match dice.roll(12) {
            0 => scribe.frame(Direction::In, Channel::Stderr, Body::whole(format!("line {number}"))).await,
            1 => scribe.frame(Direction::In, Channel::Mark, Body::whole("mark")).await,
            2 => scribe.inward("noise").await,
            3 => scribe.inward(r#"{"jsonrpc":"2.0","id":"stray","result":1}"#).await,
            4..8 => scribe.out(&format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"ping"}}"#)).await,
            _ => scribe.inward(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await,
        }
        if number == 1500 {
            // Counted once in the middle, so that the later count has an earlier one to build on.
            for view in views() {
                scribe.store.page(&view, 0, 10).await.unwrap();
            }
        }
    }
    let (rows, store, _folder) = scribe.rows().await;
    assert_eq!(rows.len(), 3000, "every frame here is one row");
    for view in views() {
        let wanted: Vec<&Row> = rows.iter().filter(|row| belongs(row, &view)).collect();
        let total = wanted.len() as i64;
        for first in [-5, 0, 1, total / 3, total / 2 + 1, total - 10, total - 1, total, total + 99, i64::MAX] {
            for count in [0, 1, 10, 500] {
                let page = store.page(&view, first, count).await.unwrap();
                assert_eq!(page.total, total, "{view:?}");
                let start = first.clamp(0, (total - count).max(0));
                assert_eq!(page.first, start, "{view:?} from {first}: a place beyond the end gives the last rows");
                let end = (start + count).min(total);
                let wanted = &wanted[start as usize..end as usize];
                assert!(page.rows.iter().eq(wanted.iter().copied()), "{view:?} from {first}, {count} rows");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_read_while_rows_arrive_stands_where_it_says() {
    let mut scribe = Scribe::new().await;
    let store = scribe.store.clone();
    let reader = tokio::spawn(async move {
        let view = View { server: Some("alpha".to_owned()), kind: Some(RowKind::Notification), ..View::default() };
        let mut read = 0;
        while read < 20_000 {
            let page = store.page(&view, i64::MAX, 50).await.unwrap();
            for (place, row) in (page.first..).zip(&page.rows) {
                // Every row is a notification of this server, so the place decides the number.
                assert_eq!(row.seq, place + 1, "the row at place {place} of {}", page.total);
            }
            assert_eq!(page.first + page.rows.len() as i64, page.total, "the last page reaches the end");
            read = page.total;
        }
    });
    for _ in 0..20_000 {
        scribe.inward(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await;
    }
    tokio::time::timeout(crate::scribe::LIMIT, reader).await.unwrap().unwrap();
    scribe.rows().await;
}

#[tokio::test]
async fn after_a_flush_all_that_was_queued_can_be_read() {
    let mut scribe = Scribe::new().await;
    for _ in 0..500 {
        scribe.inward("x").await;
    }
    tokio::time::timeout(crate::scribe::LIMIT, scribe.recorder.flush()).await.unwrap().unwrap();
    assert_eq!(all(&scribe.store, &View::default()).await.len(), 500, "nothing waits for company");
    scribe.rows().await;
}

#[tokio::test]
async fn connections_that_are_opened_at_once_have_numbers_of_their_own() {
    let mut scribe = Scribe::new().await;
    let mut opening = tokio::task::JoinSet::new();
    for number in 0..300 {
        let entrance = scribe.recorder.entrance();
        opening.spawn(async move { (number % 7, entrance.open_connection(&format!("s{}", number % 7), 0).await) });
        // Something waits to be written meanwhile.
        scribe.inward("x").await;
    }
    let opened = tokio::time::timeout(crate::scribe::LIMIT, opening.join_all()).await.unwrap();
    let numbers: std::collections::BTreeSet<i64> = opened.into_iter().map(|(_, opened)| opened.unwrap().0).collect();
    assert_eq!(numbers.len(), 300, "nobody shares one, though many are entered together");
    let entrance = scribe.recorder.entrance();
    scribe.rows().await;
    let late = tokio::time::timeout(crate::scribe::LIMIT, entrance.open_connection("late", 0)).await.unwrap();
    assert!(late.is_err(), "a recorder that has ended takes nobody in, and keeps nobody waiting");
}

#[tokio::test]
async fn a_frame_is_read_in_parts_and_nothing_beyond_it() {
    let mut scribe = Scribe::new().await;
    let text = "0123456789".repeat(1000);
    scribe.inward(&text).await;
    let (_, store, _folder) = scribe.rows().await;
    let part = async |index, offset, count| store.frame_part(1, index, offset, count).await.unwrap();
    assert_eq!(part(0, 5, 3).await.unwrap(), b"567");
    assert_eq!(part(0, 9_995, 100).await.unwrap(), b"56789", "the end is the end");
    assert_eq!(part(0, i64::MAX, 100).await.unwrap(), b"", "beyond it is nothing");
    assert_eq!(part(1, 0, 1).await, None, "this row has one frame");
    assert_eq!(part(7, 0, 1).await, None, "and certainly not eight");
    assert_eq!(store.frame_part(99, 0, 0, 1).await.unwrap(), None, "nor is there a row 99");
    let head = &store.row(1, 4).await.unwrap().unwrap().frames[0];
    assert_eq!((&head.head[..], head.size), (&b"0123"[..], 10_000), "a head is short, the size is not");
    assert!(store.row(0, 4).await.unwrap().is_none() && store.row(-1, 4).await.unwrap().is_none());
}

#[tokio::test]
async fn a_long_frame_is_kept_in_parts_and_read_as_one() {
    const PART: usize = 4 << 20;
    let mut scribe = Scribe::new().await;
    // 251 is prime, so no part looks like another.
    let bytes: Vec<u8> = (0..2 * PART + 5).map(|place| (place % 251) as u8).collect();
    scribe.frame(Direction::In, Channel::Message, Body::whole(bytes.clone())).await;
    scribe.inward("short").await;
    let (_, store, folder) = scribe.rows().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.path().join("log.db"));
    let mut file = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    let longest = "SELECT max((SELECT max(length(bytes)) FROM frame), (SELECT max(length(bytes)) FROM frame_rest))";
    let longest: i64 = sqlx::query(longest).fetch_one(&mut file).await.unwrap().try_get(0).unwrap();
    assert_eq!(longest, PART as i64, "no value is longer than a part");

    let check = async || {
        for from in [0, PART - 3, PART, 2 * PART - 1, 2 * PART, bytes.len() - 2, bytes.len()] {
            let to = bytes.len().min(from + 7);
            let part = store.frame_part(1, 0, from as i64, 7).await.unwrap().unwrap();
            assert_eq!(part, &bytes[from..to], "from {from} on");
        }
        assert_eq!(store.frame_part(1, 0, 0, i64::MAX).await.unwrap().unwrap(), bytes, "and all of it");
        let head = &store.row(1, 4).await.unwrap().unwrap().frames[0];
        assert_eq!((head.kept, head.size), (bytes.len() as i64, bytes.len() as i64), "nothing of it was cut");
    };
    check().await;
    // As older versions wrote it.
    sqlx::query("UPDATE frame SET bytes = ? WHERE id = 1").bind(&bytes).execute(&mut file).await.unwrap();
    sqlx::query("DELETE FROM frame_rest").execute(&mut file).await.unwrap();
    check().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_that_is_recorded_comes_back(
        bodies in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..200), 0..3u8), 1..200)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let scribe = Scribe::new().await;
            for (bytes, channel) in &bodies {
                let channel = [Channel::Message, Channel::Stderr, Channel::Mark][usize::from(*channel)];
                let body = Body::whole(bytes.clone());
                let frame = Frame {
                    connection: scribe.connection, direction: Direction::In, channel, stamp: Stamp::default(), body, http: None,
                };
                scribe.record(Record::Frame(frame)).await;
            }
            let (rows, store, _folder) = scribe.rows().await;
            assert_eq!(rows.len(), bodies.len(), "random bytes are one row each");
            for (row, (bytes, _)) in rows.iter().zip(&bodies) {
                let stored = store.frame_part(row.seq, 0, 0, 1000).await.unwrap().unwrap();
                assert_eq!(&stored, bytes, "row {}", row.seq);
            }
            assert_eq!(all(&store, &View::default()).await, rows, "reading changes nothing");
        });
    }
}
