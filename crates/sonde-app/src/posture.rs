//! How we stand towards a server: who we say we are, what we offer it, which revision we speak, how long we wait.
//!
//! Four layers, each above the one before: the front door's own, the server's entry, what a person edited, and what
//! was said on the command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::value::RawValue;
use sonde_client::{Negotiation, Options, Patience};
use sonde_protocol::Revision;
use sonde_registry::{JsonObject, Profile};

/// What a terminal can answer: it can ask whoever sits there, or has been given the answers.
const TERMINAL: &str = r#"{"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}"#;
/// What a window can answer today.
const WINDOW: &str = r#"{"roots":{"listChanged":true}}"#;

/// The names of the revisions we speak, oldest first.
pub fn revisions() -> impl Iterator<Item = &'static str> {
    Revision::ALL.iter().map(|revision| revision.as_str())
}

/// Everything that is decided before a connection is made.
#[derive(Debug, Clone)]
pub struct Posture {
    pub client_info: Box<RawValue>,
    pub capabilities: Box<RawValue>,
    pub negotiation: Negotiation,
    /// Folders the server is told of; a relative one is meant from the project.
    pub roots: Vec<PathBuf>,
    /// Bytes of a line beyond which it is cut; the transport's own limit if not given.
    pub longest_line: Option<usize>,
    pub connect_limit: Duration,
    pub patience: Patience,
}

/// A revision that nobody here speaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the revision `{0}` is none of ours")]
pub(crate) struct UnknownRevision(pub String);

impl Posture {
    /// A window answers for roots, and for nothing else until it can ask. It names no folder before a person did.
    pub fn window() -> Self {
        Posture::declaring(WINDOW)
    }

    /// A terminal answers whatever a server may ask.
    pub fn terminal() -> Self {
        Posture::declaring(TERMINAL)
    }

    fn declaring(capabilities: &str) -> Self {
        let options = Options::default();
        Posture {
            client_info: options.client_info,
            capabilities: RawValue::from_string(capabilities.to_owned()).unwrap_or(options.capabilities),
            negotiation: options.negotiation,
            roots: Vec::new(),
            longest_line: None,
            connect_limit: options.connect_limit,
            patience: options.patience,
        }
    }

    /// This posture with what the profile says above it.
    pub(crate) fn under(mut self, profile: &Profile) -> Result<Self, UnknownRevision> {
        if let Some(info) = profile.client_info.as_ref().and_then(raw) {
            self.client_info = info;
        }
        if let Some(capabilities) = profile.capabilities.as_ref().and_then(raw) {
            self.capabilities = capabilities;
        }
        self.negotiation = negotiation(self.negotiation, profile)?;
        if let Some(roots) = &profile.roots {
            self.roots = roots.iter().map(PathBuf::from).collect();
        }
        if let Some(longest) = profile.longest_line {
            self.longest_line = Some(usize::try_from(longest).unwrap_or(usize::MAX));
        }
        if let Some(limit) = profile.timeout {
            self.patience.limit = limit;
        }
        if let Some(limit) = profile.connect_timeout.or(profile.timeout) {
            self.connect_limit = limit;
        }
        if let Some(silence) = profile.silence {
            self.patience.silence = Some(silence);
        }
        Ok(self)
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            client_info: self.client_info.clone(),
            capabilities: self.capabilities.clone(),
            negotiation: self.negotiation,
            connect_limit: self.connect_limit,
            patience: self.patience,
        }
    }

    /// The roots as absolute folders.
    pub(crate) fn folders(&self, project: &Path) -> Vec<PathBuf> {
        // Going through the components drops a `.` in the middle.
        self.roots.iter().map(|root| project.join(root).components().collect()).collect()
    }
}

fn raw(object: &JsonObject) -> Option<Box<RawValue>> {
    RawValue::from_string(object.as_str().to_owned()).ok()
}

fn negotiation(below: Negotiation, profile: &Profile) -> Result<Negotiation, UnknownRevision> {
    let (below_revision, below_negotiates) = match below {
        Negotiation::Auto => (None, true),
        Negotiation::Pinned(revision) => (Some(revision), true),
        Negotiation::Skip(revision) => (Some(revision), false),
    };
    let revision = match profile.protocol.as_deref() {
        None => below_revision,
        Some("auto") => None,
        Some(name) => Some(Revision::parse(name).ok_or_else(|| UnknownRevision(name.to_owned()))?),
    };
    Ok(match (profile.negotiate.unwrap_or(below_negotiates), revision) {
        (true, None) => Negotiation::Auto,
        (true, Some(revision)) => Negotiation::Pinned(revision),
        (false, revision) => Negotiation::Skip(revision.unwrap_or(Revision::LATEST)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(protocol: Option<&str>, negotiate: Option<bool>) -> Profile {
        Profile { protocol: protocol.map(str::to_owned), negotiate, ..Profile::default() }
    }

    #[test]
    fn a_revision_is_pinned_assumed_or_negotiated() {
        let old = Revision::V2024_11_05;
        for (below, protocol, negotiate, wanted) in [
            (Negotiation::Auto, None, None, Negotiation::Auto),
            (Negotiation::Auto, Some("2024-11-05"), None, Negotiation::Pinned(old)),
            (Negotiation::Auto, Some("2024-11-05"), Some(false), Negotiation::Skip(old)),
            (Negotiation::Auto, None, Some(false), Negotiation::Skip(Revision::LATEST)),
            (Negotiation::Pinned(old), None, None, Negotiation::Pinned(old)),
            (Negotiation::Pinned(old), Some("auto"), None, Negotiation::Auto),
            (Negotiation::Pinned(old), None, Some(false), Negotiation::Skip(old)),
            (Negotiation::Skip(old), None, Some(true), Negotiation::Pinned(old)),
        ] {
            let posture = Posture { negotiation: below, ..Posture::window() };
            let found = posture.under(&profile(protocol, negotiate)).unwrap().negotiation;
            assert_eq!(found, wanted, "{protocol:?} and {negotiate:?} above {below:?}");
        }
        let unknown = Posture::window().under(&profile(Some("2023-01-01"), None)).unwrap_err();
        assert_eq!(unknown, UnknownRevision("2023-01-01".to_owned()), "a revision we do not speak is told");
    }

    #[test]
    fn what_a_layer_does_not_say_stays_as_it_was() {
        let below = Posture::terminal();
        let above = Profile {
            capabilities: JsonObject::parse(r#"{"x":{}}"#),
            timeout: Some(Duration::from_secs(3)),
            ..Profile::default()
        };
        let posture = below.clone().under(&above).unwrap();
        assert_eq!(posture.capabilities.get(), r#"{"x":{}}"#, "it is sent as it was written");
        assert_eq!(posture.client_info.get(), below.client_info.get(), "nobody said otherwise");
        assert_eq!(posture.patience.limit, Duration::from_secs(3), "a time bounds each request");
        assert_eq!(posture.connect_limit, Duration::from_secs(3), "and connecting");
    }

    #[test]
    fn no_folder_is_a_root_before_somebody_says_so() {
        let project = Path::new("/home/ada/shop");
        assert!(Posture::window().folders(project).is_empty(), "a server is told of nothing by itself");
        let roots = Some(vec![".".to_owned(), "src/./a".to_owned(), "/data".to_owned()]);
        let posture = Posture::window().under(&Profile { roots, ..Profile::default() }).unwrap();
        assert_eq!(posture.folders(project), [project, Path::new("/home/ada/shop/src/a"), Path::new("/data")]);
    }
}
