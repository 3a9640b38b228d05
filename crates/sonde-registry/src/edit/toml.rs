//! An entry of a TOML text.

use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::{Text, named};
use crate::definition::Definition;
use crate::language::{Object, Value, toml_table};

/// As the client has it that writes TOML.
const NEW: &[&str] = &["mcp_servers"];

pub(super) fn put(text: &Text, definition: &Definition) -> Option<String> {
    let mut document: DocumentMut = text.text.parse().ok()?;
    let way = text.place().map_or(NEW, |(way, _)| way);
    let place = at(document.as_table_mut(), way)?;
    match place {
        Item::ArrayOfTables(tables) => {
            let (_, node) = text.place()?;
            let table = plain(&named(definition));
            match text.names(node).iter().position(|name| *name == definition.name) {
                Some(index) => merge(tables.get_mut(index)?, &table),
                None => tables.push(table),
            }
        }
        Item::None => {
            let mut entries = Table::new();
            entries.set_implicit(true);
            entries.insert(&definition.name, Item::Table(plain(&definition.entry)));
            *place = Item::Table(entries);
        }
        place => {
            let entries = place.as_table_like_mut()?;
            let table = plain(&definition.entry);
            match entries.get_mut(&definition.name) {
                Some(entry) => merge(entry.as_table_like_mut()?, &table),
                None => drop(entries.insert(&definition.name, Item::Table(table))),
            }
        }
    }
    Some(document.to_string())
}

pub(super) fn remove(text: &Text, name: &str) -> Option<String> {
    let mut document: DocumentMut = text.text.parse().ok()?;
    let (way, node) = text.place()?;
    match at(document.as_table_mut(), way)? {
        Item::ArrayOfTables(tables) => drop(tables.remove(text.names(node).iter().position(|there| there == name)?)),
        place => drop(place.as_table_like_mut()?.remove(name)?),
    }
    Some(document.to_string())
}

fn at<'a>(root: &'a mut Table, way: &[&str]) -> Option<&'a mut Item> {
    let (first, rest) = way.split_first()?;
    let mut item = root.entry(first).or_insert(Item::None);
    for name in rest {
        item = item.as_table_like_mut()?.get_mut(name)?;
    }
    Some(item)
}

/// An entry as a table of its own, what is in it on one line each.
fn plain(entry: &Object) -> Table {
    let mut table = toml_table(entry);
    table.set_implicit(false);
    table
}

/// Changes only what differs, so that the comments beside the rest stay.
fn merge(there: &mut dyn TableLike, new: &Table) {
    let gone: Vec<String> =
        there.iter().map(|(name, _)| name.to_owned()).filter(|name| !new.contains_key(name)).collect();
    for name in gone {
        there.remove(&name);
    }
    for (name, item) in new {
        let is_same = there.get(name).is_some_and(|old| written(old) == written(item));
        if !is_same {
            there.insert(name, item.clone());
        }
    }
}

/// What it says, without the space and the comments around it.
fn written(item: &Item) -> Option<Value> {
    let mut table = Table::new();
    table.insert("x", item.clone());
    let mut document = DocumentMut::new();
    *document.as_table_mut() = table;
    let parsed = crate::language::Document::parse(&document.to_string(), crate::language::Language::Toml).ok()?;
    Some(parsed.root.value.as_object()?.get("x")?.value.clone())
}
