//! The log's tables, beside the rest of the history.
//!
//! An entry is a row with its text as JSON, and small numbers for all that it can be filtered by: names are numbered in a
//! table of their own, so that a search for a name looks at a few names and then compares numbers. One index has all of
//! these numbers in the order of pages; a page and its count never touch the rows that they skip.

use std::collections::HashMap;

use harit_engine::FarmId;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{LogResult, NewLogEntry};
use harit_farm::{CommandLife, CommandState};

/// The most entries that a farm keeps, whatever their age.
pub(crate) const MAX_ENTRIES: i64 = 2_000_000;
/// How many names the writer remembers the numbers of.
pub(crate) const MAX_NAMES_CACHED: usize = 100_000;

pub(crate) const TABLES: &str = "
CREATE TABLE log_farm (id INTEGER PRIMARY KEY, farm TEXT NOT NULL UNIQUE, entries INTEGER NOT NULL DEFAULT 0);
CREATE TABLE log_source (farm INTEGER NOT NULL, source TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (farm, source)) WITHOUT ROWID;
CREATE TABLE log_name (id INTEGER PRIMARY KEY, farm INTEGER NOT NULL, kind INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (farm, kind, text));
CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, farm INTEGER NOT NULL, at INTEGER NOT NULL, type INTEGER NOT NULL, result INTEGER NOT NULL,
  device INTEGER, rule INTEGER, user INTEGER, body TEXT NOT NULL);
CREATE INDEX log_by_farm ON log (farm, at, id, type, result, device, rule, user);
CREATE TABLE log_command (farm INTEGER NOT NULL, command_id TEXT NOT NULL, log INTEGER, at INTEGER NOT NULL, state TEXT NOT NULL, message TEXT,
  PRIMARY KEY (farm, command_id)) WITHOUT ROWID;
CREATE INDEX log_command_by_log ON log_command (log);
CREATE TRIGGER log_grew AFTER INSERT ON log BEGIN UPDATE log_farm SET entries = entries + 1 WHERE id = new.farm; END;
CREATE TRIGGER log_shrank AFTER DELETE ON log BEGIN
  UPDATE log_farm SET entries = entries - 1 WHERE id = old.farm;
  DELETE FROM log_command WHERE log = old.id;
END;
";

/// What kind of name it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NameKind {
    Device = 1,
    Rule = 2,
    User = 3,
}

/// An entry on its way to the store.
#[derive(Debug, Clone)]
pub(crate) struct LogRow {
    pub(crate) farm: FarmId,
    pub(crate) entry: NewLogEntry,
    /// It was read from the journal after a restart: who answered its commands is known already, or never will be.
    pub(crate) recovered: bool,
}

/// Entries that were written down elsewhere, in order, each with its number there.
#[derive(Debug, Clone)]
pub(crate) struct Imported {
    pub(crate) farm: FarmId,
    pub(crate) source: &'static str,
    pub(crate) entries: Vec<(i64, Option<NewLogEntry>)>,
}

/// The numbers that the writer knows.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    farms: HashMap<FarmId, i64>,
    names: HashMap<(i64, NameKind, String), i64>,
}

impl Numbers {
    /// After a transaction that was taken back.
    pub(crate) fn clear(&mut self) {
        self.farms.clear();
        self.names.clear();
    }

    fn farm(&mut self, tx: &Transaction<'_>, farm: &FarmId) -> rusqlite::Result<i64> {
        if let Some(id) = self.farms.get(farm) {
            return Ok(*id);
        }
        tx.prepare_cached("INSERT INTO log_farm (farm) VALUES (?1) ON CONFLICT DO NOTHING")?
            .execute([farm.as_str()])?;
        let id = tx
            .prepare_cached("SELECT id FROM log_farm WHERE farm = ?1")?
            .query_row([farm.as_str()], |r| r.get(0))?;
        self.farms.insert(farm.clone(), id);
        Ok(id)
    }

    fn name(
        &mut self,
        tx: &Transaction<'_>,
        farm: i64,
        kind: NameKind,
        text: &str,
    ) -> rusqlite::Result<Option<i64>> {
        if text.is_empty() {
            return Ok(None);
        }
        let key = (farm, kind, folded(text));
        if let Some(id) = self.names.get(&key) {
            return Ok(Some(*id));
        }
        if self.names.len() >= MAX_NAMES_CACHED {
            self.names.clear();
        }
        let row = params![farm, kind as i64, key.2];
        tx.prepare_cached(
            "INSERT INTO log_name (farm, kind, text) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(row)?;
        let id = tx
            .prepare_cached("SELECT id FROM log_name WHERE farm = ?1 AND kind = ?2 AND text = ?3")?
            .query_row(row, |r| r.get(0))?;
        self.names.insert(key, id);
        Ok(Some(id))
    }
}

/// A text as it is compared, whatever its case.
pub(crate) fn folded(text: &str) -> String {
    text.to_lowercase()
}

pub(crate) fn insert(
    tx: &Transaction<'_>,
    numbers: &mut Numbers,
    farm: &FarmId,
    entry: &NewLogEntry,
    recovered: bool,
) -> rusqlite::Result<()> {
    let farm = numbers.farm(tx, farm)?;
    let body = &entry.body;
    let (device, rule, user) = entry.names();
    let device = numbers.name(tx, farm, NameKind::Device, &device)?;
    let rule = numbers.name(tx, farm, NameKind::Rule, rule)?;
    let user = numbers.name(tx, farm, NameKind::User, user)?;
    let result = entry.first_result();
    let text = serde_json::to_string(body).unwrap_or_default();
    tx.prepare_cached(
        "INSERT INTO log (farm, at, type, result, device, rule, user, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        farm,
        entry.at.as_millis(),
        entry.log_type.number(),
        result.number(),
        device,
        rule,
        user,
        text
    ])?;
    let log = tx.last_insert_rowid();
    let unheard = if recovered {
        CommandState::TimedOut
    } else {
        CommandState::Queued
    };
    for order in &body.orders {
        tx.prepare_cached(
            "INSERT INTO log_command (farm, command_id, log, at, state) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (farm, command_id) DO UPDATE SET log = excluded.log",
        )?
        .execute(params![farm, order.command_id, log, entry.at.as_millis(), unheard.as_str()])?;
    }
    if !body.orders.is_empty() {
        settle(tx, log)?;
    }
    Ok(())
}

/// A command's life went on.
pub(crate) fn follow(
    tx: &Transaction<'_>,
    numbers: &mut Numbers,
    life: &CommandLife,
) -> rusqlite::Result<()> {
    let farm = numbers.farm(tx, &life.farm)?;
    // a command that was acked was done, also if another one replaced it then
    tx.prepare_cached(
        "INSERT INTO log_command (farm, command_id, at, state, message) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (farm, command_id) DO UPDATE SET state = excluded.state, message = excluded.message \
         WHERE NOT (excluded.state = 'superseded' AND state IN ('acked', 'confirmed'))",
    )?
    .execute(params![
        farm,
        life.command_id,
        life.at.as_millis(),
        life.state.as_str(),
        life.message
    ])?;
    let log: Option<Option<i64>> = tx
        .prepare_cached("SELECT log FROM log_command WHERE farm = ?1 AND command_id = ?2")?
        .query_row(params![farm, life.command_id], |r| r.get(0))
        .optional()?;
    match log.flatten() {
        Some(log) => settle(tx, log),
        None => Ok(()),
    }
}

/// An entry's result is that of its commands: pending as long as one is, a failure if one is.
fn settle(tx: &Transaction<'_>, log: i64) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "UPDATE log SET result = (SELECT CASE WHEN sum(state IN ('queued', 'sent')) > 0 THEN ?2 \
         WHEN sum(state IN ('failed', 'timed_out', 'superseded')) > 0 THEN ?3 ELSE ?4 END FROM log_command WHERE log = ?1) WHERE id = ?1",
    )?
    .execute(params![
        log,
        LogResult::Pending.number(),
        LogResult::Failure.number(),
        LogResult::Success.number()
    ])?;
    Ok(())
}

/// Takes over what was written down elsewhere, from where the source was read last.
pub(crate) fn import(
    tx: &Transaction<'_>,
    numbers: &mut Numbers,
    imported: &Imported,
) -> rusqlite::Result<()> {
    let farm = numbers.farm(tx, &imported.farm)?;
    let before = read_until(tx, farm, imported.source)?;
    let mut until = before;
    for (seq, entry) in &imported.entries {
        if *seq <= before {
            continue;
        }
        if let Some(entry) = entry {
            insert(tx, numbers, &imported.farm, entry, false)?;
        }
        until = until.max(*seq);
    }
    tx.execute(
        "INSERT INTO log_source (farm, source, seq) VALUES (?1, ?2, ?3) ON CONFLICT (farm, source) DO UPDATE SET seq = excluded.seq",
        params![farm, imported.source, until],
    )?;
    Ok(())
}

fn read_until(db: &Connection, farm: i64, source: &str) -> rusqlite::Result<i64> {
    let seq = db
        .prepare_cached("SELECT seq FROM log_source WHERE farm = ?1 AND source = ?2")?
        .query_row(params![farm, source], |r| r.get(0))
        .optional()?;
    Ok(seq.unwrap_or(0))
}

/// How far a source of a farm was read.
pub(crate) fn position(db: &Connection, farm: &FarmId, source: &str) -> rusqlite::Result<i64> {
    match number_of(db, farm)? {
        Some((farm, _)) => read_until(db, farm, source),
        None => Ok(0),
    }
}

/// Removes what is too old or too much, and names that nothing has any more.
pub(crate) fn sweep(
    tx: &Transaction<'_>,
    numbers: &mut Numbers,
    before: i64,
) -> rusqlite::Result<()> {
    let farms: Vec<i64> = tx
        .prepare("SELECT id FROM log_farm")?
        .query_map([], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    let mut removed = 0;
    for farm in farms {
        removed += tx.execute(
            "DELETE FROM log WHERE farm = ?1 AND at < ?2",
            [farm, before],
        )?;
        removed += tx.execute(
            "DELETE FROM log WHERE id IN (SELECT id FROM log WHERE farm = ?1 ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?2)",
            [farm, MAX_ENTRIES],
        )?;
    }
    tx.execute(
        "DELETE FROM log_command WHERE log IS NULL AND at < ?1",
        [before],
    )?;
    if removed > 0 {
        for column in ["device", "rule", "user"] {
            let kind = match column {
                "device" => NameKind::Device,
                "rule" => NameKind::Rule,
                _ => NameKind::User,
            };
            tx.execute(
                &format!(
                    "DELETE FROM log_name WHERE kind = ?1 AND id NOT IN (SELECT {column} FROM log WHERE {column} IS NOT NULL)"
                ),
                [kind as i64],
            )?;
        }
        numbers.clear();
    }
    Ok(())
}

/// A farm's number and how many entries it has.
pub(super) fn number_of(db: &Connection, farm: &FarmId) -> rusqlite::Result<Option<(i64, u64)>> {
    db.prepare_cached("SELECT id, entries FROM log_farm WHERE farm = ?1")?
        .query_row([farm.as_str()], |r| {
            Ok((r.get(0)?, r.get::<_, i64>(1)?.unsigned_abs()))
        })
        .optional()
}
