//! Texts of which more is known than that they are texts.

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

const FORMATS: &[&str] = &[
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "json-pointer",
    "regex",
    "uri",
    "uri-template",
    "uuid",
];

pub(super) fn describe() -> Tool {
    let format = |format: &&str| (format.replace('-', "_"), json!({ "type": "string", "format": format }));
    let mut properties: Map<String, Value> = FORMATS.iter().map(format).collect();
    let mut more = |name: &str, schema: Value| properties.insert(name.to_owned(), schema);
    more("password", json!({ "type": "string", "format": "password", "writeOnly": true }));
    more("pattern", json!({ "type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$", "examples": ["AT-1010"] }));
    more("long", json!({ "type": "string", "maxLength": 10_000, "description": "Several lines" }));
    more("document", json!({ "type": "string", "contentMediaType": "application/json" }));
    more("picture", json!({ "type": "string", "contentEncoding": "base64", "contentMediaType": "image/png" }));
    more("strange", json!({ "type": "string", "format": "x-nobody-knows-this" }));
    super::shape(
        "formats",
        "Texts of a certain form",
        "Takes texts with a format, a pattern, a length or a media type",
        json!({ "type": "object", "properties": properties }),
    )
}
