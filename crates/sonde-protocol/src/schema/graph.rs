//! A schema as a graph: which subschemas there are, and which of them one value meets. Measured before anything is
//! compiled, because references can make a short schema endless or exponential.

use serde_json::Value;

use super::SchemaProblem;
use super::survey::Survey;

/// Subschemas that may apply to one and the same value, references followed.
const MOST_AT_ONCE: u64 = 100_000;
/// References and compositions that may lead from one to the next without going into the value.
const LONGEST_CHAIN: u32 = 500;

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
pub(super) struct Node {
    /// The work of its own keywords.
    pub weight: u64,
    /// Those that apply to the same value.
    pub beside: Vec<usize>,
    /// Those that apply to parts of the value: of the first list at most one to each part, of the second all.
    pub either: Vec<usize>,
    pub each: Vec<usize>,
}

impl Graph {
    pub fn measure(schema: &Value) -> Result<Graph, SchemaProblem> {
        let nodes = Survey::of(schema)?;
        let (seen, on_path) = (vec![None; nodes.len()], vec![false; nodes.len()]);
        let mut visit = Visit { nodes: &nodes, seen, on_path, order: Vec::new() };
        for index in 0..nodes.len() {
            visit.finish(index)?;
        }
        let widest = visit.seen.iter().flatten().map(|(width, _)| *width).max().unwrap_or(1);
        let order = visit.order;
        Ok(Graph { nodes, order, widest })
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

pub(super) fn too_complex(what: String) -> SchemaProblem {
    SchemaProblem::TooComplex { what }
}
