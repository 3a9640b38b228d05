//! Texts that come in parts: a file that is dropped on a window may be larger than a request.

use std::sync::{Mutex, PoisonError};

use crate::api::error::{ApiError, ErrorCode};
use crate::api::import::{HandOverRequest, HandedOver};
use crate::app::App;

/// Bytes of all texts together; as much as is read of a file.
const LARGEST: usize = 64 << 20;
/// Texts at a time; the oldest goes.
const MOST: usize = 8;

/// What was handed over so far, the oldest first.
#[derive(Default)]
pub(crate) struct Handed {
    texts: Mutex<Texts>,
}

#[derive(Default)]
struct Texts {
    begun: u64,
    kept: Vec<(String, String)>,
}

impl Handed {
    /// Adds a part to a text, or begins one. What is too long is forgotten whole.
    fn take(&self, request: HandOverRequest) -> Result<HandedOver, ApiError> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let place = match request.handed {
            Some(id) => texts.kept.iter().position(|(known, _)| *known == id).ok_or_else(gone)?,
            None => {
                texts.begun += 1;
                let id = texts.begun.to_string();
                texts.kept.push((id, String::new()));
                texts.kept.len() - 1
            }
        };
        let (handed, mut text) = texts.kept.remove(place);
        if text.len() + request.part.len() > LARGEST {
            let message = format!("the text is longer than {} MiB", LARGEST >> 20);
            return Err(ApiError::new(ErrorCode::TooLarge, "Too large to be a configuration", message)
                .hint("bring the part of it that has the servers"));
        }
        text.push_str(&request.part);
        let mut others: usize = texts.kept.iter().map(|(_, other)| other.len()).sum();
        while texts.kept.len() >= MOST || others + text.len() > LARGEST && !texts.kept.is_empty() {
            let (_, oldest) = texts.kept.remove(0);
            others -= oldest.len();
        }
        texts.kept.push((handed.clone(), text));
        Ok(HandedOver { handed })
    }

    /// A text with what was handed over before it.
    pub fn whole(&self, handed: Option<&str>, rest: String) -> Result<String, ApiError> {
        let Some(id) = handed else { return Ok(rest) };
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, text) = texts.kept.iter().find(|(known, _)| known == id).ok_or_else(gone)?;
        Ok(format!("{text}{rest}"))
    }
}

fn gone() -> ApiError {
    let message = "what was handed over is not kept any more";
    ApiError::new(ErrorCode::UnknownEntry, "Nothing to import", message).hint("drop the file again")
}

impl App {
    pub(crate) async fn hand_over(&self, request: HandOverRequest) -> Result<HandedOver, ApiError> {
        self.inner.handed.take(request)
    }

    /// Keeps a text that a page is not to carry, and says how the page may name it.
    pub fn hand_over_text(&self, text: String) -> Result<String, ApiError> {
        self.inner.handed.take(HandOverRequest { handed: None, part: text }).map(|handed| handed.handed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(handed: Option<&str>, part: &str) -> HandOverRequest {
        HandOverRequest { handed: handed.map(str::to_owned), part: part.to_owned() }
    }

    #[test]
    fn parts_make_a_text_and_only_so_much_is_kept() {
        let handed = Handed::default();
        let first = handed.take(part(None, "a")).unwrap().handed;
        let second = handed.take(part(None, "x")).unwrap().handed;
        handed.take(part(Some(&first), "b")).unwrap();
        assert_eq!(handed.whole(Some(&first), "c".to_owned()).unwrap(), "abc", "each by itself");
        assert_eq!(handed.whole(Some(&second), String::new()).unwrap(), "x");
        assert_eq!(handed.whole(None, "alone".to_owned()).unwrap(), "alone");
        let long = "l".repeat(LARGEST - 1);
        handed.take(part(Some(&first), &long)).unwrap_err();
        handed.whole(Some(&first), String::new()).unwrap_err();
        handed.take(part(None, &long)).unwrap();
        assert!(handed.whole(Some(&second), String::new()).is_ok(), "there is room for one more byte");
        handed.take(part(None, "yz")).unwrap();
        handed.whole(Some(&second), String::new()).unwrap_err();
        for _ in 0..100 {
            handed.take(part(None, "")).unwrap();
        }
        let kept = handed.texts.lock().unwrap().kept.len();
        assert!(kept <= MOST, "however many are begun: {kept}");
    }
}
