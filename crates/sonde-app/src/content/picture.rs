//! How large a picture will be once it is drawn, from its first bytes: a small file can hold a picture that no memory holds.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_protocol::FirstItems;

use crate::api::tools::Icon;

/// Pixels of a picture, and of all its frames together.
const MOST_PIXELS: u64 = 16_000_000;
const MOST_MOVING: u64 = 400_000_000;
/// Bytes and sides of an icon in a list of thousands.
const LARGEST_ICON: usize = 8 << 10;
const WIDEST_ICON: u32 = 512;
const MOST_ICONS: usize = 8;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Judged {
    pub width: Option<u32>,
    pub height: Option<u32>,
    /// Why it is not drawn.
    pub problem: Option<String>,
}

pub(crate) fn judge(bytes: &[u8]) -> Judged {
    let Ok(size) = imagesize::blob_size(bytes) else {
        return Judged {
            problem: Some("the picture is broken: it does not say how large it is".to_owned()),
            ..Judged::default()
        };
    };
    let moving = moving(bytes);
    let (wide, high) = (size.width.max(moving.width), size.height.max(moving.height));
    let (Ok(width), Ok(height)) = (u32::try_from(wide), u32::try_from(high)) else {
        return Judged {
            problem: Some("the picture says that it is larger than anything".to_owned()),
            ..Judged::default()
        };
    };
    let pixels = u64::from(width) * u64::from(height);
    let frames = moving.frames;
    let problem = if pixels > MOST_PIXELS {
        Some(format!("the picture has {width} × {height} pixels, more than are drawn here: save it to look at it"))
    } else if pixels.saturating_mul(frames) > MOST_MOVING {
        Some(format!("the picture has {frames} frames of {width} × {height} pixels, more than are drawn here"))
    } else {
        None
    };
    Judged { width: Some(width), height: Some(height), problem }
}

/// What a picture says of its frames. A frame may be larger than the picture says that it is itself.
struct Moving {
    frames: u64,
    width: usize,
    height: usize,
}

fn moving(bytes: &[u8]) -> Moving {
    let frames = if bytes.starts_with(b"\x89PNG") {
        chunks(bytes, 8, Order::Big).find(|(name, _)| *name == b"acTL").map_or(1, |(_, data)| {
            data.first_chunk().map_or(1, |count: &[u8; 4]| u64::from(u32::from_be_bytes(*count)))
        })
    } else if bytes.starts_with(b"RIFF") {
        chunks(bytes, 12, Order::Little).filter(|(name, _)| *name == b"ANMF").count() as u64
    } else if bytes.starts_with(b"GIF8") {
        return moving_gif(bytes).unwrap_or(Moving { frames: 1, width: 0, height: 0 });
    } else {
        1
    };
    Moving { frames: frames.max(1), width: 0, height: 0 }
}

/// Walks the blocks of a GIF: each picture in it has a place and a size of its own.
fn moving_gif(bytes: &[u8]) -> Option<Moving> {
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut moving = Moving { frames: 0, width: 0, height: 0 };
    let mut at = 13 + table(*bytes.get(10)?);
    while let Some(kind) = bytes.get(at) {
        at += match kind {
            0x21 => 2,
            0x2c => {
                let descriptor = bytes.get(at + 1..at + 10)?;
                let number = |from: usize| {
                    descriptor.get(from..from + 2).map(|pair| usize::from(pair[0]) | usize::from(pair[1]) << 8)
                };
                moving.frames += 1;
                moving.width = moving.width.max(number(0)? + number(4)?);
                moving.height = moving.height.max(number(2)? + number(6)?);
                11 + table(*descriptor.last()?)
            }
            _ => break,
        };
        // Blocks of data, each with its length before it, up to one of none.
        while let Some(length) = bytes.get(at).copied().filter(|length| *length > 0) {
            at += 1 + usize::from(length);
        }
        at += 1;
    }
    moving.frames = moving.frames.max(1);
    Some(moving)
}

#[derive(Clone, Copy)]
enum Order {
    /// PNG: the length, the name, the data, a checksum.
    Big,
    /// RIFF: the name, the length, the data, filled up to an even number.
    Little,
}

fn chunks(bytes: &[u8], mut at: usize, order: Order) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let head = bytes.get(at..)?.first_chunk::<8>()?;
        let (first, second) = (head.first_chunk::<4>()?, head.last_chunk::<4>()?);
        let (name, length, after) = match order {
            Order::Big => (bytes.get(at + 4..)?.first_chunk::<4>()?, u32::from_be_bytes(*first) as usize, 4),
            Order::Little => {
                let length = u32::from_le_bytes(*second) as usize;
                (bytes.get(at..)?.first_chunk::<4>()?, length, length % 2)
            }
        };
        let data = bytes.get(at + 8..)?;
        at = at.checked_add(8)?.checked_add(length)?.checked_add(after)?;
        Some((name, data.get(..length).unwrap_or(data)))
    })
}

/// The first icon that is a small picture within the entry itself, and what became of the others. Nothing is fetched.
pub(crate) fn icon(icons: &RawValue) -> (Option<Icon>, Option<String>) {
    #[derive(Deserialize)]
    struct Entry {
        src: String,
    }
    let Ok(list) = serde_json::from_str::<FirstItems<'_, MOST_ICONS>>(icons.get()) else {
        return (None, Some("its icons are no list".to_owned()));
    };
    let (mut shown, mut remote, mut unfit) = (None, 0, list.count - list.first.len());
    for entry in list.first {
        match serde_json::from_str::<Entry>(entry.get()) {
            Ok(entry) if !entry.src.starts_with("data:") => remote += 1,
            Ok(entry) => match drawn(&entry.src) {
                Some(icon) => shown = shown.or(Some(icon)),
                None => unfit += 1,
            },
            Err(_) => unfit += 1,
        }
    }
    let remote = (remote > 0).then(|| format!("{remote} at an address, which is not fetched"));
    let unfit = (unfit > 0).then(|| format!("{unfit} that are no small PNG, JPEG, GIF or WebP"));
    let told: Vec<String> = remote.into_iter().chain(unfit).collect();
    (shown, (!told.is_empty()).then(|| format!("icons that are not shown: {}", told.join(", "))))
}

fn drawn(src: &str) -> Option<Icon> {
    let (kind, data) = src.strip_prefix("data:")?.split_once(',')?;
    if !kind.ends_with(";base64") || data.len() > LARGEST_ICON * 4 / 3 + 4 {
        return None;
    }
    let bytes = super::BASE64.decode(data).ok()?;
    let media = infer::get(&bytes)?.mime_type();
    let fits = matches!(media, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    let judged = judge(&bytes);
    let small =
        judged.width.is_some_and(|side| side <= WIDEST_ICON) && judged.height.is_some_and(|side| side <= WIDEST_ICON);
    (fits && small && judged.problem.is_none() && bytes.len() <= LARGEST_ICON)
        .then(|| Icon { media: media.to_owned(), base64: STANDARD.encode(&bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PNG that says what it is and has nothing in it.
    fn png(width: u32, height: u32, more: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut head = Vec::new();
        head.extend(width.to_be_bytes());
        head.extend(height.to_be_bytes());
        head.extend([8, 6, 0, 0, 0]);
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, data) in [(b"IHDR", head.as_slice())].into_iter().chain(more.iter().copied()) {
            bytes.extend((data.len() as u32).to_be_bytes());
            bytes.extend(name);
            bytes.extend(data);
            bytes.extend([0; 4]);
        }
        bytes
    }

    #[test]
    fn a_picture_is_drawn_unless_it_would_fill_the_memory() {
        assert_eq!(judge(&png(40, 30, &[])), Judged { width: Some(40), height: Some(30), problem: None });
        let bomb = judge(&png(50_000, 50_000, &[])).problem.unwrap();
        assert!(bomb.contains("50000 × 50000"), "{bomb}");
        let moving = png(1000, 1000, &[(b"acTL", &[0, 0, 39, 16, 0, 0, 0, 0])]);
        assert!(judge(&moving).problem.unwrap().contains("10000 frames"));
        assert!(judge(b"\x89PNG\r\n\x1a\n").problem.is_some(), "one that ends before it says anything");
    }

    #[test]
    fn a_frame_that_is_larger_than_its_picture_is_what_counts() {
        let mut gif = b"GIF89a\x01\0\x01\0\0\0\0".to_vec();
        for _ in 0..3 {
            gif.extend(b"\x21\xf9\x04\0\0\0\0\0");
            gif.extend(b"\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0");
        }
        gif.push(0x3b);
        let problem = judge(&gif).problem.unwrap();
        assert!(problem.contains("65535 × 65535"), "{problem}");
        assert_eq!(moving(&gif).frames, 3);
    }

    #[test]
    fn an_icon_is_shown_only_if_it_is_a_small_picture_within_the_entry() {
        let good = format!("data:image/svg+xml;base64,{}", STANDARD.encode(png(16, 16, &[])));
        let list = format!(
            r#"[{{"src":"https://track.example/i.png"}},{{"src":"javascript:1"}},{{"src":"data:image/png,raw"}},{{"src":"{good}"}},7]"#
        );
        let (shown, note) = icon(&RawValue::from_string(list).unwrap());
        assert_eq!(shown.unwrap().media, "image/png", "what it is, and not what it is called");
        let note = note.unwrap();
        assert!(note.contains("2 at an address") && note.contains("2 that are no small"), "{note}");
        let huge = format!(r#"[{{"src":"data:image/png;base64,{}"}}]"#, STANDARD.encode(png(5000, 5000, &[])));
        assert_eq!(icon(&RawValue::from_string(huge).unwrap()).0, None);
    }

    #[test]
    fn no_bytes_make_the_counting_of_frames_fail() {
        for head in [&b"\x89PNG\r\n\x1a\n"[..], b"RIFF\0\0\0\0WEBP", b"GIF89a"] {
            for end in 0..40 {
                let mut bytes = head.to_vec();
                bytes.extend(std::iter::repeat_n(0xff, end));
                judge(&bytes);
            }
        }
    }
}
