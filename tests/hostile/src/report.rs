//! What a person reads, and what a program reads.

use serde_json::{Value, json};

use crate::cases::{Case, Means};
use crate::figures::Outcome;

/// One line for one case.
pub fn line(case: &Case, outcome: &Outcome) -> String {
    let figures = &outcome.figures;
    let verdict = if outcome.failures.is_empty() { "survived" } else { "FAILED  " };
    let mut parts = vec![
        format!("+{:.0} MiB, {:+.0} left", figures.growth_mib, figures.left_mib),
        format!("health {:.0}/{:.0} ms", figures.health.p50, figures.health.p99),
        format!("canary {:.0}/{:.0} ms", figures.canary.p50, figures.canary.p99),
        format!("disconnect {:.1} s", figures.disconnect_s),
        format!("{} in {} rows", bytes(figures.sent), figures.rows),
    ];
    if figures.dropped > 0 {
        parts.push(format!("{} counted as dropped", bytes(figures.dropped)));
    }
    parts.push(format!("load {:.1}", figures.load[1]));
    parts.push(format!("{:.1} s", figures.took_s));
    let mut text = format!("{:<4} {verdict} {:<9} {}", case.id, case.means.word(), parts.join(" · "));
    for note in &outcome.notes {
        text.push_str(&format!("\n       note: {}", clip(note)));
    }
    for failure in &outcome.failures {
        text.push_str(&format!("\n       {}", clip(failure)));
    }
    text
}

/// The last lines: how each case was run, and the count.
pub fn summary(played: &[(&Case, Outcome)]) -> String {
    let mut text = String::new();
    for (case, _) in played {
        match case.means {
            Means::Simulated(how) => text.push_str(&format!("{:<4} simulated: {how}\n", case.id)),
            Means::Impossible(why) => text.push_str(&format!("{:<4} not possible here: {why}\n", case.id)),
            Means::Real => {}
        }
        if !case.later.is_empty() {
            text.push_str(&format!("{:<4} not in it: {}\n", case.id, case.later));
        }
    }
    let survived = played.iter().filter(|(case, outcome)| case.is_played() && outcome.failures.is_empty()).count();
    let total = played.iter().filter(|(case, _)| case.is_played()).count();
    text.push_str(&format!("survived {survived}/{total}"));
    let impossible = played.len() - total;
    if impossible > 0 {
        text.push_str(&format!(", {impossible} not possible here"));
    }
    text
}

pub fn json(seed: u64, played: &[(&Case, Outcome)]) -> Value {
    let cases: Vec<Value> = played
        .iter()
        .map(|(case, outcome)| {
            json!({
                "id": case.id,
                "title": case.title,
                "means": case.means.word(),
                "how": case.means.how(),
                "later": case.later,
                "survived": case.is_played().then_some(outcome.failures.is_empty()),
                "failures": outcome.failures,
                "notes": outcome.notes,
                "figures": outcome.figures,
            })
        })
        .collect();
    let survived = played.iter().filter(|(case, outcome)| case.is_played() && outcome.failures.is_empty()).count();
    let total = played.iter().filter(|(case, _)| case.is_played()).count();
    json!({ "seed": seed, "survived": survived, "of": total, "cases": cases })
}

/// A failure may quote a server, and a server may be long.
fn clip(text: &str) -> String {
    match text.char_indices().nth(1500) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.0} kB", count as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.0} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
