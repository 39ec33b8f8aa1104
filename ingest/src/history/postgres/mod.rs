//! The history in a PostgreSQL: for who has one, with its backups and its replicas.
//!
//! Whoever writes has an epoch, and each transaction of theirs a turn, which stand in a row of their own. So a transaction whose answer
//! was lost is known to be there or not, a server that was taken for dead writes nothing beside its successor, and a start waits for what
//! its predecessor had under way. A commit is acknowledged when it is synced; a database that lacks what it acknowledged (it was
//! put back, or the replica that took over was behind) is not written to before a restart, which gives it from the journal what it lacks.

mod alone;
mod copy;
mod farm;
mod log;
mod page;
mod read;
mod rollups;
mod write;

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr as _;
use std::time::Duration;

use harit_engine::{FarmId, SensorId};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use thiserror::Error;
use tokio::runtime::Runtime;

use super::rollup::Rolled;
use super::seam::{NotOpen, StoreError};

pub(super) use read::PostgresReads;
pub(super) use rollups::PostgresAnew;

/// Where its tables are in the database.
const SCHEMA: &str = "harit_history";
/// How long a connection may take.
const CONNECT_WAIT: Duration = Duration::from_secs(5);
/// How long a transaction may take.
const WRITE_WAIT: Duration = Duration::from_secs(60);

/// The tables of the program, as steps.
static TABLES: sqlx::migrate::Migrator = sqlx::migrate!("migrations/history");

/// Why nothing is written, other than what the database says.
#[derive(Debug, Error)]
enum Refused {
    #[error(
        "another server writes this history, or the database was put back to an older state: let one server alone use it, and start that anew"
    )]
    Taken,
    #[error(
        "the database lacks what it had acknowledged of shard {shard}'s journal (it has {stored}, and had {acknowledged}): start the server anew, \
         which gives it what it lacks"
    )]
    Lost {
        shard: i64,
        stored: i64,
        acknowledged: i64,
    },
    #[error("it does not answer in time")]
    Slow,
}

/// The address of a PostgreSQL is none.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct BadUrl(String);

/// Where a PostgreSQL is, and as whom it is used.
#[derive(Clone)]
pub struct PostgresUrl(Box<PgConnectOptions>);

impl PostgresUrl {
    /// Reads `postgres://user:password@host:port/database`; a password that is given beside it counts.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn new(url: &str, password: &str) -> Result<Self, BadUrl> {
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|s| url.starts_with(s))
        {
            return Err(BadUrl("it must begin with postgres://".to_owned()));
        }
        let options = PgConnectOptions::from_str(url).map_err(|e| BadUrl(e.to_string()))?;
        if options.get_database().is_none_or(str::is_empty) {
            return Err(BadUrl(
                "it names no database: postgres://user@host/database".to_owned(),
            ));
        }
        let options = match password {
            "" => options,
            password => options.password(password),
        };
        let options = options
            .application_name("harit")
            .options([
                ("synchronous_commit", "on"),
                ("client_min_messages", "warning"),
                // Whoever is gone holds nothing up.
                ("idle_in_transaction_session_timeout", "60s"),
                ("tcp_keepalives_idle", "30"),
                ("tcp_keepalives_interval", "10"),
                ("tcp_keepalives_count", "3"),
            ])
            .disable_statement_logging();
        Ok(Self(Box::new(options)))
    }

    /// Has the server end a transaction in which nothing is said for so long: another server may wait for what that locks.
    #[must_use]
    pub fn ending_transactions(self, after: Duration) -> Self {
        let after = after.as_millis().to_string();
        let end = [("idle_in_transaction_session_timeout", after)];
        Self(Box::new(self.0.options(end)))
    }

    /// Whether what is written could be read on a network on its way.
    #[must_use]
    pub fn is_plain_text(&self) -> bool {
        let host = self.0.get_host();
        let is_here = self.0.get_socket().is_some()
            || host == "localhost"
            || host.starts_with('/')
            || host
                .trim_matches(['[', ']'])
                .parse::<std::net::IpAddr>()
                .is_ok_and(|ip| ip.is_loopback());
        let ssl = self.0.get_ssl_mode();
        !is_here
            && matches!(
                ssl,
                PgSslMode::Disable | PgSslMode::Allow | PgSslMode::Prefer
            )
    }

    /// Asks the database whether a history can be kept there: what it is, and what is to be warned of.
    ///
    /// # Errors
    /// When it does not answer, or has tables of a newer program.
    pub fn check(&self) -> Result<(String, Option<&'static str>), StoreError> {
        runtime()?.block_on(within(CONNECT_WAIT * 2, async {
            let mut c = self.connect().await?;
            let (version, fsync): (String, String) =
                sqlx::query_as("SELECT current_setting('server_version'), current_setting('fsync')")
                    .fetch_one(&mut c)
                    .await?;
            let newer: bool = match is_there(&mut c).await? {
                true => sqlx::query_scalar("SELECT coalesce(max(version), 0) > $1 FROM _sqlx_migrations")
                    .bind(TABLES.iter().map(|m| m.version).max())
                    .fetch_one(&mut c)
                    .await?,
                false => false,
            };
            if newer {
                return Err("its tables are of a newer program: use that".into());
            }
            let warning = (fsync != "on").then_some(
                "it does not sync (fsync = off): a power cut may damage it, and the journal may be trimmed of what it loses",
            );
            Ok((format!("PostgreSQL {version}"), warning))
        }))
    }

    /// Whether what failed may be over in a while: the way to the server is cut, or it starts, stops or has no connection left.
    #[must_use]
    pub fn is_away(error: &sqlx::Error) -> bool {
        match error {
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => true,
            sqlx::Error::Database(e) => e
                .code()
                .is_some_and(|c| c.starts_with("57P") || c == "53300"),
            _ => false,
        }
    }

    /// How to connect to that schema of the database.
    #[must_use]
    pub fn options(&self, schema: &str) -> PgConnectOptions {
        self.0.as_ref().clone().options([("search_path", schema)])
    }

    async fn connect(&self) -> Result<PgConnection, StoreError> {
        let options = self.options(SCHEMA);
        within(CONNECT_WAIT, async { Ok(options.connect().await?) }).await
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (user, host, port) = (self.0.get_username(), self.0.get_host(), self.0.get_port());
        let database = self.0.get_database().unwrap_or_default();
        write!(f, "postgres://{user}@{host}:{port}/{database}")
    }
}

/// Without the password.
impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The writer's side.
pub(super) struct PostgresStore {
    runtime: Runtime,
    session: Session,
}

/// A writer's epoch.
struct Session {
    url: PostgresUrl,
    /// None after an error, and while a transaction is under way.
    connection: Option<PgConnection>,
    epoch: i64,
    /// The last transaction that was acknowledged.
    turn: i64,
    /// By generation and shard, what was acknowledged of their journals.
    acknowledged: HashMap<(i64, i64), i64>,
    known: Known,
}

/// What the writer knows of the tables.
#[derive(Default)]
struct Known {
    rolled: Rolled,
    series: HashMap<(FarmId, SensorId), i64>,
    numbers: log::Numbers,
}

impl PostgresStore {
    /// Makes or upgrades the tables, and begins an epoch, when what somebody else has under way is over.
    pub(super) fn open(url: &PostgresUrl) -> Result<Self, NotOpen> {
        let refused = |e: StoreError| NotOpen {
            may_come: is_away(&*e),
            why: format!("{url}: {e}").into(),
        };
        let runtime = runtime().map_err(|e| refused(e.into()))?;
        let mut connection = runtime.block_on(url.connect()).map_err(refused)?;
        let prepared = runtime.block_on(within(WRITE_WAIT, prepare(&mut connection)));
        let (epoch, rolled) = prepared.map_err(refused)?;
        let session = Session {
            url: url.clone(),
            connection: Some(connection),
            epoch,
            turn: 0,
            acknowledged: HashMap::new(),
            known: Known {
                rolled,
                ..Known::default()
            },
        };
        Ok(Self { runtime, session })
    }
}

impl Session {
    /// The connection, or a new one. It is given back where all went well, and closed otherwise.
    async fn connected(&mut self) -> Result<PgConnection, StoreError> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let mut connection = self.url.connect().await?;
        self.known = Known {
            rolled: rollups::rolled(&mut connection).await?,
            ..Known::default()
        };
        for (&(generation, shard), &acknowledged) in &self.acknowledged {
            let stored = write::watermark(&mut connection, generation, shard).await?;
            let stored = stored.unwrap_or(0);
            if stored < acknowledged {
                return Err(Refused::Lost {
                    shard,
                    stored,
                    acknowledged,
                }
                .into());
            }
        }
        Ok(connection)
    }
}

/// Makes the tables, begins an epoch, and says which, and up to where hours and days are there.
async fn prepare(c: &mut PgConnection) -> Result<(i64, Rolled), StoreError> {
    if !is_there(c).await? {
        sqlx::query("CREATE SCHEMA IF NOT EXISTS harit_history")
            .execute(&mut *c)
            .await?;
    }
    TABLES.run(&mut *c).await.map_err(|e| match e {
        sqlx::migrate::MigrateError::VersionMissing(n) => {
            format!("its tables are of a newer program (step {n}): use that").into()
        }
        e => StoreError::from(e),
    })?;
    let mut tx = c.begin().await?;
    let epoch = sqlx::query_scalar(
        "INSERT INTO writer (epoch, turn) VALUES (1, 0) \
         ON CONFLICT (only_one) DO UPDATE SET epoch = writer.epoch + 1, turn = 0 RETURNING epoch",
    )
    .fetch_one(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok((epoch, rollups::rolled(c).await?))
}

async fn is_there(c: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT to_regclass('harit_history._sqlx_migrations') IS NOT NULL")
        .fetch_one(c)
        .await
}

/// Whether it may answer later.
fn is_away(e: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    match e.downcast_ref::<sqlx::Error>() {
        Some(e) => PostgresUrl::is_away(e),
        None => e.downcast_ref::<Refused>().is_some(),
    }
}

/// A runtime for one thread: the writer's connection is driven by it alone.
fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => Err(Refused::Slow.into()),
    }
}

#[cfg(test)]
mod tests {
    use harit_engine::Timestamp;
    use harit_testkit::postgres::Server;

    use super::*;
    use crate::dead_letter::DeadLetter;
    use crate::history::seam::Store as _;
    use crate::history::told::{Fold, Write};

    #[test]
    fn an_address_is_read_and_its_password_is_not_told() {
        let url = PostgresUrl::new("postgres://harit:secret@db.farm.example/history", "").unwrap();
        assert_eq!(
            format!("{url:?}"),
            "postgres://harit@db.farm.example:5432/history"
        );
        assert!(url.is_plain_text());
        for safe in [
            "postgres://harit@db.farm.example/history?sslmode=verify-full",
            "postgres://harit@127.0.0.1:5433/history",
            "postgres://harit@localhost/history",
            "postgresql://harit@[::1]/history",
        ] {
            assert!(
                !PostgresUrl::new(safe, "x").unwrap().is_plain_text(),
                "{safe}"
            );
        }
        for bad in [
            "",
            "http://127.0.0.1",
            "postgres://harit@127.0.0.1",
            "postgres://[",
            "postgres://a@b/c?sslmode=maybe",
        ] {
            assert!(PostgresUrl::new(bad, "").is_err(), "{bad}");
        }
    }

    fn letters(topic: &str) -> Write {
        Write::DeadLetters(vec![DeadLetter {
            farm: "f".into(),
            topic: topic.to_owned(),
            reason: "malformed".to_owned(),
            payload: Vec::new(),
            count: 1,
            first_at: Timestamp::from_millis(0),
            last_at: Timestamp::from_millis(0),
        }])
    }

    fn fold(seq: u64) -> Write {
        Write::Fold(Fold {
            generation: 1,
            seq,
            ..Fold::default()
        })
    }

    #[test]
    #[ignore = "needs PostgreSQL: make test-services"]
    fn in_postgres_a_commit_whose_answer_was_lost_is_there_once() {
        let server = Server::start();
        let url = PostgresUrl::new(&server.database(), "").unwrap();
        let mut store = PostgresStore::open(&url).unwrap();
        let count = || {
            let sql = "SELECT coalesce(sum(count), 0) FROM harit_history.dead_letter";
            server.ask("history_0", sql).unwrap()
        };
        // A letter has no number of its own: only the turn says that it is there.
        store.write(&[letters("t")]).unwrap();
        store.session.turn -= 1;
        store.forget();
        store.write(&[letters("t")]).unwrap();
        assert_eq!(count(), "1");
        store.write(&[letters("t")]).unwrap();
        assert_eq!(count(), "2");
        // What was not committed is written by the next attempt.
        store.session.connection = None;
        store.write(&[letters("t"), letters("u")]).unwrap();
        assert_eq!(count(), "4");
    }

    #[test]
    #[ignore = "needs PostgreSQL: make test-services"]
    fn in_postgres_one_writes_and_what_was_put_back_is_not_written_to() {
        let server = Server::start();
        let url = PostgresUrl::new(&server.database(), "").unwrap();
        let mut before = PostgresStore::open(&url).unwrap();
        before.write(&[fold(5)]).unwrap();
        let mut after = PostgresStore::open(&url).unwrap();
        assert_eq!(after.watermarks(1).unwrap(), [(0, 5)]);
        for _ in 0..2 {
            let refused = before.write(&[fold(6)]).unwrap_err().to_string();
            assert!(refused.contains("another server"), "{refused}");
            before.forget();
        }
        assert!(before.sweep(0, 0).is_err() && before.roll_up(9).is_err());
        after.write(&[fold(7)]).unwrap();
        let put_back = "UPDATE harit_history.watermark SET seq = 3";
        server.ask("history_0", put_back).unwrap();
        after.forget();
        let refused = after.write(&[fold(8)]).unwrap_err().to_string();
        assert!(refused.contains("it has 3, and had 7"), "{refused}");
        let mut anew = PostgresStore::open(&url).unwrap();
        assert_eq!(anew.watermarks(1).unwrap(), [(0, 3)]);
        anew.write(&[fold(8)]).unwrap();
        let (version, warning) = url.check().unwrap();
        assert!(
            version.starts_with("PostgreSQL 1") && warning.is_none(),
            "{version}"
        );
        let newer = "INSERT INTO harit_history._sqlx_migrations SELECT 9999, description, installed_on, success, checksum, execution_time \
                     FROM harit_history._sqlx_migrations LIMIT 1";
        server.ask("history_0", newer).unwrap();
        for refused in [
            url.check().err().unwrap(),
            PostgresStore::open(&url).err().unwrap().why,
        ] {
            assert!(refused.to_string().contains("newer program"), "{refused}");
        }
    }
}
