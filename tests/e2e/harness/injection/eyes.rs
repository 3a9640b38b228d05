//! Who walks through the page, looks at every screen, and remembers which payload was seen where.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{Injection, Payload};
use crate::window::Window;

/// What stays in the page, and what the steps of a walk can use.
const WATCH: &str = include_str!("../../fixtures/injection/watch.js");

pub struct Eyes<'a> {
    window: &'a Window,
    /// What is looked for, in the order of what was seen.
    payloads: &'a [Payload],
}

/// What was seen in the end.
pub struct Sight {
    /// How often the whole page was looked at.
    pub looks: u64,
    /// How often a payload was on a screen as text, over all looks.
    pub renders: u64,
    /// The screens, each with the payloads that were never where it shows what the server sent.
    pub screens: Vec<(String, Vec<&'static str>)>,
}

impl<'a> Eyes<'a> {
    pub async fn open(window: &'a Window, injection: &'a Injection) -> Result<Self> {
        Self::watch(window, &injection.payloads, &injection.lives).await
    }

    /// Without a payload to look for: only that what is there is text.
    pub async fn over(window: &'a Window) -> Result<Self> {
        Self::watch(window, &[], &[]).await
    }

    async fn watch(window: &'a Window, payloads: &'a [Payload], lives: &[usize]) -> Result<Self> {
        let markers: Vec<_> = payloads.iter().map(|payload| &payload.marker).collect();
        // In a block, so that its names are its own.
        window.run_with(&format!("{{ {WATCH} }}"), vec![json!(markers), json!(lives)]).await?;
        Ok(Eyes { window, payloads })
    }

    /// Fails unless all that is on the screen, and all that happened since the last look, is text and only text.
    pub async fn look(&self, screen: &str) -> Result<()> {
        self.walk(&format!("look({});", json!(screen))).await?;
        Ok(())
    }

    /// Takes the steps within the page, and gives what they return: thousands by way of the driver would take minutes.
    pub async fn walk(&self, steps: &str) -> Result<Value> {
        let script = format!(
            "const {{ until, turns, lives, markers, shows, click, into, press, type, look }} = injection;
            const given = (async () => {{ {steps} }})();
            given.then((given) => done({{ given }}), (thrown) => done({{ thrown: String(thrown) }}));"
        );
        let mut outcome = self.window.run_async(&script, Vec::new()).await?;
        match outcome["thrown"].as_str() {
            Some(thrown) => bail!("{thrown}"),
            None => Ok(outcome["given"].take()),
        }
    }

    pub async fn sight(&self) -> Result<Sight> {
        let report = self.window.run("return injection.report();").await?;
        let seen_on = report["seenOn"].as_object().context("a report has screens")?;
        let counts =
            |seen: &Value| -> Vec<u64> { seen.as_array().into_iter().flatten().filter_map(Value::as_u64).collect() };
        let missing = |seen: &Value| {
            let unseen = counts(seen).into_iter().zip(self.payloads).filter(|(count, _)| *count == 0);
            unseen.map(|(_, payload)| payload.name).collect()
        };
        Ok(Sight {
            looks: report["looks"].as_u64().unwrap_or_default(),
            renders: seen_on.values().flat_map(counts).sum(),
            screens: seen_on.iter().map(|(screen, seen)| (screen.clone(), missing(seen))).collect(),
        })
    }
}
