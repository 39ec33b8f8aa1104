//! Records brought from one database into another: from a file into a PostgreSQL, and back.

use futures_util::TryStreamExt;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{
    AssertSqlSafe, ColumnIndex, ConnectOptions, Connection as _, Decode, Executor as _, Row, Type,
};

use super::db::{self, Db, SCHEMA};
use super::place::RecordsPlace;
use super::sql;

/// The records could not be brought from one database into another. The other one is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// There is nothing to bring.
    #[error("{0} has no records")]
    Nothing(String),
    /// Something is there already.
    #[error("{0} has records already: remove them first, or choose another")]
    NotEmpty(String),
    /// They are of another version of this program.
    #[error(
        "{place} has tables of step {theirs}, and this program knows {ours}: start its server with this program once, or use the newer one"
    )]
    Version {
        /// The database.
        place: String,
        /// Its newest step.
        theirs: i64,
        /// The newest step that is known here.
        ours: i64,
    },
    /// One of the databases.
    #[error("{0}")]
    Database(String, #[source] sqlx::Error),
}

/// A table, its columns in order, each with what it has.
struct Table {
    name: String,
    columns: Vec<(String, Kind)>,
}

impl Table {
    fn names(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }
}

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Truth,
    Real,
    Bytes,
}

impl Kind {
    fn of(declared: &str) -> Option<Self> {
        Some(match declared {
            "TEXT" => Self::Text,
            "BIGINT" | "INTEGER" => Self::Number,
            "BOOLEAN" => Self::Truth,
            "DOUBLE PRECISION" => Self::Real,
            "BLOB" => Self::Bytes,
            _ => return None,
        })
    }
}

/// A value of a column.
enum Cell {
    Text(Option<String>),
    Number(Option<i64>),
    Truth(Option<bool>),
    Real(Option<f64>),
    Bytes(Option<Vec<u8>>),
}

impl Cell {
    fn bind<'q>(self, query: sql::Query<'q>) -> sql::Query<'q> {
        match self {
            Self::Text(value) => query.bind(value),
            Self::Number(value) => query.bind(value),
            Self::Truth(value) => query.bind(value),
            Self::Real(value) => query.bind(value),
            Self::Bytes(value) => query.bind(value),
        }
    }
}

/// Copies all records, as of one instant, into a database that has none; the tables are made there. Gives how many rows there were.
///
/// # Errors
/// When there are none, the other has some, or a database fails. Then the other has none.
pub async fn copy_records(from: &RecordsPlace, to: &RecordsPlace) -> Result<u64, CopyError> {
    let (source, target) = (from.to_string(), to.to_string());
    let of_source = |e| CopyError::Database(source.clone(), e);
    let of_target = |e| CopyError::Database(target.clone(), e);
    let tables = tables().await.map_err(of_target)?;
    let mut from = Source::open(from).await?;
    from.is_of_this_version(&source).await?;
    let db = Db::open(to).await.map_err(of_target)?;
    let mut tx = db.write().await.map_err(of_target)?;
    for name in ["users", "farms", "audit"] {
        let any = AssertSqlSafe(format!("SELECT 1 FROM {name} LIMIT 1"));
        let any = sql::query(any).fetch_optional(&mut *tx).await;
        if any.map_err(of_target)?.is_some() {
            return Err(CopyError::NotEmpty(target));
        }
    }
    let mut rows = 0;
    for table in &tables {
        rows += from.copy(table, &mut tx, &source, &target).await?;
    }
    tx.commit().await.map_err(of_target)?;
    db.close().await;
    from.close().await.map_err(of_source)?;
    Ok(rows)
}

/// A database of which one instant is read.
enum Source {
    Sqlite(SqliteConnection),
    Postgres(sqlx::PgConnection),
}

impl Source {
    async fn open(place: &RecordsPlace) -> Result<Self, CopyError> {
        let failed = |e| CopyError::Database(place.to_string(), e);
        Ok(match place.postgres() {
            Some(url) => {
                let mut c = url.options(SCHEMA).connect().await.map_err(failed)?;
                let snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
                c.execute(snapshot).await.map_err(failed)?;
                Self::Postgres(c)
            }
            None => {
                let file = place.file();
                if !file.exists() {
                    return Err(CopyError::Nothing(place.to_string()));
                }
                let options = SqliteConnectOptions::new().filename(file).read_only(true);
                let mut c = options.connect().await.map_err(failed)?;
                c.execute("BEGIN").await.map_err(failed)?;
                Self::Sqlite(c)
            }
        })
    }

    async fn is_of_this_version(&mut self, place: &str) -> Result<(), CopyError> {
        const THEIRS: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations WHERE success";
        const IS_THERE: &str = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
        const IS_HERE: &str =
            "SELECT COUNT(*) > 0 FROM sqlite_schema WHERE name = '_sqlx_migrations'";
        let theirs: Result<i64, sqlx::Error> = async {
            let is_there: bool = match self {
                Self::Sqlite(c) => sqlx::query_scalar(IS_HERE).fetch_one(&mut *c).await?,
                Self::Postgres(c) => sqlx::query_scalar(IS_THERE).fetch_one(&mut *c).await?,
            };
            if !is_there {
                return Ok(0);
            }
            match self {
                Self::Sqlite(c) => sqlx::query_scalar(THEIRS).fetch_one(&mut *c).await,
                Self::Postgres(c) => sqlx::query_scalar(THEIRS).fetch_one(&mut *c).await,
            }
        }
        .await;
        let theirs = theirs.map_err(|e| CopyError::Database(place.to_owned(), e))?;
        let ours = db::version();
        match theirs {
            0 => Err(CopyError::Nothing(place.to_owned())),
            theirs if theirs == ours => Ok(()),
            theirs => Err(CopyError::Version {
                place: place.to_owned(),
                theirs,
                ours,
            }),
        }
    }

    /// Copies the rows of a table, and counts them.
    async fn copy(
        &mut self,
        table: &Table,
        tx: &mut sql::Connection,
        source: &str,
        target: &str,
    ) -> Result<u64, CopyError> {
        let (name, names) = (&table.name, table.names());
        let all = AssertSqlSafe(format!("SELECT {names} FROM {name} ORDER BY {names}"));
        match self {
            Self::Sqlite(c) => put(sqlx::query(all).fetch(c), table, tx, source, target).await,
            Self::Postgres(c) => put(sqlx::query(all).fetch(c), table, tx, source, target).await,
        }
    }

    async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(c) => c.close().await,
            Self::Postgres(c) => c.close().await,
        }
    }
}

async fn put<R: Readable>(
    mut rows: impl futures_util::Stream<Item = Result<R, sqlx::Error>> + Unpin,
    table: &Table,
    tx: &mut sql::Connection,
    source: &str,
    target: &str,
) -> Result<u64, CopyError> {
    let places: Vec<String> = (1..=table.columns.len()).map(|n| format!("${n}")).collect();
    let (names, places) = (table.names(), places.join(", "));
    let insert = format!("INSERT INTO {} ({names}) VALUES ({places})", table.name);
    let of_source = |e| CopyError::Database(source.to_owned(), e);
    let mut count = 0;
    while let Some(row) = rows.try_next().await.map_err(of_source)? {
        let mut query = sql::query(AssertSqlSafe(insert.clone()));
        for (column, (_, kind)) in table.columns.iter().enumerate() {
            query = row.cell(column, *kind).map_err(of_source)?.bind(query);
        }
        let done = query.execute(&mut *tx).await;
        done.map_err(|e| CopyError::Database(format!("{target}, {}", table.name), e))?;
        count += 1;
    }
    Ok(count)
}

/// A row of either database.
trait Readable {
    fn cell(&self, column: usize, kind: Kind) -> Result<Cell, sqlx::Error>;
}

impl<R: Row> Readable for R
where
    usize: ColumnIndex<R>,
    String: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    i64: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    bool: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    f64: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    Vec<u8>: for<'r> Decode<'r, R::Database> + Type<R::Database>,
{
    fn cell(&self, column: usize, kind: Kind) -> Result<Cell, sqlx::Error> {
        Ok(match kind {
            Kind::Text => Cell::Text(self.try_get(column)?),
            Kind::Number => Cell::Number(self.try_get(column)?),
            Kind::Truth => Cell::Truth(self.try_get(column)?),
            Kind::Real => Cell::Real(self.try_get(column)?),
            Kind::Bytes => Cell::Bytes(self.try_get(column)?),
        })
    }
}

/// The tables of this version as SQLite has them, those that others refer to before these.
async fn tables() -> Result<Vec<Table>, sqlx::Error> {
    const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                          AND name <> '_sqlx_migrations' ORDER BY name";
    const COLUMNS: &str = "SELECT name, type FROM pragma_table_info($1) ORDER BY cid";
    const PARENTS: &str = "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list($1)";
    let mut c = db::empty().await?;
    let mut left = Vec::new();
    let names: Vec<String> = sqlx::query_scalar(TABLES).fetch_all(&mut c).await?;
    for name in names {
        let columns: Vec<(String, String)> = sqlx::query_as(COLUMNS)
            .bind(&name)
            .fetch_all(&mut c)
            .await?;
        let parents: Vec<String> = sqlx::query_scalar(PARENTS)
            .bind(&name)
            .fetch_all(&mut c)
            .await?;
        let mut typed = Vec::new();
        for (column, declared) in columns {
            let kind = Kind::of(&declared).ok_or_else(|| {
                sqlx::Error::Protocol(format!("{name}.{column} is of no known type"))
            })?;
            typed.push((column, kind));
        }
        let columns = typed;
        left.push((Table { name, columns }, parents));
    }
    let mut ordered: Vec<Table> = Vec::new();
    while !left.is_empty() {
        let is_in = |name: &String| ordered.iter().any(|t| t.name == *name);
        let (ready, waiting): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|(table, parents)| parents.iter().all(|p| *p == table.name || is_in(p)));
        if ready.is_empty() {
            return Err(sqlx::Error::Protocol(
                "tables refer to each other".to_owned(),
            ));
        }
        ordered.extend(ready.into_iter().map(|(table, _)| table));
        left = waiting;
    }
    Ok(ordered)
}
