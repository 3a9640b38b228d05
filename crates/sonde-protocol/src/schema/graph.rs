//! A schema as a graph: which subschemas there are, and which of them one value meets. Measured before anything is
//! compiled, because references can make a short schema endless or exponential.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{SchemaProblem, known_dialect};

const MOST_SUBSCHEMAS: usize = 10_000;
/// Subschemas that may apply to one and the same value, references followed.
const MOST_AT_ONCE: u64 = 100_000;
/// References and compositions that may lead from one to the next without going into the value.
const LONGEST_CHAIN: u32 = 500;
const MOST_PATTERNS: usize = 256;
const LONGEST_PATTERNS: usize = 64 << 10;
/// The way to a subschema, all names on it together.
const LONGEST_POINTER: usize = 4 << 10;
const MOST_ADDRESSES: usize = 100;
/// References may each have several targets; this many in all.
const MOST_EDGES: usize = 100_000;
/// What a reference to a dialect's own schema is worth, which is known to be harmless.
const DIALECT_WEIGHT: u64 = 64;

#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// Every node stands behind those that apply with it.
    order: Vec<usize>,
    /// The most subschemas that meet at one value.
    widest: u64,
}

/// One subschema.
#[derive(Debug, Default)]
struct Node {
    /// The work of its own keywords.
    weight: u64,
    /// Those that apply to the same value.
    beside: Vec<usize>,
    /// Those that apply to parts of the value: of the first list at most one to each part, of the second all.
    either: Vec<usize>,
    each: Vec<usize>,
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

impl Graph {
    pub fn measure(schema: &Value) -> Result<Graph, SchemaProblem> {
        let mut survey = Survey::default();
        survey.enter(schema, &mut String::new())?;
        let (order, widest) = survey.link()?;
        Ok(Graph { nodes: survey.nodes, order, widest })
    }

    pub fn widest(&self) -> u64 {
        self.widest
    }

    /// How many subschemas meet on the way from the whole value to a part of it `depth` levels below, at the worst.
    /// More than `enough` is not counted on.
    pub fn visits(&self, depth: usize, enough: u64) -> u64 {
        let mut below = vec![0u64; self.nodes.len()];
        for _ in 0..=depth {
            let mut here = vec![0u64; self.nodes.len()];
            for &index in &self.order {
                let node = &self.nodes[index];
                let beside = node.beside.iter().fold(node.weight, |sum, at| sum.saturating_add(here[*at]));
                let either = node.either.iter().map(|at| below[*at]).max().unwrap_or(0);
                here[index] =
                    node.each.iter().fold(beside.saturating_add(either), |sum, at| sum.saturating_add(below[*at]));
            }
            below = here;
            if below.first().is_some_and(|root| *root > enough) {
                break;
            }
        }
        below.first().copied().unwrap_or(0)
    }
}

/// What is learned on the way through a schema.
#[derive(Default)]
struct Survey {
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

struct Reference {
    from: usize,
    /// The pointer of the innermost part with an address that the reference stands in.
    base: String,
    text: String,
}

impl Survey {
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

    /// Follows the references, and puts the subschemas in an order that respects them.
    fn link(&mut self) -> Result<(Vec<usize>, u64), SchemaProblem> {
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
        let count = self.nodes.len();
        let (seen, on_path) = (vec![None; count], vec![false; count]);
        let mut visit = Visit { nodes: &self.nodes, seen, on_path, order: Vec::new() };
        for index in 0..count {
            visit.finish(index)?;
        }
        let widest = visit.seen.iter().flatten().map(|(width, _)| *width).max().unwrap_or(1);
        Ok((visit.order, widest))
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

/// Puts every node behind those beside it, and sums them up.
struct Visit<'a> {
    nodes: &'a [Node],
    /// Of each finished node, how much meets at one value and how long the longest chain is.
    seen: Vec<Option<(u64, u32)>>,
    on_path: Vec<bool>,
    order: Vec<usize>,
}

impl Visit<'_> {
    fn finish(&mut self, start: usize) -> Result<(), SchemaProblem> {
        // By hand and not by recursion: a chain of references can be as long as the schema.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((index, next)) = path.last_mut() {
            let index = *index;
            if self.seen[index].is_some() {
                path.pop();
                continue;
            }
            self.on_path[index] = true;
            match self.nodes[index].beside.get(*next) {
                Some(&child) if self.seen[child].is_some() => *next += 1,
                Some(&child) if self.on_path[child] => {
                    let message = "a reference leads back to itself without going into the value".to_owned();
                    return Err(SchemaProblem::Invalid { path: String::new(), message });
                }
                Some(&child) => {
                    *next += 1;
                    path.push((child, 0));
                }
                None => {
                    let (width, chain) = self.sum(index);
                    if width > MOST_AT_ONCE {
                        let what = format!("its references multiply to more than {MOST_AT_ONCE} subschemas");
                        return Err(too_complex(what));
                    }
                    if chain > LONGEST_CHAIN {
                        return Err(too_complex(format!("its references form a chain of more than {LONGEST_CHAIN}")));
                    }
                    self.seen[index] = Some((width, chain));
                    self.order.push(index);
                    self.on_path[index] = false;
                    path.pop();
                }
            }
        }
        Ok(())
    }

    fn sum(&self, index: usize) -> (u64, u32) {
        let node = &self.nodes[index];
        node.beside.iter().filter_map(|child| self.seen[*child]).fold((node.weight, 1), |(width, chain), child| {
            (width.saturating_add(child.0), chain.max(child.1.saturating_add(1)))
        })
    }
}

fn too_complex(what: String) -> SchemaProblem {
    SchemaProblem::TooComplex { what }
}

fn push_segment(pointer: &mut String, segment: &str) {
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
