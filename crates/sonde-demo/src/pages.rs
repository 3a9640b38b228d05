//! Lists in pages. A cursor is the place of the first entry on its page.

use rmcp::ErrorData;

pub(crate) struct Page {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The cursor of the page behind it, if there is one.
    pub(crate) next: Option<String>,
}

/// Which of `count` entries stand on the page that `cursor` names.
pub(crate) fn page(cursor: Option<&str>, count: usize, size: usize) -> Result<Page, ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .ok()
            .filter(|start| *start < count)
            .ok_or_else(|| ErrorData::invalid_params(format!("cursor `{cursor}` is not one of mine"), None))?,
    };
    let end = count.min(start + size);
    Ok(Page { start, end, next: (end < count).then(|| end.to_string()) })
}
