//! The arguments of a call, and what else goes with a request.

use std::borrow::Cow;
use std::fmt;

use clap::Args;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::values::{argument, json_object};

#[derive(Args)]
pub struct Given {
    /// An argument: a string with `=`, any JSON with `:=`
    #[arg(long = "arg", value_name = "NAME=TEXT|NAME:=JSON", value_parser = argument)]
    pub arguments: Vec<(String, Box<RawValue>)>,
    /// All arguments as one JSON object; `@FILE` for a file, `-` for stdin
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    pub json: Option<Box<RawValue>>,
    /// A member of the request's `_meta`
    #[arg(long, value_name = "NAME:=JSON", value_parser = argument)]
    pub meta: Vec<(String, Box<RawValue>)>,
}

impl Given {
    /// The arguments as JSON text: what `--json` gives, with each `--arg` put in its place or added.
    pub fn arguments(&self) -> Result<String, serde_json::Error> {
        match (&self.json, self.arguments.is_empty()) {
            (Some(whole), true) => Ok(whole.get().to_owned()),
            (whole, _) => {
                let mut object: Object = match whole {
                    Some(whole) => serde_json::from_str(whole.get())?,
                    None => Object::default(),
                };
                for (name, value) in &self.arguments {
                    object.put(name, value.clone());
                }
                serde_json::to_string(&object)
            }
        }
    }
}

/// A JSON object that keeps its order and every value as it was written.
#[derive(Debug, Default)]
pub struct Object(pub Vec<(String, Box<RawValue>)>);

impl Object {
    /// The members as one JSON text, or nothing where there are none.
    pub fn text_of(members: &[(String, Box<RawValue>)]) -> Result<Option<String>, serde_json::Error> {
        let mut object = Object::default();
        for (name, value) in members {
            object.put(name, value.clone());
        }
        (!object.0.is_empty()).then(|| serde_json::to_string(&object)).transpose()
    }

    pub fn put(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut object = Object::default();
                while let Some((name, value)) = map.next_entry::<Cow<'_, str>, Box<RawValue>>()? {
                    object.0.push((name.into_owned(), value));
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str], json: Option<&str>) -> String {
        let given = Given {
            arguments: arguments.iter().map(|text| argument(text).expect("an argument")).collect(),
            json: json.map(|text| json_object(text).expect("an object")),
            meta: Vec::new(),
        };
        given.arguments().expect("the arguments can be written")
    }

    #[test]
    fn the_arguments_are_one_object_in_the_order_they_were_typed() {
        assert_eq!(given(&[], None), "{}");
        assert_eq!(given(&["z=1", "a:=2.50"], None), r#"{"z":"1","a":2.50}"#);
    }

    #[test]
    fn a_whole_object_goes_out_as_it_was_written() {
        assert_eq!(given(&[], Some(r#"{ "b" : 1.0, "b" : 2 }"#)), r#"{ "b" : 1.0, "b" : 2 }"#);
        assert_eq!(given(&["b=x", "c=y"], Some(r#"{"a":1e2,"b":1}"#)), r#"{"a":1e2,"b":"x","c":"y"}"#);
    }
}
