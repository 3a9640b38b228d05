//! What came out: a table for people, the same as JSON for machines.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::rounds::Spread;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    pub figures: Vec<Figure>,
    /// What the figures do not say: sizes, circumstances, what could not be measured.
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Figure {
    /// The budget's id; empty for what is only told.
    pub id: String,
    pub what: String,
    pub unit: Unit,
    pub value: Spread,
    /// At most this.
    pub budget: Option<f64>,
    pub verdict: Option<Verdict>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Ratio,
    Seconds,
    RowsPerSecond,
    Mebibytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Met,
    NotMet,
    /// The quartiles lie on both sides of the budget.
    SpreadTooWide,
}

impl Verdict {
    fn of(value: Spread, budget: f64) -> Self {
        if value.high <= budget {
            Verdict::Met
        } else if value.low > budget {
            Verdict::NotMet
        } else {
            Verdict::SpreadTooWide
        }
    }
}

impl Report {
    /// A figure with a budget.
    pub fn judge(&mut self, id: &str, what: impl Into<String>, unit: Unit, value: Spread, budget: f64) {
        let verdict = Some(Verdict::of(value, budget));
        self.figures.push(Figure { id: id.to_owned(), what: what.into(), unit, value, budget: Some(budget), verdict });
    }

    /// A figure for information.
    pub fn tell(&mut self, what: impl Into<String>, unit: Unit, value: Spread) {
        self.figures.push(Figure { id: String::new(), what: what.into(), unit, value, budget: None, verdict: None });
    }

    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub fn join(&mut self, part: Report) {
        self.figures.extend(part.figures);
        self.notes.extend(part.notes);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<4} {:<58} {:>12} {:>23} {:>9}  verdict", "id", "what", "median", "quartiles", "budget")?;
        for figure in &self.figures {
            let unit = figure.unit;
            let quartiles = format!("{} to {}", unit.show(figure.value.low), unit.show(figure.value.high));
            let budget = figure.budget.map(|budget| unit.show(budget)).unwrap_or_default();
            let verdict = figure.verdict.map(|verdict| verdict.to_string()).unwrap_or_default();
            let line = format!(
                "{:<4} {:<58} {:>12} {quartiles:>23} {budget:>9}  {verdict}",
                figure.id,
                figure.what,
                unit.show(figure.value.median),
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        for note in &self.notes {
            writeln!(out, "note: {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Verdict::Met => "met",
            Verdict::NotMet => "not met",
            Verdict::SpreadTooWide => "spread too wide",
        })
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Unit::Ratio => format!("{value:.2}"),
            Unit::Seconds if value < 0.001 => format!("{:.1} us", value * 1e6),
            Unit::Seconds if value < 1.0 => format!("{:.2} ms", value * 1e3),
            Unit::Seconds => format!("{value:.2} s"),
            Unit::RowsPerSecond => format!("{value:.0}/s"),
            Unit::Mebibytes => format!("{value:.1} MiB"),
        }
    }
}
