//! What was done and what was found, from one process or from all of them together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// More of them say nothing new.
const MOST_PROBLEMS: usize = 20;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    pub done: u32,
    /// How often each thing was done.
    pub counts: BTreeMap<String, u32>,
    /// What was left behind or went wrong. Empty, or the run has failed.
    pub problems: Vec<String>,
    /// Problems that are not in the list.
    pub further: u32,
    /// Figures that nobody is judged by: one sentence each, or the highest that any process has seen.
    pub notes: Vec<String>,
    pub highest: BTreeMap<String, f64>,
}

impl Report {
    pub fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    pub fn problem(&mut self, problem: impl Into<String>) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem.into());
        } else {
            self.further += 1;
        }
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub fn highest(&mut self, what: &str, figure: f64) {
        let highest = self.highest.entry(what.to_owned()).or_default();
        *highest = highest.max(figure);
    }

    /// Takes in what another process has found.
    pub fn join(&mut self, other: Report) {
        self.done += other.done;
        for (what, count) in other.counts {
            *self.counts.entry(what).or_default() += count;
        }
        self.further += other.further;
        other.problems.into_iter().for_each(|problem| self.problem(problem));
        self.notes.extend(other.notes);
        other.highest.iter().for_each(|(what, figure)| self.highest(what, *figure));
    }

    pub fn print(&self, what: &str) {
        let counts: Vec<_> = self.counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
        println!("{what}: {} ({})", self.done, counts.join(", "));
        for note in &self.notes {
            println!("  {note}");
        }
        for (what, figure) in &self.highest {
            println!("  {what}: {figure:.1}");
        }
        for problem in &self.problems {
            println!("  LEFT OR BROKEN: {problem}");
        }
        if self.further > 0 {
            println!("  and {} more", self.further);
        }
    }
}
