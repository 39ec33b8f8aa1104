//! Where a statement is carried out.

use std::io;
use std::time::Duration;

use sqlx::Postgres;
use sqlx::postgres::{PgConnection, PgPool};
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::{Connection, Pool};

/// Any connection of a pool, or the one of a transaction.
pub(crate) enum On<'c> {
    SqlitePool(&'c SqlitePool),
    PostgresPool(&'c PgPool),
    /// In a transaction of its own, while no other server changes anything.
    AlonePostgres(&'c PgPool),
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

/// What carries out a statement.
pub(crate) trait Executor<'c>: Send {
    fn on(self) -> On<'c>;
}

impl<'c> Executor<'c> for &'c Pool {
    fn on(self) -> On<'c> {
        match self {
            Pool::Sqlite(pool) => On::SqlitePool(pool),
            Pool::Postgres(pool) => On::PostgresPool(pool),
            Pool::SharedPostgres(pool) => On::AlonePostgres(pool),
        }
    }
}

impl<'c> Executor<'c> for &'c mut Connection {
    fn on(self) -> On<'c> {
        match self {
            Connection::Sqlite(tx) => On::Sqlite(tx),
            Connection::Postgres(tx) => On::Postgres(tx),
        }
    }
}

/// The number of the lock of who changes something, where several servers write: any that no other program on the database takes.
const CHANGE: i64 = 7_233_192_440_164_157;
/// How long a server may take to answer: one that is cut off would answer never, and not say so.
const PATIENCE: Duration = Duration::from_secs(10);

/// The answer of a server, or that it takes too long.
pub(crate) async fn within<T>(
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the database does not answer");
    tokio::time::timeout(PATIENCE, answer).await.map_err(late)?
}

/// Begins a transaction while no other server changes anything, and keeps them from it until it ends.
pub(super) async fn alone(
    pool: &PgPool,
) -> Result<sqlx::Transaction<'static, Postgres>, sqlx::Error> {
    let mut tx = pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(CHANGE)
        .execute(&mut *tx)
        .await?;
    Ok(tx)
}

/// Carries out the same with the statement and the arguments of the one database or the other.
macro_rules! run {
    ($query:ident, $executor:ident, |$sql:ident, $arguments:ident, $on:ident| $run:expr) => {
        match $executor.on() {
            On::SqlitePool($on) => {
                let ($sql, $arguments) = $query.sqlite()?;
                $run
            }
            On::Sqlite($on) => {
                let ($sql, $arguments) = $query.sqlite()?;
                $run
            }
            On::PostgresPool($on) => {
                let ($sql, $arguments) = $query.postgres()?;
                within(async { $run }).await
            }
            On::Postgres($on) => {
                let ($sql, $arguments) = $query.postgres()?;
                within(async { $run }).await
            }
            On::AlonePostgres(pool) => {
                let ($sql, $arguments) = $query.postgres()?;
                within(async {
                    let mut tx = alone(pool).await?;
                    let $on = &mut *tx;
                    let answer: Result<_, sqlx::Error> = async { $run }.await;
                    let answer = answer?;
                    tx.commit().await?;
                    Ok(answer)
                })
                .await
            }
        }
    };
}
pub(super) use run;
