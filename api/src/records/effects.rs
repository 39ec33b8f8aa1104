//! What runs came to, what people set about it, and sensors that left their neighbours.

use std::collections::BTreeMap;

use sqlx::FromRow;

use super::{FarmRecords, Write};
use crate::records::sql;

/// Marks are kept for so long, in milliseconds.
const KEPT_MS: i64 = 400 * 86_400_000;

/// What a person set about a device.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub(crate) struct EffectSetting {
    pub is_off: bool,
    pub kind: Option<String>,
    pub sensor_id: Option<String>,
    pub window_min: Option<i64>,
}

/// The mark of a run.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct EffectMark {
    pub device_id: String,
    pub started_at: i64,
    pub ended_at: Option<i64>,
    pub mark: String,
    pub reason: Option<String>,
    pub seen: bool,
    pub looks: i64,
    pub looked_at: i64,
    pub is_open: bool,
    /// JSON: ids of devices.
    pub company: String,
    /// JSON
    pub numbers: Option<String>,
}

/// Where a device stands by its latest marks.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct EffectStanding {
    pub device_id: String,
    pub told: i64,
    pub worked: i64,
    pub seen: bool,
    /// JSON
    pub failing: Option<String>,
}

/// A sensor that left its neighbours.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct SensorDrift {
    pub sensor_id: String,
    pub or_other: Option<String>,
    pub since: i64,
    /// Micro-units, as the others.
    pub now_apart: i64,
    pub usual_apart: i64,
    pub at_most: i64,
}

const MARK: &str = "device_id, started_at, ended_at, mark, reason, seen, looks, looked_at, is_open, company, numbers";

impl FarmRecords {
    /// What people set, by device.
    pub(crate) async fn effect_settings(
        &self,
    ) -> Result<BTreeMap<String, EffectSetting>, sqlx::Error> {
        #[derive(FromRow)]
        struct Row {
            device_id: String,
            #[sqlx(flatten)]
            setting: EffectSetting,
        }
        const Q: &str = "SELECT device_id, is_off, kind, sensor_id, window_min FROM effect_settings WHERE farm_id = $1";
        let rows = sql::query_as::<Row>(Q).bind(self.farm());
        let rows = rows.fetch_all(self.reader()).await?.into_iter();
        Ok(rows.map(|r| (r.device_id, r.setting)).collect())
    }

    /// The marks of a device's runs that began in [from, to), oldest first.
    pub(crate) async fn effect_marks(
        &self,
        device: &str,
        from: i64,
        to: i64,
    ) -> Result<Vec<EffectMark>, sqlx::Error> {
        let q = format!(
            "SELECT {MARK} FROM effect_marks WHERE farm_id = $1 AND device_id = $2 AND started_at >= $3 AND started_at < $4 \
             ORDER BY started_at"
        );
        let marks = sql::query_as(sqlx::AssertSqlSafe(q)).bind(self.farm());
        let marks = marks.bind(device).bind(from).bind(to);
        marks.fetch_all(self.reader()).await
    }

    /// The latest marks of a device, newest first.
    pub(crate) async fn latest_effects(
        &self,
        device: &str,
        count: i64,
    ) -> Result<Vec<EffectMark>, sqlx::Error> {
        let q = format!(
            "SELECT {MARK} FROM effect_marks WHERE farm_id = $1 AND device_id = $2 ORDER BY started_at DESC LIMIT $3"
        );
        let marks = sql::query_as(sqlx::AssertSqlSafe(q)).bind(self.farm());
        marks
            .bind(device)
            .bind(count)
            .fetch_all(self.reader())
            .await
    }

    /// The latest mark of each device, by device.
    pub(crate) async fn last_effects(&self) -> Result<BTreeMap<String, EffectMark>, sqlx::Error> {
        let q = format!(
            "SELECT {MARK} FROM effect_marks m WHERE farm_id = $1 AND started_at = \
             (SELECT MAX(started_at) FROM effect_marks l WHERE l.farm_id = m.farm_id AND l.device_id = m.device_id)"
        );
        let marks = sql::query_as::<EffectMark>(sqlx::AssertSqlSafe(q)).bind(self.farm());
        let marks = marks.fetch_all(self.reader()).await?.into_iter();
        Ok(marks.map(|m| (m.device_id.clone(), m)).collect())
    }

    /// Where the devices stand.
    pub(crate) async fn effect_standings(&self) -> Result<Vec<EffectStanding>, sqlx::Error> {
        const Q: &str = "SELECT device_id, told, worked, seen, failing FROM effect_standings WHERE farm_id = $1";
        let all = sql::query_as(Q).bind(self.farm());
        all.fetch_all(self.reader()).await
    }

    /// Says where a device stands now.
    pub(crate) async fn put_effect_standing(&self, s: &EffectStanding) -> Result<(), sqlx::Error> {
        const PUT: &str = "INSERT INTO effect_standings (farm_id, device_id, told, worked, seen, failing) \
                           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (farm_id, device_id) DO UPDATE SET \
                           told = excluded.told, worked = excluded.worked, seen = excluded.seen, failing = excluded.failing";
        let row = sql::query(PUT).bind(self.farm()).bind(&s.device_id);
        let row = row
            .bind(s.told)
            .bind(s.worked)
            .bind(s.seen)
            .bind(&s.failing);
        row.execute(&self.db().writer).await.map(drop)
    }

    /// Writes down what a device's runs came to, in place of what the same runs came to before.
    pub(crate) async fn keep_effects(&self, marks: &[EffectMark]) -> Result<(), sqlx::Error> {
        const OLD: &str =
            "DELETE FROM effect_marks WHERE farm_id = $1 AND device_id = $2 AND started_at < $3";
        let put = format!(
            "INSERT INTO effect_marks (farm_id, {MARK}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
             ON CONFLICT (farm_id, device_id, started_at) DO UPDATE SET ended_at = excluded.ended_at, mark = excluded.mark, \
             reason = excluded.reason, seen = excluded.seen, looks = excluded.looks, looked_at = excluded.looked_at, \
             is_open = excluded.is_open, company = excluded.company, numbers = excluded.numbers"
        );
        let Some(last) = marks.last() else {
            return Ok(());
        };
        let mut tx = self.db().write().await?;
        for m in marks {
            let row = sql::query(sqlx::AssertSqlSafe(put.clone())).bind(self.farm());
            let row = row.bind(&m.device_id).bind(m.started_at).bind(m.ended_at);
            let row = row.bind(&m.mark).bind(&m.reason).bind(m.seen).bind(m.looks);
            let row = row.bind(m.looked_at).bind(m.is_open).bind(&m.company);
            row.bind(&m.numbers).execute(&mut *tx).await?;
        }
        let old = sql::query(OLD).bind(self.farm()).bind(&last.device_id);
        old.bind(last.started_at - KEPT_MS)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// The sensors that left their neighbours.
    pub(crate) async fn sensor_drifts(&self) -> Result<Vec<SensorDrift>, sqlx::Error> {
        const Q: &str = "SELECT sensor_id, or_other, since, now_apart, usual_apart, at_most FROM sensor_drifts \
                         WHERE farm_id = $1 ORDER BY sensor_id";
        let all = sql::query_as(Q).bind(self.farm());
        all.fetch_all(self.reader()).await
    }

    /// Says which sensors have left their neighbours now; those that had before keep since when.
    pub(crate) async fn put_sensor_drifts(&self, all: &[SensorDrift]) -> Result<(), sqlx::Error> {
        const CLEAR: &str = "DELETE FROM sensor_drifts WHERE farm_id = $1";
        const PUT: &str = "INSERT INTO sensor_drifts (farm_id, sensor_id, or_other, since, now_apart, usual_apart, at_most) \
                           VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let before = self.sensor_drifts().await?;
        let mut tx = self.db().write().await?;
        sql::query(CLEAR)
            .bind(self.farm())
            .execute(&mut *tx)
            .await?;
        for d in all {
            let known = before.iter().find(|b| b.sensor_id == d.sensor_id);
            let row = sql::query(PUT).bind(self.farm()).bind(&d.sensor_id);
            let row = row
                .bind(&d.or_other)
                .bind(known.map_or(d.since, |b| b.since));
            let row = row.bind(d.now_apart).bind(d.usual_apart).bind(d.at_most);
            row.execute(&mut *tx).await?;
        }
        tx.commit().await
    }
}

impl Write {
    /// Sets what is expected of a device, in place of what was set.
    pub(crate) async fn put_effect_setting(
        &mut self,
        device: &str,
        setting: &EffectSetting,
    ) -> Result<(), sqlx::Error> {
        const PUT: &str = "INSERT INTO effect_settings (farm_id, device_id, is_off, kind, sensor_id, window_min) \
                           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (farm_id, device_id) DO UPDATE SET is_off = excluded.is_off, \
                           kind = excluded.kind, sensor_id = excluded.sensor_id, window_min = excluded.window_min";
        let (farm, tx) = self.parts();
        let row = sql::query(PUT).bind(farm).bind(device).bind(setting.is_off);
        let row = row.bind(&setting.kind).bind(&setting.sensor_id);
        row.bind(setting.window_min).execute(tx).await.map(drop)
    }
}
