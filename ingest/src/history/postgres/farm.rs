//! What one PostgreSQL has of a farm, brought to another one: everything, under numbers that are free there.

use std::collections::BTreeMap;

use futures_util::TryStreamExt as _;
use harit_engine::FarmId;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::rollups::{roll_to, rolled};
use super::write::text;
use super::{PostgresUrl, prepare, runtime};
use crate::history::rollup::Rolled;
use crate::history::seam::StoreError;

/// The number of the lock of who moves a farm: any that no other program on the database takes.
const MOVING: i64 = 7_233_192_440_164_157;

/// A column, and whose number it is where it has one: that of a row of a table.
type Column = (&'static str, Option<&'static str>);

/// A table that has rows of farms.
struct Table {
    name: &'static str,
    columns: &'static [Column],
    /// Which rows are the farm's, whose id is a setting of the connection.
    of: &'static str,
}

const fn plain(name: &'static str) -> Column {
    (name, None)
}

const fn number(name: &'static str, of: &'static str) -> Column {
    (name, Some(of))
}

const BY_ID: &str = "farm = current_setting('harit.farm')";
const BY_SERIES: &str =
    "series IN (SELECT id FROM series WHERE farm = current_setting('harit.farm'))";
const BY_NUMBER: &str =
    "farm IN (SELECT id FROM log_farm WHERE farm = current_setting('harit.farm'))";

/// The columns of a level's table after the first two.
macro_rules! level {
    ($name:literal) => {
        Table {
            name: $name,
            columns: &[
                number("series", "series"),
                plain($name),
                plain("count"),
                plain("sum"),
                plain("min"),
                plain("max"),
                plain("last"),
                plain("last_at"),
            ],
            of: BY_SERIES,
        }
    };
}

/// Each after what it refers to.
const TABLES: [Table; 13] = [
    Table {
        name: "series",
        columns: &[number("id", "series"), plain("farm"), plain("sensor")],
        of: BY_ID,
    },
    level!("minute"),
    level!("hour"),
    level!("day"),
    Table {
        name: "event",
        columns: &[
            number("id", "event"),
            plain("farm"),
            plain("at"),
            plain("event"),
            plain("body"),
        ],
        of: BY_ID,
    },
    Table {
        name: "command",
        columns: &[
            number("n", "command"),
            plain("farm"),
            plain("command_id"),
            plain("device"),
            plain("at"),
            plain("state"),
            plain("body"),
        ],
        of: BY_ID,
    },
    Table {
        name: "reported",
        columns: &[
            plain("farm"),
            plain("device"),
            plain("at"),
            plain("is_on"),
            plain("value"),
        ],
        of: BY_ID,
    },
    Table {
        name: "dead_letter",
        columns: &[
            plain("farm"),
            plain("topic"),
            plain("reason"),
            plain("payload"),
            plain("count"),
            plain("first_at"),
            plain("last_at"),
        ],
        of: BY_ID,
    },
    Table {
        name: "log_farm",
        columns: &[number("id", "log_farm"), plain("farm"), plain("entries")],
        of: BY_ID,
    },
    Table {
        name: "log_source",
        columns: &[number("farm", "log_farm"), plain("source"), plain("seq")],
        of: BY_NUMBER,
    },
    Table {
        name: "log_name",
        columns: &[
            number("id", "log_name"),
            number("farm", "log_farm"),
            plain("kind"),
            plain("text"),
        ],
        of: BY_NUMBER,
    },
    Table {
        name: "log",
        columns: &[
            number("id", "log"),
            number("farm", "log_farm"),
            plain("at"),
            plain("type"),
            plain("result"),
            number("device", "log_name"),
            number("rule", "log_name"),
            number("person", "log_name"),
            plain("body"),
        ],
        of: BY_NUMBER,
    },
    Table {
        name: "log_command",
        columns: &[
            number("farm", "log_farm"),
            plain("command_id"),
            number("log", "log"),
            plain("at"),
            plain("state"),
            plain("message"),
        ],
        of: BY_NUMBER,
    },
];

/// The tables whose rows have a number, and its column.
const NUMBERED: [(&str, &str); 6] = [
    ("series", "id"),
    ("event", "id"),
    ("command", "n"),
    ("log_farm", "id"),
    ("log_name", "id"),
    ("log", "id"),
];

impl PostgresUrl {
    /// Copies what it has of a farm to another one, in place of what that has of it, in one transaction; says how many rows that was. No server may write either meanwhile.
    ///
    /// # Errors
    /// When one cannot be reached, read or written. The other one has of the farm what it had then.
    pub fn copy_farm(&self, farm: &FarmId, to: &Self) -> Result<u64, StoreError> {
        runtime()?.block_on(async {
            let (mut from, of_from) = self.of_farm(farm).await?;
            let (mut to, of_to) = to.of_farm(farm).await?;
            let mut tx = to.begin().await?;
            forget(&mut tx).await?;
            let above = numbers(&mut tx).await?;
            let mut rows = 0;
            for table in &TABLES {
                rows += copy(&mut from, table, &above, &mut tx).await?;
            }
            for (table, column) in NUMBERED {
                let next = format!(
                    "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table} HAVING max({column}) IS NOT NULL"
                );
                sqlx::query(AssertSqlSafe(next)).execute(&mut *tx).await?;
            }
            // What one of them has not made yet is made again of what it consists of.
            let rolled = Rolled {
                hour: of_from.hour.min(of_to.hour),
                day: of_from.day.min(of_to.day),
            };
            roll_to(&mut tx, rolled).await?;
            tx.commit().await?;
            Ok(rows)
        })
    }

    /// Removes what it has of a farm that another one keeps. No server may write either meanwhile.
    ///
    /// # Errors
    /// When one cannot be reached, this one cannot be written, or both are one; then everything is there.
    pub fn forget_farm(&self, farm: &FarmId, kept_by: &Self) -> Result<(), StoreError> {
        runtime()?.block_on(async {
            let (mut connection, _) = self.of_farm(farm).await?;
            let _other = kept_by.of_farm(farm).await?;
            let mut tx = connection.begin().await?;
            forget(&mut tx).await?;
            Ok(tx.commit().await?)
        })
    }

    /// A connection for what there is of a farm, one at a time: who copies from a database to itself is refused. Who wrote before is told
    /// that it does not any more.
    async fn of_farm(&self, farm: &FarmId) -> Result<(PgConnection, Rolled), StoreError> {
        let mut c = self.connect().await?;
        let is_alone: bool = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)")
            .bind(MOVING)
            .fetch_one(&mut c)
            .await?;
        if !is_alone {
            let taken = "is the other one as well, or another farm is moved there";
            return Err(format!("the history in {self} {taken}").into());
        }
        prepare(&mut c).await?;
        // One of two waits in its transaction while the other one reads.
        sqlx::query(
            "SELECT set_config('harit.farm', $1, false), set_config('idle_in_transaction_session_timeout', '0', false)",
        )
            .bind(text(farm.as_str()))
            .execute(&mut c)
            .await?;
        let rolled = rolled(&mut c).await?;
        Ok((c, rolled))
    }
}

/// Removes everything of the farm.
async fn forget(c: &mut PgConnection) -> Result<(), sqlx::Error> {
    for Table { name, of, .. } in TABLES.iter().rev() {
        let delete = format!("DELETE FROM {name} WHERE {of}");
        sqlx::query(AssertSqlSafe(delete)).execute(&mut *c).await?;
    }
    Ok(())
}

/// The highest number that each table has or had.
async fn numbers(c: &mut PgConnection) -> Result<BTreeMap<&'static str, i64>, sqlx::Error> {
    let mut all = BTreeMap::new();
    for (table, column) in NUMBERED {
        let highest = format!(
            "SELECT GREATEST(COALESCE(max({column}), 0), nextval(pg_get_serial_sequence('{table}', '{column}'))) FROM {table}"
        );
        let highest = sqlx::query_scalar(AssertSqlSafe(highest));
        all.insert(table, highest.fetch_one(&mut *c).await?);
    }
    Ok(all)
}

/// Copies a table's rows, under numbers above those that are there. Events and commands are numbered one after another: of these the oldest
/// are removed by number, so a gap would count as rows.
async fn copy(
    from: &mut PgConnection,
    table: &Table,
    above: &BTreeMap<&str, i64>,
    to: &mut PgConnection,
) -> Result<u64, StoreError> {
    let Table { name, columns, of } = table;
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let read: Vec<String> = columns
        .iter()
        .map(|(name, of)| match of {
            None => (*name).to_owned(),
            Some(table @ ("event" | "command")) => {
                format!("row_number() OVER (ORDER BY {name}) + {}", above[table])
            }
            Some(table) => format!("{name} + {}", above[table]),
        })
        .collect();
    let (names, read) = (names.join(", "), read.join(", "));
    let out = format!("COPY (SELECT {read} FROM {name} WHERE {of}) TO STDOUT");
    let mut out = from.copy_out_raw(&out).await?;
    let into = format!("COPY {name} ({names}) FROM STDIN");
    let mut into = to.copy_in_raw(&into).await?;
    while let Some(lines) = out.try_next().await? {
        into.send(lines).await?;
    }
    Ok(into.finish().await?)
}

#[cfg(test)]
mod tests {
    use harit_engine::Timestamp;
    use harit_testkit::postgres::Server;

    use super::*;
    use crate::dead_letter::DeadLetter;
    use crate::history::postgres::PostgresStore;
    use crate::history::rollup::{Bucket, RollupRow};
    use crate::history::seam::Store as _;
    use crate::history::told::{EventRow, Fold, Write};

    const HOUR_MS: i64 = 3_600_000;
    const DAYS: i64 = 3;

    /// Of each hour of three days a reading of one of two sensors, and an event.
    fn past(farm: &str, seq: u64) -> Vec<Write> {
        let hours = 0..24 * DAYS;
        let at = |hour: i64| Timestamp::from_millis(hour * HOUR_MS + 90_000);
        let reading = |hour: i64| {
            let mut bucket = Bucket::default();
            assert_eq!(bucket.add(at(hour), 1_000 * hour), None);
            RollupRow {
                farm: farm.into(),
                sensor: ["a", "b"][usize::from(hour % 3 == 0)].into(),
                bucket,
            }
        };
        let event = |hour: i64| EventRow {
            farm: farm.into(),
            at: at(hour),
            name: "alert_raised",
            body: format!(r#"{{"n":"{farm} {hour}\\n"}}"#),
        };
        let letter = DeadLetter {
            farm: farm.into(),
            topic: "t\t\\".to_owned(),
            reason: "malformed".to_owned(),
            payload: vec![0, 9, 10, 92, 255],
            count: 3,
            first_at: at(0),
            last_at: at(1),
        };
        let fold = Fold {
            generation: 1,
            seq,
            rollups: hours.clone().map(reading).collect(),
            events: hours.map(event).collect(),
            ..Fold::default()
        };
        vec![Write::Fold(fold), Write::DeadLetters(vec![letter])]
    }

    /// What a database has of a farm, without numbers of its own.
    fn of(server: &Server, database: &str, farm: &str) -> Vec<String> {
        let level = |table: &str| {
            format!(
                "SELECT s.sensor, m.{table}, m.count, m.sum, m.min, m.max, m.last, m.last_at FROM {table} m \
                 JOIN series s ON s.id = m.series WHERE s.farm = '{farm}' ORDER BY 1, 2"
            )
        };
        let levels = ["minute", "hour", "day"].map(level);
        let others = [
            format!("SELECT at, event, body FROM event WHERE farm = '{farm}' ORDER BY id"),
            format!("SELECT * FROM dead_letter WHERE farm = '{farm}'"),
        ];
        let ask = |sql: String| {
            let sql = format!("SET search_path = harit_history; {sql}");
            server.ask(database, &sql).unwrap()
        };
        levels.into_iter().chain(others).map(ask).collect()
    }

    /// A history of farms, with hours and days made up to an hour.
    fn history(server: &Server, farms: &[&str], hour: i64) -> PostgresUrl {
        let url = PostgresUrl::new(&server.database(), "").unwrap();
        let mut store = PostgresStore::open(&url).unwrap();
        for (seq, farm) in (1..).zip(farms) {
            store.write(&past(farm, seq)).unwrap();
        }
        made(&url, hour);
        url
    }

    fn made(url: &PostgresUrl, hour: i64) {
        let mut store = PostgresStore::open(url).unwrap();
        while !store.roll_up(hour).unwrap() {}
    }

    #[test]
    #[ignore = "needs PostgreSQL: make test-services"]
    fn in_postgres_a_farm_is_copied_whole_and_what_is_made_of_minutes_is_made_once() {
        const END: i64 = 24 * (DAYS + 1);
        let server = Server::start();
        let from = history(&server, &["stays", "moves"], 40);
        history(&server, &["moves"], END);
        history(&server, &["other"], END);
        let apart = "UPDATE harit_history.event SET id = id * 1000000";
        server.ask("history_0", apart).unwrap();
        let [wanted, other] =
            [("history_1", "moves"), ("history_2", "other")].map(|(d, farm)| of(&server, d, farm));
        assert!(wanted.iter().all(|rows| !rows.is_empty()), "{wanted:?}");
        let before = of(&server, "history_0", "stays");
        // Where hours are made up to before, and after, where they are made in the first.
        for (database, hour) in [("history_3", 10), ("history_4", 60)] {
            let to = history(&server, &["other"], hour);
            for _ in 0..2 {
                let copied = from.copy_farm(&"moves".into(), &to).unwrap();
                assert!(copied > 150, "{copied}");
            }
            made(&to, END);
            let highest = "SELECT max(id) FROM harit_history.event";
            let highest: i64 = server.ask(database, highest).unwrap().parse().unwrap();
            assert!(highest < 1_000, "{highest}");
            assert_eq!(of(&server, database, "moves"), wanted);
            assert_eq!(of(&server, database, "other"), other);
            // What comes later has numbers that are free.
            let mut store = PostgresStore::open(&to).unwrap();
            store.write(&past("new", 9)).unwrap();
        }
        let itself = from.copy_farm(&"moves".into(), &from).unwrap_err();
        assert!(
            itself.to_string().contains("is the other one as well"),
            "{itself}"
        );
        let other = history(&server, &["other"], 10);
        assert!(from.forget_farm(&"moves".into(), &from).is_err());
        from.forget_farm(&"moves".into(), &other).unwrap();
        let left = of(&server, "history_0", "moves");
        assert!(left.iter().all(String::is_empty), "{left:?}");
        assert_eq!(of(&server, "history_0", "stays"), before);
    }
}
