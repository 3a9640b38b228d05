//! A tool as it was listed, as far as it is needed to call it.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    pub name: String,
    /// Verbatim, with the order of its members.
    pub input_schema: Box<RawValue>,
}

impl Offer {
    pub fn read(entry: &RawValue) -> Result<Self> {
        serde_json::from_str(entry.get()).with_context(|| format!("this is no tool: {}", entry.get()))
    }
}
