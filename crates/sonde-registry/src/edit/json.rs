//! An entry of a JSON text, changed member by member, so that the comments in it stay as well.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use super::{NEW, Text, named};
use crate::definition::Definition;
use crate::language::{Object, TOLERATED, Value};

pub(super) fn put(text: &Text, definition: &Definition) -> Option<String> {
    let root = CstRootNode::parse(text.text, &TOLERATED).ok()?;
    let object = root.object_value()?;
    let way = text.place().map_or(NEW, |(way, _)| way);
    match text.place().map(|(_, node)| &node.value) {
        Some(Value::List(list)) => {
            let array = list_at(&object, way)?;
            let place = place_of(text, &definition.name);
            match place.and_then(|place| Some((array.elements().get(place)?.as_object()?, list.get(place)?))) {
                Some((there, old)) => merge(&there, old.value.as_object()?, &named(definition)),
                None => drop(array.append(input(&Value::Object(named(definition))))),
            }
        }
        Some(Value::Object(entries)) => {
            let there = object_at(&object, way)?;
            match (there.object_value(&definition.name), entries.get(&definition.name)) {
                (Some(entry), Some(old)) => merge(&entry, old.value.as_object()?, &definition.entry),
                (None, None) => append(&there, &definition.name, &Value::Object(definition.entry.clone())),
                _ => set(&there, &definition.name, &Value::Object(definition.entry.clone())),
            }
        }
        _ => {
            let [key] = way else { return None };
            append(&object.object_value_or_set(key), &definition.name, &Value::Object(definition.entry.clone()));
        }
    }
    Some(root.to_string())
}

pub(super) fn remove(text: &Text, name: &str) -> Option<String> {
    let root = CstRootNode::parse(text.text, &TOLERATED).ok()?;
    let object = root.object_value()?;
    let (way, node) = text.place()?;
    match &node.value {
        Value::List(_) => list_at(&object, way)?.elements().get(place_of(text, name)?)?.clone().remove(),
        _ => object_at(&object, way)?.get(name)?.remove(),
    }
    Some(root.to_string())
}

fn place_of(text: &Text, name: &str) -> Option<usize> {
    let (_, node) = text.place()?;
    text.names(node).iter().position(|there| there == name)
}

fn object_at(root: &CstObject, way: &[&str]) -> Option<CstObject> {
    way.iter().try_fold(root.clone(), |object, name| object.object_value(name))
}

fn list_at(root: &CstObject, way: &[&str]) -> Option<CstArray> {
    let (last, first) = way.split_last()?;
    object_at(root, first)?.array_value(last)
}

/// Makes `there`, which says `old`, say `new`, by changing what differs.
fn merge(there: &CstObject, old: &Object, new: &Object) {
    for member in old.iter().filter(|member| !new.has(&member.name)) {
        if let Some(property) = there.get(&member.name) {
            property.remove();
        }
    }
    for member in new.iter() {
        match (old.get(&member.name).map(|node| &node.value), &member.node.value) {
            (Some(before), after) if before == after => {}
            (Some(Value::Object(before)), Value::Object(after)) => match there.object_value(&member.name) {
                Some(within) if !before.is_empty() && !after.is_empty() => merge(&within, before, after),
                _ => set(there, &member.name, &member.node.value),
            },
            (Some(_), after) => set(there, &member.name, after),
            (None, after) => append(there, &member.name, after),
        }
    }
}

fn set(object: &CstObject, name: &str, value: &Value) {
    match object.get(name) {
        Some(property) => property.set_value(input(value)),
        None => append(object, name, value),
    }
}

fn append(object: &CstObject, name: &str, value: &Value) {
    let appended: CstNode = object.append(name, input(value)).into();
    drop(appended);
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Flag(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.clone()),
        Value::Text(text) => CstInputValue::String(text.clone()),
        Value::List(list) => CstInputValue::Array(list.iter().map(|node| input(&node.value)).collect()),
        Value::Object(object) => {
            let members = object.iter().map(|member| (member.name.clone(), input(&member.node.value)));
            CstInputValue::Object(members.collect())
        }
    }
}
