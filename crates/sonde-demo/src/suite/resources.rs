//! The resources of the suite.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::resources::PIXEL;

/// Changes every second, as the clock does.
pub(crate) const WATCHED_URI: &str = "test://watched-resource";
pub(crate) const TEMPLATE: &str = "test://template/{id}/data";

const TEXT_URI: &str = "test://static-text";
const BINARY_URI: &str = "test://static-binary";

pub(crate) fn all() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, kind: &str, description: &str| {
        Resource::new(uri, name).with_mime_type(kind).with_description(format!("Conformance: {description}"))
    };
    vec![
        resource(TEXT_URI, "static-text", "text/plain", "a text that stays as it is"),
        resource(BINARY_URI, "static-binary", "image/png", "an image that stays as it is"),
        resource(WATCHED_URI, "watched-resource", "text/plain", "one that whoever subscribes is told about"),
    ]
}

pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "template")
        .with_description("Conformance: a text that repeats its variable")
        .with_mime_type("application/json")
}

pub(crate) fn read(uri: &str) -> Option<ResourceContents> {
    match uri {
        TEXT_URI => Some(ResourceContents::text("This is the content of the static text resource.", uri)),
        BINARY_URI => Some(ResourceContents::blob(PIXEL.trim_end(), uri).with_mime_type("image/png")),
        WATCHED_URI => Some(ResourceContents::text("This resource is said to change every second.", uri)),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            Some(ResourceContents::text(text.to_string(), uri).with_mime_type("application/json"))
        }
    }
}
