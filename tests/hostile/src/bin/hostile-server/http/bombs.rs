//! Bodies that are small on the wire and enormous when they are unpacked.

use std::io;

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::exchange::Exchange;
use super::peer::{self, Act, Then};
use super::request::Request;

/// What one part of a bomb becomes.
const UNPACKED: usize = 1 << 20;

/// H5. `go {how, bytes}`: a text of so many bytes, packed as `gzip`, `br`, `zstd` or `deflate`; packed twice (`nested`);
/// packed by nobody's rules (`unknown`); not packed at all, though it says so (`lie`); or a good answer, packed (`good`).
pub async fn compressed(exchange: &mut Exchange<'_>, request: &Request) -> Act {
    if request.tool() != Some("go") {
        return Ok(None);
    }
    let how = request.how();
    let body = peer::reply(request);
    match how {
        "unknown" | "lie" => {
            let encoding = if how == "lie" { "gzip" } else { "rot13" };
            exchange.json("200 OK", &[("Content-Encoding", encoding)], &body).await?;
            return Ok(Some(Then::Next));
        }
        "good" => {
            let packed = pack("gzip", &[body.as_bytes()]).await?.concat();
            let headers = [("Content-Encoding", "gzip"), ("Content-Type", "application/json")];
            exchange.answer("200 OK", &headers, &packed).await?;
            exchange.body.bytes = body.len() as u64;
            return Ok(Some(Then::Next));
        }
        _ => {}
    }
    let zeros = vec![b'0'; UNPACKED];
    let method = if how == "nested" { "gzip" } else { how };
    let mut parts = pack(method, &[&zeros, &zeros]).await?;
    if how == "nested" {
        // What unpacks to a part of a bomb is itself packed.
        let [first, second] = [parts.first(), parts.get(1)].map(|part| part.cloned().unwrap_or_default());
        parts = pack("gzip", &[&first, &second.repeat(512)]).await?;
    }
    let encoding = if how == "nested" { "gzip, gzip" } else { how };
    let headers =
        [("Content-Type", "application/json"), ("Content-Encoding", encoding), ("Transfer-Encoding", "chunked")];
    exchange.head("200 OK", &headers).await?;
    // The first part has the head of the format; the second can follow itself for ever.
    let (first, second) = (parts.first().cloned().unwrap_or_default(), parts.get(1).cloned().unwrap_or_default());
    exchange.chunk(&first).await?;
    let each = if how == "nested" { 512 * UNPACKED as u64 } else { UNPACKED as u64 };
    for _ in 0..request.number("bytes", 1 << 30) / each {
        exchange.chunk(&second).await?;
        exchange.body.bytes += each;
    }
    Ok(Some(Then::Close))
}

/// Each part as it comes out when everything before it went in, in the manner that a header would name.
async fn pack(method: &str, parts: &[&[u8]]) -> io::Result<Vec<Vec<u8>>> {
    match method {
        "br" => pack_by(BrotliEncoder::new(Vec::new()), parts, BrotliEncoder::get_ref, BrotliEncoder::into_inner).await,
        "zstd" => pack_by(ZstdEncoder::new(Vec::new()), parts, ZstdEncoder::get_ref, ZstdEncoder::into_inner).await,
        "deflate" => pack_by(ZlibEncoder::new(Vec::new()), parts, ZlibEncoder::get_ref, ZlibEncoder::into_inner).await,
        _ => pack_by(GzipEncoder::new(Vec::new()), parts, GzipEncoder::get_ref, GzipEncoder::into_inner).await,
    }
}

async fn pack_by<T: AsyncWrite + Unpin>(
    mut encoder: T,
    parts: &[&[u8]],
    written: fn(&T) -> &Vec<u8>,
    finish: fn(T) -> Vec<u8>,
) -> io::Result<Vec<Vec<u8>>> {
    let mut packed: Vec<Vec<u8>> = Vec::new();
    let mut taken = 0;
    for part in parts {
        encoder.write_all(part).await?;
        encoder.flush().await?;
        packed.push(written(&encoder).get(taken..).unwrap_or_default().to_vec());
        taken = written(&encoder).len();
    }
    // What closes the format belongs to the last part, but a bomb never comes to it.
    if parts.len() == 1 {
        encoder.shutdown().await?;
        packed.push(finish(encoder).get(taken..).unwrap_or_default().to_vec());
    }
    Ok(packed)
}
