//! One object, read field by field, so that an error can name the field.

use crate::language::{Document, Language, Object, SyntaxError, Value};

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
    members: Object,
    /// The full names of what is no text and was taken as one.
    loose: Vec<String>,
}

impl Fields {
    pub fn of(members: Object) -> Self {
        Fields { way: String::new(), members, loose: Vec::new() }
    }

    /// An object in a text; none where the text is something else.
    pub fn parse(text: &str) -> Result<Option<Self>, SyntaxError> {
        Ok(match Document::parse(text, Language::Json)?.root.value {
            Value::Object(members) => Some(Fields::of(members)),
            _ => None,
        })
    }

    /// Null is as good as none.
    pub fn value(&mut self, name: &str) -> Option<Value> {
        self.members.take(name).map(|node| node.value).filter(|value| !value.is_null())
    }

    /// Whether there is something of that name that nobody has taken.
    pub fn has(&self, name: &str) -> bool {
        self.members.get(name).is_some_and(|node| !node.value.is_null())
    }

    pub fn text(&mut self, name: &str) -> Result<Option<String>, BadField> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(found) => Err(self.bad(name, "a string", &found)),
        }
    }

    /// Strings only.
    pub fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, BadField> {
        let Some(found) = self.value(name) else { return Ok(None) };
        let texts = found.as_list().and_then(|list| list.iter().map(|node| node.value.as_text()).collect());
        let texts: Option<Vec<&str>> = texts;
        match texts {
            Some(texts) => Ok(Some(texts.into_iter().map(str::to_owned).collect())),
            None => Err(self.bad(name, "a list of strings", &found)),
        }
    }

    /// Strings, and what can be taken as one.
    pub fn words(&mut self, name: &str) -> Result<Option<Vec<String>>, BadField> {
        let Some(found) = self.value(name) else { return Ok(None) };
        let words = found.as_list().and_then(|list| list.iter().map(|node| node.value.as_word()).collect());
        let words: Option<Vec<&str>> = words;
        let Some(words) = words else { return Err(self.bad(name, "a list of strings", &found)) };
        if found.as_list().is_some_and(|list| list.iter().any(|node| node.value.as_text().is_none())) {
            self.loose.push(self.name(name));
        }
        Ok(Some(words.into_iter().map(str::to_owned).collect()))
    }

    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, BadField> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Flag(flag)) => Ok(Some(flag)),
            Some(found) => Err(self.bad(name, "true or false", &found)),
        }
    }

    /// A string, or a number taken as its own text.
    pub fn quantity<T>(
        &mut self,
        name: &str,
        parse: fn(&str) -> Option<T>,
        wanted: &str,
    ) -> Result<Option<T>, BadField> {
        let Some(found) = self.value(name) else { return Ok(None) };
        found.as_word().and_then(parse).map(Some).ok_or_else(|| self.bad(name, wanted, &found))
    }

    /// An object within this one.
    pub fn object(&mut self, name: &str) -> Result<Option<Fields>, BadField> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Object(members)) => {
                Ok(Some(Fields { way: format!("{}{name}.", self.way), members, loose: Vec::new() }))
            }
            Some(found) => Err(self.bad(name, "an object", &found)),
        }
    }

    /// Each member of the object of that name that is a string, or can be taken as one.
    pub fn pairs(&mut self, name: &str) -> Result<Vec<(String, String)>, BadField> {
        let Some(mut object) = self.object(name)? else { return Ok(Vec::new()) };
        let names: Vec<String> = object.members.names().map(str::to_owned).collect();
        let mut pairs = Vec::with_capacity(names.len());
        for name in names {
            let Some(found) = object.value(&name) else { continue };
            let Some(word) = found.as_word() else { return Err(object.bad(&name, "a string", &found)) };
            if found.as_text().is_none() {
                self.loose.push(object.name(&name));
            }
            pairs.push((name, word.to_owned()));
        }
        Ok(pairs)
    }

    /// The full names of what nobody has taken.
    pub fn left(&self) -> Vec<String> {
        self.members.names().map(|name| self.name(name)).collect()
    }

    /// The full names of what is no string and was taken as one.
    pub fn loose(&mut self) -> Vec<String> {
        std::mem::take(&mut self.loose)
    }

    pub fn name(&self, name: &str) -> String {
        format!("{}{name}", self.way)
    }

    pub fn bad(&self, name: &str, wanted: &str, found: &Value) -> BadField {
        const SHOWN: usize = 60;
        let field = self.name(name);
        // What was meant for the environment or for a header may be a secret, and so may a part of an address.
        let may_be_secret =
            |name: &str| field == name || field.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        if ["env", "headers", "url", "serverUrl", "httpUrl", "uri", "sonde.proxy"].into_iter().any(may_be_secret) {
            return BadField { field, problem: format!("it must be {wanted}") };
        }
        let text = found.to_json();
        let found = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        };
        BadField { field, problem: format!("it must be {wanted}, not `{found}`") }
    }
}
