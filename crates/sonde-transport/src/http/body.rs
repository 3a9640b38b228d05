//! The body of an answer, part by part: decompressed, counted, and never waited for without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt};
use reqwest::header::CONTENT_ENCODING;
use tokio::io::{AsyncRead, AsyncReadExt, BufReader};
use tokio_util::io::StreamReader;

use super::failure::{HttpFailure, clip};
use super::remote::HttpLimits;
use super::response::Response;
use super::trouble;

/// A body that is being read.
pub(super) struct Body {
    source: Source,
    /// Bytes given out, decompressed.
    pub read: u64,
    limits: HttpLimits,
}

enum Source {
    Plain(Response),
    Packed { unpacked: Box<dyn AsyncRead + Send + Unpin>, packed: Arc<AtomicU64> },
}

/// Before there are this many, any ratio is believed.
const SMALL: u64 = 1 << 20;
const CHUNK: usize = 64 << 10;
/// Characters of an encoding's name that are told.
const LONGEST_NAME: usize = 100;

impl Body {
    pub fn of(response: Response, limits: HttpLimits) -> Result<Self, HttpFailure> {
        let encodings: Vec<String> = response
            .headers()
            .get_all(CONTENT_ENCODING)
            .iter()
            .flat_map(|value| {
                String::from_utf8_lossy(value.as_bytes())
                    .to_ascii_lowercase()
                    .split(',')
                    .map(|one| one.trim().to_owned())
                    .collect::<Vec<_>>()
            })
            .filter(|encoding| !encoding.is_empty() && encoding != "identity")
            .collect();
        let source = match encodings.as_slice() {
            [] => Source::Plain(response),
            [encoding] => Source::unpack(response, encoding)?,
            several => return Err(HttpFailure::Encoding { encoding: clip(&several.join(", "), LONGEST_NAME) }),
        };
        Ok(Body { source, read: 0, limits })
    }

    /// The next part; None at the end.
    pub async fn part(&mut self, patience: Waiting) -> Result<Option<Bytes>, HttpFailure> {
        let part = match patience {
            Waiting::Any => self.source.part().await?,
            Waiting::AtMost(limit) => match tokio::time::timeout(limit, self.source.part()).await {
                Ok(part) => part?,
                Err(_elapsed) => return Err(HttpFailure::Idle(limit)),
            },
        };
        if let Some(part) = &part {
            self.read += part.len() as u64;
        }
        let ratio = self.limits.ratio;
        match self.compressed() {
            Some(packed) if self.read > SMALL && self.read / ratio > packed => Err(HttpFailure::Bomb { ratio }),
            _ => Ok(part),
        }
    }

    /// Bytes on the wire, where the body is compressed.
    pub fn compressed(&self) -> Option<u64> {
        match &self.source {
            Source::Plain(_) => None,
            Source::Packed { packed, .. } => Some(packed.load(Ordering::Relaxed)),
        }
    }
}

/// How long a part may take.
#[derive(Debug, Clone, Copy)]
pub(super) enum Waiting {
    Any,
    AtMost(Duration),
}

impl Source {
    fn unpack(response: Response, encoding: &str) -> Result<Self, HttpFailure> {
        let packed = Arc::new(AtomicU64::new(0));
        let counter = packed.clone();
        let parts = response.chunks().map_err(std::io::Error::other).inspect(move |part| {
            if let Ok(part) = part {
                counter.fetch_add(part.len() as u64, Ordering::Relaxed);
            }
        });
        let reader = BufReader::new(StreamReader::new(parts.boxed()));
        let unpacked: Box<dyn AsyncRead + Send + Unpin> = match encoding {
            "gzip" | "x-gzip" => Box::new(GzipDecoder::new(reader)),
            "deflate" => Box::new(ZlibDecoder::new(reader)),
            "br" => Box::new(BrotliDecoder::new(reader)),
            "zstd" => Box::new(ZstdDecoder::new(reader)),
            unknown => return Err(HttpFailure::Encoding { encoding: clip(unknown, LONGEST_NAME) }),
        };
        Ok(Source::Packed { unpacked, packed })
    }

    async fn part(&mut self) -> Result<Option<Bytes>, HttpFailure> {
        match self {
            Source::Plain(response) => response.chunk().await.map_err(|error| trouble::explain_body(&*error)),
            Source::Packed { unpacked, .. } => {
                let mut chunk = BytesMut::with_capacity(CHUNK);
                let read = unpacked.read_buf(&mut chunk).await;
                let read = read.map_err(|error| HttpFailure::Decompression { problem: trouble::chain(&error) })?;
                Ok((read > 0).then(|| chunk.freeze()))
            }
        }
    }
}
