//! The resources: a few that stand alone, twenty that make pages of a list, and templates for more.

mod shelf;
mod subscriptions;
mod templates;

use rmcp::{
    ErrorData,
    model::{Annotations, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, Role},
    task_manager::current_timestamp,
};
use serde_json::json;

use crate::{icons, lists::Lists, pages, suite};

pub(crate) use shelf::{BYTES, BYTES_URI};
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
/// Changes when the tool `note` is called, and says so, too.
pub(crate) const NOTE_URI: &str = "demo://note";
const BONUS_URI: &str = "demo://bonus";

/// Resources on a page, so that the list has three.
const PAGE: usize = 15;
const CHAPTERS: u32 = 20;

fn all(lists: &Lists) -> Vec<Resource> {
    let for_people = Annotations::default().with_audience(vec![Role::User]).with_priority(1.0);
    let mut all = vec![
        Resource::new(README_URI, "readme")
            .with_title("About this server")
            .with_description("What there is to see in the demo, and where")
            .with_mime_type("text/markdown")
            .with_icons(icons::letter())
            .with_annotations(for_people)
            .with_size(README.len() as u64),
        Resource::new(PIXEL_URI, "pixel.png")
            .with_title("One pixel")
            .with_description("A PNG image of one orange pixel, to see how a blob is shown")
            .with_mime_type("image/png"),
        Resource::new(CLOCK_URI, "clock")
            .with_title("The time")
            .with_description("Changes every second; whoever subscribes to it is told")
            .with_mime_type("text/plain"),
        Resource::new(NOTE_URI, "note")
            .with_title("A note")
            .with_description("Says what the tool `note` wrote last; whoever subscribes to it is told")
            .with_mime_type("text/plain"),
    ];
    all.extend(shelf::all());
    all.extend((1..=CHAPTERS).map(|number| {
        Resource::new(format!("demo://chapter/{number}"), format!("chapter-{number}"))
            .with_title(format!("Chapter {number}"))
            .with_mime_type("text/plain")
    }));
    all.extend(suite::resources());
    if lists.are_grown() {
        all.push(Resource::new(BONUS_URI, "bonus").with_description("Is listed only while the lists are grown"));
    }
    all
}

pub(crate) fn page(cursor: Option<&str>, lists: &Lists) -> Result<ListResourcesResult, ErrorData> {
    let all = all(lists);
    let page = pages::page(cursor, all.len(), PAGE)?;
    let on_page = all.into_iter().take(page.end).skip(page.start).collect();
    let mut listed = ListResourcesResult::with_all_items(on_page);
    listed.next_cursor = page.next;
    Ok(listed)
}

pub(crate) fn read(uri: &str, lists: &Lists) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        README_URI => ResourceContents::text(README, uri).with_mime_type("text/markdown"),
        PIXEL_URI => ResourceContents::blob(PIXEL.trim_end(), uri).with_mime_type("image/png"),
        CLOCK_URI => ResourceContents::text(format!("{}\n", current_timestamp()), uri),
        NOTE_URI => ResourceContents::text(lists.note().unwrap_or("Nothing was written yet.\n".to_owned()), uri),
        BONUS_URI if lists.are_grown() => ResourceContents::text("Well found.", uri),
        _ => {
            let found = shelf::read(uri)
                .or_else(|| templates::read(uri).map(|contents| vec![contents]))
                .or_else(|| suite::read(uri).map(|contents| vec![contents]));
            return found.map(ReadResourceResult::new).ok_or_else(|| not_found(uri));
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource `{uri}`"), Some(json!({ "uri": uri })))
}
