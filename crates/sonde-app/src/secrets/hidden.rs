//! What every tap hides: the secrets of all servers, whichever of them says one.

use std::sync::{Arc, PoisonError, RwLock};

use sonde_transport::{End, Redact, Redactor};

/// Values that are looked for at once, and their bytes. Beyond that the oldest are no longer looked for in what other
/// servers say; a server's own always are.
const MOST: usize = 1000;
const MOST_BYTES: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Hidden {
    now: RwLock<Now>,
}

#[derive(Default)]
struct Now {
    /// Names and values, the newest first.
    values: Vec<(String, String)>,
    redactor: Option<Arc<Redactor>>,
    /// Some were too many.
    dropped: bool,
}

impl Hidden {
    /// Of a value that is known already the first name stays.
    pub fn add(&self, values: &[(String, String)]) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let before = now.values.len();
        for (name, value) in values.iter().rev() {
            if value.len() >= Redactor::SHORTEST && !now.values.iter().any(|(_, there)| there == value) {
                now.values.insert(0, (name.clone(), value.clone()));
            }
        }
        if now.values.len() == before {
            return;
        }
        let mut bytes = 0;
        let fits = |(_, value): &&(String, String)| {
            bytes += value.len();
            bytes <= MOST_BYTES
        };
        let most = now.values.iter().take(MOST).take_while(fits).count();
        now.dropped |= most < now.values.len();
        now.values.truncate(most);
        let values = now.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        // One that can't be made leaves the one before; whoever starts a server with such a secret is refused.
        if let Some(redactor) = Redactor::new(values) {
            now.redactor = Some(Arc::new(redactor));
        }
    }
}

/// The redactor of one connection: what all of them hide, and its server's own secrets in any case.
pub(super) struct Hiding {
    pub all: Arc<Hidden>,
    pub own: Option<Arc<Redactor>>,
}

impl Hiding {
    fn redactors(&self) -> (Option<Arc<Redactor>>, Option<&Redactor>) {
        let now = self.all.now.read().unwrap_or_else(PoisonError::into_inner);
        // As long as nothing had to be dropped, all is everything.
        (now.redactor.clone(), self.own.as_deref().filter(|_| now.dropped))
    }
}

impl Redact for Hiding {
    fn redact(&self, bytes: &[u8], end: End) -> Option<Vec<u8>> {
        let (all, own) = self.redactors();
        let clean = own.and_then(|own| own.redact(bytes, end));
        let Some(all) = all else { return clean };
        match clean {
            // What may be the beginning of a secret is gone from the end already.
            Some(clean) => Some(all.redact(&clean, end).unwrap_or(clean)),
            None => all.redact(bytes, end),
        }
    }

    fn looks(&self) -> bool {
        let now = self.all.now.read().unwrap_or_else(PoisonError::into_inner);
        now.redactor.is_some() || self.own.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn text(hiding: &Hiding, said: &str) -> String {
        let clean = hiding.redact(said.as_bytes(), End::Whole);
        clean.map_or(said.to_owned(), |clean| String::from_utf8(clean).unwrap())
    }

    #[test]
    fn a_secret_that_becomes_known_later_is_hidden_whoever_says_it() {
        let all = Arc::new(Hidden::default());
        let hiding = Hiding { all: all.clone(), own: None };
        assert!(!hiding.looks(), "nobody looks as long as there is nothing to find");
        all.add(&[pair("THEIRS", "sesame-1"), pair("SHORT", "abc")]);
        assert!(hiding.looks());
        assert_eq!(text(&hiding, "it is sesame-1, abc"), "it is ‹secret:THEIRS›, abc");
        all.add(&[pair("OTHER", "sesame-1")]);
        assert_eq!(text(&hiding, "sesame-1"), "‹secret:THEIRS›", "the first name stays");
    }

    #[test]
    fn of_too_many_secrets_a_server_s_own_are_hidden_all_the_same() {
        let all = Arc::new(Hidden::default());
        let own = [pair("OWN", "sesame-0")];
        let redactor = Redactor::new(own.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map(Arc::new);
        all.add(&own);
        let many: Vec<(String, String)> = (0..MOST).map(|number| pair("X", &format!("sesame-x-{number:05}"))).collect();
        all.add(&many);
        let hiding = Hiding { all: all.clone(), own: redactor };
        assert_eq!(text(&hiding, "sesame-0 sesame-x-00007"), "‹secret:OWN› ‹secret:X›");
        assert_eq!(text(&Hiding { all, own: None }, "sesame-0"), "sesame-0", "another server's is one too many");
    }
}
