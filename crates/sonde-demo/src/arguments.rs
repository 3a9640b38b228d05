//! The arguments of a tool call, read by name and checked against the range the schema promises.

use std::ops::RangeInclusive;

use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// Why the arguments cannot be used, as a sentence for the caller.
pub(crate) type Refusal = String;

pub(crate) struct Arguments(JsonObject);

impl Arguments {
    /// Takes the arguments of a call and refuses any that is not in `known`, because the schemas
    /// say that there are no others.
    pub(crate) fn new(arguments: Option<JsonObject>, known: &[&str]) -> Result<Self, Refusal> {
        let arguments = arguments.unwrap_or_default();
        match arguments.keys().find(|key| !known.contains(&key.as_str())) {
            Some(stranger) => Err(format!("unknown argument `{stranger}`")),
            None => Ok(Self(arguments)),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, Refusal> {
        self.optional_text(name)?.ok_or_else(|| format!("argument `{name}` is required"))
    }

    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("argument `{name}` must be a string")),
        }
    }

    /// False where it is not given.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(format!("argument `{name}` must be true or false")),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Result<&Number, Refusal> {
        match self.0.get(name) {
            None => Err(format!("argument `{name}` is required")),
            Some(Value::Number(number)) => Ok(number),
            Some(_) => Err(format!("argument `{name}` must be a number")),
        }
    }

    pub(crate) fn number_or(&self, name: &str, default: f64, range: RangeInclusive<f64>) -> Result<f64, Refusal> {
        if !self.0.contains_key(name) {
            return Ok(default);
        }
        self.number(name)?
            .as_f64()
            .filter(|number| range.contains(number))
            .ok_or_else(|| out_of_range(name, "a number", range.start(), range.end()))
    }

    pub(crate) fn integer_or(&self, name: &str, default: u64, range: RangeInclusive<u64>) -> Result<u64, Refusal> {
        if !self.0.contains_key(name) {
            return Ok(default);
        }
        whole(self.number(name)?)
            .filter(|integer| range.contains(integer))
            .ok_or_else(|| out_of_range(name, "an integer", range.start(), range.end()))
    }
}

/// JSON Schema counts `10.0` as an integer, so we do too.
fn whole(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        number.as_f64().filter(|value| value.fract() == 0.0 && (0.0..=9e15).contains(value)).map(|value| value as u64)
    })
}

fn out_of_range(name: &str, kind: &str, least: &impl std::fmt::Display, most: &impl std::fmt::Display) -> Refusal {
    format!("argument `{name}` must be {kind} from {least} to {most}")
}
