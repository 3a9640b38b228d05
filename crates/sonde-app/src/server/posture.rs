//! How one server is spoken to: the layers of its posture, what a person edits of it, and the roots it is told of.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use sonde_client::{Negotiation, Reply};
use sonde_registry::{JsonObject, LONGEST_LINE, Profile};

use super::Server;
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::posture::{EditPostureRequest, PostureDetail, PostureEdit};
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::explain;
use crate::posture::{Posture, UnknownRevision, revisions};

impl App {
    /// What holds for the server the next time it is connected.
    pub(super) fn posture(&self, server: &Server) -> Result<Posture, ApiError> {
        let inner = &self.inner;
        let edited = inner.profiles.of(&server.spec.id).map_err(|error| explain::profiles(&error))?;
        let entry = server
            .configured_posture(inner.posture.clone())
            .map_err(|error| explain::revision(&server.spec, &error))?;
        let edited = entry.under(&edited).map_err(|error| explain::revision(&server.spec, &error))?;
        edited.under(&inner.overrides).map_err(|error| explain::revision(&server.spec, &error))
    }

    pub(crate) async fn describe_posture(&self, request: ServerRequest) -> Result<PostureDetail, ApiError> {
        let server = self.server(&request.server)?;
        let posture = self.posture(&server)?;
        let edited = self.inner.profiles.of(&server.spec.id).map_err(|error| explain::profiles(&error))?;
        let (protocol, negotiate) = match posture.negotiation {
            Negotiation::Auto => ("auto", true),
            Negotiation::Pinned(revision) => (revision.as_str(), true),
            Negotiation::Skip(revision) => (revision.as_str(), false),
        };
        Ok(PostureDetail {
            client_info: posture.client_info.get().to_owned(),
            capabilities: posture.capabilities.get().to_owned(),
            protocol: protocol.to_owned(),
            negotiate,
            roots: server.shown_roots(&posture.folders(&self.inner.project)),
            longest_line: posture.longest_line.map(|bytes| bytes as u64),
            timeout_ms: milliseconds(posture.patience.limit),
            connect_timeout_ms: milliseconds(posture.connect_limit),
            silence_ms: posture.patience.silence.map(milliseconds),
            edited: edit_of(&edited),
            revisions: revisions().map(str::to_owned).collect(),
        })
    }

    /// Writes down what a person edited. It holds from the next connection on; the roots hold at once.
    pub(crate) async fn edit_posture(&self, request: EditPostureRequest) -> Result<PostureDetail, ApiError> {
        let server = self.server(&request.server)?;
        let profile = profile_of(&request.edit)?;
        // Tried before it is written: what can't be meant is not kept.
        Posture::window().under(&profile).map_err(|UnknownRevision(name)| invalid("protocol", &name))?;
        {
            let _one_at_a_time = self.inner.editing.lock().await;
            self.inner.profiles.set(&server.spec.id, &profile).map_err(|error| explain::profiles(&error))?;
        }
        let roots = self.posture(&server)?.roots;
        self.tell_of_roots(&server, roots).await;
        self.inner.changes.server_changed();
        self.describe_posture(ServerRequest { server: request.server }).await
    }

    /// Tells a connected server that its roots are others now, if they are.
    async fn tell_of_roots(&self, server: &Server, roots: Vec<PathBuf>) {
        let client = {
            let mut standing = server.standing();
            let Some(live) = standing.live.as_mut().filter(|live| live.posture.roots != roots) else { return };
            live.posture.roots = roots;
            live.client.clone()
        };
        const CHANGED: &str = "notifications/roots/list_changed";
        if client.objection(CHANGED).is_none()
            && let Err(error) = client.notify(CHANGED, None::<&Nothing>).await
        {
            tracing::warn!(server = %server.spec.id, %error, "a server could not be told of its roots");
        }
    }

    /// What a server that asks for its roots is told.
    pub(crate) fn roots_of(&self, server: &Server) -> Reply {
        let folders = server.standing().live.as_ref().map(|live| live.posture.folders(&self.inner.project));
        match roots_result(&folders.unwrap_or_default()) {
            Ok(result) => Reply::Result(result),
            Err(error) => {
                Reply::Error { code: -32603, message: format!("the roots can't be written: {error}"), data: None }
            }
        }
    }
}

impl Server {
    /// The front door's posture with the server's entry above it.
    pub(crate) fn configured_posture(&self, below: Posture) -> Result<Posture, UnknownRevision> {
        below.under(&self.spec.profile)
    }
}

fn roots_result(folders: &[PathBuf]) -> Result<Box<RawValue>, serde_json::Error> {
    #[derive(Serialize)]
    struct Roots {
        roots: Vec<Root>,
    }
    #[derive(Serialize)]
    struct Root {
        uri: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    }
    let root = |folder: &PathBuf| Root {
        uri: file_uri(folder),
        name: folder.file_name().map(|name| name.to_string_lossy().into_owned()),
    };
    serde_json::value::to_raw_value(&Roots { roots: folders.iter().map(root).collect() })
}

/// The address of an absolute folder; every byte that may not stand in one is percent-encoded.
fn file_uri(folder: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in folder.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn profile_of(edit: &PostureEdit) -> Result<Profile, ApiError> {
    let object = |name: &str, text: &Option<String>| match text {
        Some(text) => JsonObject::parse(text).map(Some).ok_or_else(|| invalid(name, text)),
        None => Ok(None),
    };
    let time = |name: &str, ms: Option<u64>| match ms {
        Some(0) => Err(invalid(name, "0")),
        Some(ms) => Ok(Some(Duration::from_millis(ms.min(LONGEST_MS)))),
        None => Ok(None),
    };
    if let Some(bytes) = edit.longest_line.filter(|bytes| !(1..=LONGEST_LINE).contains(bytes)) {
        return Err(invalid("longest_line", &bytes.to_string()));
    }
    Ok(Profile {
        client_info: object("client_info", &edit.client_info)?,
        capabilities: object("capabilities", &edit.capabilities)?,
        protocol: edit.protocol.clone(),
        negotiate: edit.negotiate,
        roots: edit.roots.clone(),
        longest_line: edit.longest_line,
        timeout: time("timeout_ms", edit.timeout_ms)?,
        connect_timeout: time("connect_timeout_ms", edit.connect_timeout_ms)?,
        silence: time("silence_ms", edit.silence_ms)?,
    })
}

/// A year: nobody waits longer, and it can be written and read back.
const LONGEST_MS: u64 = 365 * 86_400_000;

fn edit_of(profile: &Profile) -> PostureEdit {
    PostureEdit {
        client_info: profile.client_info.as_ref().map(|object| object.as_str().to_owned()),
        capabilities: profile.capabilities.as_ref().map(|object| object.as_str().to_owned()),
        protocol: profile.protocol.clone(),
        negotiate: profile.negotiate,
        roots: profile.roots.clone(),
        longest_line: profile.longest_line,
        timeout_ms: profile.timeout.map(milliseconds),
        connect_timeout_ms: profile.connect_timeout.map(milliseconds),
        silence_ms: profile.silence.map(milliseconds),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn invalid(field: &str, value: &str) -> ApiError {
    let message = format!("`{field}` can't be `{}`", crate::text::clip(value, 100));
    let hint = match field {
        "client_info" | "capabilities" => "it is a JSON object".to_owned(),
        "protocol" => format!("it is `auto` or one of {}", revisions().collect::<Vec<_>>().join(", ")),
        "longest_line" => format!("it is a number of bytes from 1 to {LONGEST_LINE} (512 MiB)"),
        _ => "it is a number above zero".to_owned(),
    };
    ApiError::new(ErrorCode::InvalidRequest, "Invalid posture", message).hint(hint)
}

#[cfg(test)]
mod tests {
    use sonde_transport::LineLimits;

    use super::*;

    #[test]
    fn a_root_is_a_file_address_whatever_its_name() {
        let folders = [PathBuf::from("/home/ada/my shop%/é#?"), PathBuf::from("/")];
        let result = roots_result(&folders).unwrap();
        let wanted =
            r#"{"roots":[{"uri":"file:///home/ada/my%20shop%25/%C3%A9%23%3F","name":"é#?"},{"uri":"file:///"}]}"#;
        assert_eq!(result.get(), wanted);
    }

    #[test]
    fn an_edit_comes_back_as_it_was_made() {
        let edit = PostureEdit {
            client_info: Some(r#"{"name":"x"}"#.to_owned()),
            protocol: Some("auto".to_owned()),
            roots: Some(vec!["src".to_owned()]),
            timeout_ms: Some(1500),
            ..PostureEdit::default()
        };
        assert_eq!(edit_of(&profile_of(&edit).unwrap()), edit);
        for wrong in [
            PostureEdit { client_info: Some("[]".to_owned()), ..PostureEdit::default() },
            PostureEdit { capabilities: Some("{".to_owned()), ..PostureEdit::default() },
            PostureEdit { silence_ms: Some(0), ..PostureEdit::default() },
            PostureEdit { longest_line: Some(0), ..PostureEdit::default() },
            PostureEdit { longest_line: Some(LONGEST_LINE + 1), ..PostureEdit::default() },
        ] {
            assert_eq!(profile_of(&wrong).unwrap_err().code, ErrorCode::InvalidRequest, "{wrong:?}");
        }
        assert_eq!(LineLimits::up_to(usize::MAX).longest as u64, LONGEST_LINE, "what is taken is what is kept");
    }
}
