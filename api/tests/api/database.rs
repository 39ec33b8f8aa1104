//! The database of an app's records, behind the server's back: a file of its own, or with `HARIT_TEST_POSTGRES` a new database of that
//! server.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harit_api::RecordsPlace;
use harit_ingest::history::PostgresUrl;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};

/// The address of a server in which databases can be made, `postgres://user@host:port`.
const SERVER: &str = "HARIT_TEST_POSTGRES";

/// Whether records are in a PostgreSQL.
pub(crate) fn is_postgres() -> bool {
    std::env::var_os(SERVER).is_some()
}

/// Where the records of a new data directory are.
pub(crate) async fn new_place(dir: &Path) -> RecordsPlace {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let Ok(server) = std::env::var(SERVER) else {
        return RecordsPlace::file_in(dir);
    };
    let n = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("records_{}_{n}", std::process::id());
    let mut c = PgConnection::connect(&format!("{server}/postgres"))
        .await
        .expect("a server");
    let create = AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::query(create)
        .execute(&mut c)
        .await
        .expect("a database");
    c.close().await.expect("closed");
    let url = PostgresUrl::new(&format!("{server}/{name}"), "").expect("an address");
    RecordsPlace::new(dir, Some(url))
}

/// A connection to the records.
pub(crate) enum Database {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Database {
    pub(crate) async fn of(place: &RecordsPlace) -> Self {
        match place.postgres() {
            Some(url) => {
                let options = url.options("harit_records");
                let c = PgConnection::connect_with(&options).await;
                Self::Postgres(c.expect("the database"))
            }
            None => {
                let options = SqliteConnectOptions::new()
                    .filename(place.file())
                    .busy_timeout(Duration::from_secs(5));
                let c = SqliteConnection::connect_with(&options).await;
                Self::Sqlite(c.expect("the file"))
            }
        }
    }

    /// How many rows a statement changed, or why it was refused.
    pub(crate) async fn execute(&mut self, sql: &'static str) -> Result<u64, sqlx::Error> {
        match self {
            Self::Sqlite(c) => Ok(c.execute(sql).await?.rows_affected()),
            Self::Postgres(c) => Ok(c.execute(sql).await?.rows_affected()),
        }
    }

    /// The rows of an answer with two columns.
    pub(crate) async fn pairs(
        &mut self,
        sql: &'static str,
        with: [&str; 2],
    ) -> Vec<(String, String)> {
        let [a, b] = with;
        let rows = match self {
            Self::Sqlite(c) => sqlx::query_as(sql).bind(a).bind(b).fetch_all(c).await,
            Self::Postgres(c) => sqlx::query_as(sql).bind(a).bind(b).fetch_all(c).await,
        };
        rows.expect("rows")
    }

    /// Nobody else writes until [`Self::give_back`].
    pub(crate) async fn take_writer(&mut self) {
        let taken = match self {
            Self::Sqlite(c) => c.execute("BEGIN IMMEDIATE").await.map(drop),
            Self::Postgres(c) => c
                .execute("BEGIN; LOCK TABLE farms, audit_heads IN SHARE ROW EXCLUSIVE MODE")
                .await
                .map(drop),
        };
        taken.expect("the writer");
    }

    pub(crate) async fn give_back(mut self) {
        self.execute("ROLLBACK").await.expect("given back");
        self.close().await;
    }

    /// A table takes no new row.
    pub(crate) async fn fill(&mut self, table: &str) {
        let sql = match self {
            Self::Sqlite(_) => format!(
                "CREATE TRIGGER full_{table} BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'full'); END"
            ),
            Self::Postgres(_) => format!(
                "CREATE FUNCTION full_{table}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''full''; END'; \
                 CREATE TRIGGER full_{table} BEFORE INSERT ON {table} EXECUTE FUNCTION full_{table}()"
            ),
        };
        self.carry_out(sql).await;
    }

    /// It takes them again.
    pub(crate) async fn empty(&mut self, table: &str) {
        let sql = match self {
            Self::Sqlite(_) => format!("DROP TRIGGER full_{table}"),
            Self::Postgres(_) => format!("DROP TRIGGER full_{table} ON {table}"),
        };
        self.carry_out(sql).await;
    }

    /// The audit log can be changed, as by who owns the schema.
    pub(crate) async fn unguard_audit(&mut self) {
        let sql = match self {
            Self::Sqlite(_) => {
                "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_deleted"
            }
            Self::Postgres(_) => "ALTER TABLE audit DISABLE TRIGGER USER",
        };
        self.carry_out(sql.to_owned()).await;
    }

    async fn carry_out(&mut self, sql: String) {
        let sql = AssertSqlSafe(sql);
        let done = match self {
            Self::Sqlite(c) => sqlx::raw_sql(sql).execute(c).await.map(drop),
            Self::Postgres(c) => sqlx::raw_sql(sql).execute(c).await.map(drop),
        };
        done.expect("done");
    }

    pub(crate) async fn close(self) {
        let closed = match self {
            Self::Sqlite(c) => c.close().await,
            Self::Postgres(c) => c.close().await,
        };
        closed.expect("closed");
    }
}

/// All that is stored of messages, as who has the database reads it.
pub(crate) async fn stored(place: &RecordsPlace) -> Vec<u8> {
    const ALL: &str = "SELECT COALESCE(encode(sealed, 'escape'), '') || outbox::text FROM outbox";
    let Some(url) = place.postgres() else {
        let files = ["db", "db-wal"].map(|end| place.file().with_extension(end));
        return files
            .iter()
            .flat_map(|file| std::fs::read(file).expect("a file"))
            .collect();
    };
    let options = url.options("harit_records");
    let mut c = PgConnection::connect_with(&options)
        .await
        .expect("the database");
    let rows: Vec<String> = sqlx::query_scalar(ALL)
        .fetch_all(&mut c)
        .await
        .expect("rows");
    rows.concat().into_bytes()
}
