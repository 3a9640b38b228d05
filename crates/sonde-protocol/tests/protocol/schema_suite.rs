//! The verdicts of the official test suite of JSON Schema 2020-12, every one of them.
//!
//! `make setup` installs the suite as one file; where it is not there, these tests say so. What it fetches over the
//! network is put into the schema that names it, as a bundled document would have it: we fetch nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sonde_protocol::{Schema, SchemaProblem};

const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/json-schema/2020-12.json");
/// Where the suite's own server would give out the remote schemas.
const REMOTES: &str = "http://localhost:1234/";

#[derive(Deserialize)]
struct Suite {
    tests: BTreeMap<String, Vec<Group>>,
    remotes: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Box<RawValue>,
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    description: String,
    data: Value,
    valid: bool,
}

#[derive(Default)]
struct Tally {
    right: usize,
    /// Tests whose schema was given what it would fetch.
    bundled: usize,
    /// Verdicts that are not the suite's, by name.
    wrong: Vec<String>,
    /// Groups whose schema we refuse, with the reason and the number of their tests.
    refused: Vec<(String, String, usize)>,
}

impl Tally {
    fn judge(&mut self, suite: &Suite, file: &str, group: &Group) {
        let name = format!("{file}: {}", group.description);
        let mut compiled = Schema::compile(&group.schema);
        if matches!(compiled, Err(SchemaProblem::External { .. })) {
            compiled = compile_bundled(&group.schema, &suite.remotes);
            self.bundled += if compiled.is_ok() { group.tests.len() } else { 0 };
        }
        let schema = match compiled {
            Ok(schema) => schema,
            Err(problem) => return self.refused.push((name, problem.to_string(), group.tests.len())),
        };
        for case in &group.tests {
            if schema.check(&case.data).is_empty() == case.valid {
                self.right += 1;
            } else {
                self.wrong.push(format!("{name}: {}", case.description));
            }
        }
    }

    fn print(&self, what: &str) {
        let refused: usize = self.refused.iter().map(|(_, _, tests)| tests).sum();
        let Tally { right, bundled, wrong, .. } = self;
        println!(
            "{what}: {right} verdicts are the suite's ({bundled} of them with what they fetch), {refused} refused"
        );
        wrong.iter().for_each(|name| println!("  other verdict: {name}"));
        for (name, problem, tests) in &self.refused {
            println!("  refused, {tests} tests: {name}: {problem}");
        }
    }
}

/// The schema with all remote ones among its definitions, each under the address that it would be fetched from.
fn compile_bundled(schema: &RawValue, remotes: &BTreeMap<String, Value>) -> Result<Schema, SchemaProblem> {
    let mut bundle: Value = serde_json::from_str(schema.get()).expect("the suite is JSON");
    let root = bundle.as_object_mut().expect("a schema that refers to another is an object");
    let definitions = root.entry("$defs").or_insert_with(|| Value::Object(Map::new()));
    let definitions = definitions.as_object_mut().expect("definitions are an object");
    // Dialects are fetched by nobody: what they say has no part in a bundle.
    for (path, remote) in remotes.iter().filter(|(_, remote)| remote.get("$vocabulary").is_none()) {
        let address = format!("{REMOTES}{path}");
        let mut remote = remote.clone();
        let Some(members) = remote.as_object_mut() else { continue };
        match members.get("$id").and_then(Value::as_str) {
            None => drop(members.insert("$id".to_owned(), json!(address))),
            // It calls itself otherwise than whoever names it.
            Some(own) if own != address => {
                definitions.insert(format!("way to {path}"), json!({ "$id": address, "$ref": own }));
            }
            Some(_) => {}
        }
        definitions.insert(format!("fetched {path}"), remote);
    }
    Schema::compile(&serde_json::value::to_raw_value(&bundle).expect("a value is JSON"))
}

/// None where it is not installed.
fn suite() -> Option<Suite> {
    let Ok(text) = std::fs::read_to_string(SUITE) else {
        println!("not tested: the suite is not installed; `make setup` does that");
        return None;
    };
    Some(serde_json::from_str(&text).expect("the suite is as it was installed"))
}

fn tally(chosen: impl Fn(&str) -> bool) -> Option<Tally> {
    let suite = suite()?;
    let mut tally = Tally::default();
    for (file, groups) in suite.tests.iter().filter(|(file, _)| chosen(file)) {
        groups.iter().for_each(|group| tally.judge(&suite, file, group));
    }
    Some(tally)
}

#[test]
fn every_verdict_is_that_of_the_official_suite() {
    let Some(tally) = tally(|file| !file.starts_with("optional/")) else { return };
    tally.print("required");
    assert_eq!(tally.wrong, [""; 0], "a verdict that differs is a mistake of ours");
    let refused: Vec<_> = tally.refused.iter().map(|(name, _, _)| &**name).collect();
    let dialects = [
        "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary",
        "vocabulary.json: ignore unrecognized optional vocabulary",
    ];
    assert_eq!(refused, dialects, "a dialect of somebody's own would have to be fetched, and is refused by name");
    assert!(tally.right > 1200 && tally.bundled > 30, "the suite was there, and what it fetches was bundled");
}

#[test]
fn what_the_suite_leaves_open_is_decided_as_it_suggests() {
    // Formats assert nothing in 2020-12 unless a dialect says so, and `format.json` of the required set holds us to that.
    let optional = |file: &str| file.starts_with("optional/") && !file.starts_with("optional/format");
    let Some(tally) = tally(optional) else { return };
    tally.print("optional, without formats");
    assert_eq!(tally.wrong, [""; 0], "nobody has to decide it so, and we do");
    let refused: Vec<_> = tally.refused.iter().map(|(name, _, _)| &**name).collect();
    let strange = [
        "optional/cross-draft.json: refs to historic drafts are processed as historic drafts",
        "optional/refOfUnknownKeyword.json: reference internals of known non-applicator",
    ];
    assert_eq!(refused, strange, "the first needs 2019-09, the second a schema among examples, which was not measured");
}
