//! Which farms of the records are this server's, and who may write.

use std::fmt;
use std::sync::Arc;

use sqlx::PgConnection;
use thiserror::Error;

use super::sql::within;

/// The longest name of a cell.
const MAX_NAME: usize = 24;
/// The number of the lock of who writes, of all cells: any that no other program on the database takes.
const WRITER: i64 = 7_233_192_440_164_156;

/// The name of a cell: some farms of an installation, with a server of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cell(Arc<str>);

/// What is no name of a cell.
#[derive(Debug, Error)]
#[error(
    "{0:?} is no name of a cell: it has 1 to {MAX_NAME} small letters and digits, the first a letter"
)]
pub struct BadCell(String);

impl Cell {
    /// Takes a name of small letters and digits, the first a letter: it is part of names in databases and NATS.
    ///
    /// # Errors
    /// When it is another one.
    pub fn new(name: &str) -> Result<Self, BadCell> {
        let is_name = name.len() <= MAX_NAME
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        match is_name {
            true => Ok(Self(name.into())),
            false => Err(BadCell(name.to_owned())),
        }
    }

    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The locks that a server of that cell has, or one of none: their numbers, and whether others may have it too.
async fn locks(
    connection: &mut PgConnection,
    cell: Option<&Cell>,
) -> Result<Vec<(i64, bool)>, sqlx::Error> {
    let Some(cell) = cell else {
        return Ok(vec![(WRITER, false)]);
    };
    let number = sqlx::query_scalar("SELECT hashtextextended('harit cell ' || $1, 0)");
    let own = within(number.bind(cell.as_str()).fetch_one(connection)).await?;
    Ok(vec![(WRITER, true), (own, false)])
}

/// Takes the right to write, until the connection ends: alone, or beside the servers of other cells.
pub(super) async fn take(
    connection: &mut PgConnection,
    cell: Option<&Cell>,
) -> Result<(), sqlx::Error> {
    const LOCK: &str = "SELECT CASE WHEN $2 THEN pg_try_advisory_lock_shared($1) ELSE pg_try_advisory_lock($1) END";
    for (number, is_shared) in locks(connection, cell).await? {
        let lock = sqlx::query_scalar(LOCK).bind(number).bind(is_shared);
        let taken: bool = lock.fetch_one(&mut *connection).await?;
        if !taken {
            let other = "another server writes these records".to_owned();
            return Err(sqlx::Error::Configuration(other.into()));
        }
    }
    Ok(())
}

/// Whether somebody has a lock that keeps a server of that cell, or one of none, from writing.
pub(super) async fn is_taken(
    connection: &mut PgConnection,
    cell: Option<&Cell>,
) -> Result<bool, sqlx::Error> {
    for (number, is_shared) in locks(connection, cell).await? {
        if is_locked(connection, number, !is_shared).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether somebody has that lock, alone or, where that counts too, beside others.
async fn is_locked(
    connection: &mut PgConnection,
    number: i64,
    counts_shared: bool,
) -> Result<bool, sqlx::Error> {
    const IS_LOCKED: &str = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 \
        AND (mode = 'ExclusiveLock' OR $2) AND classid = (($1 >> 32) & 4294967295)::oid AND objid = ($1 & 4294967295)::oid \
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
    let asked = sqlx::query_scalar(IS_LOCKED).bind(number);
    within(asked.bind(counts_shared).fetch_one(connection)).await
}

/// The lock of servers of that cell, or of all, that stand by and could be at work.
async fn able(connection: &mut PgConnection, cell: Option<&Cell>) -> Result<i64, sqlx::Error> {
    let number = sqlx::query_scalar("SELECT hashtextextended('harit able ' || $1, 0)");
    let number = number.bind(cell.map_or("", Cell::as_str));
    within(number.fetch_one(connection)).await
}

/// Says, until the connection ends or it is taken back, that this server stands by and could be at work.
pub(super) async fn say_able(
    connection: &mut PgConnection,
    cell: Option<&Cell>,
    is_able: bool,
) -> Result<(), sqlx::Error> {
    const SAY: &str = "SELECT CASE WHEN $2 THEN pg_try_advisory_lock_shared($1) ELSE pg_advisory_unlock_shared($1) END";
    let number = able(connection, cell).await?;
    let said = sqlx::query(SAY).bind(number).bind(is_able);
    within(said.execute(connection)).await.map(drop)
}

/// Whether a server says that.
pub(super) async fn is_any_able(
    connection: &mut PgConnection,
    cell: Option<&Cell>,
) -> Result<bool, sqlx::Error> {
    let number = able(connection, cell).await?;
    is_locked(connection, number, true).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_the_few_that_fit_everywhere() {
        for name in ["a", "north", "west2", "abcdefghijklmnopqrstuvwx"] {
            assert_eq!(Cell::new(name).unwrap().as_str(), name);
        }
        for name in ["", "2", "A", "a b", "a-b", "ü", "abcdefghijklmnopqrstuvwxy"] {
            assert!(Cell::new(name).is_err(), "{name:?}");
        }
    }
}
