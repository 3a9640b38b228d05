//! Values against JSON Schemas. A schema comes from a server, so it is measured before it is compiled, nothing that it
//! names is fetched, and no pattern of it can backtrack.

mod graph;
mod survey;
mod wording;

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;
use serde_json::value::RawValue;

use graph::Graph;

/// A schema that is ready to be used.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    graph: Graph,
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaProblem {
    #[error("the schema dialect `{dialect}` is not supported; 2020-12 and draft-07 are")]
    Unsupported { dialect: String },
    #[error("the schema is too complex to be checked: {what}")]
    TooComplex { what: String },
    #[error("the schema names `{reference}`, which was not fetched")]
    External { reference: String },
    #[error("the schema is not valid at `{path}`: {message}")]
    Invalid { path: String, message: String },
}

/// One place where a value is not what its schema says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// A JSON pointer into the value; empty for the whole.
    pub path: String,
    /// A pointer to what would have to change: for a member that is missing or not allowed, the member.
    pub place: String,
    pub message: String,
}

/// Violations that are told one by one; of the others there is a number.
const MOST_VIOLATIONS: usize = 50;
/// A larger schema is no description of arguments but a load.
const LONGEST_SCHEMA: usize = 4 << 20;
/// Subschemas times values that one check may visit; about a quarter of a second.
const MOST_VISITS: u64 = 20_000_000;
/// The same for finding out what exactly is wrong, which remembers what it sees on the way.
const MOST_DETAILED_VISITS: u64 = 500_000;
/// The validator goes into a schema by recursion, as deep as the schema's references lead.
const STACK: usize = 64 << 20;
/// Bytes that one compiled pattern may take, and as much again while it runs.
const LARGEST_PATTERN: usize = 256 << 10;

impl Schema {
    pub fn compile(schema: &RawValue) -> Result<Schema, SchemaProblem> {
        if schema.get().len() > LONGEST_SCHEMA {
            let what = format!("it has {} bytes, and {LONGEST_SCHEMA} are the limit", schema.get().len());
            return Err(SchemaProblem::TooComplex { what });
        }
        // The parser stops at 128 levels, so nothing that follows can be led deeper than that by the text.
        let value: Value = serde_json::from_str(schema.get())
            .map_err(|error| SchemaProblem::TooComplex { what: format!("it cannot be read: {error}") })?;
        let draft = draft(&value)?;
        let graph = Graph::measure(&value)?;
        let patterns = PatternOptions::regex().size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN);
        let options = jsonschema::options().with_draft(draft).with_pattern_options(patterns).offline();
        let validator = stacker::grow(STACK, || options.build(&value)).map_err(|error| unusable(&error))?;
        Ok(Schema { validator, graph })
    }

    /// Whether a check of `value` would end in time.
    pub fn can_check(&self, value: &Value) -> bool {
        self.is_within_reach(&Extent::of(value))
    }

    /// Where `value` is not what the schema says. After fifty violations the last one counts the rest.
    pub fn check(&self, value: &Value) -> Vec<Violation> {
        let extent = Extent::of(value);
        if !self.is_within_reach(&extent) {
            return vec![whole("it was not checked: the value is too large for this schema")];
        }
        stacker::grow(STACK, || {
            if self.validator.is_valid(value) {
                return Vec::new();
            }
            if self.graph.visits(extent.depth, MOST_DETAILED_VISITS).saturating_mul(extent.size) > MOST_DETAILED_VISITS
            {
                return vec![whole("it does not match the schema, and is too large to say where")];
            }
            let mut errors = self.validator.iter_errors(value);
            let told = errors.by_ref().take(MOST_VIOLATIONS).flat_map(|error| wording::violations(&error));
            let mut violations: Vec<_> = told.take(MOST_VIOLATIONS).collect();
            match errors.count() {
                0 => {}
                more => violations.push(whole(&format!("and {more} more"))),
            }
            violations
        })
    }

    fn is_within_reach(&self, extent: &Extent) -> bool {
        self.graph.widest().saturating_mul(extent.size) <= MOST_VISITS
    }
}

fn whole(message: &str) -> Violation {
    Violation { path: String::new(), place: String::new(), message: message.to_owned() }
}

fn unusable(error: &ValidationError<'_>) -> SchemaProblem {
    SchemaProblem::Invalid {
        path: error.instance_path().to_string(),
        message: clip(&error.masked_with("the value").to_string()),
    }
}

fn clip(text: &str) -> String {
    const LONGEST: usize = 400;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn draft(schema: &Value) -> Result<Draft, SchemaProblem> {
    match schema.get("$schema") {
        None => Ok(Draft::Draft202012),
        Some(Value::String(dialect)) => {
            known_dialect(dialect).ok_or_else(|| SchemaProblem::Unsupported { dialect: clip(dialect) })
        }
        Some(_) => {
            let message = "`$schema` is not a string".to_owned();
            Err(SchemaProblem::Invalid { path: "/$schema".to_owned(), message })
        }
    }
}

fn known_dialect(uri: &str) -> Option<Draft> {
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    let uri = uri.strip_prefix("https://").or(uri.strip_prefix("http://"))?;
    match uri {
        "json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
        "json-schema.org/draft-07/schema" => Some(Draft::Draft7),
        _ => None,
    }
}

/// How much there is to visit in a value.
struct Extent {
    /// Values in it, with long strings counting for more.
    size: u64,
    depth: usize,
}

impl Extent {
    fn of(value: &Value) -> Self {
        let mut extent = Extent { size: 0, depth: 0 };
        let mut waiting = vec![(value, 0)];
        while let Some((value, depth)) = waiting.pop() {
            extent.depth = extent.depth.max(depth);
            extent.size += 1;
            match value {
                Value::String(text) => extent.size += text.len() as u64 / 64,
                Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(members) => waiting.extend(members.values().map(|member| (member, depth + 1))),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        extent
    }
}
