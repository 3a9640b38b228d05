//! How a server is to be spoken to: the `sonde` object of its entry, and what a person edited.

use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::fields::{BadField, Fields};
use crate::quantity::{parse_duration, parse_size};

/// What one layer says. An absent field leaves it to the layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// How we present ourselves.
    pub client_info: Option<JsonObject>,
    pub capabilities: Option<JsonObject>,
    /// A revision, or `auto`.
    pub protocol: Option<String>,
    /// False: connect without `initialize`.
    pub negotiate: Option<bool>,
    /// Folders the server is told of; a relative one is meant from the project.
    pub roots: Option<Vec<String>>,
    /// Bytes of a line beyond which it is cut.
    pub longest_line: Option<u64>,
    /// For connecting and for each request, unless `connect_timeout` says otherwise for connecting.
    pub timeout: Option<Duration>,
    pub connect_timeout: Option<Duration>,
    /// How long a request may go without progress.
    pub silence: Option<Duration>,
}

/// Bytes of the longest line that anybody may ask for. No log could take one of a gigabyte.
pub const LONGEST_LINE: u64 = 512 << 20;

impl Profile {
    /// The names of the fields, as they are written.
    pub(crate) const KNOWN: &str = "clientInfo, capabilities, protocol, negotiate, roots, longestLine, timeout, connectTimeout, silence, \
        reconnect, ping";

    /// This layer above another one.
    pub fn over(&self, below: &Profile) -> Profile {
        let above = self.clone();
        Profile {
            client_info: above.client_info.or_else(|| below.client_info.clone()),
            capabilities: above.capabilities.or_else(|| below.capabilities.clone()),
            protocol: above.protocol.or_else(|| below.protocol.clone()),
            negotiate: above.negotiate.or(below.negotiate),
            roots: above.roots.or_else(|| below.roots.clone()),
            longest_line: above.longest_line.or(below.longest_line),
            timeout: above.timeout.or(below.timeout),
            connect_timeout: above.connect_timeout.or(above.timeout).or(below.connect_timeout),
            silence: above.silence.or(below.silence),
        }
    }

    pub fn is_empty(&self) -> bool {
        self == &Profile::default()
    }

    /// What the object says, and the names in it that mean nothing to us.
    pub(crate) fn read(mut fields: Fields) -> Result<(Profile, Vec<String>), BadField> {
        let profile = Profile {
            client_info: object(&mut fields, "clientInfo")?,
            capabilities: object(&mut fields, "capabilities")?,
            protocol: fields.quantity("protocol", revision, "a revision like `2025-06-18`, or `auto`")?,
            negotiate: fields.flag("negotiate")?,
            roots: fields.texts("roots")?,
            longest_line: fields.quantity("longestLine", longest_line, LINE)?,
            timeout: fields.quantity("timeout", parse_duration, TIME)?,
            connect_timeout: fields.quantity("connectTimeout", parse_duration, TIME)?,
            silence: fields.quantity("silence", parse_duration, TIME)?,
        };
        Ok((profile, fields.left()))
    }

    pub(crate) fn write(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&Written {
            client_info: self.client_info.as_ref().map(JsonObject::raw).transpose()?,
            capabilities: self.capabilities.as_ref().map(JsonObject::raw).transpose()?,
            protocol: self.protocol.as_deref(),
            negotiate: self.negotiate,
            roots: self.roots.as_deref(),
            longest_line: self.longest_line,
            timeout: self.timeout.map(milliseconds),
            connect_timeout: self.connect_timeout.map(milliseconds),
            silence: self.silence.map(milliseconds),
        })
    }
}

const LINE: &str = "a size of at most `512MiB`, like `64MiB` or a number of bytes";
const TIME: &str = "a time like `500ms`, `30s` or `2m`";

/// A JSON object as it was written, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonObject(String);

impl JsonObject {
    /// None where the text is not JSON, or JSON but no object.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        serde_json::from_str::<&RawValue>(text).ok()?;
        // Outside of strings a line feed is but a space, and within one it can't stand.
        text.starts_with('{').then(|| JsonObject(text.replace(['\n', '\r'], " ")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn raw(&self) -> Result<Box<RawValue>, serde_json::Error> {
        RawValue::from_string(self.0.clone())
    }
}

fn object(fields: &mut Fields, name: &str) -> Result<Option<JsonObject>, BadField> {
    let Some(value) = fields.value(name) else { return Ok(None) };
    JsonObject::parse(&value.to_json()).map(Some).ok_or_else(|| fields.bad(name, "an object", &value))
}

fn longest_line(text: &str) -> Option<u64> {
    parse_size(text).filter(|bytes| *bytes <= LONGEST_LINE)
}

/// Which revisions there are is not known here; how one is written is.
fn revision(text: &str) -> Option<String> {
    let shape: String =
        text.chars().map(|character| if character.is_ascii_digit() { '0' } else { character }).collect();
    (text == "auto" || shape == "0000-00-00").then(|| text.to_owned())
}

fn milliseconds(time: Duration) -> String {
    format!("{}ms", time.as_millis().max(1))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    client_info: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    negotiate: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roots: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connect_timeout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silence: Option<String>,
}
