//! A statement, its parameters and what it answers.

use std::marker::PhantomData;

use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments as _, Encode, FromRow, Postgres, SqlSafeStr, SqlStr, Sqlite, Type};

use super::on::{Executor, On, alone, run, within};

/// A value that either database takes.
pub(crate) trait Bind<'q>: Send {
    fn to_sqlite(self: Box<Self>, arguments: &mut SqliteArguments) -> Result<(), BoxDynError>;
    fn to_postgres(self: Box<Self>, arguments: &mut PgArguments) -> Result<(), BoxDynError>;
}

impl<'q, T> Bind<'q> for T
where
    T: Send + Encode<'q, Sqlite> + Type<Sqlite> + Encode<'q, Postgres> + Type<Postgres>,
{
    fn to_sqlite(self: Box<Self>, arguments: &mut SqliteArguments) -> Result<(), BoxDynError> {
        arguments.add(*self)
    }

    fn to_postgres(self: Box<Self>, arguments: &mut PgArguments) -> Result<(), BoxDynError> {
        arguments.add(*self)
    }
}

/// A row that is asked for and not read.
pub(crate) struct Row;

impl<'r, R: sqlx::Row> FromRow<'r, R> for Row {
    fn from_row(_: &'r R) -> Result<Self, sqlx::Error> {
        Ok(Self)
    }
}

/// How many rows a statement changed.
pub(crate) struct Done(u64);

impl Done {
    pub(crate) const fn rows_affected(&self) -> u64 {
        self.0
    }
}

/// A row that either database answers.
pub(crate) trait Answer:
    Send + Unpin + for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>
{
}

impl<T> Answer for T where
    T: Send + Unpin + for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>
{
}

/// A statement whose rows are read as `T`.
#[must_use]
pub(crate) struct Query<'q, T = Row> {
    sql: SqlStr,
    parameters: Vec<Box<dyn Bind<'q> + 'q>>,
    answer: PhantomData<fn() -> T>,
}

/// A statement whose rows have one column.
#[must_use]
pub(crate) struct Scalar<'q, T>(Query<'q, (T,)>);

/// A statement that changes rows, or whose rows are counted.
pub(crate) fn query<'q>(sql: impl SqlSafeStr) -> Query<'q> {
    query_as(sql)
}

/// A statement that reads rows.
pub(crate) fn query_as<'q, T>(sql: impl SqlSafeStr) -> Query<'q, T> {
    Query {
        sql: sql.into_sql_str(),
        parameters: Vec::new(),
        answer: PhantomData,
    }
}

/// A statement that reads one column.
pub(crate) fn query_scalar<'q, T>(sql: impl SqlSafeStr) -> Scalar<'q, T> {
    Scalar(query_as(sql))
}

impl<'q, T> Query<'q, T> {
    /// The value of the next parameter, `$1` first.
    pub(crate) fn bind(mut self, value: impl Bind<'q> + 'q) -> Self {
        self.parameters.push(Box::new(value));
        self
    }

    fn sqlite(self) -> Result<(SqlStr, SqliteArguments), sqlx::Error> {
        let mut arguments = SqliteArguments::default();
        for value in self.parameters {
            value
                .to_sqlite(&mut arguments)
                .map_err(sqlx::Error::Encode)?;
        }
        Ok((self.sql, arguments))
    }

    fn postgres(self) -> Result<(SqlStr, PgArguments), sqlx::Error> {
        let mut arguments = PgArguments::default();
        for value in self.parameters {
            value
                .to_postgres(&mut arguments)
                .map_err(sqlx::Error::Encode)?;
        }
        Ok((self.sql, arguments))
    }

    pub(crate) async fn execute<'c>(
        self,
        executor: impl Executor<'c>,
    ) -> Result<Done, sqlx::Error> {
        run!(self, executor, |sql, arguments, on| {
            let done = sqlx::query_with(sql, arguments).execute(on).await?;
            Ok(Done(done.rows_affected()))
        })
    }
}

impl<T: Answer> Query<'_, T> {
    pub(crate) async fn fetch_all<'c>(
        self,
        executor: impl Executor<'c>,
    ) -> Result<Vec<T>, sqlx::Error> {
        run!(self, executor, |sql, arguments, on| {
            sqlx::query_as_with(sql, arguments).fetch_all(on).await
        })
    }

    pub(crate) async fn fetch_one<'c>(self, executor: impl Executor<'c>) -> Result<T, sqlx::Error> {
        run!(self, executor, |sql, arguments, on| {
            sqlx::query_as_with(sql, arguments).fetch_one(on).await
        })
    }

    pub(crate) async fn fetch_optional<'c>(
        self,
        executor: impl Executor<'c>,
    ) -> Result<Option<T>, sqlx::Error> {
        run!(self, executor, |sql, arguments, on| {
            sqlx::query_as_with(sql, arguments).fetch_optional(on).await
        })
    }
}

impl<'q, T> Scalar<'q, T>
where
    (T,): Answer,
{
    pub(crate) fn bind(self, value: impl Bind<'q> + 'q) -> Self {
        Self(self.0.bind(value))
    }

    pub(crate) async fn fetch_all<'c>(
        self,
        executor: impl Executor<'c>,
    ) -> Result<Vec<T>, sqlx::Error> {
        let rows = self.0.fetch_all(executor).await?;
        Ok(rows.into_iter().map(|(value,)| value).collect())
    }

    pub(crate) async fn fetch_one<'c>(self, executor: impl Executor<'c>) -> Result<T, sqlx::Error> {
        let (value,) = self.0.fetch_one(executor).await?;
        Ok(value)
    }

    pub(crate) async fn fetch_optional<'c>(
        self,
        executor: impl Executor<'c>,
    ) -> Result<Option<T>, sqlx::Error> {
        let row = self.0.fetch_optional(executor).await?;
        Ok(row.map(|(value,)| value))
    }
}
