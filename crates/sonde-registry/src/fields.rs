//! One JSON object, read field by field, so that an error can name the field.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// A field that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadField {
    /// The way to it, as in `sonde.roots`.
    pub field: String,
    pub problem: String,
}

/// The members of an object that nobody has taken yet.
pub(crate) struct Fields {
    /// What stands before the names: empty, or the way to this object with a dot at its end.
    way: String,
    members: BTreeMap<String, Box<RawValue>>,
}

impl Fields {
    /// None where the text is no object.
    pub fn read(way: &str, object: &RawValue) -> Option<Self> {
        Some(Fields { way: way.to_owned(), members: serde_json::from_str(object.get()).ok()? })
    }

    /// The member as it is written; null is as good as none.
    pub fn raw(&mut self, name: &str) -> Option<Box<RawValue>> {
        self.members.remove(name).filter(|value| value.get() != "null")
    }

    pub fn text(&mut self, name: &str) -> Result<Option<String>, BadField> {
        self.parsed(name, "a string")
    }

    pub fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, BadField> {
        self.parsed(name, "a list of strings")
    }

    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, BadField> {
        self.parsed(name, "true or false")
    }

    /// A string, or a number taken as its own text.
    pub fn quantity<T>(
        &mut self,
        name: &str,
        parse: fn(&str) -> Option<T>,
        wanted: &str,
    ) -> Result<Option<T>, BadField> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        let text = serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned());
        parse(&text).map(Some).ok_or_else(|| self.bad(name, wanted, &value))
    }

    /// An object within this one.
    pub fn object(&mut self, name: &str) -> Result<Option<Fields>, BadField> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        let way = format!("{}{name}.", self.way);
        Fields::read(&way, &value).map(Some).ok_or_else(|| self.bad(name, "an object", &value))
    }

    /// Each member with its full name.
    pub fn each_text(mut self) -> Result<Vec<(String, String)>, BadField> {
        let names: Vec<String> = self.members.keys().cloned().collect();
        let mut texts = Vec::new();
        for name in names {
            if let Some(text) = self.text(&name)? {
                texts.push((name, text));
            }
        }
        Ok(texts)
    }

    /// The full names of what nobody has taken.
    pub fn left(&self) -> Vec<String> {
        self.members.keys().map(|name| self.name(name)).collect()
    }

    pub fn name(&self, name: &str) -> String {
        format!("{}{name}", self.way)
    }

    pub fn bad(&self, name: &str, wanted: &str, found: &RawValue) -> BadField {
        const SHOWN: usize = 60;
        let (field, text) = (self.name(name), found.get());
        // What was meant for the environment or for a header may be a secret, and so may a part of an address.
        let may_be_secret =
            |name: &str| field == name || field.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        if ["env", "headers", "url", "serverUrl", "httpUrl", "sonde.proxy"].into_iter().any(may_be_secret) {
            return BadField { field, problem: format!("it must be {wanted}") };
        }
        let found = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text.to_owned(),
        };
        BadField { field, problem: format!("it must be {wanted}, not `{found}`") }
    }

    fn parsed<T: serde::de::DeserializeOwned>(&mut self, name: &str, wanted: &str) -> Result<Option<T>, BadField> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        serde_json::from_str(value.get()).map(Some).map_err(|_| self.bad(name, wanted, &value))
    }
}
