//! Tables of what people write down: rows whose columns they edit, listed, found, made, replaced and deleted by one code. What a
//! table has is in [`Stored`].

use serde::Serialize;
use sqlx::AssertSqlSafe;

use super::{FarmRecords, Write, new_id, now_ms};
use crate::records::sql;

/// SQLite's code for a row that others refer to, where they are told of it by a trigger.
const TRIGGERED_FOREIGN_KEY: &str = "1811";

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Text(Option<String>),
    Number(Option<i64>),
}

impl Value {
    /// A list or an object, as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        Self::Text(serde_json::to_string(value).ok())
    }

    /// A word of a closed list.
    pub(crate) fn word(word: &impl Serialize) -> Self {
        let json = serde_json::to_value(word).ok();
        Self::Text(json.and_then(|w| w.as_str().map(str::to_owned)))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(Some(text.clone()))
    }
}

impl From<&Option<String>> for Value {
    fn from(text: &Option<String>) -> Self {
        Self::Text(text.clone())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        Self::Number(number)
    }
}

/// A row of a table whose columns people edit.
pub(crate) trait Stored: Default + sql::Answer {
    /// The table; it has an `id`, a `farm_id` and a `created_at` beside the columns.
    const TABLE: &'static str;
    /// What is read of the row `r` beside its own columns, each after a comma.
    const ALSO: &'static str = "";
    /// The column of the day on which it happened; what has none is listed as it was made.
    const DAY: Option<&'static str> = None;
    /// The most rows of a farm.
    const MAX: i64;

    /// What people edit, by column.
    fn columns(&self) -> Vec<(&'static str, Value)>;
}

/// Why a row was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    #[error("no such row")]
    Gone,
    #[error("the farm has as many as it may have")]
    TooMany,
    #[error("other rows refer to it")]
    InUse,
    #[error("a row of that name exists")]
    Taken,
    #[error("the records failed")]
    Records(#[source] sqlx::Error),
}

impl From<sqlx::Error> for RowError {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error() {
            Some(e) if e.is_unique_violation() => Self::Taken,
            Some(e)
                if e.is_foreign_key_violation()
                    || e.code().as_deref() == Some(TRIGGERED_FOREIGN_KEY) =>
            {
                Self::InUse
            }
            _ => Self::Records(error),
        }
    }
}

/// The days of a question, both included; none said is without an end.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Days<'a> {
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
}

fn select<S: Stored>(and: &str) -> AssertSqlSafe<String> {
    let (table, also) = (S::TABLE, S::ALSO);
    let order = match S::DAY {
        Some(day) => format!("r.{day} DESC, r.created_at DESC, r.id"),
        None => "r.created_at, r.id".to_owned(),
    };
    AssertSqlSafe(format!(
        "SELECT r.*{also} FROM {table} r WHERE r.farm_id = $1{and} ORDER BY {order}"
    ))
}

impl FarmRecords {
    /// All rows: the latest day first, or in the order in which they were made.
    pub(crate) async fn rows<S: Stored>(&self, days: Days<'_>) -> Result<Vec<S>, sqlx::Error> {
        let within = S::DAY.map_or_else(String::new, |day| {
            format!(" AND r.{day} >= $2 AND r.{day} <= $3")
        });
        let query = sql::query_as(select::<S>(&within)).bind(self.farm());
        // days are compared as texts: every day lies between these two
        let query = match S::DAY {
            Some(_) => query
                .bind(days.from.unwrap_or("").to_owned())
                .bind(days.to.unwrap_or("~").to_owned()),
            None => query,
        };
        query.fetch_all(&self.db().readers).await
    }
}

impl Write {
    /// A row as it is in this change.
    pub(crate) async fn row<S: Stored>(&mut self, id: &str) -> Result<S, RowError> {
        let (farm, tx) = self.parts();
        let query = sql::query_as(select::<S>(" AND r.id = $2"));
        let row = query.bind(farm).bind(id).fetch_optional(tx).await?;
        row.ok_or(RowError::Gone)
    }

    /// Adds a row and returns its id.
    pub(crate) async fn insert<S: Stored>(&mut self, row: &S) -> Result<String, RowError> {
        let id = new_id();
        self.insert_as(&id, row).await?;
        Ok(id)
    }

    /// Adds a row of that id, which no other has.
    pub(crate) async fn insert_as<S: Stored>(&mut self, id: &str, row: &S) -> Result<(), RowError> {
        let columns = row.columns();
        let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
        let places: Vec<_> = (5..5 + columns.len()).map(|n| format!("${n}")).collect();
        let sql = format!(
            "INSERT INTO {table} (id, farm_id, created_at, {names}) SELECT $1, $2, $3, {places} \
             WHERE (SELECT COUNT(*) FROM {table} WHERE farm_id = $2) < $4",
            table = S::TABLE,
            names = names.join(", "),
            places = places.join(", "),
        );
        let (farm, tx) = self.parts();
        let query = sql::query(AssertSqlSafe(sql)).bind(id).bind(farm);
        let query = query.bind(now_ms()).bind(S::MAX);
        let done = bind(query, columns).execute(tx).await?;
        if done.rows_affected() == 0 {
            return Err(RowError::TooMany);
        }
        Ok(())
    }

    /// Replaces what people edit of a row.
    pub(crate) async fn update<S: Stored>(&mut self, id: &str, row: &S) -> Result<(), RowError> {
        let columns = row.columns();
        let set = columns
            .iter()
            .zip(3..)
            .map(|((c, _), n)| format!("{c} = ${n}"));
        let set = set.collect::<Vec<_>>().join(", ");
        let sql = format!(
            "UPDATE {} SET {set} WHERE farm_id = $1 AND id = $2",
            S::TABLE
        );
        let (farm, tx) = self.parts();
        let query = sql::query(AssertSqlSafe(sql)).bind(farm).bind(id);
        let done = bind(query, columns).execute(tx).await?;
        found(done.rows_affected())
    }

    /// Deletes a row that no other refers to.
    pub(crate) async fn delete<S: Stored>(&mut self, id: &str) -> Result<(), RowError> {
        let sql = format!("DELETE FROM {} WHERE farm_id = $1 AND id = $2", S::TABLE);
        let (farm, tx) = self.parts();
        let query = sql::query(AssertSqlSafe(sql)).bind(farm).bind(id);
        found(query.execute(tx).await?.rows_affected())
    }
}

const fn found(rows: u64) -> Result<(), RowError> {
    if rows == 0 {
        Err(RowError::Gone)
    } else {
        Ok(())
    }
}

fn bind<'q>(query: sql::Query<'q>, columns: Vec<(&'static str, Value)>) -> sql::Query<'q> {
    columns
        .into_iter()
        .fold(query, |q, (_, value)| match value {
            Value::Text(text) => q.bind(text),
            Value::Number(number) => q.bind(number),
        })
}
