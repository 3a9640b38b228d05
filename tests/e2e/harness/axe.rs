//! The page as axe-core judges it: what someone who does not see or use a mouse would stumble over.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::binaries::repository;
use crate::window::Window;

const AXE: &str = "ui/node_modules/axe-core/axe.min.js";

const JUDGE: &str = r"
axe.run(document, { resultTypes: ['violations'] }).then(
  ({ violations }) => done(violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.html}: ${node.failureSummary.replaceAll(/\\s+/g, ' ')}`))),
  (thrown) => done([`axe failed: ${thrown}`]),
);
";

impl Window {
    /// Fails with every violation on the screen as it is now.
    pub async fn is_accessible(&self, screen: &str) -> Result<()> {
        if self.run("return typeof axe;").await? == "undefined" {
            let file = repository().join(AXE);
            let source = fs::read_to_string(file).context("axe-core is missing\nhint: run `npm ci` in ui/")?;
            // The driver's scripts are not the page's, so its policy has no say in them.
            self.run(&source).await?;
        }
        let found = self.run_async(JUDGE, Vec::new()).await?;
        let found: Vec<_> = found.as_array().into_iter().flatten().filter_map(|line| line.as_str()).collect();
        ensure!(found.is_empty(), "axe finds on `{screen}`:\n  {}", found.join("\n  "));
        Ok(())
    }
}
