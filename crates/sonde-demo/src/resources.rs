//! The resources: a few that stand alone, twenty that make pages of a list, and templates for more.

mod subscriptions;
mod templates;

use rmcp::{
    ErrorData,
    model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents},
    task_manager::current_timestamp,
};
use serde_json::json;

use crate::lists::Lists;

pub(crate) use subscriptions::Subscriptions;
pub(crate) use templates::{all as templates, candidates};

pub(crate) const README_URI: &str = "demo://readme";
pub(crate) const README: &str = include_str!("resources/readme.md");

const PIXEL_URI: &str = "demo://pixel.png";
/// One orange pixel. A blob travels as base64, so it is kept as base64.
pub(crate) const PIXEL: &str = include_str!("resources/pixel.png.base64");

/// The fifth of a second of a tone that fades.
pub(crate) const TONE: &str = include_str!("resources/tone.wav.base64");

/// Changes every second, and says so to whoever subscribed to it.
const CLOCK_URI: &str = "demo://clock";
const BONUS_URI: &str = "demo://bonus";

/// Resources on a page, so that the list has three.
const PAGE: usize = 10;
const CHAPTERS: u32 = 20;

fn all(lists: &Lists) -> Vec<Resource> {
    let mut all = vec![
        Resource::new(README_URI, "readme")
            .with_title("About this server")
            .with_description("What each tool of the demo shows")
            .with_mime_type("text/markdown")
            .with_size(README.len() as u64),
        Resource::new(PIXEL_URI, "pixel.png")
            .with_title("One pixel")
            .with_description("A PNG image of one orange pixel, to see how a blob is shown")
            .with_mime_type("image/png"),
        Resource::new(CLOCK_URI, "clock")
            .with_title("The time")
            .with_description("Changes every second; whoever subscribes to it is told")
            .with_mime_type("text/plain"),
    ];
    all.extend((1..=CHAPTERS).map(|number| {
        Resource::new(format!("demo://chapter/{number}"), format!("chapter-{number}"))
            .with_title(format!("Chapter {number}"))
            .with_mime_type("text/plain")
    }));
    if lists.are_grown() {
        all.push(Resource::new(BONUS_URI, "bonus").with_description("Is listed only while the lists are grown"));
    }
    all
}

/// A cursor is the number of the first resource on its page.
pub(crate) fn page(cursor: Option<&str>, lists: &Lists) -> Result<ListResourcesResult, ErrorData> {
    let all = all(lists);
    let first = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .ok()
            .filter(|first| *first < all.len())
            .ok_or_else(|| ErrorData::invalid_params(format!("cursor `{cursor}` is not one of mine"), None))?,
    };
    let is_last = first + PAGE >= all.len();
    let mut page = ListResourcesResult::with_all_items(all.into_iter().skip(first).take(PAGE).collect());
    page.next_cursor = (!is_last).then(|| (first + PAGE).to_string());
    Ok(page)
}

pub(crate) fn read(uri: &str, lists: &Lists) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        README_URI => ResourceContents::text(README, uri).with_mime_type("text/markdown"),
        PIXEL_URI => ResourceContents::blob(PIXEL.trim_end(), uri).with_mime_type("image/png"),
        CLOCK_URI => ResourceContents::text(format!("{}\n", current_timestamp()), uri).with_mime_type("text/plain"),
        BONUS_URI if lists.are_grown() => ResourceContents::text("Well found.", uri).with_mime_type("text/plain"),
        _ => match templates::read(uri) {
            Some(text) => ResourceContents::text(text, uri).with_mime_type("text/plain"),
            None => return Err(not_found(uri)),
        },
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource `{uri}`"), Some(json!({ "uri": uri })))
}
