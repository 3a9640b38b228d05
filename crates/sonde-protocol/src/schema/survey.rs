//! The way through a schema: every place where a subschema can stand, by what its keyword does with it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::graph::{Node, too_complex};
use super::{SchemaProblem, known_dialect};

const MOST_SUBSCHEMAS: usize = 10_000;
const MOST_PATTERNS: usize = 256;
const LONGEST_PATTERNS: usize = 64 << 10;
/// The way to a subschema, all names on it together.
const LONGEST_POINTER: usize = 4 << 10;
const MOST_ADDRESSES: usize = 100;
/// References may each have several targets; this many in all.
const MOST_EDGES: usize = 100_000;
/// What a reference to a dialect's own schema is worth, which is known to be harmless.
const DIALECT_WEIGHT: u64 = 64;

/// What is learned on the way through a schema.
#[derive(Default)]
pub(super) struct Survey {
    nodes: Vec<Node>,
    pointers: HashMap<String, usize>,
    /// Parts of a schema may use one name each for another place, so a name is a list.
    anchors: HashMap<String, Vec<usize>>,
    /// The parts that give themselves an address: the address and the pointer.
    addresses: Vec<(String, String)>,
    references: Vec<Reference>,
    patterns: usize,
    pattern_bytes: usize,
}

/// How a keyword uses the schemas that stand under it.
#[derive(Clone, Copy)]
enum Role {
    Beside,
    Either,
    Each,
    /// Only a reference leads there.
    Named,
}

struct Reference {
    from: usize,
    /// The pointer of the innermost part with an address that the reference stands in.
    base: String,
    text: String,
}

impl Survey {
    /// Every subschema, the whole first, with the references followed.
    pub fn of(schema: &Value) -> Result<Vec<Node>, SchemaProblem> {
        let mut survey = Survey::default();
        survey.enter(schema, &mut String::new())?;
        survey.link()?;
        Ok(survey.nodes)
    }

    /// Enters a value that stands where a schema can stand, and gives its number.
    fn enter(&mut self, schema: &Value, pointer: &mut String) -> Result<usize, SchemaProblem> {
        let index = self.nodes.len();
        if index >= MOST_SUBSCHEMAS {
            return Err(too_complex(format!("it has more than {MOST_SUBSCHEMAS} subschemas")));
        }
        if pointer.len() > LONGEST_POINTER {
            return Err(too_complex(format!("the names in it are longer than {LONGEST_POINTER} bytes")));
        }
        self.nodes.push(Node { weight: 1, ..Node::default() });
        self.pointers.insert(pointer.clone(), index);
        if let Value::Object(members) = schema {
            self.enter_members(index, members, pointer)?;
        }
        Ok(index)
    }

    fn enter_members(
        &mut self,
        index: usize,
        members: &Map<String, Value>,
        pointer: &mut String,
    ) -> Result<(), SchemaProblem> {
        // First, because the references beside it are relative to it.
        let address = members.get("$id").and_then(Value::as_str);
        if let Some(address) = address.filter(|address| !address.starts_with('#')) {
            if self.addresses.len() >= MOST_ADDRESSES {
                return Err(too_complex(format!("more than {MOST_ADDRESSES} parts of it have an address")));
            }
            self.addresses.push((address.to_owned(), pointer.clone()));
        }
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                ("$schema", Value::String(dialect)) if known_dialect(dialect).is_none() => {
                    return Err(SchemaProblem::Unsupported { dialect: super::clip(dialect) });
                }
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    let within = |(_, at): &&(String, String)| at.is_empty() || is_within(pointer, at);
                    let base = self.addresses.iter().rfind(within).map(|(_, at)| at.clone()).unwrap_or_default();
                    self.references.push(Reference { from: index, base, text: reference.clone() });
                }
                ("$id" | "$anchor" | "$dynamicAnchor", Value::String(name)) => {
                    let name = name.strip_prefix('#').unwrap_or(name);
                    self.anchors.entry(name.to_owned()).or_default().push(index);
                }
                ("pattern", Value::String(pattern)) => self.count_pattern(pattern)?,
                ("enum" | "required" | "examples", Value::Array(items)) => {
                    self.nodes[index].weight += items.len() as u64 / 8;
                }
                ("const" | "default" | "enum" | "examples", _) => {}
                ("allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else", value) => {
                    self.enter_below(index, keyword, value, Role::Beside, pointer)?;
                }
                ("prefixItems", value) | ("items", value @ Value::Array(_)) => {
                    self.enter_below(index, keyword, value, Role::Either, pointer)?;
                }
                (
                    "items"
                    | "additionalItems"
                    | "unevaluatedItems"
                    | "contains"
                    | "additionalProperties"
                    | "unevaluatedProperties"
                    | "propertyNames"
                    | "contentSchema",
                    value,
                ) => self.enter_below(index, keyword, value, Role::Each, pointer)?,
                ("properties", Value::Object(named)) => {
                    self.enter_named(index, keyword, named, Role::Either, pointer)?
                }
                ("patternProperties", Value::Object(named)) => {
                    named.keys().try_for_each(|pattern| self.count_pattern(pattern))?;
                    self.enter_named(index, keyword, named, Role::Each, pointer)?;
                }
                ("dependentSchemas" | "dependencies", Value::Object(named)) => {
                    self.enter_named(index, keyword, named, Role::Beside, pointer)?;
                }
                ("$defs" | "definitions", Value::Object(named)) => {
                    self.enter_named(index, keyword, named, Role::Named, pointer)?;
                }
                (_, value) => self.enter_below(index, keyword, value, Role::Named, pointer)?,
            }
        }
        Ok(())
    }

    /// Enters what stands under a keyword: one schema or an array of them.
    fn enter_below(
        &mut self,
        parent: usize,
        name: &str,
        value: &Value,
        role: Role,
        pointer: &mut String,
    ) -> Result<(), SchemaProblem> {
        let length = pointer.len();
        push_segment(pointer, name);
        match value {
            Value::Array(items) => {
                for (place, item) in items.iter().enumerate() {
                    self.enter_below(parent, &place.to_string(), item, role, pointer)?;
                }
            }
            Value::Object(_) | Value::Bool(_) => {
                let child = self.enter(value, pointer)?;
                self.connect(parent, child, role);
            }
            Value::Null | Value::Number(_) | Value::String(_) => {}
        }
        pointer.truncate(length);
        Ok(())
    }

    /// Enters the schemas of a keyword that gives each a name.
    fn enter_named(
        &mut self,
        parent: usize,
        keyword: &str,
        named: &Map<String, Value>,
        role: Role,
        pointer: &mut String,
    ) -> Result<(), SchemaProblem> {
        let length = pointer.len();
        push_segment(pointer, keyword);
        for (name, value) in named {
            self.enter_below(parent, name, value, role, pointer)?;
        }
        pointer.truncate(length);
        Ok(())
    }

    fn connect(&mut self, parent: usize, child: usize, role: Role) {
        let node = &mut self.nodes[parent];
        match role {
            Role::Beside => node.beside.push(child),
            Role::Either => node.either.push(child),
            Role::Each => node.each.push(child),
            Role::Named => {}
        }
    }

    fn count_pattern(&mut self, pattern: &str) -> Result<(), SchemaProblem> {
        self.patterns += 1;
        self.pattern_bytes += pattern.len();
        if self.patterns > MOST_PATTERNS || self.pattern_bytes > LONGEST_PATTERNS {
            let what = format!("its patterns are more than {MOST_PATTERNS} or longer than {LONGEST_PATTERNS} bytes");
            return Err(too_complex(what));
        }
        Ok(())
    }

    /// Puts what a reference leads to beside the schema that it stands in.
    fn link(&mut self) -> Result<(), SchemaProblem> {
        let mut edges = 0;
        for reference in std::mem::take(&mut self.references) {
            let (address, fragment) = reference.text.split_once('#').unwrap_or((&reference.text, ""));
            if known_dialect(address).is_some() {
                self.nodes[reference.from].weight += DIALECT_WEIGHT;
                continue;
            }
            let targets = self.targets(&reference.base, address, &percent_decode(fragment));
            if targets.is_empty() {
                let text = super::clip(&reference.text);
                if !address.is_empty() && self.addressed(address).next().is_none() {
                    return Err(SchemaProblem::External { reference: text });
                }
                // What lies among data was not measured, and must not be compiled.
                let message = format!("the reference `{text}` leads to no schema");
                return Err(SchemaProblem::Invalid { path: String::new(), message });
            }
            edges += targets.len();
            if edges > MOST_EDGES {
                return Err(too_complex(format!("its references have more than {MOST_EDGES} possible targets")));
            }
            self.nodes[reference.from].beside.extend(targets);
        }
        Ok(())
    }

    /// Every place where a reference may lead. More than one where only the compiler can tell which it is.
    fn targets(&self, base: &str, address: &str, fragment: &str) -> Vec<usize> {
        let bases: Vec<&str> = if address.is_empty() { vec![base] } else { self.addressed(address).collect() };
        if fragment.is_empty() || fragment.starts_with('/') {
            bases.iter().filter_map(|base| self.pointers.get(&format!("{base}{fragment}")).copied()).collect()
        } else if bases.is_empty() {
            Vec::new()
        } else {
            self.anchors.get(fragment).cloned().unwrap_or_default()
        }
    }

    /// The parts that an address can mean. Addresses are relative to each other; their last part is not.
    fn addressed<'a>(&'a self, address: &'a str) -> impl Iterator<Item = &'a str> {
        self.addresses.iter().filter(|(known, _)| last_part(known) == last_part(address)).map(|(_, at)| at.as_str())
    }
}

fn last_part(address: &str) -> &str {
    let address = address.trim_end_matches('#');
    address.rsplit(['/', ':']).next().unwrap_or(address)
}

fn is_within(pointer: &str, outer: &str) -> bool {
    pointer.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for letter in segment.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
