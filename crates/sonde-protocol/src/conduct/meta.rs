//! The keys of `_meta`.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{clip, contains};
use crate::finding::{Code, Finding};
use crate::members::{Members, Name};

/// Tells the first key of `_meta` that is none.
pub(super) fn judge(object: &RawValue, findings: &mut Vec<Finding>) {
    if !contains(object, "\"_meta\"") {
        return;
    }
    let Some(meta) = Members::read(object, &["_meta"]).and_then(|members| members.get("_meta")) else { return };
    match serde_json::from_str::<FirstBadKey>(meta.get()) {
        Ok(FirstBadKey(None)) => {}
        Ok(FirstBadKey(Some(key))) => {
            findings.push(Finding::new(Code::MetaKey, format!("`{key}` is no key for `_meta`")));
        }
        Err(_) => findings.push(Finding::new(Code::MetaKey, "`_meta` is not an object")),
    }
}

fn is_key(key: &str) -> bool {
    let (prefix, name) = match key.rsplit_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let edge = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && edge(label.bytes().last())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let named = name.is_empty()
        || (edge(name.bytes().next())
            && edge(name.bytes().last())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')));
    named && prefix.is_none_or(|prefix| prefix.split('.').all(label))
}

struct FirstBadKey(Option<Box<str>>);

impl<'de> Deserialize<'de> for FirstBadKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = FirstBadKey;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FirstBadKey, A::Error> {
        let mut bad = None;
        while let Some(Name(key)) = map.next_key()? {
            map.next_value::<IgnoredAny>()?;
            if bad.is_none() && !is_key(&key) {
                bad = Some(clip(&key));
            }
        }
        Ok(FirstBadKey(bad))
    }
}
