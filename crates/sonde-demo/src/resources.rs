//! The two resources: one text, one blob.

use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents},
};
use serde_json::json;

const README_URI: &str = "demo://readme";
const README: &str = include_str!("resources/readme.md");

const PIXEL_URI: &str = "demo://pixel.png";
/// One orange pixel. A blob travels as base64, so it is kept as base64.
const PIXEL: &str = include_str!("resources/pixel.png.base64");

pub(crate) fn all() -> Vec<Resource> {
    vec![
        Resource::new(README_URI, "readme")
            .with_title("About this server")
            .with_description("What each tool of the demo shows")
            .with_mime_type("text/markdown")
            .with_size(README.len() as u64),
        Resource::new(PIXEL_URI, "pixel.png")
            .with_title("One pixel")
            .with_description("A PNG image of one orange pixel, to see how a blob is shown")
            .with_mime_type("image/png"),
    ]
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        README_URI => ResourceContents::text(README, uri).with_mime_type("text/markdown"),
        PIXEL_URI => ResourceContents::blob(PIXEL.trim_end(), uri).with_mime_type("image/png"),
        _ => {
            return Err(ErrorData::resource_not_found(
                format!("there is no resource `{uri}`"),
                Some(json!({ "uri": uri })),
            ));
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}
