//! Who looks at every screen, and remembers which payload was seen where.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::Injection;
use crate::window::Window;

const WATCH: &str = include_str!("../../fixtures/injection/watch.js");

pub struct Eyes<'a> {
    pub window: &'a Window,
    injection: &'a Injection,
    /// For each screen, how often each payload was on it as text.
    seen: BTreeMap<&'static str, Vec<u64>>,
    pub looks: usize,
}

impl<'a> Eyes<'a> {
    pub async fn open(window: &'a Window, injection: &'a Injection) -> Result<Self> {
        let markers: Vec<_> = injection.payloads.iter().map(|payload| &payload.marker).collect();
        window.run_with(WATCH, vec![json!(markers)]).await?;
        Ok(Eyes { window, injection, seen: BTreeMap::new(), looks: 0 })
    }

    /// Fails unless all that is on the screen, and all that happened since the last look, is text and only text.
    pub async fn look(&mut self, screen: &'static str) -> Result<()> {
        let look = self.window.run("return injection.look();").await?;
        let told: Vec<_> = look["told"].as_array().into_iter().flatten().filter_map(|words| words.as_str()).collect();
        ensure!(told.is_empty(), "on the screen `{screen}`:\n  {}", told.join("\n  "));
        let counts = look["seen"].as_array().context("a look has counts")?;
        let seen = self.seen.entry(screen).or_insert_with(|| vec![0; counts.len()]);
        for (sum, count) in seen.iter_mut().zip(counts) {
            *sum += count.as_u64().unwrap_or_default();
        }
        self.looks += 1;
        Ok(())
    }

    /// Until the element shows the payload of that turn.
    pub async fn shows(&self, selector: &str, turn: usize) -> Result<()> {
        let marker = &self.injection.payloads[turn].marker;
        let expression = format!("injection.shows({}, {})", json!(selector), json!(marker));
        self.window.until(&format!("`{marker}` in `{selector}`"), &expression).await?;
        Ok(())
    }

    /// How often a payload was on a screen as text, over all looks.
    pub fn renders(&self) -> u64 {
        self.seen.values().flatten().sum()
    }

    /// The screens that were looked at, each with the payloads that were never on it.
    pub fn screens(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let missing = |seen: &Vec<u64>| {
            let unseen = seen.iter().zip(&self.injection.payloads).filter(|(count, _)| **count == 0);
            unseen.map(|(_, payload)| payload.name).collect()
        };
        self.seen.iter().map(|(screen, seen)| (*screen, missing(seen))).collect()
    }
}
