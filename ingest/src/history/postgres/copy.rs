//! A history that a file has, brought into a PostgreSQL that has none: everything, under the same numbers.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use sqlx::{Connection as _, PgConnection};

use super::{PostgresUrl, prepare, runtime};
use crate::history::seam::StoreError;
use crate::history::sqlite::minutes::of_packed;

/// How many bytes are sent at once.
const CHUNK: usize = 1 << 20;

/// A table of the file and of the database.
struct Table {
    file: &'static str,
    database: &'static str,
    /// What is read of the file, in the order of `columns`.
    read: &'static str,
    columns: &'static str,
    /// The column that the database numbers by itself.
    numbered: Option<&'static str>,
    /// Writes the lines of a row; says how many.
    write: fn(&Row<'_>, &mut Vec<u8>) -> rusqlite::Result<u64>,
}

impl Table {
    /// A table that is called the same and has the same columns in both.
    const fn same(name: &'static str, columns: &'static str) -> Self {
        Self {
            file: name,
            database: name,
            read: columns,
            columns,
            numbered: None,
            write: line,
        }
    }

    const fn numbered(mut self, column: &'static str) -> Self {
        self.numbered = Some(column);
        self
    }
}

/// All but who writes, each after what it refers to.
const TABLES: [Table; 17] = [
    Table::same("watermark", "generation, shard, seq"),
    Table::same("series", "id, farm, sensor").numbered("id"),
    Table {
        file: "packed",
        read: "series, hour, minutes",
        write: minutes,
        ..Table::same("minute", MINUTE)
    },
    Table {
        file: "recent",
        ..Table::same("minute", MINUTE)
    },
    Table::same("hour", "series, hour, count, sum, min, max, last, last_at"),
    Table::same("rolled", "hour"),
    Table::same("day", "series, day, count, sum, min, max, last, last_at"),
    Table::same("rolled_day", "day"),
    Table::same("event", "id, farm, at, event, body").numbered("id"),
    Table::same("command", "n, farm, command_id, device, at, state, body").numbered("n"),
    Table {
        read: "farm, device, at, CASE is_on WHEN 0 THEN 'f' WHEN 1 THEN 't' END, value",
        ..Table::same("reported", "farm, device, at, is_on, value")
    },
    Table::same(
        "dead_letter",
        "farm, topic, reason, payload, count, first_at, last_at",
    ),
    Table::same("log_farm", "id, farm, entries").numbered("id"),
    Table::same("log_source", "farm, source, seq"),
    Table::same("log_name", "id, farm, kind, text").numbered("id"),
    Table {
        read: "id, farm, at, type, result, device, rule, user, body",
        ..Table::same(
            "log",
            "id, farm, at, type, result, device, rule, person, body",
        )
        .numbered("id")
    },
    Table::same("log_command", "farm, command_id, log, at, state, message"),
];
const MINUTE: &str = "series, minute, count, sum, min, max, last, last_at";

impl PostgresUrl {
    /// Copies everything that the file has, in one transaction; says how many rows that was.
    pub(in crate::history) fn take_over(&self, file: &Connection) -> Result<u64, StoreError> {
        runtime()?.block_on(async {
            let mut connection = self.connect().await?;
            prepare(&mut connection).await?;
            let mut tx = connection.begin().await?;
            let mut rows = 0;
            for table in &TABLES {
                is_empty(table.database, &mut tx).await?;
            }
            for table in &TABLES {
                rows += copy(file, table, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(rows)
        })
    }
}

/// Refuses a database that has something already.
async fn is_empty(database: &str, in_: &mut PgConnection) -> Result<(), StoreError> {
    let any = format!("SELECT EXISTS (SELECT 1 FROM {database})");
    let any: bool = sqlx::query_scalar(sqlx::AssertSqlSafe(any))
        .fetch_one(in_)
        .await?;
    match any {
        true => Err("it has a history already: remove that first (DROP SCHEMA harit_history CASCADE), or choose another database".into()),
        false => Ok(()),
    }
}

async fn copy(file: &Connection, table: &Table, to: &mut PgConnection) -> Result<u64, StoreError> {
    let Table {
        database, columns, ..
    } = table;
    let mut statement = file.prepare(&format!("SELECT {} FROM {}", table.read, table.file))?;
    let mut rows = statement.query([])?;
    let (mut count, mut lines) = (0, Vec::with_capacity(CHUNK + 4_096));
    let mut copying = to
        .copy_in_raw(&format!("COPY {database} ({columns}) FROM STDIN"))
        .await?;
    while let Some(row) = rows.next()? {
        count += (table.write)(row, &mut lines)?;
        if lines.len() >= CHUNK {
            copying.send(&lines[..]).await?;
            lines.clear();
        }
    }
    copying.send(&lines[..]).await?;
    copying.finish().await?;
    if let Some(column) = table.numbered {
        let next = format!(
            "SELECT setval(pg_get_serial_sequence('{database}', '{column}'), max({column})) FROM {database} HAVING max({column}) IS NOT NULL"
        );
        sqlx::query(sqlx::AssertSqlSafe(next)).execute(to).await?;
    }
    Ok(count)
}

/// A row as it is.
fn line(row: &Row<'_>, to: &mut Vec<u8>) -> rusqlite::Result<u64> {
    for column in 0..row.as_ref().column_count() {
        if column > 0 {
            to.push(b'\t');
        }
        put(row.get_ref(column)?, to);
    }
    to.push(b'\n');
    Ok(1)
}

/// The minutes of an hour, a line each.
fn minutes(row: &Row<'_>, to: &mut Vec<u8>) -> rusqlite::Result<u64> {
    let mut count = 0;
    of_packed(row, &mut |series, b| {
        count += 1;
        let numbers = [
            series, b.minute, b.count, b.sum, b.min, b.max, b.last, b.last_at,
        ];
        let line = numbers.map(|n| n.to_string()).join("\t");
        to.extend_from_slice(line.as_bytes());
        to.push(b'\n');
    })?;
    Ok(count)
}

/// A value as `COPY` reads it. PostgreSQL's texts have no NUL.
fn put(value: ValueRef<'_>, to: &mut Vec<u8>) {
    match value {
        ValueRef::Null => to.extend(b"\\N"),
        ValueRef::Integer(n) => to.extend(n.to_string().bytes()),
        ValueRef::Real(n) => to.extend(n.to_string().bytes()),
        ValueRef::Text(text) => {
            for &byte in text {
                match byte {
                    b'\\' => to.extend(b"\\\\"),
                    b'\n' => to.extend(b"\\n"),
                    b'\r' => to.extend(b"\\r"),
                    b'\t' => to.extend(b"\\t"),
                    0 => to.extend("\u{fffd}".bytes()),
                    byte => to.push(byte),
                }
            }
        }
        ValueRef::Blob(bytes) => {
            to.extend(b"\\\\x");
            for byte in bytes {
                to.extend(
                    [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]),
                );
            }
        }
    }
}
