//! The database behind the records: SQLite in one file, or a schema of a PostgreSQL.

use std::path::Path;
use std::time::Duration;

use harit_ingest::history::PostgresUrl;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::watch;

use super::RecordsPlace;
use super::cell::{self, Cell};
use super::sql::{self, Pool, Transaction};

/// Where the records are in a PostgreSQL.
pub(crate) const SCHEMA: &str = "harit_records";
/// Connections that only read. SQLite has one writer at a time, so writes have a pool of one: they queue there, with a
/// time limit, instead of failing with "database is locked".
const READERS: u32 = 4;
/// How long a request waits for a connection before it is told that the service is not available.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);

/// How often a server that waits for another one to go looks whether it has.
const LOOK: Duration = Duration::from_millis(100);

/// The tables, as steps.
static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");

/// The audit log is appended to and nothing else: against mistakes, and against who reaches the SQL but not the schema.
const SQLITE_TRIGGERS: [&str; 2] = [
    "CREATE TRIGGER IF NOT EXISTS audit_is_not_changed BEFORE UPDATE ON audit \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS audit_is_not_deleted BEFORE DELETE ON audit \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
];

/// A writer and readers of one database.
#[derive(Debug, Clone)]
pub(super) struct Db {
    pub(super) writer: Pool,
    pub(super) readers: Pool,
}

impl Db {
    pub(super) async fn open(place: &RecordsPlace) -> Result<Self, sqlx::Error> {
        match place.postgres() {
            Some(url) => Self::postgres(url, place.lease(), place.cell()).await,
            None => Self::sqlite(&place.file()).await,
        }
    }

    async fn sqlite(path: &Path) -> Result<Self, sqlx::Error> {
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
        Ok(Self {
            writer: Pool::Sqlite(writer),
            readers: Pool::Sqlite(readers),
        })
    }

    /// A PostgreSQL, with the tables of this version. One writes there, of all servers or of all of a cell: whose connection has the
    /// lock.
    async fn postgres(
        url: &PostgresUrl,
        lease: Option<Duration>,
        cell: Option<&Cell>,
    ) -> Result<Self, sqlx::Error> {
        let pool = |connections| {
            PgPoolOptions::new()
                .max_connections(connections)
                .acquire_timeout(ACQUIRE_TIMEOUT)
        };
        let options = url.options(SCHEMA);
        let taking = cell.cloned();
        let writer = pool(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .after_connect(move |connection, _| {
                let cell = taking.clone();
                Box::pin(async move { cell::take(connection, cell.as_ref()).await })
            })
            .connect_with(leased(options.clone(), lease))
            .await?;
        let is_there: bool = sqlx::query_scalar("SELECT to_regnamespace($1) IS NOT NULL")
            .bind(SCHEMA)
            .fetch_one(&writer)
            .await?;
        if !is_there {
            // Another cell's server may begin at the same time.
            sqlx::query("CREATE SCHEMA IF NOT EXISTS harit_records")
                .execute(&writer)
                .await?;
        }
        POSTGRES.run(&writer).await?;
        let readers =
            pool(READERS).connect_with(options.options([("default_transaction_read_only", "on")]));
        let writer = match cell {
            None => Pool::Postgres(writer),
            Some(_) => Pool::SharedPostgres(writer),
        };
        Ok(Self {
            writer,
            readers: Pool::Postgres(readers.await?),
        })
    }

    /// Begins a transaction that may write.
    pub(super) async fn write(&self) -> Result<Transaction, sqlx::Error> {
        self.writer.begin().await
    }

    /// Whether other servers write here too.
    pub(super) const fn is_shared(&self) -> bool {
        matches!(self.writer, Pool::SharedPostgres(_))
    }

    /// Whether the database answers who writes. It waits for no other server's change.
    pub(super) async fn ping(&self) -> Result<(), sqlx::Error> {
        self.writer.ping().await
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Has the server end a connection that says nothing for so long, in a transaction or not.
fn leased(options: PgConnectOptions, lease: Option<Duration>) -> PgConnectOptions {
    let Some(lease) = lease else { return options };
    let ms = lease.as_millis().to_string();
    let ends = [
        "idle_session_timeout",
        "idle_in_transaction_session_timeout",
    ];
    options.options(ends.map(|end| (end, ms.clone())))
}

/// Waits until nobody has the lock of who writes in that cell, or at all, and says meanwhile whether this server could be at work; `each` is
/// called whenever somebody has it.
pub(super) async fn until_free(
    url: &PostgresUrl,
    (cell, lease): (Option<&Cell>, Option<Duration>),
    able: &watch::Receiver<bool>,
    each: &mut (dyn FnMut() + Send),
) -> Result<(), sqlx::Error> {
    // What one says that hangs, or is gone, is not believed for long either.
    let options = leased(url.options(SCHEMA), lease);
    let mut connection = sql::within(options.connect()).await?;
    let mut said = false;
    while cell::is_taken(&mut connection, cell).await? {
        each();
        let is_able = *able.borrow();
        if is_able != said {
            cell::say_able(&mut connection, cell, is_able).await?;
            said = is_able;
        }
        tokio::time::sleep(LOOK).await;
    }
    connection.close().await
}

/// The newest step of the tables, the same in both databases.
pub(super) fn version() -> i64 {
    SQLITE.iter().map(|step| step.version).max().unwrap_or(0)
}

/// A database in memory with the tables of this version, and nothing in them.
pub(super) async fn empty() -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = SqliteConnectOptions::new()
        .in_memory(true)
        .connect()
        .await?;
    SQLITE.run(&mut connection).await?;
    Ok(connection)
}

/// Brings the file to the form of this version. A table that others refer to can be made anew only while foreign keys are not
/// enforced, which a connection decides before its first transaction.
async fn migrate(options: &SqliteConnectOptions) -> Result<(), sqlx::Error> {
    let mut connection = options.clone().foreign_keys(false).connect().await?;
    SQLITE.run(&mut connection).await?;
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
    use std::collections::BTreeSet;

    use harit_testkit::postgres::Server;

    use super::*;

    #[tokio::test]
    async fn a_transaction_that_sqlite_ended_keeps_no_other_from_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&RecordsPlace::file_in(dir.path())).await.unwrap();
        let mut write = db.write().await.unwrap();
        // As it does by itself where a commit finds no room.
        sql::query("ROLLBACK").execute(&mut *write).await.unwrap();
        assert!(write.commit().await.is_err());
        let write = db.write().await.unwrap();
        write.commit().await.unwrap();
        db.close().await;
    }

    /// What there is, a line each: columns with their types, indexes, and what refers to what.
    async fn of_sqlite() -> BTreeSet<String> {
        const COLUMNS: &str = "SELECT t.name || '.' || c.name || ' ' || \
            CASE c.type WHEN 'BLOB' THEN 'bytea' WHEN 'INTEGER' THEN 'bigint' ELSE lower(c.type) END || CASE WHEN c.\"notnull\" THEN ' not null' ELSE '' END \
            FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> '_sqlx_migrations'";
        const INDEXES: &str = "SELECT tbl_name || ' by ' || name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
        const KEYS: &str = "SELECT t.name || ' to ' || k.\"table\" || ' ' || count(*) || ' ' || lower(k.on_delete) FROM sqlite_schema t, \
            pragma_foreign_key_list(t.name) k WHERE t.type = 'table' AND k.seq = 0 GROUP BY t.name, k.\"table\", k.on_delete";
        let mut c = empty().await.unwrap();
        let mut all = BTreeSet::new();
        for question in [COLUMNS, INDEXES, KEYS] {
            let rows: Vec<String> = sqlx::query_scalar(question)
                .fetch_all(&mut c)
                .await
                .unwrap();
            assert!(rows.len() > 20, "{question}");
            all.extend(rows);
        }
        all
    }

    async fn of_postgres(pool: &sqlx::PgPool) -> BTreeSet<String> {
        const COLUMNS: &str = "SELECT table_name || '.' || column_name || ' ' || data_type || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END \
            FROM information_schema.columns WHERE table_schema = 'harit_records' AND table_name <> '_sqlx_migrations'";
        const INDEXES: &str = "SELECT tablename || ' by ' || indexname FROM pg_indexes WHERE schemaname = 'harit_records' \
            AND indexname NOT LIKE '%_pkey' AND indexname NOT LIKE '%_key'";
        const KEYS: &str = "SELECT t.relname || ' to ' || p.relname || ' ' || count(*) || ' ' || CASE k.confdeltype WHEN 'c' THEN 'cascade' \
            WHEN 'n' THEN 'set null' ELSE 'no action' END FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid \
            JOIN pg_class p ON p.oid = k.confrelid WHERE k.contype = 'f' GROUP BY t.relname, p.relname, k.confdeltype";
        let mut all = BTreeSet::new();
        for question in [COLUMNS, INDEXES, KEYS] {
            let rows: Vec<String> = sqlx::query_scalar(question).fetch_all(pool).await.unwrap();
            all.extend(rows);
        }
        all
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL: make test-services"]
    async fn postgres_has_the_tables_that_sqlite_has() {
        let server = Server::start();
        let url = PostgresUrl::new(&server.database(), "").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&RecordsPlace::new(dir.path(), Some(url)))
            .await
            .unwrap();
        let Pool::Postgres(readers) = &db.readers else {
            panic!("another database");
        };
        let (here, there) = (of_sqlite().await, of_postgres(readers).await);
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
            a.difference(b).cloned().collect::<Vec<_>>()
        };
        assert_eq!((only(&here, &there), only(&there, &here)), (vec![], vec![]));
        // Readers only read.
        let refused = sqlx::query("DELETE FROM audit_heads")
            .execute(readers)
            .await;
        assert!(refused.is_err());
        let newest: i64 = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations")
            .fetch_one(readers)
            .await
            .unwrap();
        assert_eq!(newest, version());
        db.close().await;
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL: make test-services"]
    async fn one_server_writes_in_postgres() {
        let server = Server::start();
        let url = PostgresUrl::new(&server.database(), "").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let place = RecordsPlace::new(dir.path(), Some(url));
        let db = Db::open(&place).await.unwrap();
        // As one that may have gone in a while: a start waits.
        let refused = Db::open(&place).await.unwrap_err();
        assert!(PostgresUrl::is_away(&refused), "{refused}");
        // A connection that was lost is made anew, with the lock.
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'harit'";
        assert_eq!(server.ask("history_0", end).as_deref(), Some("2"));
        db.write().await.unwrap().commit().await.unwrap();
        assert!(Db::open(&place).await.is_err());
        db.close().await;
        Db::open(&place).await.unwrap().close().await;
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL: make test-services"]
    async fn a_server_that_says_nothing_loses_the_right_to_write_and_one_that_waits_sees_it() {
        let server = Server::start();
        let url = PostgresUrl::new(&server.database(), "").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let lease = Duration::from_millis(1_500);
        let place = RecordsPlace::new(dir.path(), Some(url.clone())).leased(lease);
        let db = Db::open(&place).await.unwrap();
        let began = std::time::Instant::now();
        // While it says something it keeps it.
        while began.elapsed() < 2 * lease {
            db.ping().await.unwrap();
            tokio::time::sleep(lease / 5).await;
        }
        let silent = std::time::Instant::now();
        let mut looked = 0;
        let (_say, able) = watch::channel(true);
        until_free(&url, (None, None), &able, &mut || looked += 1)
            .await
            .unwrap();
        assert!(looked > 2 && silent.elapsed() > lease / 2, "{looked}");
        let other = Db::open(&place).await.unwrap();
        // Who comes back finds it taken, and does not write.
        assert!(db.ping().await.is_err());
        other.close().await;
        db.ping().await.unwrap();
        db.close().await;
    }
}
