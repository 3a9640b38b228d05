//! What a person keeps between starts: saved calls, the arguments last sent, variables.

use sqlx::{Connection, Row as _};

use crate::open::{Store, StoreError};

/// A call that a person gave a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedCall {
    pub id: i64,
    pub server: String,
    pub method: String,
    pub target: String,
    pub name: String,
    pub arguments: String,
}

/// What a request is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub server: &'a str,
    pub method: &'a str,
    pub target: &'a str,
}

/// Things whose last arguments are remembered; beyond them the oldest is forgotten.
const MOST_REMEMBERED: i64 = 5_000;

impl Store {
    /// All of them, by server, then by name.
    pub async fn saved_calls(&self) -> Result<Vec<SavedCall>, StoreError> {
        let sql = "SELECT id, server, method, target, name, arguments FROM saved_call ORDER BY server, name, id";
        let rows = sqlx::query(sql).fetch_all(&self.readers).await?;
        let read = |row: &sqlx::sqlite::SqliteRow| {
            Ok(SavedCall {
                id: row.try_get(0)?,
                server: row.try_get(1)?,
                method: row.try_get(2)?,
                target: row.try_get(3)?,
                name: row.try_get(4)?,
                arguments: row.try_get(5)?,
            })
        };
        Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
    }

    /// Saves a call, in the place of one of the same name for the same thing; gives its number.
    pub async fn save_call(&self, about: Subject<'_>, name: &str, arguments: &str) -> Result<i64, StoreError> {
        let mut keeper = self.keeper().await?;
        let row = sqlx::query(
            "INSERT INTO saved_call (server, method, target, name, arguments) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (server, method, target, name) DO UPDATE SET arguments = excluded.arguments RETURNING id",
        )
        .bind(about.server)
        .bind(about.method)
        .bind(about.target)
        .bind(name)
        .bind(arguments)
        .fetch_one(keeper.connection())
        .await?;
        Ok(row.try_get(0)?)
    }

    pub async fn remove_saved_call(&self, id: i64) -> Result<(), StoreError> {
        let mut keeper = self.keeper().await?;
        sqlx::query("DELETE FROM saved_call WHERE id = ?").bind(id).execute(keeper.connection()).await?;
        Ok(())
    }

    /// Remembers what was sent.
    pub async fn remember(&self, about: Subject<'_>, arguments: &str, at_ms: i64) -> Result<(), StoreError> {
        let mut keeper = self.keeper().await?;
        let mut transaction = keeper.connection().begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(
            "INSERT INTO remembered (server, method, target, arguments, at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (server, method, target) DO UPDATE SET arguments = excluded.arguments, at = excluded.at",
        )
        .bind(about.server)
        .bind(about.method)
        .bind(about.target)
        .bind(arguments)
        .bind(at_ms)
        .execute(&mut *transaction)
        .await?;
        let surplus = "DELETE FROM remembered WHERE rowid IN
            (SELECT rowid FROM remembered ORDER BY at DESC, rowid DESC LIMIT -1 OFFSET ?)";
        sqlx::query(surplus).bind(MOST_REMEMBERED).execute(&mut *transaction).await?;
        Ok(transaction.commit().await?)
    }

    pub async fn recall(&self, about: Subject<'_>) -> Result<Option<String>, StoreError> {
        let row = sqlx::query("SELECT arguments FROM remembered WHERE server = ? AND method = ? AND target = ?")
            .bind(about.server)
            .bind(about.method)
            .bind(about.target)
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// Names and values, by name.
    pub async fn variables(&self) -> Result<Vec<(String, String)>, StoreError> {
        let rows = sqlx::query("SELECT name, value FROM variable ORDER BY name").fetch_all(&self.readers).await?;
        let read = |row: &sqlx::sqlite::SqliteRow| Ok((row.try_get(0)?, row.try_get(1)?));
        Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
    }

    /// Sets a variable; without a value it is gone.
    pub async fn set_variable(&self, name: &str, value: Option<&str>) -> Result<(), StoreError> {
        let mut keeper = self.keeper().await?;
        let query = match value {
            Some(value) => sqlx::query(
                "INSERT INTO variable (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )
            .bind(name)
            .bind(value),
            None => sqlx::query("DELETE FROM variable WHERE name = ?").bind(name),
        };
        query.execute(keeper.connection()).await?;
        Ok(())
    }
}
