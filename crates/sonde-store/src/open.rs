//! Opening the database: file modes, pragmas, migrations, and others who do the same at the same moment.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, Row, SqliteConnection};

use crate::log::Counts;
use crate::row::RowStatus;

/// Marks a file as ours: "Sond".
const APPLICATION_ID: i64 = 0x536f_6e64;

/// Forward only; each leaves `user_version` one higher.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
    include_str!("../migrations/3.sql"),
    include_str!("../migrations/4.sql"),
    include_str!("../migrations/5.sql"),
];

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the log `{}` is not a Sonde log", path.display())]
    Foreign { path: PathBuf },
    #[error("the log `{}` has schema {found}, this Sonde knows up to {known}", path.display())]
    Newer { path: PathBuf, found: i64, known: usize },
    #[error("the log `{}` could not be opened", path.display())]
    Open { path: PathBuf, source: sqlx::Error },
    #[error("the log could not be made private to you")]
    Mode(#[source] std::io::Error),
    #[error("the log could not be read or written")]
    Sql(#[from] sqlx::Error),
}

/// The log of one profile: any number of readers, and one writer that [`crate::Recorder`] takes.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    /// When this process started, which with its number tells it from all others.
    pub(crate) own_start: Option<u64>,
    /// The connection that opened the log, for the recorder to take: opening another one, and closing this one, costs
    /// more than everything else here.
    writer: Arc<Mutex<Option<SqliteConnection>>>,
    /// Opened when somebody reads.
    pub(crate) readers: SqlitePool,
    pub(crate) counts: Arc<Counts>,
    /// The connection that writes what a person keeps, opened when they first do: the recorder's own is never waited for.
    keeper: Arc<tokio::sync::Mutex<Option<SqliteConnection>>>,
}

/// The connection that writes what a person keeps, for as long as it is held.
pub(crate) struct Keeper<'a>(tokio::sync::MappedMutexGuard<'a, SqliteConnection>);

impl Keeper<'_> {
    pub fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.0
    }
}

impl Store {
    /// Opens or creates the log at `path`. `start_of` tells when a process started, as a number that only compares, and
    /// `is_alive` whether the process with that number and start still runs: what a dead one left pending is lost.
    pub async fn open(
        path: &Path,
        start_of: fn(u32) -> Option<u64>,
        is_alive: fn(u32, u64) -> bool,
    ) -> Result<Self, StoreError> {
        let own_start = start_of(std::process::id());
        let mut patience = Patience::default();
        loop {
            match Self::try_open(path, own_start, is_alive).await {
                Ok(store) => return Ok(store),
                Err(error) => patience.after(error).await?,
            }
        }
    }

    /// Every step can be taken again: what another process did meanwhile is found done.
    async fn try_open(path: &Path, own_start: Option<u64>, is_alive: fn(u32, u64) -> bool) -> Result<Self, StoreError> {
        create_private(path).map_err(StoreError::Mode)?;
        refuse_others(path).await?;
        let mut writer = connect(path).await?;
        migrate(path, &mut writer).await?;
        close_dead_connections(&mut writer, is_alive).await?;
        let readers = SqlitePoolOptions::new().max_connections(4).connect_lazy_with(options(path).read_only(true));
        let writer = Arc::new(Mutex::new(Some(writer)));
        let (counts, keeper) = (Arc::default(), Arc::default());
        Ok(Store { path: path.to_owned(), own_start, writer, readers, counts, keeper })
    }

    pub(crate) async fn writer(&self) -> Result<SqliteConnection, StoreError> {
        let opened = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = opened {
            return Ok(writer);
        }
        let mut patience = Patience::default();
        loop {
            match connect(&self.path).await {
                Ok(writer) => return Ok(writer),
                Err(error) => patience.after(error).await?,
            }
        }
    }

    pub(crate) async fn keeper(&self) -> Result<Keeper<'_>, StoreError> {
        let mut kept = self.keeper.lock().await;
        if kept.is_none() {
            *kept = Some(connect(&self.path).await?);
        }
        let gone = |_| StoreError::Open { path: self.path.clone(), source: sqlx::Error::PoolClosed };
        tokio::sync::MutexGuard::try_map(kept, Option::as_mut).map(Keeper).map_err(gone)
    }

    /// Bytes on disk, the part that is not merged yet included.
    pub(crate) fn size_on_disk(&self) -> u64 {
        let wal = PathBuf::from(format!("{}-wal", self.path.display()));
        [&self.path, &wal].iter().filter_map(|path| path.metadata().ok()).map(|facts| facts.len()).sum()
    }
}

/// Waiting for others who open the same log. SQLite waits by itself for a lock, but not where waiting could be in
/// vain: two who both read and both want to change the journal's mode, or a log that is being recovered. It says
/// "busy" at once then, and whoever lets go and comes again finds the work done.
#[derive(Debug)]
struct Patience {
    begun: tokio::time::Instant,
    pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { begun: tokio::time::Instant::now(), pause: Duration::from_millis(1) }
    }
}

impl Patience {
    const LIMIT: Duration = Duration::from_secs(20);
    const LONGEST_PAUSE: Duration = Duration::from_millis(100);

    /// Pauses if trying again may help; else gives the error back.
    async fn after(&mut self, error: StoreError) -> Result<(), StoreError> {
        if !error.is_contention() || self.begun.elapsed() > Self::LIMIT {
            return Err(error);
        }
        tracing::debug!(%error, "the log is in use; trying again");
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(Self::LONGEST_PAUSE);
        Ok(())
    }
}

impl StoreError {
    /// Whether it only says that someone else is at work on the file.
    fn is_contention(&self) -> bool {
        let (StoreError::Open { source, .. } | StoreError::Sql(source)) = self else { return false };
        let code = source.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok());
        // The low byte is the kind: busy, locked, the race for a new write-ahead log; then two of "read only" which mean
        // that a reader found that log before its index was there.
        code.is_some_and(|code| matches!(code & 0xff, 5 | 6 | 15) || matches!(code, 264 | 1288))
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(Duration::from_secs(5))
        .foreign_keys(true)
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
}

async fn connect(path: &Path) -> Result<SqliteConnection, StoreError> {
    let options = options(path).journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    SqliteConnection::connect_with(&options).await.map_err(|source| StoreError::Open { path: path.to_owned(), source })
}

/// SQLite gives its side files the mode of the database, so it is enough to create that one privately.
fn create_private(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        // It may come from a backup that forgot its mode.
        #[cfg(unix)]
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        return Ok(());
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Reads without writing: a file that is refused stays as it was.
async fn refuse_others(path: &Path) -> Result<(), StoreError> {
    if is_plainly_ours(path) {
        return Ok(());
    }
    let unopened = |source| StoreError::Open { path: path.to_owned(), source };
    let mut reader = SqliteConnection::connect_with(&options(path).read_only(true)).await.map_err(unopened)?;
    // One transaction, or another process could create the log between the questions.
    let mut transaction = reader.begin().await.map_err(unopened)?;
    let tables = number(&mut transaction, "SELECT count(*) FROM sqlite_schema").await.map_err(unopened)?;
    let application = number(&mut transaction, "PRAGMA application_id").await?;
    let version = number(&mut transaction, "PRAGMA user_version").await?;
    transaction.rollback().await?;
    reader.close().await?;
    if application != APPLICATION_ID && (application != 0 || tables != 0) {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    match usize::try_from(version) {
        Ok(known) if known <= MIGRATIONS.len() => Ok(()),
        _ => Err(StoreError::Newer { path: path.to_owned(), found: version, known: MIGRATIONS.len() }),
    }
}

/// Whether the file itself says that it is a log of ours. What it says may be older than its journal, so a log that
/// says nothing, or anything else, is asked through SQLite; but whose it is does not change.
fn is_plainly_ours(path: &Path) -> bool {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    // Four bytes, the highest first, by the file format of SQLite.
    const APPLICATION_ID_AT: usize = 68;
    let mut header = [0; APPLICATION_ID_AT + 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok()
        && header.starts_with(MAGIC)
        && header.last_chunk().is_some_and(|id| i64::from(u32::from_be_bytes(*id)) == APPLICATION_ID)
}

async fn migrate(path: &Path, writer: &mut SqliteConnection) -> Result<(), StoreError> {
    // Most of the time there is nothing to do, and then nobody's lock is waited for.
    let found = number(writer, "PRAGMA user_version").await?;
    if usize::try_from(found).is_ok_and(|found| found == MIGRATIONS.len()) {
        return Ok(());
    }
    if usize::try_from(found).is_ok_and(|found| found > MIGRATIONS.len()) {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: MIGRATIONS.len() });
    }
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
    // Asked inside the transaction: another process may have migrated a moment ago.
    let version = number(&mut transaction, "PRAGMA user_version").await?;
    let pending = usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(version..)).unwrap_or_default();
    for (step, migration) in pending.iter().enumerate() {
        sqlx::raw_sql(*migration).execute(&mut *transaction).await?;
        // Pragmas take no parameters; both numbers are ours.
        let reached = version + step as i64 + 1;
        let stamp = format!("PRAGMA user_version = {reached}; PRAGMA application_id = {APPLICATION_ID}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(stamp)).execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}

async fn number(connection: &mut SqliteConnection, query: &'static str) -> Result<i64, sqlx::Error> {
    sqlx::query(query).fetch_one(connection).await?.try_get(0)
}

async fn close_dead_connections(
    writer: &mut SqliteConnection,
    is_alive: fn(u32, u64) -> bool,
) -> Result<(), StoreError> {
    let open = "SELECT id, owner, owner_start FROM connection WHERE ended IS NULL";
    for connection in sqlx::query(open).fetch_all(&mut *writer).await? {
        let id: i64 = connection.try_get(0)?;
        let owner = u32::try_from(connection.try_get::<i64, _>(1)?).ok();
        let start = connection.try_get::<Option<i64>, _>(2)?.and_then(|start| u64::try_from(start).ok());
        // Whose start is unknown was recorded by a version that has been replaced.
        if owner.zip(start).is_some_and(|(owner, start)| is_alive(owner, start)) {
            continue;
        }
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
        // The second condition says it in the words of the partial index, or the whole log would be read.
        sqlx::query("UPDATE row SET status = ? WHERE status = ? AND status <> 1 AND connection = ?")
            .bind(RowStatus::Lost.number())
            .bind(RowStatus::Pending.number())
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        // Its last row is near the end of the log, which is where the search begins.
        let last_row = "SELECT at FROM row WHERE connection = ?1 AND seq > first_row ORDER BY seq DESC LIMIT 1";
        let close = format!("UPDATE connection SET ended = coalesce(({last_row}), started) WHERE id = ?1");
        sqlx::query(sqlx::AssertSqlSafe(close)).bind(id).execute(&mut *transaction).await?;
        transaction.commit().await?;
    }
    Ok(())
}
