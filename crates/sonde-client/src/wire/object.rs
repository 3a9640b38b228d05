//! Objects that are sent on as they were written, with a member or two of ours.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What is added to the params of a request.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Extras<'a> {
    /// Members for `_meta`; they win over those that are there.
    pub meta: Option<&'a RawValue>,
    /// The progress token, unless a person gave another.
    pub token: Option<&'a str>,
    /// The `task` member.
    pub task: Option<&'a RawValue>,
}

/// Under which token the server will report progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    None,
    /// The one we offered.
    Ours,
    /// The one a person wrote, verbatim.
    Given(Box<str>),
}

/// Writes `,"params":…`, or nothing where there is nothing to write.
pub(crate) fn compose(
    message: &mut Vec<u8>,
    params: Option<&RawValue>,
    extras: &Extras<'_>,
) -> Result<Token, serde_json::Error> {
    let text = params.map(RawValue::get);
    // Params that a person wrote as something else than an object have no room for members.
    let closed = text.is_some_and(|text| !text.starts_with('{'));
    let nothing_to_add = extras.meta.is_none() && extras.token.is_none() && extras.task.is_none();
    if closed || (nothing_to_add && !text.is_some_and(may_have_meta)) {
        if let Some(text) = text {
            message.extend_from_slice(br#","params":"#);
            message.extend_from_slice(text.as_bytes());
        }
        return Ok(Token::None);
    }
    message.extend_from_slice(br#","params":"#);
    let text = text.unwrap_or("{}");
    // Most params have no `_meta` of their own, so the token is put in without taking them apart.
    if let (Some(token), None, None, false) = (extras.token, extras.meta, extras.task, may_have_meta(text)) {
        let members = text.get(..text.len().saturating_sub(1)).unwrap_or_default().trim_ascii_end();
        message.extend_from_slice(members.as_bytes());
        if members.len() > 1 {
            message.push(b',');
        }
        message.extend_from_slice(br#""_meta":{"progressToken":"#);
        message.extend_from_slice(token.as_bytes());
        message.extend_from_slice(b"}}");
        return Ok(Token::Ours);
    }
    let Object(members) = serde_json::from_str(text)?;
    let mut writer = Writer::open(message);
    let own_meta = last(&members, "_meta");
    for (name, value) in &members {
        let replaced = name == "_meta" || (name == "task" && extras.task.is_some());
        if !replaced {
            writer.member(name, value.get())?;
        }
    }
    if let Some(task) = extras.task {
        writer.member("task", task.get())?;
    }
    let (meta, token) = merge(own_meta, extras)?;
    if let Some(meta) = meta {
        writer.member("_meta", &meta)?;
    }
    writer.close();
    Ok(token)
}

/// The same object with one more member in its `_meta`, unless that member is there already. What is no object stays.
pub(crate) fn with_meta(object: &RawValue, name: &str, value: &str) -> Result<String, serde_json::Error> {
    if !object.get().starts_with('{') {
        return Ok(object.get().to_owned());
    }
    let Object(members) = serde_json::from_str(object.get())?;
    let own = last(&members, "_meta");
    let inner = match own {
        Some(own) if own.get().starts_with('{') => serde_json::from_str::<Object<'_>>(own.get())?.0,
        // Whoever wrote a `_meta` that is no object meant it.
        Some(_) => return Ok(object.get().to_owned()),
        None => Vec::new(),
    };
    if last(&inner, name).is_some() {
        return Ok(object.get().to_owned());
    }
    let mut text = Vec::with_capacity(object.get().len() + name.len() + value.len() + 16);
    let mut writer = Writer::open(&mut text);
    for (known, value) in members.iter().filter(|(known, _)| known != "_meta") {
        writer.member(known, value.get())?;
    }
    let mut meta = Vec::new();
    let mut meta_writer = Writer::open(&mut meta);
    for (known, value) in &inner {
        meta_writer.member(known, value.get())?;
    }
    meta_writer.member(name, value)?;
    meta_writer.close();
    writer.member("_meta", &String::from_utf8_lossy(&meta))?;
    writer.close();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The `_meta` that is sent, and the token in it.
fn merge(own: Option<&RawValue>, extras: &Extras<'_>) -> Result<(Option<String>, Token), serde_json::Error> {
    let object = |value: &RawValue| value.get().starts_with('{');
    let base: Object<'_> = match own {
        Some(own) if object(own) => serde_json::from_str(own.get())?,
        // A `_meta` that is no object has no room; it goes out as the person wrote it.
        Some(own) if extras.meta.is_none() => return Ok((Some(own.get().to_owned()), Token::None)),
        _ => Object(Vec::new()),
    };
    let over: Object<'_> = match extras.meta {
        Some(meta) if object(meta) => serde_json::from_str(meta.get())?,
        Some(meta) => return Ok((Some(meta.get().to_owned()), Token::None)),
        None => Object(Vec::new()),
    };
    let mut text = Vec::new();
    let mut writer = Writer::open(&mut text);
    for (name, value) in base.0.iter().filter(|(name, _)| last(&over.0, name).is_none()) {
        writer.member(name, value.get())?;
    }
    for (name, value) in &over.0 {
        writer.member(name, value.get())?;
    }
    let given = last(&over.0, "progressToken").or_else(|| last(&base.0, "progressToken"));
    let token = match (given, extras.token) {
        (Some(given), _) => Token::Given(given.get().into()),
        (None, Some(token)) => {
            writer.member("progressToken", token)?;
            Token::Ours
        }
        (None, None) => Token::None,
    };
    writer.close();
    let empty = text.len() == 2 && own.is_none() && extras.meta.is_none();
    Ok(((!empty).then(|| String::from_utf8_lossy(&text).into_owned()), token))
}

/// Whether a member `_meta` may be there. An escape could spell it, too.
fn may_have_meta(text: &str) -> bool {
    text.contains("\"_meta\"") || text.contains("\\u")
}

fn last<'a>(members: &[(Cow<'a, str>, &'a RawValue)], name: &str) -> Option<&'a RawValue> {
    members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
}

/// Writes the members of an object, one by one.
struct Writer<'a> {
    text: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Writer<'a> {
    fn open(text: &'a mut Vec<u8>) -> Self {
        text.push(b'{');
        Writer { text, first: true }
    }

    fn member(&mut self, name: &str, value: &str) -> Result<(), serde_json::Error> {
        if !std::mem::take(&mut self.first) {
            self.text.push(b',');
        }
        serde_json::to_writer(&mut *self.text, name)?;
        self.text.push(b':');
        self.text.extend_from_slice(value.as_bytes());
        Ok(())
    }

    fn close(self) {
        self.text.push(b'}');
    }
}

/// The members of an object in their order, each value as it was written.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::literal;

    fn composed(params: Option<&str>, meta: Option<&str>, token: Option<&str>, task: Option<&str>) -> (String, Token) {
        let (params, meta, task) = (params.map(literal), meta.map(literal), task.map(literal));
        let extras = Extras { meta: meta.as_deref(), token, task: task.as_deref() };
        let mut text = Vec::new();
        let token = compose(&mut text, params.as_deref(), &extras).expect("the parts are JSON");
        (String::from_utf8(text).expect("JSON is UTF-8"), token)
    }

    #[test]
    fn params_without_anything_to_add_go_out_as_they_were_written() {
        for params in [r#"{ "b": 1.0, "a" :[ ] }"#, "[1,2]", "null", r#"{"n":12345678901234567890123}"#] {
            let (text, token) = composed(Some(params), None, None, None);
            assert_eq!((text.as_str(), token), (&*format!(r#","params":{params}"#), Token::None));
        }
        assert_eq!(composed(None, None, None, None), (String::new(), Token::None), "no params are no params");
    }

    #[test]
    fn a_token_is_put_in_without_taking_the_params_apart() {
        let spliced = |params| composed(params, None, Some("7"), None);
        let (text, token) = spliced(Some(r#"{ "name": "x", "n": 1e400 }"#));
        assert_eq!(text, r#","params":{ "name": "x", "n": 1e400,"_meta":{"progressToken":7}}"#);
        assert_eq!(token, Token::Ours);
        assert_eq!(spliced(Some("{ }")).0, r#","params":{"_meta":{"progressToken":7}}"#);
        assert_eq!(spliced(None).0, r#","params":{"_meta":{"progressToken":7}}"#);
        assert_eq!(spliced(Some("[1]")), (r#","params":[1]"#.to_owned(), Token::None), "an array has no room for it");
    }

    #[test]
    fn a_persons_own_meta_wins_and_keeps_their_token() {
        let (text, token) = composed(
            Some(r#"{"a":1,"_meta":{"x":1,"y":2}}"#),
            Some(r#"{"y":3,"progressToken":"mine"}"#),
            Some("7"),
            None,
        );
        assert_eq!(text, r#","params":{"a":1,"_meta":{"x":1,"y":3,"progressToken":"mine"}}"#);
        assert_eq!(token, Token::Given("\"mine\"".into()));
        let (text, token) = composed(Some(r#"{"_meta":{"x":1}}"#), None, Some("7"), None);
        assert_eq!((text.as_str(), token), (r#","params":{"_meta":{"x":1,"progressToken":7}}"#, Token::Ours));
        let (text, token) = composed(Some(r#"{"_meta":{"progressToken":5}}"#), None, None, None);
        assert_eq!(text, r#","params":{"_meta":{"progressToken":5}}"#);
        assert_eq!(token, Token::Given("5".into()), "a token in the params is one, too");
        let (text, _) = composed(Some(r#"{"\u005fmeta":{"x":1}}"#), None, Some("7"), None);
        assert_eq!(text, r#","params":{"_meta":{"x":1,"progressToken":7}}"#, "an escaped name is the same name");
        let (text, token) = composed(Some(r#"{"_meta":5}"#), None, Some("7"), None);
        assert_eq!((text.as_str(), token), (r#","params":{"_meta":5}"#, Token::None), "a wrong _meta was meant so");
    }

    #[test]
    fn a_wish_for_a_task_replaces_the_one_in_the_params() {
        let (text, _) = composed(Some(r#"{"task":{"ttl":1},"a":1}"#), None, None, Some(r#"{"ttl":5}"#));
        assert_eq!(text, r#","params":{"a":1,"task":{"ttl":5}}"#);
    }

    #[test]
    fn a_member_is_added_to_meta_unless_it_is_there() {
        let add = |object: &str| with_meta(&literal(object), "k", "1").expect("it is JSON");
        assert_eq!(add(r#"{"a":1}"#), r#"{"a":1,"_meta":{"k":1}}"#);
        assert_eq!(add(r#"{"_meta":{"x":2},"a":1}"#), r#"{"a":1,"_meta":{"x":2,"k":1}}"#);
        assert_eq!(add(r#"{"_meta":{"k":3}}"#), r#"{"_meta":{"k":3}}"#);
        assert_eq!(add("7"), "7");
    }
}
