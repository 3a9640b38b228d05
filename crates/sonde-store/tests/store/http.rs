//! HTTP exchanges: rows of their own, what they tell of the messages that they carried, and how they are kept.

use sonde_protocol::{
    Body, Channel, Code, ConnectionId, Direction, Finding, Frame, HttpEnd, HttpExchange, HttpHead, HttpLoad,
    HttpPhases, HttpPlace, HttpTraffic, Record, Settlement, SseEvent, Stamp, TlsFacts,
};
use sonde_store::{KeptExchange, Recorder, Row, RowKind, RowStatus, Store, View};
use sqlx::{Connection as _, Row as _};

use crate::scribe::{LIMIT, Scribe, all, start_of};

fn exchange(connection: ConnectionId, number: u32, load: HttpLoad) -> HttpExchange {
    HttpExchange {
        connection,
        number,
        follows: None,
        load,
        method: if load == HttpLoad::Message { "POST" } else { "GET" },
        url: "https://example.test:8443/mcp?key=/none".to_owned(),
        started: Stamp { monotonic_ns: 5, wall_ns: 1_700_000_000_000_000_005 },
        request_headers: [("accept", "text/event-stream")].into_iter().collect(),
        response: None,
        phases: HttpPhases::default(),
        tls: None,
        traffic: HttpTraffic::default(),
        end: None,
        findings: Vec::new(),
    }
}

fn answered(before: HttpExchange, status: u16) -> HttpExchange {
    let headers = [("content-type", "text/event-stream")].into_iter().collect();
    HttpExchange { response: Some(HttpHead { status, version: "HTTP/1.1", headers }), ..before }
}

fn ended(before: HttpExchange, problem: Option<&str>) -> HttpExchange {
    HttpExchange { end: Some(HttpEnd { after: 7_000_000, problem: problem.map(str::to_owned) }), ..before }
}

fn with_findings(before: HttpExchange, messages: &[&str]) -> HttpExchange {
    let findings = messages.iter().map(|message| Finding::new(Code::HttpHeader, *message)).collect();
    HttpExchange { findings, ..before }
}

fn told(row: &Row) -> Vec<(Code, &str)> {
    row.findings.iter().map(|finding| (finding.code, finding.message.as_str())).collect()
}

/// What is said of HTTP, for a [`Scribe`].
impl Scribe {
    fn exchange(&self, number: u32, load: HttpLoad) -> HttpExchange {
        exchange(self.connection, number, load)
    }

    async fn tell(&self, exchange: &HttpExchange) {
        self.record(Record::Http(Box::new(exchange.clone()))).await;
    }

    async fn travel(&mut self, direction: Direction, text: &str, place: HttpPlace) {
        let (connection, stamp, body) = (self.connection, self.stamp(), Body::whole(text.to_owned()));
        let http = Some(Box::new(place));
        self.record(Record::Frame(Frame { connection, direction, channel: Channel::Message, stamp, body, http })).await;
    }

    async fn post(&mut self, number: u32, text: &str) {
        self.travel(Direction::Out, text, HttpPlace { exchange: number, event: None, findings: Vec::new() }).await;
    }

    /// What follows goes into another batch than what came before.
    async fn commit(&self) {
        tokio::time::timeout(LIMIT, self.recorder.flush()).await.unwrap().unwrap();
    }

    async fn row(&self, seq: i64) -> Row {
        self.store.row(seq, 10).await.unwrap().unwrap().row
    }
}

const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

#[tokio::test]
async fn a_stream_that_carries_no_message_of_ours_is_a_row_from_its_start_to_its_end() {
    let scribe = Scribe::new().await;
    let opened = scribe.exchange(3, HttpLoad::Nothing);
    scribe.tell(&opened).await;
    scribe.commit().await;
    let row = scribe.row(1).await;
    assert_eq!((row.kind, row.status, row.direction), (RowKind::Http, Some(RowStatus::Pending), Direction::Out));
    assert_eq!((row.method.as_deref(), row.target.as_deref()), (Some("GET"), Some("/mcp")), "the path alone");
    assert_eq!((row.id.as_deref(), row.code, row.dur_ns), (Some("3"), None, None), "its number; nothing came yet");
    assert_eq!((row.at_ns, &*row.server), (1_700_000_000_000_000_005, "alpha"));

    let mut running = answered(opened, 200);
    running.traffic = HttpTraffic { sent: 1, body: 40, ..HttpTraffic::default() };
    scribe.tell(&running).await;
    scribe.commit().await;
    let row = scribe.row(1).await;
    assert_eq!((row.status, row.code, row.size), (Some(RowStatus::Pending), Some(200), 41), "it goes on");

    running.traffic.body = 50;
    scribe.tell(&running).await;
    scribe.tell(&ended(running, None)).await;
    let (rows, store, _folder) = scribe.rows().await;
    let [row] = &rows[..] else { panic!("one exchange is one row: {rows:?}") };
    assert_eq!((row.status, row.code, row.size), (Some(RowStatus::Ok), Some(200), 51), "the newest word counts");
    assert_eq!((row.dur_ns, told(row)), (Some(7_000_000), vec![]));
    let view = View { kind: Some(RowKind::Http), ..View::default() };
    assert_eq!(all(&store, &view).await, rows, "it is found by its kind");
}

#[tokio::test]
async fn what_went_wrong_with_a_row_of_its_own_stands_on_it() {
    let scribe = Scribe::new().await;
    let first = with_findings(answered(scribe.exchange(1, HttpLoad::Nothing), 200), &["no content type"]);
    scribe.tell(&first).await;
    scribe.commit().await;
    scribe.tell(&ended(first, Some("the stream broke off"))).await;
    scribe.tell(&ended(answered(scribe.exchange(2, HttpLoad::Nothing), 405), None)).await;
    let nowhere = HttpExchange { url: "http://example.test?to=/x".to_owned(), ..scribe.exchange(3, HttpLoad::Nothing) };
    scribe.tell(&ended(nowhere, Some("connection refused"))).await;
    let (rows, ..) = scribe.rows().await;
    let seen: Vec<_> = rows.iter().map(|row| (row.status.unwrap(), row.code)).collect();
    use RowStatus::*;
    assert_eq!(seen, [(ProtocolError, Some(200)), (Ok, Some(405)), (ProtocolError, None)], "the problem decides");
    let wanted = [(Code::HttpHeader, "no content type"), (Code::HttpFailed, "the stream broke off")];
    assert_eq!(told(&rows[0]), wanted, "each once");
    assert_eq!(rows[2].target.as_deref(), Some("/"), "a slash behind the question mark is no path");
}

#[tokio::test]
async fn a_stream_that_is_open_when_the_connection_ends_is_unanswered() {
    let mut scribe = Scribe::new().await;
    let stream = answered(scribe.exchange(1, HttpLoad::Nothing), 200);
    scribe.tell(&stream).await;
    scribe.commit().await;
    scribe.end().await;
    scribe.commit().await;
    // Last words that come too late for the row, and an exchange that nobody knew before.
    let late = HttpExchange { traffic: HttpTraffic { body: 9, ..HttpTraffic::default() }, ..stream };
    scribe.tell(&ended(late, None)).await;
    let farewell = HttpExchange { method: "DELETE", ..scribe.exchange(2, HttpLoad::Nothing) };
    scribe.tell(&farewell).await;
    scribe.tell(&ended(farewell, None)).await;
    let (rows, store, _folder) = scribe.rows().await;
    let seen: Vec<_> = rows.iter().map(|row| (row.method.as_deref().unwrap(), row.status.unwrap())).collect();
    assert_eq!(seen, [("GET", RowStatus::Unanswered), ("DELETE", RowStatus::Unanswered)], "one row for each");
    assert_eq!((told(&rows[0]), rows[0].code), (vec![], Some(200)), "what was known of it stays");
    assert_eq!(rows[1].findings[0].code, Code::AfterTheEnd);
    assert_eq!(rows[1].server, "alpha", "a straggler belongs where it came from");
    let kept = &store.row(1, 10).await.unwrap().unwrap().http[0];
    assert_eq!((kept.traffic.body, kept.end.is_some()), (9, true), "the last word is kept all the same");
}

#[tokio::test]
async fn a_stream_that_a_dead_process_had_open_is_lost() {
    let scribe = Scribe::new().await;
    scribe.tell(&scribe.exchange(1, HttpLoad::Nothing)).await;
    let path = scribe.path();
    let (rows, store, _folder) = scribe.rows().await;
    assert_eq!(rows[0].status, Some(RowStatus::Pending));
    drop(store);
    let after_the_crash = Store::open(&path, start_of, |_, _| false).await.unwrap();
    assert_eq!(all(&after_the_crash, &View::default()).await[0].status, Some(RowStatus::Lost));
}

#[tokio::test]
async fn a_request_that_failed_is_unanswered_and_says_why() {
    let mut scribe = Scribe::new().await;
    for id in 1..=3 {
        scribe.post(id, &PING.replace('1', &id.to_string())).await;
    }
    scribe.time_out("2").await;
    scribe.commit().await;
    for id in ["1", "2"] {
        let how = Settlement::Failed("the server answered 502 Bad Gateway".into());
        scribe.record(Record::Settled { connection: scribe.connection, id: id.into(), how }).await;
    }
    for number in 1..=2 {
        let failed = ended(answered(scribe.exchange(number, HttpLoad::Message), 502), Some("502 Bad Gateway"));
        scribe.tell(&failed).await;
    }
    let (rows, ..) = scribe.rows().await;
    let statuses: Vec<_> = rows.iter().map(|row| row.status.unwrap()).collect();
    use RowStatus::*;
    assert_eq!(statuses, [Unanswered, Timeout, Pending], "the first reason stays; the third is not concerned");
    let why = [(Code::HttpFailed, "the server answered 502 Bad Gateway")];
    assert_eq!((told(&rows[0]), told(&rows[1])), (why.to_vec(), why.to_vec()), "said once, by whoever asked");
}

#[tokio::test]
async fn a_message_that_nobody_answers_learns_from_its_exchange_that_it_failed() {
    let mut scribe = Scribe::new().await;
    let place = HttpPlace { exchange: 9, event: None, findings: Vec::new() };
    scribe.travel(Direction::In, PING, place).await;
    scribe.commit().await;
    scribe.post(1, NOTE).await;
    scribe.post(2, PONG).await;
    scribe.post(3, "no message").await;
    for number in 1..=3 {
        scribe.tell(&scribe.exchange(number, HttpLoad::Message)).await;
    }
    // Of the first the end comes in the same batch; of the others the rows are on disk already.
    scribe.tell(&ended(scribe.exchange(1, HttpLoad::Message), Some("refused 1"))).await;
    scribe.commit().await;
    for number in 2..=3 {
        let problem = format!("refused {number}");
        let end = ended(with_findings(scribe.exchange(number, HttpLoad::Message), &["odd"]), Some(&problem));
        scribe.tell(&end).await;
        scribe.tell(&end).await;
    }
    let (rows, ..) = scribe.rows().await;
    let [asked, note, raw] = &rows[..] else { panic!("a request with our answer, a notification, noise: {rows:?}") };
    assert_eq!(told(note), [(Code::HttpFailed, "refused 1")]);
    assert_eq!(told(asked), [(Code::HttpHeader, "odd"), (Code::HttpFailed, "refused 2")], "where the answer stands");
    assert_eq!(asked.status, Some(RowStatus::Ok), "we did answer");
    let codes: Vec<_> = raw.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::HttpBody, Code::HttpHeader, Code::HttpFailed], "behind what its own bytes show");
}

#[tokio::test]
async fn findings_of_an_exchange_stay_with_its_request_whenever_they_come() {
    let mut scribe = Scribe::new().await;
    scribe.post(1, PING).await;
    scribe.commit().await;
    // Before the answer, with it, and after it; always with what was said before.
    let mut word = with_findings(scribe.exchange(1, HttpLoad::Message), &["one"]);
    scribe.tell(&word).await;
    scribe.commit().await;
    let place = HttpPlace { exchange: 1, event: None, findings: vec![Finding::new(Code::ReusedEventId, "event 4")] };
    scribe.travel(Direction::In, PONG, place).await;
    word = with_findings(word, &["one", "two"]);
    scribe.tell(&word).await;
    scribe.commit().await;
    scribe.tell(&ended(with_findings(word, &["one", "two", "three"]), Some("not told here"))).await;
    let (rows, ..) = scribe.rows().await;
    let [row] = &rows[..] else { panic!("one exchange is one row: {rows:?}") };
    let header = |text| (Code::HttpHeader, text);
    let wanted = [header("one"), (Code::ReusedEventId, "event 4"), header("two"), header("three")];
    assert_eq!(told(row), wanted, "each once, in the order they were seen");
    assert_eq!(row.status, Some(RowStatus::Ok), "a problem of a request is told by whoever asked");
}

#[tokio::test]
async fn an_exchange_that_follows_another_speaks_for_the_same_message() {
    let mut scribe = Scribe::new().await;
    scribe.post(1, NOTE).await;
    scribe.tell(&ended(answered(scribe.exchange(1, HttpLoad::Message), 307), None)).await;
    scribe.commit().await;
    let again = HttpExchange { follows: Some(1), ..scribe.exchange(2, HttpLoad::Message) };
    scribe.tell(&ended(again, Some("404 Not Found"))).await;
    let other = HttpExchange { follows: Some(77), ..scribe.exchange(3, HttpLoad::Message) };
    scribe.tell(&ended(other, Some("of nobody"))).await;
    let (rows, store, _folder) = scribe.rows().await;
    assert_eq!(told(&rows[0]), [(Code::HttpFailed, "404 Not Found")]);
    let numbers: Vec<_> = store.row(1, 10).await.unwrap().unwrap().http.iter().map(|kept| kept.number).collect();
    assert_eq!(numbers, [1, 2], "a message leads to all that was tried for it");
}

#[tokio::test]
async fn all_of_an_exchange_comes_back_with_the_row() {
    let mut scribe = Scribe::new().await;
    let mut word = scribe.exchange(1, HttpLoad::Message);
    scribe.post(1, PING).await;
    scribe.tell(&word).await;
    scribe.commit().await;
    word = ended(answered(word, 200), Some("the server's \"problem\""));
    word.phases = HttpPhases { dns: Some(1), connect: None, tls: Some(3), first_byte: Some(4), body: Some(5) };
    word.tls = Some(TlsFacts {
        version: Some("TLS 1.3".to_owned()),
        subject: "CN=example.test".to_owned(),
        issuer: "CN=\u{1f512}".to_owned(),
        names: vec!["example.test".to_owned(), "127.0.0.1".to_owned()],
        not_before: -1,
        not_after: 253_402_300_799,
        fingerprint: "ab".repeat(32),
        trusted: "by the file of the configuration".to_owned(),
    });
    word.traffic = HttpTraffic {
        sent: 1,
        body: 22,
        recorded: 3,
        comments: 4,
        framing: 5,
        dropped: 10,
        events: 7,
        comment_lines: 8,
        compressed: u64::MAX,
    };
    scribe.tell(&word).await;
    let event = SseEvent { id: Some("e\u{0}1".to_owned()), name: Some("message".to_owned()), retry: Some(1500) };
    let place = HttpPlace { exchange: 1, event: Some(event.clone()), findings: Vec::new() };
    scribe.travel(Direction::In, PONG, place).await;
    let (_, store, _folder) = scribe.rows().await;
    let found = store.row(1, 10).await.unwrap().unwrap();
    let places: Vec<_> = found.frames.iter().map(|frame| (frame.http, frame.event.clone())).collect();
    assert_eq!(places, [(Some(1), None), (Some(1), Some(event))], "where each frame was seen");
    let [kept] = &found.http[..] else { panic!("both frames travelled in one exchange: {:?}", found.http) };
    let head = kept.response.clone().unwrap();
    assert_eq!((head.status, &*head.version, &head.headers[0].0), (200, "HTTP/1.1", &"content-type".to_owned()));
    let wanted = KeptExchange {
        number: 1,
        follows: None,
        method: "POST".to_owned(),
        url: word.url,
        started_ns: 1_700_000_000_000_000_005,
        request_headers: word.request_headers.pairs(),
        response: Some(head),
        phases: word.phases,
        tls: word.tls,
        traffic: HttpTraffic { compressed: i64::MAX as u64, ..word.traffic },
        end: word.end,
    };
    assert_eq!(*kept, wanted, "the newest word, whole");
}

#[tokio::test]
async fn a_row_is_given_with_what_followed_in_order_and_not_without_end() {
    let scribe = Scribe::new().await;
    for number in 1..=70 {
        let follows = (number > 1).then(|| number - 1);
        scribe.tell(&HttpExchange { follows, ..scribe.exchange(number, HttpLoad::Nothing) }).await;
    }
    // Another connection counts from 1 as well.
    let other = scribe.recorder.open_connection("beta", 0).await.unwrap();
    let stranger = HttpExchange { follows: Some(70), ..exchange(other, 71, HttpLoad::Nothing) };
    scribe.tell(&stranger).await;
    let (rows, store, _folder) = scribe.rows().await;
    assert_eq!(rows.len(), 71);
    let numbers = async |seq| {
        let http = store.row(seq, 10).await.unwrap().unwrap().http;
        http.iter().map(|kept| kept.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(1).await, (1..=50).collect::<Vec<_>>(), "the first fifty");
    assert_eq!(numbers(69).await, [69, 70], "not those of other connections, nor what came before");
    assert_eq!(numbers(71).await, [71]);
}

#[tokio::test]
async fn rows_of_ten_thousand_messages_are_remembered_and_the_oldest_is_forgotten_first() {
    const MOST: u32 = 10_000;
    let mut scribe = Scribe::new().await;
    for number in 1..=MOST + 1 {
        scribe.post(number, NOTE).await;
    }
    for number in [1, 2, MOST + 1] {
        scribe.tell(&ended(scribe.exchange(number, HttpLoad::Message), Some("gone"))).await;
    }
    let (rows, store, _folder) = scribe.rows().await;
    let failed: Vec<_> = rows.iter().filter(|row| !row.findings.is_empty()).map(|row| row.seq).collect();
    assert_eq!(failed, [2, i64::from(MOST) + 1], "the others are on disk without it");
    let problem = store.row(1, 10).await.unwrap().unwrap().http[0].end.clone().unwrap().problem;
    assert_eq!(problem.as_deref(), Some("gone"), "but the exchange itself has it");
}

#[tokio::test]
async fn a_log_of_the_schema_before_http_is_taken_over_with_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut file = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    let schema = [
        include_str!("../../migrations/1.sql"),
        include_str!("../../migrations/2.sql"),
        include_str!("../../migrations/3.sql"),
        "PRAGMA application_id = 0x536f6e64; PRAGMA user_version = 3;
         INSERT INTO server VALUES (1, 'old');
         INSERT INTO connection (id, server, owner, started, ended, first_row) VALUES (4, 1, 1, 0, 1, 0);
         INSERT INTO row (seq, connection, server, at, dir, kind, status, size, request)
             VALUES (1, 4, 1, 9, 0, 0, 1, 2, 1);
         INSERT INTO frame (id, row, dir, at, size, bytes) VALUES (1, 1, 0, 9, 2, x'7b7d');",
    ];
    for sql in schema {
        sqlx::raw_sql(sql).execute(&mut file).await.unwrap();
    }
    file.close().await.unwrap();
    let store = Store::open(&path, start_of, |_, _| true).await.unwrap();
    let found = store.row(1, 10).await.unwrap().unwrap();
    assert_eq!((&*found.row.server, &found.frames[0].head[..]), ("old", &b"{}"[..]), "its rows and bytes are found");
    assert_eq!((found.frames[0].http, found.http.len()), (None, 0), "and nothing is made up for them");
    let recorder = Recorder::start(&store).await.unwrap();
    let connection = recorder.open_connection("old", 0).await.unwrap();
    let opened = Record::Http(Box::new(exchange(connection, 1, HttpLoad::Nothing)));
    recorder.sink().send(opened).await.unwrap();
    tokio::time::timeout(LIMIT, recorder.finish()).await.unwrap();
    assert_eq!(store.row(2, 10).await.unwrap().unwrap().http[0].number, 1, "it goes on with HTTP from there");
}

#[tokio::test]
async fn words_on_an_exchange_are_one_row_of_the_table_however_many_there_are() {
    let scribe = Scribe::new().await;
    for round in 0..3 {
        for number in 1..=600 {
            let mut word = scribe.exchange(number, HttpLoad::Nothing);
            word.traffic.body = round;
            scribe.tell(&word).await;
        }
    }
    let (rows, _, folder) = scribe.rows().await;
    assert_eq!(rows.len(), 600, "nor is any of them another row of the log");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.path().join("log.db"));
    let mut file = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    let found = sqlx::query("SELECT count(*), min(body) FROM http").fetch_one(&mut file).await.unwrap();
    assert_eq!((found.get::<i64, _>(0), found.get::<i64, _>(1)), (600, 2), "and the newest counts");
}

/// Posts notifications whose exchanges fail later, and opens streams, until both recorders got into each other's way.
async fn converse(recorder: &Recorder, connection: ConnectionId, name: &str, rounds: u32) {
    let sink = recorder.sink();
    let tell = async |exchange| sink.send(Record::Http(Box::new(exchange))).await.unwrap();
    for round in 0..rounds {
        let (message, stream) = (2 * round + 1, 2 * round + 2);
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{name}-{message}"}}"#);
        let http = Some(Box::new(HttpPlace { exchange: message, event: None, findings: Vec::new() }));
        let (direction, channel, stamp) = (Direction::Out, Channel::Message, Stamp::default());
        let frame = Frame { connection, direction, channel, stamp, body: Body::whole(text), http };
        sink.send(Record::Frame(frame)).await.unwrap();
        let url = |number| format!("http://{name}/{name}-{number}");
        tell(HttpExchange { url: url(stream), ..exchange(connection, stream, HttpLoad::Nothing) }).await;
        if let Some(old) = round.checked_sub(3) {
            let (message, stream) = (2 * old + 1, 2 * old + 2);
            let end = ended(exchange(connection, message, HttpLoad::Message), Some(&format!("{name}-{message}")));
            tell(end).await;
            let end = ended(exchange(connection, stream, HttpLoad::Nothing), Some(&format!("{name}-{stream}")));
            tell(HttpExchange { url: url(stream), ..end }).await;
        }
        if round % 20 == 0 {
            let mut state = recorder.state();
            let commits = state.borrow().commits;
            state.wait_for(|state| state.commits > commits).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_recorders_on_one_file_mix_no_exchanges_up() {
    const ROUNDS: u32 = 400;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let first = Store::open(&path, start_of, |_, _| true).await.unwrap();
    let second = Store::open(&path, start_of, |_, _| true).await.unwrap();
    let (one, two) = (Recorder::start(&first).await.unwrap(), Recorder::start(&second).await.unwrap());
    let connection_one = one.open_connection("one", 0).await.unwrap();
    let connection_two = two.open_connection("two", 0).await.unwrap();
    let both = async {
        tokio::join!(converse(&one, connection_one, "one", ROUNDS), converse(&two, connection_two, "two", ROUNDS));
        tokio::join!(one.finish(), two.finish());
    };
    tokio::time::timeout(LIMIT, both).await.unwrap();
    let rows = all(&first, &View::default()).await;
    assert_eq!(rows.len() as u32, 2 * 2 * ROUNDS, "a row for each notification and each stream");
    let mut settled = 0;
    for row in &rows {
        let name = match row.kind {
            RowKind::Http => row.target.as_deref().unwrap().trim_start_matches('/'),
            _ => row.method.as_deref().unwrap(),
        };
        assert!(name.starts_with(&row.server), "{name} is a row of {}", row.server);
        for finding in row.findings.iter().filter(|finding| finding.code == Code::HttpFailed) {
            assert_eq!(finding.message, name, "what is said of one stands on that one");
            settled += 1;
        }
    }
    assert_eq!(settled, 2 * 2 * (ROUNDS - 3), "and every end found its row");
}
