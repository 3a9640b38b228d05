//! HTTP exchanges as they are kept: how each is written, and how it is read again.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use sonde_protocol::{ConnectionId, HttpEnd, HttpExchange, HttpPhases, HttpTraffic, SseEvent, TlsFacts};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, Sqlite, Transaction};

use crate::batch::Batch;
use crate::open::{Store, StoreError};
use crate::write::{Insert, Inserts, in_chunks};

/// One HTTP request and what came of it, as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptExchange {
    /// Counted from 1 within the connection.
    pub number: u32,
    pub follows: Option<u32>,
    pub method: String,
    pub url: String,
    /// Nanoseconds since 1970.
    pub started_ns: i64,
    pub request_headers: Vec<(String, String)>,
    /// None until the server answered.
    pub response: Option<KeptHead>,
    pub phases: HttpPhases,
    pub tls: Option<TlsFacts>,
    pub traffic: HttpTraffic,
    /// None where it went on when this was written.
    pub end: Option<HttpEnd>,
}

/// What the server answered before the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptHead {
    pub status: u16,
    pub version: String,
    pub headers: Vec<(String, String)>,
}

/// Exchanges that are given with a row; a stream that breaks again and again may be followed by any number.
const MOST_GIVEN: i64 = 50;

impl Store {
    /// The exchanges of these numbers and those that follow them, in their order.
    pub(crate) async fn exchanges(
        &self,
        connection: ConnectionId,
        numbers: &[u32],
    ) -> Result<Vec<KeptExchange>, StoreError> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let found = sqlx::query(
            "WITH RECURSIVE wanted (number) AS (
                 SELECT value FROM json_each(?2)
                 UNION
                 SELECT http.number FROM wanted JOIN http ON http.follows = wanted.number WHERE http.connection = ?1
                 LIMIT ?3
             )
             SELECT http.* FROM http JOIN wanted USING (number) WHERE http.connection = ?1 ORDER BY http.number",
        )
        .bind(connection.0)
        .bind(serde_json::to_string(numbers).unwrap_or_default())
        .bind(MOST_GIVEN)
        .fetch_all(&self.readers)
        .await?;
        Ok(found.iter().map(read_exchange).collect::<Result<_, _>>()?)
    }
}

fn read_exchange(found: &SqliteRow) -> Result<KeptExchange, sqlx::Error> {
    let text = |column| found.try_get::<Option<&str>, _>(column);
    let duration = |column| Ok::<_, sqlx::Error>(found.try_get::<Option<i64>, _>(column)?.map(unsigned));
    let amount = |column| found.try_get::<i64, _>(column).map(unsigned);
    let status: Option<u16> = found.try_get("status")?;
    let version = text("version")?.unwrap_or_default().to_owned();
    let headers = read_headers(text("response_headers")?);
    let problem = found.try_get("problem")?;
    Ok(KeptExchange {
        number: found.try_get("number")?,
        follows: found.try_get("follows")?,
        method: found.try_get("method")?,
        url: found.try_get("url")?,
        started_ns: found.try_get("started")?,
        request_headers: read_headers(text("request_headers")?),
        response: status.map(|status| KeptHead { status, version, headers }),
        phases: HttpPhases {
            dns: duration("dns")?,
            connect: duration("connect")?,
            tls: duration("handshake")?,
            first_byte: duration("first_byte")?,
            body: duration("reading")?,
        },
        tls: text("tls")?.and_then(read_tls),
        traffic: HttpTraffic {
            sent: amount("sent")?,
            body: amount("body")?,
            recorded: amount("recorded")?,
            comments: amount("comments")?,
            framing: amount("framing")?,
            dropped: amount("dropped")?,
            events: amount("events")?,
            comment_lines: amount("comment_lines")?,
            compressed: amount("compressed")?,
        },
        end: duration("after")?.map(|after| HttpEnd { after, problem }),
    })
}

static EXCHANGES: LazyLock<Inserts> = LazyLock::new(|| Inserts::into_or_over("http", KEY, COLUMNS));

const KEY: &str = "connection, number";
const COLUMNS: &str = "follows, method, url, started, request_headers, status, version, response_headers, dns, connect,
    handshake, first_byte, reading, tls, sent, body, recorded, comments, framing, dropped, events, comment_lines,
    compressed, after, problem";

/// Writes the newest word on each exchange, over an older one if there is one.
pub(crate) async fn put_exchanges(transaction: &mut Transaction<'_, Sqlite>, batch: &Batch) -> Result<(), sqlx::Error> {
    let exchanges: Vec<&HttpExchange> = batch.http.values().map(|exchange| &**exchange).collect();
    for part in in_chunks(&exchanges) {
        let insert = part.iter().fold(EXCHANGES.of(part.len()), |insert, exchange| bind_exchange(insert, exchange));
        insert.execute(&mut **transaction).await?;
    }
    Ok(())
}

fn bind_exchange<'q>(insert: Insert<'q>, exchange: &'q HttpExchange) -> Insert<'q> {
    let (head, end) = (exchange.response.as_ref(), exchange.end.as_ref());
    let (phases, traffic) = (&exchange.phases, &exchange.traffic);
    insert
        .bind(exchange.connection.0)
        .bind(exchange.number)
        .bind(exchange.follows)
        .bind(exchange.method)
        .bind(&exchange.url)
        .bind(exchange.started.wall_ns)
        .bind(exchange.request_headers.as_json())
        .bind(head.map(|head| head.status))
        .bind(head.map(|head| head.version))
        .bind(head.map(|head| head.headers.as_json()))
        .bind(phases.dns.map(signed))
        .bind(phases.connect.map(signed))
        .bind(phases.tls.map(signed))
        .bind(phases.first_byte.map(signed))
        .bind(phases.body.map(signed))
        .bind(exchange.tls.as_ref().and_then(write_tls))
        .bind(signed(traffic.sent))
        .bind(signed(traffic.body))
        .bind(signed(traffic.recorded))
        .bind(signed(traffic.comments))
        .bind(signed(traffic.framing))
        .bind(signed(traffic.dropped))
        .bind(signed(traffic.events))
        .bind(signed(traffic.comment_lines))
        .bind(signed(traffic.compressed))
        .bind(end.map(|end| signed(end.after)))
        .bind(end.and_then(|end| end.problem.as_deref()))
}

/// SQLite has no larger numbers; none of ours gets there.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn read_headers(text: Option<&str>) -> Vec<(String, String)> {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn write_tls(facts: &TlsFacts) -> Option<String> {
    let mut text = Vec::new();
    StoredTls::serialize(facts, &mut serde_json::Serializer::new(&mut text)).ok()?;
    String::from_utf8(text).ok()
}

fn read_tls(text: &str) -> Option<TlsFacts> {
    StoredTls::deserialize(&mut serde_json::Deserializer::from_str(text)).ok()
}

/// What an event had beside its data, as its frame keeps it.
pub(crate) fn write_event(event: &SseEvent) -> Option<String> {
    let mut text = Vec::new();
    StoredEvent::serialize(event, &mut serde_json::Serializer::new(&mut text)).ok()?;
    String::from_utf8(text).ok()
}

pub(crate) fn read_event(text: &str) -> Option<SseEvent> {
    StoredEvent::deserialize(&mut serde_json::Deserializer::from_str(text)).ok()
}

/// The form on disk: never change a name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "TlsFacts")]
struct StoredTls {
    version: Option<String>,
    subject: String,
    issuer: String,
    names: Vec<String>,
    not_before: i64,
    not_after: i64,
    fingerprint: String,
    trusted: String,
}

/// The form on disk: never change a name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "SseEvent")]
struct StoredEvent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry: Option<u64>,
}
