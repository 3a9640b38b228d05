//! Some members of an object, each as it was written. All others are passed over, however many there are.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object that were asked for.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    found: Vec<(&'static str, &'a RawValue)>,
    /// One that stands more than once.
    pub duplicate: Option<&'static str>,
}

/// The first members of an object, whatever their names; of one name the last counts. What is beyond is passed over:
/// one line can have millions, and a list of them would take many times its bytes.
#[derive(Debug)]
pub(crate) struct FirstMembers<'a, const MOST: usize>(pub BTreeMap<Cow<'a, str>, &'a RawValue>);

/// The first items of an array, and how many there are in all.
#[derive(Debug)]
pub struct FirstItems<'a, const MOST: usize> {
    /// Each as it was written.
    pub first: Vec<&'a RawValue>,
    pub count: usize,
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

impl<'de, const MOST: usize> Deserialize<'de> for FirstMembers<'de, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(First::<MOST>)
    }
}

impl<'de: 'a, 'a, const MOST: usize> Deserialize<'de> for FirstItems<'a, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FirstOf::<MOST>)
    }
}

struct First<const MOST: usize>;

impl<'de, const MOST: usize> Visitor<'de> for First<MOST> {
    type Value = FirstMembers<'de, MOST>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(Name(name)) = map.next_key()? {
            if members.len() < MOST || members.contains_key(&name) {
                members.insert(name, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(FirstMembers(members))
    }
}

struct FirstOf<const MOST: usize>;

impl<'de, const MOST: usize> Visitor<'de> for FirstOf<MOST> {
    type Value = FirstItems<'de, MOST>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut first = Vec::new();
        while first.len() < MOST {
            match items.next_element()? {
                Some(item) => first.push(item),
                None => return Ok(FirstItems { count: first.len(), first }),
            }
        }
        let mut count = first.len();
        while items.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(FirstItems { first, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_items_are_kept_and_all_are_counted() {
        let read = |text| serde_json::from_str::<FirstItems<'_, 2>>(text).map(|items| (items.first.len(), items.count));
        for (text, expected) in [("[]", (0, 0)), ("[1,2]", (2, 2)), ("[1,2,3,{}]", (2, 4))] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        assert!(read("[1,2,3").is_err(), "what is not kept must still be JSON");
    }

    #[test]
    fn the_first_members_are_kept_each_with_its_last_value() {
        let FirstMembers(members) =
            serde_json::from_str::<FirstMembers<'_, 2>>(r#"{"a":1,"b":2,"c":3,"a":4}"#).unwrap();
        let texts: Vec<_> = members.iter().map(|(name, value)| (&**name, value.get())).collect();
        assert_eq!(texts, [("a", "4"), ("b", "2")], "a third name has no room, a second value of one has");
    }
}
