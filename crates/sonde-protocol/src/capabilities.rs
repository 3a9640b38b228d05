//! What one side declared that it can do: kept as it was written, and read once.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The capabilities of one side. Whatever a side declares is kept; only what the protocol asks for is looked up.
#[derive(Debug, Clone)]
pub struct Capabilities {
    raw: Box<RawValue>,
    /// The dotted path of everything that is declared, such as `resources.subscribe`.
    declared: Vec<String>,
}

/// How deep a capability of the protocol can lie: `tasks.requests.sampling.createMessage`.
const DEEPEST: usize = 4;
/// No revision knows a tenth of this; a side that declares more gets the rest ignored, not remembered.
const MOST: usize = 512;

static NOTHING: LazyLock<Box<RawValue>> =
    LazyLock::new(|| RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned()));

impl Capabilities {
    pub fn none() -> Self {
        Capabilities { raw: NOTHING.clone(), declared: Vec::new() }
    }

    /// Reads the object of `initialize` or of its answer. What is no object declares nothing.
    pub fn read(raw: &RawValue) -> Self {
        let mut declared = Vec::new();
        collect(raw, "", DEEPEST, &mut declared);
        Capabilities { raw: raw.to_owned(), declared }
    }

    /// As it was written.
    pub fn raw(&self) -> &RawValue {
        &self.raw
    }

    /// Whether a capability such as `resources.subscribe` is there, and neither false nor null.
    pub fn declares(&self, path: &str) -> bool {
        self.declared.iter().any(|declared| declared == path)
    }
}

impl Default for Capabilities {
    fn default() -> Self {
        Capabilities::none()
    }
}

fn collect(object: &RawValue, prefix: &str, depth: usize, declared: &mut Vec<String>) {
    let Ok(Members(members)) = serde_json::from_str::<Members<'_>>(object.get()) else { return };
    for (Name(name), value) in members {
        // A name with a dot is nobody's path, and must not pass for one.
        if name.contains('.') || matches!(value.get(), "null" | "false") || declared.len() >= MOST {
            continue;
        }
        let path = if prefix.is_empty() { name.into_owned() } else { format!("{prefix}.{name}") };
        declared.push(path.clone());
        if depth > 1 {
            collect(value, &path, depth - 1, declared);
        }
    }
}

#[derive(Deserialize, PartialEq)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members of an object, of one name the last.
struct Members<'a>(Vec<(Name<'a>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members: Vec<(Name<'de>, &'de RawValue)> = Vec::new();
        while let Some(name) = map.next_key::<Name<'de>>()? {
            if let Some(known) = members.iter_mut().find(|(known, _)| *known == name) {
                known.1 = map.next_value()?;
            } else if members.len() < MOST {
                members.push((name, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Members(members))
    }
}
