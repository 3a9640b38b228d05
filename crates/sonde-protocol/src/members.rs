//! Some members of an object, each as it was written. All others are passed over, however many there are.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object that were asked for.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    found: Vec<(&'static str, &'a RawValue)>,
    /// One that stands more than once.
    pub duplicate: Option<&'static str>,
}

/// Names as they are written in an object, without a copy where they have no escapes.
#[derive(Deserialize)]
pub(crate) struct Name<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl<'a> Members<'a> {
    /// None where `value` is not an object.
    pub fn read(value: &'a RawValue, names: &'static [&'static str]) -> Option<Self> {
        // What is no object is not worth a parser.
        if !value.get().starts_with('{') {
            return None;
        }
        let mut parser = serde_json::Deserializer::from_str(value.get());
        Wanted(names).deserialize(&mut parser).ok()
    }

    /// Of several members with one name the last counts, as in [`crate::parse`].
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.found.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.get(name).map(RawValue::get)
    }

    /// The content of a member that is a string.
    pub fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        let raw = self.raw(name).filter(|raw| raw.starts_with('"'))?;
        serde_json::from_str::<Name<'a>>(raw).ok().map(|name| name.0)
    }
}

struct Wanted(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Wanted {
    type Value = Members<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Wanted {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members { found: Vec::new(), duplicate: None };
        while let Some(Name(name)) = map.next_key()? {
            let Some(name) = self.0.iter().find(|wanted| **wanted == name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value()?;
            match members.found.iter_mut().find(|(known, _)| known == name) {
                Some(known) => {
                    known.1 = value;
                    members.duplicate = Some(name);
                }
                None => members.found.push((name, value)),
            }
        }
        Ok(members)
    }
}
