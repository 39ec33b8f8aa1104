//! Writing to the database: what is many goes as arrays, a statement for all of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use harit_engine::Quantity;
use harit_farm::CommandLife;
use sqlx::{Connection as _, PgConnection};

use super::{Known, PostgresStore, Refused, Session, WRITE_WAIT, log, rollups, within};
use crate::dead_letter::{DeadLetter, MAX_STORED};
use crate::history::rollup::Rolled;
use crate::history::seam::{Store, StoreError};
use crate::history::told::{
    EventRow, Fold, MAX_COMMANDS, MAX_EVENTS, MAX_REPORTED, ReportedRow, Write, signed,
};

/// How many rows one statement has.
pub(super) const ROWS: usize = 10_000;

impl Store for PostgresStore {
    fn watermarks(&mut self, generation: u64) -> Result<Vec<(usize, u64)>, StoreError> {
        let Self { runtime, session } = self;
        let rows = runtime.block_on(within(WRITE_WAIT, session.watermarks(signed(generation))))?;
        let unsigned = |(shard, seq): (i64, i64)| {
            let shard = usize::try_from(shard).unwrap_or(usize::MAX);
            (shard, seq.unsigned_abs())
        };
        Ok(rows.into_iter().map(unsigned).collect())
    }

    fn write(&mut self, batch: &[Write]) -> Result<(), StoreError> {
        let Self { runtime, session } = self;
        runtime.block_on(within(WRITE_WAIT, session.write(batch)))
    }

    /// What is acknowledged is synced.
    fn sync(&mut self) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn roll_up(&mut self, now: i64) -> Result<bool, StoreError> {
        let Self { runtime, session } = self;
        if !session.known.rolled.is_up_to(now) {
            let rolled = runtime.block_on(within(WRITE_WAIT, session.roll_up(now)))?;
            session.known.rolled = rolled;
        }
        Ok(session.known.rolled.is_up_to(now))
    }

    fn bytes(&mut self) -> Result<u64, StoreError> {
        let Self { runtime, session } = self;
        runtime.block_on(within(WRITE_WAIT, session.bytes()))
    }

    /// Room is given back to the tables alone, and how large they may be is for who runs the database to say.
    fn trim(&mut self) -> Result<Option<usize>, StoreError> {
        Ok(None)
    }

    fn sweep(&mut self, before: i64, hours_before: i64) -> Result<(), StoreError> {
        let Self { runtime, session } = self;
        // Of a long past it takes long.
        runtime.block_on(within(WRITE_WAIT * 10, session.sweep(before, hours_before)))
    }

    fn forget(&mut self) {
        // With the connection everything is read anew.
        self.session.connection = None;
    }
}

impl Session {
    async fn watermarks(&mut self, generation: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        let mut c = self.connected().await?;
        let rows: Vec<(i64, i64)> =
            sqlx::query_as("SELECT shard, seq FROM watermark WHERE generation = $1")
                .bind(generation)
                .fetch_all(&mut c)
                .await?;
        for (shard, seq) in &rows {
            self.acknowledged.insert((generation, *shard), *seq);
        }
        self.connection = Some(c);
        Ok(rows)
    }

    async fn write(&mut self, batch: &[Write]) -> Result<(), StoreError> {
        let mut c = self.connected().await?;
        let turn = self.turn + 1;
        let mut tx = c.begin().await?;
        let took = sqlx::query("UPDATE writer SET turn = $2 WHERE epoch = $1 AND turn = $2 - 1")
            .bind(self.epoch)
            .bind(turn)
            .execute(&mut *tx)
            .await?;
        if took.rows_affected() == 1 {
            for write in batch {
                apply(&mut tx, &mut self.known, write).await?;
            }
            tx.commit().await?;
        } else {
            let at: (i64, i64) = sqlx::query_as("SELECT epoch, turn FROM writer")
                .fetch_one(&mut *tx)
                .await?;
            if at != (self.epoch, turn) {
                return Err(Refused::Taken.into());
            }
            // It was written before; the answer was lost.
            tx.rollback().await?;
        }
        self.turn = turn;
        for write in batch {
            match write {
                Write::Fold(f) => {
                    let key = (signed(f.generation), journal(f.shard));
                    let at = self.acknowledged.entry(key).or_default();
                    *at = (*at).max(signed(f.seq));
                }
                Write::SetBack {
                    generation,
                    shard,
                    seq,
                } => {
                    let key = (signed(*generation), journal(*shard));
                    self.acknowledged.insert(key, signed(*seq));
                }
                _ => {}
            }
        }
        self.connection = Some(c);
        Ok(())
    }

    async fn roll_up(&mut self, now: i64) -> Result<Rolled, StoreError> {
        let mut c = self.connected().await?;
        let mut tx = c.begin().await?;
        self.is_ours(&mut tx).await?;
        let rolled = rollups::roll_up(&mut tx, self.known.rolled, now).await?;
        tx.commit().await?;
        self.connection = Some(c);
        Ok(rolled)
    }

    async fn bytes(&mut self) -> Result<u64, StoreError> {
        let mut c = self.connected().await?;
        let bytes = bytes(&mut c).await?;
        self.connection = Some(c);
        Ok(bytes)
    }

    async fn sweep(&mut self, before: i64, hours_before: i64) -> Result<(), StoreError> {
        let mut c = self.connected().await?;
        let mut tx = c.begin().await?;
        self.is_ours(&mut tx).await?;
        rollups::sweep(&mut tx, before, hours_before).await?;
        for (sql, n) in [
            ("DELETE FROM event WHERE at < $1", before),
            (
                "DELETE FROM event WHERE id <= (SELECT max(id) FROM event) - $1",
                MAX_EVENTS,
            ),
            ("DELETE FROM command WHERE at < $1", before),
            (
                "DELETE FROM command WHERE n <= (SELECT max(n) FROM command) - $1",
                MAX_COMMANDS,
            ),
            // the last of each device stays: it may hold until today
            (
                "DELETE FROM reported r WHERE at < $1 AND EXISTS (SELECT FROM reported l WHERE l.farm = r.farm AND l.device = r.device AND l.at > r.at)",
                before,
            ),
            (
                "DELETE FROM reported WHERE (farm, device, at) IN (SELECT farm, device, at FROM reported ORDER BY at DESC OFFSET $1)",
                MAX_REPORTED,
            ),
        ] {
            sqlx::query(sql).bind(n).execute(&mut *tx).await?;
        }
        log::sweep(&mut tx, &mut self.known.numbers, before).await?;
        tx.commit().await?;
        self.connection = Some(c);
        Ok(())
    }

    /// Holds off whoever else would write.
    async fn is_ours(&self, tx: &mut PgConnection) -> Result<(), StoreError> {
        let ours = sqlx::query("SELECT FROM writer WHERE epoch = $1 FOR UPDATE")
            .bind(self.epoch)
            .fetch_optional(tx)
            .await?;
        ours.map(drop).ok_or_else(|| Refused::Taken.into())
    }
}

async fn apply(c: &mut PgConnection, known: &mut Known, write: &Write) -> Result<(), StoreError> {
    match write {
        Write::Fold(f) => fold(c, known, f).await,
        Write::Imported(imported) => log::import(c, &mut known.numbers, imported).await,
        Write::Lives(all) => {
            for lives in rounds(all, |l| (&l.farm, &l.command_id)) {
                commands(c, &lives).await?;
                log::follow(c, &mut known.numbers, &lives).await?;
            }
            Ok(())
        }
        Write::DeadLetters(letters) => dead_letters(c, letters).await,
        Write::SetBack {
            generation,
            shard,
            seq,
        } => {
            sqlx::query(
                "UPDATE watermark SET seq = least(seq, $3) WHERE generation = $1 AND shard = $2",
            )
            .bind(signed(*generation))
            .bind(journal(*shard))
            .bind(signed(*seq))
            .execute(c)
            .await?;
            Ok(())
        }
        Write::Begin(..) | Write::Barrier(_) | Write::Sync | Write::Stop => Ok(()),
    }
}

async fn fold(c: &mut PgConnection, known: &mut Known, f: &Fold) -> Result<(), StoreError> {
    let (generation, shard, seq) = (signed(f.generation), journal(f.shard), signed(f.seq));
    if watermark(c, generation, shard)
        .await?
        .is_some_and(|at| at >= seq)
    {
        return Ok(());
    }
    rollups::write(c, known, &f.rollups).await?;
    for rows in f.events.chunks(ROWS) {
        events(c, rows).await?;
    }
    reported(c, &f.reported).await?;
    sqlx::query(
        "INSERT INTO watermark (generation, shard, seq) VALUES ($1, $2, $3) ON CONFLICT (generation, shard) DO UPDATE SET seq = excluded.seq",
    )
    .bind(generation)
    .bind(shard)
    .bind(seq)
    .execute(&mut *c)
    .await?;
    let rows: Vec<_> = f
        .log
        .iter()
        .map(|r| (&r.farm, &r.entry, r.recovered))
        .collect();
    log::insert(c, &mut known.numbers, &rows).await
}

/// Up to where a journal is in the store.
pub(super) async fn watermark(
    c: &mut PgConnection,
    generation: i64,
    shard: i64,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar("SELECT seq FROM watermark WHERE generation = $1 AND shard = $2")
        .bind(generation)
        .bind(shard)
        .fetch_optional(c)
        .await
}

async fn events(c: &mut PgConnection, rows: &[EventRow]) -> Result<(), StoreError> {
    let farms: Vec<_> = rows.iter().map(|e| text(e.farm.as_str())).collect();
    let at: Vec<i64> = rows.iter().map(|e| e.at.as_millis()).collect();
    let names: Vec<&str> = rows.iter().map(|e| e.name).collect();
    let bodies: Vec<&str> = rows.iter().map(|e| e.body.as_str()).collect();
    sqlx::query(
        "INSERT INTO event (farm, at, event, body) SELECT farm, at, event, body \
         FROM UNNEST($1::text[], $2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS t (farm, at, event, body, n) ORDER BY n",
    )
    .bind(farms)
    .bind(at)
    .bind(names)
    .bind(bodies)
    .execute(c)
    .await?;
    Ok(())
}

async fn reported(c: &mut PgConnection, rows: &[ReportedRow]) -> Result<(), StoreError> {
    // Of one instant the last counts.
    let rows: BTreeMap<_, _> = rows
        .iter()
        .map(|r| ((&r.farm, &r.device, r.at), r))
        .collect();
    let rows: Vec<&ReportedRow> = rows.into_values().collect();
    for rows in rows.chunks(ROWS) {
        let value = |r: &&ReportedRow| r.state.and_then(|(_, v)| v.map(Quantity::as_micro));
        sqlx::query(
            "INSERT INTO reported (farm, device, at, is_on, value) SELECT * FROM UNNEST($1::text[], $2::text[], $3::bigint[], $4::bool[], $5::bigint[]) \
             ON CONFLICT (farm, device, at) DO UPDATE SET is_on = excluded.is_on, value = excluded.value",
        )
        .bind(rows.iter().map(|r| text(r.farm.as_str())).collect::<Vec<_>>())
        .bind(rows.iter().map(|r| text(r.device.as_str())).collect::<Vec<_>>())
        .bind(rows.iter().map(|r| r.at.as_millis()).collect::<Vec<_>>())
        .bind(rows.iter().map(|r| r.state.map(|(on, _)| on)).collect::<Vec<_>>())
        .bind(rows.iter().map(value).collect::<Vec<_>>())
        .execute(&mut *c)
        .await?;
    }
    Ok(())
}

/// Of each command one.
async fn commands(c: &mut PgConnection, lives: &[&CommandLife]) -> Result<(), StoreError> {
    let body = |l: &&CommandLife| serde_json::to_string(l).unwrap_or_default();
    sqlx::query(
        "INSERT INTO command (farm, command_id, device, at, state, body) SELECT farm, command_id, device, at, state, body \
         FROM UNNEST($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[]) WITH ORDINALITY \
         AS t (farm, command_id, device, at, state, body, n) ORDER BY n \
         ON CONFLICT (farm, command_id) DO UPDATE SET state = excluded.state, body = excluded.body",
    )
    .bind(lives.iter().map(|l| text(l.farm.as_str())).collect::<Vec<_>>())
    .bind(lives.iter().map(|l| text(&l.command_id)).collect::<Vec<_>>())
    .bind(lives.iter().map(|l| text(l.device.as_str())).collect::<Vec<_>>())
    .bind(lives.iter().map(|l| l.at.as_millis()).collect::<Vec<_>>())
    .bind(lives.iter().map(|l| l.state.as_str()).collect::<Vec<_>>())
    .bind(lives.iter().map(body).collect::<Vec<_>>())
    .execute(c)
    .await?;
    Ok(())
}

async fn dead_letters(c: &mut PgConnection, letters: &[DeadLetter]) -> Result<(), StoreError> {
    for letters in rounds(letters, |l| (&l.farm, &l.topic, &l.reason)) {
        sqlx::query(
            "INSERT INTO dead_letter (farm, topic, reason, payload, count, first_at, last_at) \
             SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[]) \
             ON CONFLICT (farm, topic, reason) DO UPDATE SET payload = excluded.payload, count = dead_letter.count + excluded.count, \
             last_at = greatest(dead_letter.last_at, excluded.last_at)",
        )
        .bind(letters.iter().map(|l| text(l.farm.as_str())).collect::<Vec<_>>())
        .bind(letters.iter().map(|l| text(&l.topic)).collect::<Vec<_>>())
        .bind(letters.iter().map(|l| text(&l.reason)).collect::<Vec<_>>())
        .bind(letters.iter().map(|l| l.payload.as_slice()).collect::<Vec<_>>())
        .bind(letters.iter().map(|l| signed(l.count)).collect::<Vec<_>>())
        .bind(letters.iter().map(|l| l.first_at.as_millis()).collect::<Vec<_>>())
        .bind(letters.iter().map(|l| l.last_at.as_millis()).collect::<Vec<_>>())
        .execute(&mut *c)
        .await?;
    }
    let farms: BTreeSet<_> = letters.iter().map(|l| &l.farm).collect();
    for farm in farms {
        let dropped = sqlx::query(
            "DELETE FROM dead_letter WHERE farm = $1 AND (topic, reason) IN \
             (SELECT topic, reason FROM dead_letter WHERE farm = $1 ORDER BY last_at DESC OFFSET $2)",
        )
        .bind(text(farm.as_str()))
        .bind(i64::try_from(MAX_STORED).unwrap_or(i64::MAX))
        .execute(&mut *c)
        .await?;
        metrics::counter!("harit_dead_letters_dropped_total").increment(dropped.rows_affected());
    }
    Ok(())
}

/// How many bytes its tables have.
pub(super) async fn bytes(c: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let bytes: i64 = sqlx::query_scalar(
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class \
         WHERE relnamespace = 'harit_history'::regnamespace AND relkind = 'r'",
    )
    .fetch_one(c)
    .await?;
    Ok(bytes.unsigned_abs())
}

/// A shard as the database numbers it.
fn journal(shard: usize) -> i64 {
    i64::try_from(shard).unwrap_or(i64::MAX)
}

/// A text as the database takes it: the one character that it does not is replaced.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

/// The items in order, so that of none of them there are two in a round: one statement changes a row once.
pub(super) fn rounds<'a, T, K: Hash + Eq>(
    items: &'a [T],
    key: impl Fn(&'a T) -> K,
) -> Vec<Vec<&'a T>> {
    let (mut rounds, mut of): (Vec<Vec<&T>>, HashMap<K, usize>) = Default::default();
    for item in items {
        let round = of.entry(key(item)).or_default();
        if *round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*round].push(item);
        *round += 1;
    }
    rounds
}
