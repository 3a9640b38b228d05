//! Resources of every kind that a client has to show: texts with a syntax, pictures, sounds, bytes, long ones, several
//! in one, and none at all.

use std::fmt::Write;

use rmcp::model::{Annotations, Resource, ResourceContents, Role};

use super::{PIXEL, TONE};

pub(crate) const BYTES_URI: &str = "demo://bytes.bin";
/// Each byte there is, once, in base64.
pub(crate) const BYTES: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==";

const TONE_URI: &str = "demo://tone.wav";
const DRAWING_URI: &str = "demo://drawing.svg";
const SETTINGS_URI: &str = "demo://settings.json";
const TABLE_URI: &str = "demo://table.csv";
const PAGE_URI: &str = "demo://page.html";
const LARGE_TEXT_URI: &str = "demo://large.txt";
const LARGE_BYTES_URI: &str = "demo://large.bin";
const FOLDER_URI: &str = "demo://folder";
const EMPTY_URI: &str = "demo://empty";

const DRAWING: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40"><rect width="60" height="40" fill="#08f"/><circle cx="45" cy="12" r="7" fill="#fd0"/><path d="M0 40l22-22 16 14 22-10v18z" fill="#080"/></svg>
"##;
const SETTINGS: &str =
    "{\n  \"theme\": \"dark\",\n  \"size\": 14,\n  \"servers\": [{ \"name\": \"demo\", \"on\": true }]\n}\n";
const TABLE: &str = "city,country,degrees\nVienna,Austria,11.5\nLima,Peru,18\n\"Rio de Janeiro\",Brazil,24.5\n";
/// A page is shown as the text it is; one that runs would change its title.
const PAGE: &str =
    "<!doctype html>\n<title>A page</title>\n<h1>Shown as text</h1>\n<script>document.title = 'run'</script>\n";

const LARGE_LINES: usize = 20_000;
/// In base64, of 48 bytes: a whole number of groups, so that it can stand behind itself.
const BLOCK: &str = "U29uZGUgc2hvd3MgZXZlcnkgYnl0ZSBvZiBldmVyeSBzZXJ2ZXIhLi4uLi4uLi4u";
const LARGE_BLOCKS: usize = 20_000;

pub(super) fn all() -> Vec<Resource> {
    let entry = |uri: &str, title: &str, kind: &str, description: &str| {
        let name = uri.trim_start_matches("demo://");
        Resource::new(uri, name).with_title(title).with_mime_type(kind).with_description(description)
    };
    let mut dated = Annotations::default().with_audience(vec![Role::Assistant]).with_priority(0.2);
    dated.last_modified = Some("2025-11-25T12:00:00Z".to_owned());
    vec![
        entry(TONE_URI, "A tone", "audio/wav", "A fifth of a second of sound"),
        entry(DRAWING_URI, "A drawing", "image/svg+xml", "An image that is a text"),
        entry(SETTINGS_URI, "Settings", "application/json", "A text with a syntax").with_annotations(dated),
        entry(TABLE_URI, "A table", "text/csv", "Rows and columns"),
        entry(PAGE_URI, "A page", "text/html", "A page with a script, which must not run").with_size(PAGE.len() as u64),
        entry(BYTES_URI, "Bytes", "application/octet-stream", "Each byte there is, once").with_size(256),
        entry(LARGE_TEXT_URI, "A long text", "text/plain", "Twenty thousand lines, about a megabyte"),
        entry(LARGE_BYTES_URI, "Many bytes", "application/octet-stream", "Nearly a megabyte of bytes")
            .with_size(48 * LARGE_BLOCKS as u64),
        entry(FOLDER_URI, "A folder", "inode/directory", "Is read as three resources: text, bytes and an image"),
        entry(EMPTY_URI, "Nothing", "text/plain", "Is read as no contents at all"),
    ]
}

pub(super) fn read(uri: &str) -> Option<Vec<ResourceContents>> {
    let text = |text: &str, kind: &str| vec![ResourceContents::text(text, uri).with_mime_type(kind)];
    let blob = |blob: &str, kind: &str| vec![ResourceContents::blob(blob, uri).with_mime_type(kind)];
    Some(match uri {
        TONE_URI => blob(TONE.trim_end(), "audio/wav"),
        DRAWING_URI => text(DRAWING, "image/svg+xml"),
        SETTINGS_URI => text(SETTINGS, "application/json"),
        TABLE_URI => text(TABLE, "text/csv"),
        PAGE_URI => text(PAGE, "text/html"),
        BYTES_URI => blob(BYTES, "application/octet-stream"),
        LARGE_TEXT_URI => text(&large_text(), "text/plain"),
        LARGE_BYTES_URI => blob(&BLOCK.repeat(LARGE_BLOCKS), "application/octet-stream"),
        FOLDER_URI => vec![
            ResourceContents::text(SETTINGS, "demo://folder/settings.json").with_mime_type("application/json"),
            ResourceContents::blob(BYTES, "demo://folder/bytes.bin").with_mime_type("application/octet-stream"),
            ResourceContents::blob(PIXEL.trim_end(), "demo://folder/pixel.png").with_mime_type("image/png"),
        ],
        EMPTY_URI => Vec::new(),
        _ => return None,
    })
}

fn large_text() -> String {
    let mut text = String::new();
    for line in 1..=LARGE_LINES {
        // Writing into a text does not fail.
        writeln!(text, "{line:05} A line like the others, but for its number. äöü").unwrap_or_default();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_that_is_listed_is_read_as_it_is_described() {
        for listed in all() {
            let contents = read(&listed.uri).unwrap_or_default();
            let several = [FOLDER_URI, EMPTY_URI].contains(&listed.uri.as_str());
            assert!(several || contents.len() == 1, "`{}` has one content", listed.uri);
        }
        assert!(large_text().len() > 1_000_000, "a long text is long");
        assert_eq!(BLOCK.len() % 4, 0, "a block of base64 is whole");
    }
}
