//! What a person has seen of the tools of a server.

use sqlx::{QueryBuilder, Row as _, Sqlite};

use crate::open::{Store, StoreError};

/// A definition as a person has seen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenTool {
    pub name: String,
    pub sha256: Vec<u8>,
    /// None where it was too long to be kept.
    pub definition: Option<String>,
    /// In milliseconds since 1970.
    pub at_ms: i64,
    /// It may be called only as it was seen.
    pub pinned: bool,
}

/// Rows of one statement.
const AT_ONCE: usize = 200;
/// A longer definition is known by its digest alone.
const LONGEST_DEFINITION: usize = 256 << 10;

impl Store {
    /// What was seen of a server's tools, without the definitions. None where it was never seen at all.
    pub async fn seen_tools(&self, server: &str) -> Result<Option<Vec<SeenTool>>, StoreError> {
        let known = sqlx::query("SELECT 1 FROM seen_server WHERE name = ?").bind(server);
        if known.fetch_optional(&self.readers).await?.is_none() {
            return Ok(None);
        }
        let rows = sqlx::query("SELECT name, sha256, NULL, at, pinned FROM seen_tool WHERE server = ? ORDER BY name");
        let rows = rows.bind(server).fetch_all(&self.readers).await?;
        Ok(Some(rows.iter().map(read).collect::<Result<_, _>>()?))
    }

    pub async fn seen_tool(&self, server: &str, name: &str) -> Result<Option<SeenTool>, StoreError> {
        let sql = "SELECT name, sha256, definition, at, pinned FROM seen_tool WHERE server = ? AND name = ?";
        let row = sqlx::query(sql).bind(server).bind(name).fetch_optional(&self.readers).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// The person has seen these; `gone` are not there any more. Whether a tool is pinned stays as it is.
    pub async fn see_tools(&self, server: &str, tools: &[SeenTool], gone: &[String]) -> Result<(), StoreError> {
        let mut keeper = self.keeper().await?;
        // In short transactions: whoever records must never wait long for a list of a hundred thousand.
        for part in tools.chunks(AT_ONCE) {
            let mut insert =
                QueryBuilder::<Sqlite>::new("INSERT INTO seen_tool (server, name, sha256, definition, at) ");
            insert.push_values(part, |mut row, tool| {
                row.push_bind(server)
                    .push_bind(&tool.name)
                    .push_bind(&tool.sha256)
                    .push_bind(tool.definition.as_deref().filter(|text| text.len() <= LONGEST_DEFINITION))
                    .push_bind(tool.at_ms);
            });
            insert.push(
                " ON CONFLICT (server, name) DO UPDATE
                 SET sha256 = excluded.sha256, definition = excluded.definition, at = excluded.at",
            );
            insert.build().execute(keeper.connection()).await?;
        }
        for part in gone.chunks(AT_ONCE) {
            // A pin outlives the tool: should that come back, it is still held to what it was.
            let mut delete = QueryBuilder::<Sqlite>::new("DELETE FROM seen_tool WHERE pinned = 0 AND server = ");
            delete.push_bind(server).push(" AND name IN (");
            let mut names = delete.separated(", ");
            for name in part {
                names.push_bind(name);
            }
            delete.push(")").build().execute(keeper.connection()).await?;
        }
        // Last: a server whose first list was not kept whole was not seen yet.
        let at = tools.first().map_or(0, |tool| tool.at_ms);
        sqlx::query(
            "INSERT INTO seen_server (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
        )
        .bind(server)
        .bind(at)
        .execute(keeper.connection())
        .await?;
        Ok(())
    }

    /// Pins a tool that was seen, or lets it go. False where it was never seen.
    pub async fn pin_tool(&self, server: &str, name: &str, pinned: bool) -> Result<bool, StoreError> {
        let mut keeper = self.keeper().await?;
        let done = sqlx::query("UPDATE seen_tool SET pinned = ? WHERE server = ? AND name = ?")
            .bind(pinned)
            .bind(server)
            .bind(name)
            .execute(keeper.connection())
            .await?;
        Ok(done.rows_affected() > 0)
    }
}

fn read(row: &sqlx::sqlite::SqliteRow) -> Result<SeenTool, sqlx::Error> {
    Ok(SeenTool {
        name: row.try_get(0)?,
        sha256: row.try_get(1)?,
        definition: row.try_get(2)?,
        at_ms: row.try_get(3)?,
        pinned: row.try_get(4)?,
    })
}
