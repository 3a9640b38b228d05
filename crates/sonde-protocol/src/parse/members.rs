//! The members of a message, each still as it was written.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::clip;

/// A string that borrows where it has no escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// The members of a message or of its error, each still as it was written.
#[derive(Default)]
pub(super) struct Members<'a> {
    pub jsonrpc: Option<&'a RawValue>,
    pub id: Option<&'a RawValue>,
    pub method: Option<&'a RawValue>,
    pub params: Option<&'a RawValue>,
    pub result: Option<&'a RawValue>,
    pub error: Option<&'a RawValue>,
    pub code: Option<&'a RawValue>,
    pub message: Option<&'a RawValue>,
    pub duplicates: Vec<String>,
    pub unknown: Vec<String>,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// Names beyond this many are all of one kind of mistake; listing more would only be noise.
const MOST_NAMES: usize = 8;

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members::default();
        while let Some(Text(name)) = map.next_key::<Text<'de>>()? {
            let value = map.next_value::<&'de RawValue>()?;
            let place = match &*name {
                "jsonrpc" => &mut members.jsonrpc,
                "id" => &mut members.id,
                "method" => &mut members.method,
                "params" => &mut members.params,
                "result" => &mut members.result,
                "error" => &mut members.error,
                "code" => &mut members.code,
                "message" => &mut members.message,
                other => {
                    if members.unknown.len() < MOST_NAMES {
                        members.unknown.push(clip(other).into_owned());
                    }
                    continue;
                }
            };
            if place.replace(value).is_some() && members.duplicates.len() < MOST_NAMES {
                members.duplicates.push(name.into_owned());
            }
        }
        Ok(members)
    }
}
