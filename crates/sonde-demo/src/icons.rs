//! Icons, all of them `data:` addresses: nothing has to be fetched to see them.

use rmcp::model::{Icon, IconTheme};

/// The letter S on orange, 16 pixels square.
const LETTER: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAABlBMVEX/iAD////Ai89CAAAAHUlEQVR42mNgIA8wQgFCAEMFYQF0MygwiqChRAIAEcAAIEwXXn4AAAAASUVORK5CYII=";

/// For the server: one image for every background, and a drawing for each of light and dark.
pub(crate) fn server() -> Vec<Icon> {
    vec![
        Icon::new(LETTER).with_mime_type("image/png").with_sizes(vec!["16x16".to_owned()]),
        drawing("%23333", IconTheme::Light),
        drawing("%23eee", IconTheme::Dark),
    ]
}

pub(crate) fn letter() -> Vec<Icon> {
    vec![Icon::new(LETTER).with_mime_type("image/png").with_sizes(vec!["16x16".to_owned()])]
}

/// A frame with a hill and a sun in it.
pub(crate) fn picture() -> Vec<Icon> {
    let svg = "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='2' \
        fill='%2308f'/%3E%3Ccircle cx='11' cy='5' r='2' fill='%23fd0'/%3E%3Cpath d='M0 14l6-6 5 4 5-3v5z' \
        fill='%23080'/%3E%3C/svg%3E";
    vec![any_size(svg)]
}

fn drawing(colour: &str, theme: IconTheme) -> Icon {
    any_size(&format!(
        "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='6' fill='none' \
        stroke='{colour}' stroke-width='2'/%3E%3Cpath d='M8 2v12' stroke='{colour}'/%3E%3C/svg%3E"
    ))
    .with_theme(theme)
}

/// An address has no blanks.
fn any_size(svg: &str) -> Icon {
    Icon::new(format!("data:image/svg+xml,{}", svg.replace(' ', "%20")))
        .with_mime_type("image/svg+xml")
        .with_sizes(vec!["any".to_owned()])
}
