//! Statements that run on either database of the records, SQLite or PostgreSQL, from one text. It has the shape of sqlx's own
//! functions; the database is chosen where a statement is carried out. sqlx's `Any` driver reads no BOOLEAN of SQLite.
//!
//! What both understand: `$1` parameters, BIGINT, TEXT, BOOLEAN, DOUBLE PRECISION, `ON CONFLICT`, `RETURNING`. The few functions of SQLite that
//! statements call beside these, PostgreSQL has from its first migration.

mod json;
mod on;
mod statement;

use std::ops::{Deref, DerefMut};

use sqlx::postgres::PgPool;
use sqlx::sqlite::SqlitePool;
use sqlx::{Postgres, Sqlite};

pub(crate) use json::Json;
pub(crate) use on::{Executor, within};
pub(crate) use statement::{Answer, Query, query, query_as, query_scalar};

/// Connections to one of the two.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
    /// Of records that other servers write too: what changes them waits for theirs.
    SharedPostgres(PgPool),
}

/// A connection within a transaction.
pub(crate) enum Connection {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

/// A change under way. Dropped, it is undone.
pub(crate) struct Transaction(Connection);

impl Pool {
    /// Begins a transaction that may write. On a pool of one connection, or a shared one, it begins after every other has ended: what it
    /// reads is changed by nobody until it ends.
    pub(crate) async fn begin(&self) -> Result<Transaction, sqlx::Error> {
        let connection = match self {
            // One that had read before would be refused at its first change, and not wait, while another process writes.
            Self::Sqlite(pool) => Connection::Sqlite(pool.begin_with("BEGIN IMMEDIATE").await?),
            Self::Postgres(pool) => Connection::Postgres(within(pool.begin()).await?),
            Self::SharedPostgres(pool) => Connection::Postgres(within(on::alone(pool)).await?),
        };
        Ok(Transaction(connection))
    }

    /// Whether the database answers.
    pub(crate) async fn ping(&self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(pool) => sqlx::query("SELECT 1").execute(pool).await.map(drop),
            Self::Postgres(pool) | Self::SharedPostgres(pool) => {
                within(sqlx::query("SELECT 1").execute(pool))
                    .await
                    .map(drop)
            }
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) | Self::SharedPostgres(pool) => pool.close().await,
        }
    }
}

impl Transaction {
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self.0 {
            Connection::Sqlite(tx) => tx.commit().await,
            Connection::Postgres(tx) => within(tx.commit()).await,
        }
    }
}

impl Deref for Transaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.0
    }
}
