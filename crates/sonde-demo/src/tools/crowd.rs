//! As many tools as are asked for, to see what becomes of a list of ten thousand.
//!
//! They are made when they are listed and kept nowhere. Their names, titles and descriptions differ enough for a search
//! to have something to find.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{Outcome, object_schema, text};

const VERBS: &[&str] =
    &["create", "read", "update", "delete", "list", "search", "archive", "restore", "export", "share"];
const THINGS: &[&str] = &[
    "account",
    "article",
    "booking",
    "calendar",
    "contract",
    "customer",
    "document",
    "image",
    "invoice",
    "message",
    "order",
    "payment",
    "product",
    "project",
    "report",
    "room",
    "shipment",
    "ticket",
    "vehicle",
    "warehouse",
];

/// The tool at this place of the crowd.
pub(super) fn describe(number: usize) -> Tool {
    let (verb, thing) = words(number);
    let mut properties = json!({ "id": { "type": "string", "description": format!("Which {thing}") } });
    if number.is_multiple_of(3) {
        properties["reason"] = json!({ "type": "string", "enum": ["asked", "needed", "due"] });
    }
    if number.is_multiple_of(5) {
        properties["limit"] = json!({ "type": "integer", "minimum": 1, "maximum": 100, "default": 10 });
    }
    let reads = ["read", "list", "search", "export"].contains(&verb);
    let description = format!("Would {verb} one {thing}, had it any. One of a crowd, number {number}");
    Tool::new(name(number), description, object_schema(properties, &["id"]))
        .with_title(format!("Pretend to {verb}: {thing} {number}"))
        .with_annotations(
            ToolAnnotations::new().read_only(reads).destructive(verb == "delete").idempotent(reads).open_world(false),
        )
}

/// `None` for a name that is none of the first `size`.
pub(super) fn call(called: &str, arguments: Option<JsonObject>, size: usize) -> Option<Outcome> {
    let number = called.rsplit_once('_')?.1.parse().ok().filter(|number| *number < size)?;
    (called == name(number)).then(|| {
        let arguments = Value::Object(arguments.unwrap_or_default());
        Ok(text(format!("`{called}` was called with {arguments}")))
    })
}

fn name(number: usize) -> String {
    let (verb, thing) = words(number);
    format!("{thing}_{verb}_{number:05}")
}

fn words(number: usize) -> (&'static str, &'static str) {
    let of = |words: &[&'static str], place: usize| words.get(place % words.len()).copied().unwrap_or_default();
    (of(VERBS, number / THINGS.len()), of(THINGS, number))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_of_ten_thousand_has_a_name_of_its_own_and_answers_to_it() {
        let names: BTreeSet<String> = (0..10_000).map(|number| describe(number).name.into_owned()).collect();
        assert_eq!(names.len(), 10_000, "no name is given twice");
        assert!(names.iter().all(|name| call(name, None, 10_000).is_some()), "each is found by its name");
        assert!(call("account_create_00000", None, 0).is_none(), "what is not listed is not there");
        assert!(call("account_create_00001", None, 10).is_none(), "nor is what has another's number");
    }
}
