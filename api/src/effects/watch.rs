//! Looks at the runs of all farms' devices as they can be looked at, and writes down what they come to.

use std::collections::BTreeMap;
use std::time::Duration;

use harit_effects::{Judged, LEARN_DAYS, MINUTE_MS, Mark, judge};
use harit_engine::{DeviceId, FarmId};
use harit_ingest::Hub;
use tokio_util::sync::CancellationToken;

use super::plan::{Planned, plan};
use super::standing::{LATEST, standing};
use super::{LookError, gather, neighbours};
use crate::records::{EffectMark, FarmRecords, Records, now_ms};

/// How often the farms are looked at.
const ROUND: Duration = Duration::from_secs(60);
/// Readings of the last moments may still be on their way.
const ON_THE_WAY_MS: i64 = 30_000;
/// How often sensors are compared with their neighbours.
const DRIFTS_EVERY_MS: i64 = 6 * 3_600_000;
const LEARN_MS: i64 = LEARN_DAYS * 86_400_000;

/// Watches whether what devices do has an effect.
pub(crate) struct EffectWatch {
    records: Records,
    hub: Hub,
    compared: BTreeMap<FarmId, i64>,
}

impl EffectWatch {
    pub(crate) const fn new(records: Records, hub: Hub) -> Self {
        Self {
            records,
            hub,
            compared: BTreeMap::new(),
        }
    }

    /// Looks until it is stopped.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let mut round = tokio::time::interval(ROUND);
        round.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = round.tick() => {}
            }
            for farm in self.hub.farms() {
                tokio::select! {
                    () = stop.cancelled() => return,
                    looked = self.look(&farm, now_ms()) => match looked {
                        Ok(()) => {}
                        // it failed, or the server ends
                        Err(LookError::Engine(error)) => tracing::debug!(%farm, %error, "a farm cannot be asked"),
                        Err(error) => {
                            metrics::counter!("harit_effect_errors_total").increment(1);
                            tracing::warn!(%farm, %error, cause = ?std::error::Error::source(&error), "runs are not looked at");
                        }
                    },
                }
            }
        }
    }

    /// Looks at a farm as of `now`.
    pub(crate) async fn look(&mut self, farm: &FarmId, now: i64) -> Result<(), LookError> {
        let records = self.records.of_farm(farm.clone());
        let settings = records.effect_settings().await?;
        let plan = self.hub.read(farm, move |e| plan(e, &settings)).await?;
        let latest = records.last_effects().await?;
        for planned in plan.iter().filter(|p| !p.is_off) {
            let last = latest.get(planned.id.as_str());
            self.look_at(farm, &records, &plan, planned, last, now)
                .await?;
        }
        let due = self
            .compared
            .get(farm)
            .is_none_or(|at| now - at >= DRIFTS_EVERY_MS);
        if due {
            let drifts = neighbours::drifts(&self.hub, farm, now).await?;
            records.put_sensor_drifts(&drifts).await?;
            self.compared.insert(farm.clone(), now);
        }
        Ok(())
    }

    async fn look_at(
        &self,
        farm: &FarmId,
        records: &FarmRecords,
        plan: &[Planned],
        planned: &Planned,
        last: Option<&EffectMark>,
        now: i64,
    ) -> Result<(), LookError> {
        let known = now - ON_THE_WAY_MS;
        let beginning = now - LEARN_MS;
        let since = match last {
            Some(mark) if mark.is_open => mark.started_at,
            Some(mark) => mark.started_at + 1,
            None => beginning,
        };
        let since = since.max(beginning);
        // a moment earlier, so that what held before is known
        let new = gather::runs_of(&self.hub, farm, planned, (since - MINUTE_MS, now)).await?;
        if !new.iter().any(|r| r.from >= since && r.from < known) {
            return Ok(());
        }
        let before = records
            .effect_marks(planned.id.as_str(), since - LEARN_MS, since)
            .await?;
        let vain = before.iter().filter(|m| m.mark == Mark::NoEffect.as_str());
        let vain = vain.map(|m| m.started_at).collect();
        let past = gather::past(&self.hub, farm, plan, planned, (since, now), vain).await?;
        let others = gather::others(plan, planned);
        // of a farm's whole past this takes a while
        let judged = tokio::task::spawn_blocking(move || judge(&past, since, known)).await;
        let judged = judged.unwrap_or_default();
        let marks: Result<Vec<_>, _> = judged
            .iter()
            .map(|j| mark_of(&planned.id, j, &others))
            .collect();
        records.keep_effects(&marks?).await?;
        let id = planned.id.as_str();
        let latest = records.latest_effects(id, LATEST).await?;
        Ok(records.put_effect_standing(&standing(id, &latest)).await?)
    }
}

fn mark_of(
    device: &DeviceId,
    j: &Judged,
    others: &[DeviceId],
) -> Result<EffectMark, serde_json::Error> {
    let company: Vec<&str> = { j.company.iter() }
        .filter_map(|i| others.get(*i))
        .map(DeviceId::as_str)
        .collect();
    Ok(EffectMark {
        device_id: device.to_string(),
        started_at: j.run.from,
        ended_at: j.run.until,
        mark: j.mark.as_str().to_owned(),
        reason: j.reason.map(|r| r.as_str().to_owned()),
        seen: j.seen,
        looks: i64::try_from(j.looks).unwrap_or(i64::MAX),
        looked_at: j.run.from + j.looked_min * MINUTE_MS,
        is_open: j.open,
        company: serde_json::to_string(&company)?,
        numbers: j.numbers.map(|n| serde_json::to_string(&n)).transpose()?,
    })
}
