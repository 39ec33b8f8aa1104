//! The database behind the records: SQLite in one file, or PostgreSQL. One SQL text serves both; an enum of the two pools
//! does it, because sqlx's own `Any` cannot read SQLite's booleans and mistypes NULLs on PostgreSQL.

use std::path::Path;
use std::time::Duration;

use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

/// Connections that only read. SQLite has one writer at a time, so writes have a pool of one: they queue there, with a
/// time limit, instead of failing with "database is locked".
const READERS: u32 = 4;
/// How long a request waits for a connection before it is told that the service is not available.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);
const POSTGRES_CONNECTIONS: u32 = 16;

/// The audit log is appended to and nothing else: against mistakes, and against who reaches the SQL but not the schema.
const SQLITE_TRIGGERS: [&str; 2] = [
    "CREATE TRIGGER IF NOT EXISTS audit_is_not_changed BEFORE UPDATE ON audit \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS audit_is_not_deleted BEFORE DELETE ON audit \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
];
const POSTGRES_TRIGGERS: [&str; 2] = [
    "CREATE OR REPLACE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS \
     $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
    "CREATE OR REPLACE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit \
     FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()",
];

/// One of the two databases.
#[derive(Debug, Clone)]
pub(super) enum Db {
    /// A writer and readers on one file.
    Sqlite { w: SqlitePool, r: SqlitePool },
    /// A server.
    Postgres(PgPool),
}

/// Runs an expression on the writer's or a reader's pool, whichever database it is.
macro_rules! on {
    ($db:expr, write $p:ident => $body:expr) => {
        match $db {
            $crate::records::db::Db::Sqlite { w: $p, .. } => $body,
            $crate::records::db::Db::Postgres($p) => $body,
        }
    };
    ($db:expr, read $p:ident => $body:expr) => {
        match $db {
            $crate::records::db::Db::Sqlite { r: $p, .. } => $body,
            $crate::records::db::Db::Postgres($p) => $body,
        }
    };
}
pub(super) use on;

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
        let w = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(options.clone())
            .await?;
        sqlx::migrate!("./migrations").run(&w).await?;
        for trigger in SQLITE_TRIGGERS {
            sqlx::query(trigger).execute(&w).await?;
        }
        let r = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(options.read_only(true))
            .await?;
        Ok(Self::Sqlite { w, r })
    }

    pub(super) async fn postgres(url: &str) -> Result<Self, sqlx::Error> {
        let pool = PgPoolOptions::new()
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect(url)
            .await?;
        sqlx::migrate!("./migrations").run(&pool).await?;
        for trigger in POSTGRES_TRIGGERS {
            sqlx::query(trigger).execute(&pool).await?;
        }
        Ok(Self::Postgres(pool))
    }

    /// Whether the database answers.
    pub(super) async fn ping(&self) -> Result<(), sqlx::Error> {
        on!(self, write p => sqlx::query("SELECT 1").execute(p).await.map(drop))
    }

    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite { w, r } => {
                r.close().await;
                w.close().await;
            }
            Self::Postgres(p) => p.close().await,
        }
    }
}
