//! The log's tables in the database; what an entry is, [`crate::log::store`] says.

use std::collections::{BTreeMap, HashMap};

use harit_engine::FarmId;
use harit_farm::{CommandLife, CommandState};
use sqlx::PgConnection;

use super::write::{ROWS, rounds, text};
use crate::history::seam::StoreError;
use crate::log::store::{Imported, MAX_ENTRIES, MAX_NAMES_CACHED, NameKind, folded};
use crate::log::{LogResult, NewLogEntry};

/// The numbers that the writer knows.
#[derive(Default)]
pub(super) struct Numbers {
    farms: HashMap<FarmId, i64>,
    names: HashMap<(i64, NameKind, String), i64>,
}

impl Numbers {
    async fn farm(&mut self, c: &mut PgConnection, farm: &FarmId) -> Result<i64, sqlx::Error> {
        if let Some(id) = self.farms.get(farm) {
            return Ok(*id);
        }
        sqlx::query("INSERT INTO log_farm (farm) VALUES ($1) ON CONFLICT DO NOTHING")
            .bind(text(farm.as_str()))
            .execute(&mut *c)
            .await?;
        let id = sqlx::query_scalar("SELECT id FROM log_farm WHERE farm = $1")
            .bind(text(farm.as_str()))
            .fetch_one(c)
            .await?;
        self.farms.insert(farm.clone(), id);
        Ok(id)
    }

    async fn name(
        &mut self,
        c: &mut PgConnection,
        farm: i64,
        kind: NameKind,
        name: &str,
    ) -> Result<Option<i64>, sqlx::Error> {
        if name.is_empty() {
            return Ok(None);
        }
        let key = (farm, kind, folded(name));
        if let Some(id) = self.names.get(&key) {
            return Ok(Some(*id));
        }
        if self.names.len() >= MAX_NAMES_CACHED {
            self.names.clear();
        }
        let known = sqlx::query_scalar(
            "SELECT id FROM log_name WHERE farm = $1 AND kind = $2 AND md5(text) = md5($3) AND text = $3",
        )
        .bind(farm)
        .bind(kind as i64)
        .bind(text(&key.2))
        .fetch_optional(&mut *c)
        .await?;
        let id = match known {
            Some(id) => id,
            None => {
                sqlx::query_scalar(
                    "INSERT INTO log_name (farm, kind, text) VALUES ($1, $2, $3) RETURNING id",
                )
                .bind(farm)
                .bind(kind as i64)
                .bind(text(&key.2))
                .fetch_one(c)
                .await?
            }
        };
        self.names.insert(key, id);
        Ok(Some(id))
    }
}

/// An entry's numbers: its own, its farm's, and those of its names.
struct Row<'a> {
    id: i64,
    farm: i64,
    device: Option<i64>,
    rule: Option<i64>,
    user: Option<i64>,
    entry: &'a NewLogEntry,
    recovered: bool,
}

/// Writes entries; of those that were read from the journal after a restart it is known that nobody hears their answers any more.
pub(super) async fn insert(
    c: &mut PgConnection,
    numbers: &mut Numbers,
    entries: &[(&FarmId, &NewLogEntry, bool)],
) -> Result<(), StoreError> {
    for entries in entries.chunks(ROWS) {
        let ids: Vec<i64> = sqlx::query_scalar(
            "SELECT nextval(pg_get_serial_sequence('log', 'id')) FROM generate_series(1, $1)",
        )
        .bind(i64::try_from(entries.len()).unwrap_or(i64::MAX))
        .fetch_all(&mut *c)
        .await?;
        let mut rows = Vec::with_capacity(entries.len());
        for (&(farm, entry, recovered), id) in entries.iter().zip(ids) {
            let farm = numbers.farm(c, farm).await?;
            let (device, rule, user) = entry.names();
            rows.push(Row {
                id,
                farm,
                device: numbers.name(c, farm, NameKind::Device, &device).await?,
                rule: numbers.name(c, farm, NameKind::Rule, rule).await?,
                user: numbers.name(c, farm, NameKind::User, user).await?,
                entry,
                recovered,
            });
        }
        put(c, &rows).await?;
        orders(c, &rows).await?;
    }
    Ok(())
}

async fn put(c: &mut PgConnection, rows: &[Row<'_>]) -> Result<(), StoreError> {
    let body = |r: &Row<'_>| serde_json::to_string(&r.entry.body).unwrap_or_default();
    sqlx::query(
        "INSERT INTO log (id, farm, at, type, result, device, rule, person, body) SELECT * FROM UNNEST($1::bigint[], $2::bigint[], \
         $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[])",
    )
    .bind(rows.iter().map(|r| r.id).collect::<Vec<_>>())
    .bind(rows.iter().map(|r| r.farm).collect::<Vec<_>>())
    .bind(rows.iter().map(|r| r.entry.at.as_millis()).collect::<Vec<_>>())
    .bind(rows.iter().map(|r| r.entry.log_type.number()).collect::<Vec<_>>())
    .bind(rows.iter().map(|r| r.entry.first_result().number()).collect::<Vec<_>>())
    .bind(rows.iter().map(|r| r.device).collect::<Vec<_>>())
    .bind(rows.iter().map(|r| r.rule).collect::<Vec<_>>())
    .bind(rows.iter().map(|r| r.user).collect::<Vec<_>>())
    .bind(rows.iter().map(body).collect::<Vec<_>>())
    .execute(&mut *c)
    .await?;
    let mut more = BTreeMap::new();
    for row in rows {
        *more.entry(row.farm).or_insert(0_i64) += 1;
    }
    for (farm, more) in more {
        sqlx::query("UPDATE log_farm SET entries = entries + $2 WHERE id = $1")
            .bind(farm)
            .bind(more)
            .execute(&mut *c)
            .await?;
    }
    Ok(())
}

/// The commands that followed from entries, and what their states make of these.
async fn orders(c: &mut PgConnection, rows: &[Row<'_>]) -> Result<(), StoreError> {
    let orders: Vec<_> = rows
        .iter()
        .flat_map(|row| row.entry.body.orders.iter().map(move |o| (row, o)))
        .collect();
    let unheard = |r: &Row<'_>| match r.recovered {
        true => CommandState::TimedOut.as_str(),
        false => CommandState::Queued.as_str(),
    };
    for orders in rounds(&orders, |(row, order)| (row.farm, &order.command_id)) {
        sqlx::query(
            "INSERT INTO log_command (farm, command_id, log, at, state) \
             SELECT * FROM UNNEST($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::text[]) \
             ON CONFLICT (farm, command_id) DO UPDATE SET log = excluded.log",
        )
        .bind(orders.iter().map(|(r, _)| r.farm).collect::<Vec<_>>())
        .bind(orders.iter().map(|(_, o)| text(&o.command_id)).collect::<Vec<_>>())
        .bind(orders.iter().map(|(r, _)| r.id).collect::<Vec<_>>())
        .bind(orders.iter().map(|(r, _)| r.entry.at.as_millis()).collect::<Vec<_>>())
        .bind(orders.iter().map(|(r, _)| unheard(r)).collect::<Vec<_>>())
        .execute(&mut *c)
        .await?;
    }
    let mut logs: Vec<i64> = orders.iter().map(|(r, _)| r.id).collect();
    logs.dedup();
    settle(c, logs).await
}

/// Commands' lives went on: of each command one.
pub(super) async fn follow(
    c: &mut PgConnection,
    numbers: &mut Numbers,
    lives: &[&CommandLife],
) -> Result<(), StoreError> {
    let mut farms = Vec::with_capacity(lives.len());
    for life in lives {
        farms.push(numbers.farm(c, &life.farm).await?);
    }
    let ids: Vec<_> = lives.iter().map(|l| text(&l.command_id)).collect();
    // a command that was acked was done, also if another one replaced it then
    sqlx::query(
        "INSERT INTO log_command AS c (farm, command_id, at, state, message) \
         SELECT * FROM UNNEST($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[]) \
         ON CONFLICT (farm, command_id) DO UPDATE SET state = excluded.state, message = excluded.message \
         WHERE NOT (excluded.state = 'superseded' AND c.state IN ('acked', 'confirmed'))",
    )
    .bind(&farms)
    .bind(&ids)
    .bind(lives.iter().map(|l| l.at.as_millis()).collect::<Vec<_>>())
    .bind(lives.iter().map(|l| l.state.as_str()).collect::<Vec<_>>())
    .bind(lives.iter().map(|l| l.message.as_deref().map(text)).collect::<Vec<_>>())
    .execute(&mut *c)
    .await?;
    let logs: Vec<i64> = sqlx::query_scalar(
        "SELECT DISTINCT c.log FROM UNNEST($1::bigint[], $2::text[]) AS t (farm, command_id) \
         JOIN log_command c ON c.farm = t.farm AND c.command_id = t.command_id WHERE c.log IS NOT NULL",
    )
    .bind(&farms)
    .bind(&ids)
    .fetch_all(&mut *c)
    .await?;
    settle(c, logs).await
}

/// An entry's result is that of its commands: pending as long as one is, a failure if one is.
async fn settle(c: &mut PgConnection, logs: Vec<i64>) -> Result<(), StoreError> {
    if logs.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE log SET result = s.result FROM (SELECT log, CASE WHEN bool_or(state IN ('queued', 'sent')) THEN $2 \
         WHEN bool_or(state IN ('failed', 'timed_out', 'superseded')) THEN $3 ELSE $4 END AS result \
         FROM log_command WHERE log = ANY($1) GROUP BY log) s WHERE log.id = s.log",
    )
    .bind(logs)
    .bind(LogResult::Pending.number())
    .bind(LogResult::Failure.number())
    .bind(LogResult::Success.number())
    .execute(c)
    .await?;
    Ok(())
}

/// Takes over what was written down elsewhere, from where the source was read last.
pub(super) async fn import(
    c: &mut PgConnection,
    numbers: &mut Numbers,
    imported: &Imported,
) -> Result<(), StoreError> {
    let farm = numbers.farm(c, &imported.farm).await?;
    let before = read_until(c, farm, imported.source).await?;
    let new = imported.entries.iter().filter(|(seq, _)| *seq > before);
    let entries: Vec<_> = new
        .clone()
        .filter_map(|(_, e)| Some((&imported.farm, e.as_ref()?, false)))
        .collect();
    insert(c, numbers, &entries).await?;
    let until = new.map(|(seq, _)| *seq).max().unwrap_or(before);
    sqlx::query(
        "INSERT INTO log_source (farm, source, seq) VALUES ($1, $2, $3) ON CONFLICT (farm, source) DO UPDATE SET seq = excluded.seq",
    )
    .bind(farm)
    .bind(imported.source)
    .bind(until)
    .execute(c)
    .await?;
    Ok(())
}

async fn read_until(c: &mut PgConnection, farm: i64, source: &str) -> Result<i64, sqlx::Error> {
    let seq = sqlx::query_scalar("SELECT seq FROM log_source WHERE farm = $1 AND source = $2")
        .bind(farm)
        .bind(source)
        .fetch_optional(c)
        .await?;
    Ok(seq.unwrap_or(0))
}

/// How far a source of a farm was read.
pub(super) async fn position(
    c: &mut PgConnection,
    farm: &FarmId,
    source: &str,
) -> Result<i64, sqlx::Error> {
    match number_of(c, farm).await? {
        Some((farm, _)) => read_until(c, farm, source).await,
        None => Ok(0),
    }
}

/// A farm's number and how many entries it has.
pub(super) async fn number_of(
    c: &mut PgConnection,
    farm: &FarmId,
) -> Result<Option<(i64, u64)>, sqlx::Error> {
    let found: Option<(i64, i64)> =
        sqlx::query_as("SELECT id, entries FROM log_farm WHERE farm = $1")
            .bind(text(farm.as_str()))
            .fetch_optional(c)
            .await?;
    Ok(found.map(|(id, entries)| (id, entries.unsigned_abs())))
}

/// Removes what is too old or too much, and names that nothing has any more.
pub(super) async fn sweep(
    c: &mut PgConnection,
    numbers: &mut Numbers,
    before: i64,
) -> Result<(), StoreError> {
    let farms: Vec<i64> = sqlx::query_scalar("SELECT id FROM log_farm")
        .fetch_all(&mut *c)
        .await?;
    let mut removed = 0;
    for farm in farms {
        let gone: i64 = sqlx::query_scalar(
            "WITH gone AS (DELETE FROM log WHERE farm = $1 AND (at < $2 OR id IN \
             (SELECT id FROM log WHERE farm = $1 ORDER BY at DESC, id DESC OFFSET $3)) RETURNING id) SELECT count(*) FROM gone",
        )
        .bind(farm)
        .bind(before)
        .bind(MAX_ENTRIES)
        .fetch_one(&mut *c)
        .await?;
        if gone > 0 {
            sqlx::query("UPDATE log_farm SET entries = entries - $2 WHERE id = $1")
                .bind(farm)
                .bind(gone)
                .execute(&mut *c)
                .await?;
        }
        removed += gone;
    }
    sqlx::query("DELETE FROM log_command WHERE log IS NULL AND at < $1")
        .bind(before)
        .execute(&mut *c)
        .await?;
    if removed > 0 {
        sqlx::query(
            "DELETE FROM log_name n WHERE NOT EXISTS (SELECT FROM log l WHERE l.farm = n.farm AND n.id IN (l.device, l.rule, l.person))",
        )
        .execute(c)
        .await?;
        *numbers = Numbers::default();
    }
    Ok(())
}
