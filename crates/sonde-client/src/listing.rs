//! What a server offers, page by page, every entry kept as it was sent.

use std::collections::HashSet;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::ask::{Ask, Gate, Progressing};
use crate::call::{Answer, CallError};
use crate::client::Client;
use crate::wire;

/// A server that never stops paging is stopped here.
const MOST_PAGES: usize = 1000;
const MOST_ENTRIES: usize = 100_000;
const MOST_BYTES: usize = 64 << 20;

/// A list that servers give in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Catalog {
    Tools,
    Resources,
    Templates,
    Prompts,
    Tasks,
}

impl Catalog {
    pub const ALL: &[Catalog] =
        &[Catalog::Tools, Catalog::Resources, Catalog::Templates, Catalog::Prompts, Catalog::Tasks];

    /// The request that asks for it.
    pub fn method(self) -> &'static str {
        match self {
            Catalog::Tools => "tools/list",
            Catalog::Resources => "resources/list",
            Catalog::Templates => "resources/templates/list",
            Catalog::Prompts => "prompts/list",
            Catalog::Tasks => "tasks/list",
        }
    }

    /// The member of a page that has the entries.
    pub fn member(self) -> &'static str {
        match self {
            Catalog::Tools => "tools",
            Catalog::Resources => "resources",
            Catalog::Templates => "resourceTemplates",
            Catalog::Prompts => "prompts",
            Catalog::Tasks => "tasks",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Catalog::Templates => "templates",
            other => other.member(),
        }
    }
}

/// All pages of a list, in the server's order.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Verbatim.
    pub entries: Vec<Box<RawValue>>,
    /// Why the list is not whole, if it is not.
    pub problem: Option<String>,
    pub pages: usize,
}

impl Client {
    /// Lists everything. An error on a later page keeps what came before it.
    pub async fn list(&self, catalog: Catalog) -> Result<Listing, CallError> {
        self.list_through(catalog, Gate::Keep).await
    }

    /// The same for a server that may not have declared that it has such a list.
    pub async fn list_through(&self, catalog: Catalog, gate: Gate) -> Result<Listing, CallError> {
        let mut listing = Listing::default();
        let mut cursors = HashSet::new();
        let mut bytes = 0;
        let mut params = None;
        let noun = catalog.noun();
        while listing.pages < MOST_PAGES {
            let ask = Ask::new(catalog.method()).with_params(params.take());
            let ask = Ask { gate, progress: Progressing::Unwanted, ..ask };
            let answer = self.ask(ask).await?.end().await?;
            listing.pages += 1;
            let page = match answer {
                Answer::Result(result) => Page::read(&result, catalog, MOST_ENTRIES - listing.entries.len()),
                Answer::Error { message, .. } => Err(message),
            };
            let page = match page {
                Ok(page) => page,
                Err(problem) => {
                    listing.problem =
                        Some(format!("page {} of the {noun} could not be read: {problem}", listing.pages));
                    return Ok(listing);
                }
            };
            bytes += page.entries.iter().map(|entry| entry.get().len()).sum::<usize>();
            listing.entries.extend(page.entries);
            if page.surplus > 0 {
                listing.problem = Some(format!("the list was stopped at {MOST_ENTRIES} {noun}; the page had more"));
                return Ok(listing);
            }
            let Some(next) = page.next else { return Ok(listing) };
            bytes += next.get().len();
            if listing.entries.len() >= MOST_ENTRIES || bytes >= MOST_BYTES {
                listing.problem =
                    Some(format!("the list was stopped at {} {noun} of {bytes} bytes", listing.entries.len()));
                return Ok(listing);
            }
            if !next.get().starts_with('"') {
                listing.problem = Some(format!("page {} of the {noun} has a cursor that is no string", listing.pages));
                return Ok(listing);
            }
            params = Some(wire::literal(format!(r#"{{"cursor":{}}}"#, next.get())));
            let shown: String = next.get().chars().take(80).collect();
            if !cursors.insert(next.get().to_owned()) {
                listing.problem =
                    Some(format!("the list was stopped at page {}: the cursor {shown} came twice", listing.pages));
                return Ok(listing);
            }
        }
        listing.problem = Some(format!("the list was stopped after {MOST_PAGES} pages"));
        Ok(listing)
    }
}

/// One page: at most so many entries, how many there were beyond, and the cursor of the next.
#[derive(Debug)]
struct Page {
    entries: Vec<Box<RawValue>>,
    surplus: usize,
    next: Option<Box<RawValue>>,
}

impl Page {
    fn read(result: &RawValue, catalog: Catalog, room: usize) -> Result<Page, String> {
        let mut deserializer = serde_json::Deserializer::from_str(result.get());
        let page = PageReader { member: catalog.member(), room }.deserialize(&mut deserializer);
        page.map_err(|error| error.to_string())
    }
}

/// Reads a page without ever holding more entries than there is room for.
struct PageReader {
    member: &'static str,
    room: usize,
}

impl<'de> DeserializeSeed<'de> for PageReader {
    type Value = Page;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Page, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PageReader {
    type Value = Page;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "an object with `{}`", self.member)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Page, A::Error> {
        let mut found = None;
        let mut next: Option<&'de RawValue> = None;
        while let Some(name) = map.next_key::<String>()? {
            if name == self.member {
                found = Some(map.next_value_seed(Entries { room: self.room })?);
            } else if name == "nextCursor" {
                next = map.next_value::<Option<&'de RawValue>>()?.filter(|next| next.get() != "null");
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let Some((entries, surplus)) = found else {
            return Err(serde::de::Error::custom(format_args!("`{}` is missing", self.member)));
        };
        Ok(Page { entries, surplus, next: next.map(ToOwned::to_owned) })
    }
}

struct Entries {
    room: usize,
}

impl<'de> DeserializeSeed<'de> for Entries {
    type Value = (Vec<Box<RawValue>>, usize);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Entries {
    type Value = (Vec<Box<RawValue>>, usize);

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while entries.len() < self.room {
            match items.next_element::<&'de RawValue>()? {
                Some(entry) => entries.push(entry.to_owned()),
                None => return Ok((entries, 0)),
            }
        }
        let mut surplus = 0;
        while items.next_element::<IgnoredAny>()?.is_some() {
            surplus += 1;
        }
        Ok((entries, surplus))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, room: usize) -> Result<Page, String> {
        Page::read(&wire::literal(text), Catalog::Tools, room)
    }

    #[test]
    fn a_page_keeps_its_entries_as_they_were_written() {
        let page = page(r#"{"tools":[{"b": 1.0},7],"other":{},"nextCursor":""}"#, 10).unwrap();
        let texts: Vec<_> = page.entries.iter().map(|entry| entry.get()).collect();
        assert_eq!(texts, [r#"{"b": 1.0}"#, "7"]);
        assert_eq!(page.next.unwrap().get(), r#""""#, "an empty cursor is a cursor");
    }

    #[test]
    fn only_a_missing_cursor_ends_the_list() {
        assert!(page(r#"{"tools":[]}"#, 10).unwrap().next.is_none());
        assert!(page(r#"{"tools":[],"nextCursor":null}"#, 10).unwrap().next.is_none(), "null stands for nothing");
        assert!(page(r#"{"tools":[],"nextCursor":7}"#, 10).unwrap().next.is_some(), "told as what it is, not ignored");
    }

    #[test]
    fn a_page_without_end_is_counted_and_not_kept() {
        let page = page(&format!(r#"{{"tools":[{}]}}"#, vec!["{}"; 5000].join(",")), 100).unwrap();
        assert_eq!((page.entries.len(), page.surplus), (100, 4900));
    }

    #[test]
    fn a_page_without_its_member_can_not_be_read() {
        assert!(page("{}", 1).unwrap_err().contains("`tools`"));
        assert!(page(r#"{"tools":7}"#, 1).is_err());
        assert!(page("[]", 1).is_err());
    }
}
