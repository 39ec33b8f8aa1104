//! The database behind the records: SQLite in one file.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
    SqliteTransaction,
};
use sqlx::{ConnectOptions, Connection};

/// Connections that only read. SQLite has one writer at a time, so writes have a pool of one: they queue there, with a
/// time limit, instead of failing with "database is locked".
const READERS: u32 = 4;
/// How long a request waits for a connection before it is told that the service is not available.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);

/// The audit log is appended to and nothing else: against mistakes, and against who reaches the SQL but not the schema.
const SQLITE_TRIGGERS: [&str; 2] = [
    "CREATE TRIGGER IF NOT EXISTS audit_is_not_changed BEFORE UPDATE ON audit \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS audit_is_not_deleted BEFORE DELETE ON audit \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
];
/// A writer and readers on one file.
#[derive(Debug, Clone)]
pub(super) struct Db {
    pub(super) writer: SqlitePool,
    pub(super) readers: SqlitePool,
}

impl Db {
    pub(super) async fn sqlite(path: &Path) -> Result<Self, sqlx::Error> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // what a person was told is saved stays saved
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(ACQUIRE_TIMEOUT);
        migrate(&options).await?;
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            // Where SQLite itself rolled back, as on a full disk, sqlx counts the transaction for ever: no other would begin.
            .before_acquire(|writer, _| Box::pin(async { Ok(!writer.is_in_transaction()) }))
            .connect_with(options.clone())
            .await?;
        for trigger in SQLITE_TRIGGERS {
            sqlx::query(trigger).execute(&writer).await?;
        }
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(options.read_only(true))
            .await?;
        Ok(Self { writer, readers })
    }

    /// Begins a transaction that may write. It is the writer from its first moment on: one that had read before would be refused at
    /// its first change, and not wait, while another process (somebody's `sqlite3`) writes.
    pub(super) async fn write(&self) -> Result<SqliteTransaction<'static>, sqlx::Error> {
        self.writer.begin_with("BEGIN IMMEDIATE").await
    }

    /// Whether the database answers.
    pub(super) async fn ping(&self) -> Result<(), sqlx::Error> {
        sqlx::query("SELECT 1")
            .execute(&self.writer)
            .await
            .map(drop)
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Brings the file to the form of this version. A table that others refer to can be made anew only while foreign keys are not
/// enforced, which a connection decides before its first transaction.
async fn migrate(options: &SqliteConnectOptions) -> Result<(), sqlx::Error> {
    let mut connection = options.clone().foreign_keys(false).connect().await?;
    sqlx::migrate!("./migrations").run(&mut connection).await?;
    let dangling = sqlx::query("PRAGMA foreign_key_check")
        .fetch_optional(&mut connection)
        .await?;
    if dangling.is_some() {
        return Err(sqlx::Error::Protocol(
            "the records refer to rows that are not there".to_owned(),
        ));
    }
    connection.close().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_transaction_that_sqlite_ended_keeps_no_other_from_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&dir.path().join("records.db")).await.unwrap();
        let mut write = db.write().await.unwrap();
        // As it does by itself where a commit finds no room.
        sqlx::query("ROLLBACK").execute(&mut *write).await.unwrap();
        assert!(write.commit().await.is_err());
        let write = db.write().await.unwrap();
        write.commit().await.unwrap();
        db.close().await;
    }
}
