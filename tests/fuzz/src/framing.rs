//! Any chunks of the same bytes give the same lines, and every byte is accounted for.

use sha2::{Digest, Sha256};
use sonde_protocol::Cut;
use sonde_transport::{LineLimits, LineSplitter};

/// What is left of a line: its bytes, how it was cut, whether it was ended by a line feed.
type Seen = (Vec<u8>, Option<Cut>, bool);

/// The first three bytes are the longest line, the prefix of a longer one, and the seed of the chunks; the rest is
/// the stream.
pub fn run(data: &[u8]) {
    let [longest, prefix, seed, stream @ ..] = data else { return };
    let longest = usize::from(*longest);
    let limits = LineLimits { longest, prefix: usize::from(*prefix).min(longest) };

    let wanted = expected(limits, stream);
    assert_eq!(split(limits, [stream]), wanted, "all at once");
    assert_eq!(split(limits, stream.chunks(1)), wanted, "one byte at a time");
    assert_eq!(split(limits, chunks(stream, *seed)), wanted, "in chunks of any size");

    let sizes = wanted.iter().map(|(bytes, cut, _)| cut.map_or(bytes.len() as u64, |cut| cut.size));
    let feeds = wanted.iter().filter(|(_, _, terminated)| *terminated).count() as u64;
    assert_eq!(sizes.sum::<u64>() + feeds, stream.len() as u64, "no byte is lost and none is invented");
    assert!(wanted.iter().all(|(bytes, ..)| bytes.len() <= longest), "no more is kept than may be");
}

fn split<'a>(limits: LineLimits, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut splitter = LineSplitter::new(limits);
    let mut lines = Vec::new();
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let (line, taken) = splitter.take(chunk);
            assert!(taken > 0, "every call makes progress");
            assert!(line.is_some() || taken == chunk.len(), "only a line ends a call early");
            lines.extend(line);
            chunk = &chunk[taken..];
        }
        assert_eq!(splitter.take(&[]).1, 0, "nothing in, nothing out");
    }
    lines.extend(splitter.finish());
    assert!(splitter.finish().is_none(), "an end is an end");
    lines.into_iter().map(|line| (line.bytes, line.cut, line.terminated)).collect()
}

/// The lines as the contract defines them, found in the plainest way.
fn expected(limits: LineLimits, stream: &[u8]) -> Vec<Seen> {
    let mut lines = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or(&[], |end| &rest[end + 1..]);
        let is_long = line.len() > limits.longest;
        let cut = is_long.then(|| Cut { size: line.len() as u64, sha256: Sha256::digest(line).into() });
        let kept = if is_long { &line[..limits.prefix.min(line.len())] } else { line };
        lines.push((kept.to_vec(), cut, end.is_some()));
    }
    lines
}

/// Chunks of up to 40 bytes, empty ones among them.
pub fn chunks(mut stream: &[u8], seed: u8) -> Vec<&[u8]> {
    let mut state = u32::from(seed);
    let mut chunks = Vec::new();
    while !stream.is_empty() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let size = (state >> 16) as usize % 41;
        let (chunk, rest) = stream.split_at(size.min(stream.len()));
        chunks.push(chunk);
        stream = rest;
    }
    chunks
}
