//! The log as a case reads it.

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{Stage, scan};

impl Stage {
    /// Every row of one server, oldest first. For logs that fit in memory.
    pub async fn rows(&self, id: &str) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        self.scan(|row| {
            if row["server"] == id {
                rows.push(row.clone());
            }
        })
        .await?;
        Ok(rows)
    }

    /// Shows every row of the log to `see`, oldest first, a page at a time.
    pub async fn scan(&self, see: impl FnMut(&Value)) -> Result<()> {
        scan(&self.door, see).await
    }

    /// Waits until a row of the server is as `wanted` says; gives it.
    pub async fn until_row(&self, id: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        self.until(what, async || Ok(self.rows(id).await?.into_iter().find(|row| wanted(row)))).await
    }

    /// The row with its frames.
    pub async fn row(&self, row: &Value) -> Result<Value> {
        self.ask("read_row", json!({ "seq": row["seq"] })).await
    }

    /// The bytes of a row's frame, as far as one look shows them.
    pub async fn frame(&self, row: &Value, index: usize) -> Result<Vec<u8>> {
        use base64::Engine as _;
        let detail = self.row(row).await?;
        let frame = &detail["frames"][index];
        match (frame["text"].as_str(), frame["base64"].as_str()) {
            (Some(text), _) => Ok(text.as_bytes().to_vec()),
            (None, Some(text)) => Ok(base64::engine::general_purpose::STANDARD.decode(text)?),
            (None, None) => bail!("row {} has no frame {index}: {detail}", row["seq"]),
        }
    }
}
