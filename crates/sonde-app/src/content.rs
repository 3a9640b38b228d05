//! Bytes within results: base64 that is decoded when somebody looks, and shown only as what it really is.

mod picture;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::api::content::{
    Appearance, Content, ContentPart, ContentPartRequest, ContentRequest, SaveContentRequest, SavedContent,
};
use crate::api::error::{ApiError, ErrorCode};
use crate::app::App;
use crate::text::visible;

pub(crate) use picture::icon;

/// Bytes of one part.
const PART: usize = 512 << 10;
/// A page that holds more would be slow for everything else.
const LARGEST_PICTURE: usize = 16 << 20;
const LARGEST_SOUND: usize = 16 << 20;
const LONGEST_POINTER: usize = 500;
const LONGEST_FILE_NAME: usize = 100;

/// Servers disagree about padding; nothing is lost by taking either.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What was decoded last: a page reads it part by part, and several pictures at once.
#[derive(Default)]
pub(crate) struct Decoded {
    recent: Mutex<VecDeque<Kept>>,
    /// One after the other: each may need as much memory as the largest result has.
    turn: tokio::sync::Mutex<()>,
}

struct Kept {
    call: u64,
    pointer: String,
    bytes: Arc<Vec<u8>>,
}

/// Decoded contents that are kept, and their bytes.
const KEPT: usize = 16;
const KEPT_BYTES: usize = 32 << 20;

impl Decoded {
    fn find(&self, call: u64, pointer: &str) -> Option<Arc<Vec<u8>>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().find(|kept| kept.call == call && kept.pointer == pointer).map(|kept| kept.bytes.clone())
    }

    fn keep(&self, call: u64, pointer: &str, bytes: Arc<Vec<u8>>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.push_front(Kept { call, pointer: pointer.to_owned(), bytes });
        recent.truncate(KEPT);
        while recent.len() > 1 && recent.iter().map(|kept| kept.bytes.len()).sum::<usize>() > KEPT_BYTES {
            recent.pop_back();
        }
    }
}

impl App {
    pub(crate) async fn read_content(&self, request: ContentRequest) -> Result<Content, ApiError> {
        let bytes = match self.bytes_at(request.call, &request.pointer).await {
            Ok(bytes) => bytes,
            // Bytes that are none are told of where they would be shown.
            Err(error) if error.code == ErrorCode::ServerError => {
                return Ok(Content {
                    size: 0,
                    media: None,
                    width: None,
                    height: None,
                    appearance: Appearance::Bytes,
                    problem: Some(error.message),
                });
            }
            Err(error) => return Err(error),
        };
        Ok(describe(&bytes))
    }

    pub(crate) async fn read_content_part(&self, request: ContentPartRequest) -> Result<ContentPart, ApiError> {
        let bytes = self.bytes_at(request.call, &request.pointer).await?;
        let from = usize::try_from(request.offset).unwrap_or(usize::MAX).min(bytes.len());
        let part = bytes.get(from..bytes.len().min(from.saturating_add(PART))).unwrap_or_default();
        Ok(ContentPart { offset: request.offset, base64: STANDARD.encode(part), size: part.len() as u64 })
    }

    /// Only a person says where something is written, and only a front door can ask them: see [`App::write_content`].
    pub(crate) async fn save_content(&self, request: SaveContentRequest) -> Result<SavedContent, ApiError> {
        self.bytes_at(request.call, &request.pointer).await?;
        let told = ApiError::new(ErrorCode::PlaceNeeded, "Not saved", "where to save it was not said");
        Err(told.hint("this front door has no dialog for it").fact("name", file_name(&request.name)))
    }

    /// Writes the bytes where the person said.
    pub async fn write_content(&self, call: u64, pointer: &str, to: &Path) -> Result<(), ApiError> {
        let bytes = self.bytes_at(call, pointer).await?;
        tokio::fs::write(to, bytes.as_slice()).await.map_err(|error| {
            let message = format!("`{}` could not be written: {error}", to.display());
            ApiError::new(ErrorCode::Storage, "Not saved", message).hint("choose another place")
        })
    }

    async fn bytes_at(&self, call: u64, pointer: &str) -> Result<Arc<Vec<u8>>, ApiError> {
        if pointer.len() > LONGEST_POINTER {
            return Err(nothing_there(pointer));
        }
        if let Some(bytes) = self.inner.decoded.find(call, pointer) {
            return Ok(bytes);
        }
        let _turn = self.inner.decoded.turn.lock().await;
        if let Some(bytes) = self.inner.decoded.find(call, pointer) {
            return Ok(bytes);
        }
        let result = self.whole_result(call)?;
        let at = pointer.to_owned();
        let work = tokio::task::spawn_blocking(move || decode(&result, &at));
        let bytes = work.await.map_err(|error| {
            ApiError::new(ErrorCode::Internal, "Internal error", format!("bytes could not be decoded: {error}"))
        })??;
        let bytes = Arc::new(bytes);
        self.inner.decoded.keep(call, pointer, bytes.clone());
        Ok(bytes)
    }
}

/// A name that is one file in one folder and hides nothing, whatever a server called it.
fn file_name(name: &str) -> String {
    let kept = |letter: char| match letter {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        letter => letter,
    };
    let name: String = visible(name).chars().map(kept).take(LONGEST_FILE_NAME).collect();
    let name = name.trim().trim_matches('.').trim();
    if name.is_empty() { "content.bin".to_owned() } else { name.to_owned() }
}

fn decode(result: &RawValue, pointer: &str) -> Result<Vec<u8>, ApiError> {
    let text = find(result, pointer).ok_or_else(|| nothing_there(pointer))?;
    let text = serde_json::from_str::<String>(text.get()).map_err(|_| nothing_there(pointer))?;
    BASE64.decode(text.as_bytes()).or_else(|error| {
        // Lines of base64 are broken by some servers, which means nothing.
        let joined: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        BASE64.decode(joined).map_err(|_| {
            let message = format!("these bytes are not base64: {}", error.to_string().to_lowercase());
            ApiError::new(ErrorCode::ServerError, "Not base64", message)
        })
    })
}

/// What stands at a JSON pointer, without making a tree of the rest.
fn find<'a>(value: &'a RawValue, pointer: &str) -> Option<&'a RawValue> {
    let mut at = value;
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = step.replace("~1", "/").replace("~0", "~");
        let mut reader = serde_json::Deserializer::from_str(at.get());
        at = if at.get().starts_with('[') {
            reader.deserialize_seq(Item(step.parse().ok()?)).ok()??
        } else {
            reader.deserialize_map(Member(&step)).ok()??
        };
    }
    Some(at)
}

/// One item of an array; the others are passed over, however many there are.
struct Item(usize);

impl<'de> Visitor<'de> for Item {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        for _ in 0..self.0 {
            if items.next_element::<IgnoredAny>()?.is_none() {
                return Ok(None);
            }
        }
        let found = items.next_element()?;
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

/// One member of an object; of several of the name the last.
struct Member<'a>(&'a str);

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<std::borrow::Cow<'de, str>>()? {
            if name == self.0 {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

fn nothing_there(pointer: &str) -> ApiError {
    let shown: String = pointer.chars().take(80).collect();
    ApiError::new(ErrorCode::UnknownEntry, "Nothing there", format!("the result has no text at `{shown}`"))
}

/// What the bytes are, whatever the server says of them.
fn describe(bytes: &[u8]) -> Content {
    let media = infer::get(bytes).map(|kind| kind.mime_type().to_owned());
    let mut content = Content {
        size: bytes.len() as u64,
        media: media.clone(),
        width: None,
        height: None,
        appearance: Appearance::Bytes,
        problem: None,
    };
    match media.as_deref() {
        Some("image/png" | "image/jpeg" | "image/gif" | "image/webp") => {
            let judged = picture::judge(bytes);
            (content.width, content.height) = (judged.width, judged.height);
            content.problem = judged.problem.or_else(|| {
                let large = bytes.len() > LARGEST_PICTURE;
                large.then(|| "the picture is larger than 16 MiB: save it to look at it".to_owned())
            });
            if content.problem.is_none() {
                content.appearance = Appearance::Image;
            }
        }
        Some(kind) if kind.starts_with("audio/") || kind == "video/ogg" => match bytes.len() > LARGEST_SOUND {
            true => content.problem = Some("the sound is larger than 16 MiB: save it to listen to it".to_owned()),
            false => content.appearance = Appearance::Audio,
        },
        _ => {}
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn bytes_are_found_by_pointer_and_decoded_with_or_without_padding() {
        let result = raw(r#"{"content":[{"a/b":"aGk="},{"data":"aGk"},{"data":"aG\nk="},{"data":"!!"},{"data":7}]}"#);
        assert_eq!(decode(&result, "/content/0/a~1b").unwrap(), b"hi");
        assert_eq!(decode(&result, "/content/1/data").unwrap(), b"hi", "without padding");
        assert_eq!(decode(&result, "/content/2/data").unwrap(), b"hi", "with a line break");
        assert_eq!(decode(&result, "/content/3/data").unwrap_err().code, ErrorCode::ServerError);
        for pointer in ["", "content", "/content/4/data", "/content/9", "/content/x", "/__proto__/a"] {
            assert_eq!(decode(&result, pointer).unwrap_err().code, ErrorCode::UnknownEntry, "{pointer}");
        }
    }

    #[test]
    fn a_file_is_named_by_what_can_be_seen_and_never_by_a_path() {
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name("a\u{202e}gnp.exe"), "a_u{202e}gnp.exe");
        assert_eq!(file_name(" .. "), "content.bin");
        assert_eq!(file_name("tone.wav"), "tone.wav");
    }

    #[test]
    fn bytes_are_shown_as_what_they_are_and_never_as_what_is_said_of_them() {
        assert_eq!(describe(b"<svg onload=alert(1)>").appearance, Appearance::Bytes, "a drawing that may run scripts");
        assert_eq!(describe(b"RIFF\x24\0\0\0WAVEfmt ").appearance, Appearance::Audio);
        assert_eq!(describe(b"plain").media, None);
    }
}
