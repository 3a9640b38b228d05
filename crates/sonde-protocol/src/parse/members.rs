//! The members of a message and the items of a batch, each still as it was written.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
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

/// A larger batch is no conversation: each message would become a row, and one line millions of them.
pub(super) const MOST_ITEMS: usize = 1000;

/// The items of an array: the first of them as they were written, and how many there are.
pub(super) struct Items<'a> {
    pub first: Vec<&'a RawValue>,
    pub count: usize,
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

struct ItemsVisitor;

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = Items<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Items<'de>, A::Error> {
        let mut first = Vec::new();
        let mut count = 0;
        while let Some(item) = items.next_element::<&'de RawValue>()? {
            if count < MOST_ITEMS {
                first.push(item);
            }
            count += 1;
        }
        Ok(Items { first, count })
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
