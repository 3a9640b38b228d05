//! What can be told of a line before it is read as JSON.

/// By its byte order mark, or because every other byte is zero, as in Latin text. The line feed that ends the line
/// before leaves its second byte here, so either may come first.
pub(super) fn is_utf16(frame: &[u8]) -> bool {
    let pairs = || frame.chunks_exact(2).take(16);
    frame.starts_with(&[0xff, 0xfe])
        || frame.starts_with(&[0xfe, 0xff])
        || (frame.len() >= 4
            && (pairs().all(|pair| pair[0] == 0 && pair[1] != 0) || pairs().all(|pair| pair[0] != 0 && pair[1] == 0)))
}

/// Deeper values are kept and shown as they were written, but whoever would read them by recursion would refuse.
pub(super) const DEEPEST: usize = 128;

/// Whether brackets are nested more than `limit` deep, whatever else is wrong with the text.
pub(super) fn is_deeper_than(text: &[u8], limit: usize) -> bool {
    // Each level takes two bytes, and of the first that is too deep at least one.
    if text.len() <= limit {
        return false;
    }
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            // Most bytes of a large message stand in strings, which are passed over at once.
            b'"' => {
                while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
                    at += found + 1;
                    if text.get(at - 1) == Some(&b'"') {
                        break;
                    }
                    at += 1;
                }
            }
            _ => {}
        }
    }
    false
}
