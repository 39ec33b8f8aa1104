//! What the growing crops want today, and since when they have it not.
//!
//! The ranges of a polyhouse are those of the stages of all crops in its zones: what each of them wants at once. Where that is
//! nothing, because they exclude each other, there is no range. The keeper looks at the means every ten seconds and tells the
//! farm's verdict what is outside (`docs/verdict.md`); since when that is so is read from the history where nobody has looked before.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use harit_engine::verdict::LeftRange;
use harit_engine::{
    Engine, FarmId, PolyhouseId, Quantity, ScopeSpec, SensorId, SensorType, Timestamp,
};
use harit_ingest::Hub;
use harit_ingest::history::place::{PlacePoint, PlaceQuestion};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::error::ApiError;
use crate::farm::{Wanted, wanted};
use crate::letter::{day_at, zone_of};
use crate::records::{FarmRow, Records, now_ms};

/// How often the keeper looks: so late a crop that is written down is known.
const ROUND: Duration = Duration::from_secs(10);
/// How far back it reads since when a mean is outside.
const LOOK_BACK: harit_engine::Duration = harit_engine::Duration::from_secs(6 * 3_600);
const MINUTE_SEC: u32 = 60;

/// A range, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: Quantity,
    pub(crate) high: Quantity,
}

impl Range {
    /// What lies in both; none where nothing does.
    pub(crate) fn and(self, other: Self) -> Option<Self> {
        let both = Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        };
        (both.low <= both.high).then_some(both)
    }

    const fn has(self, value: Quantity) -> bool {
        self.low.as_micro() <= value.as_micro() && value.as_micro() <= self.high.as_micro()
    }
}

/// What the crops of a farm want, by polyhouse and type; none in it where they exclude each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ranges(BTreeMap<(PolyhouseId, SensorType), Option<Range>>);

impl Ranges {
    pub(crate) fn of(engine: &Engine, wanted: &[Wanted]) -> Self {
        let mut all = BTreeMap::new();
        for w in wanted {
            let zone = ScopeSpec::zone(w.zone.as_str());
            let Some(house) = engine.house_of(&zone) else {
                continue;
            };
            let own = Range {
                low: Quantity::from_micro(w.min.0),
                high: Quantity::from_micro(w.max.0),
            };
            all.entry((house.clone(), w.sensor_type))
                .and_modify(|known: &mut Option<Range>| *known = known.and_then(|k| k.and(own)))
                .or_insert(Some(own));
        }
        Self(all)
    }

    /// What is wanted of a type in a polyhouse. None where nobody wants anything; none within where they exclude each other.
    pub(crate) fn get(&self, house: &PolyhouseId, kind: SensorType) -> Option<Option<Range>> {
        self.0.get(&(house.clone(), kind)).copied()
    }

    /// Whether somewhere in the farm a crop wants something of a type.
    pub(crate) fn has(&self, kind: SensorType) -> bool {
        self.0.keys().any(|(_, of)| *of == kind)
    }

    /// Of which of them the mean is outside now.
    fn left(&self, engine: &Engine) -> BTreeMap<Key, Range> {
        let mut left = BTreeMap::new();
        for ((house, kind), range) in &self.0 {
            let mean = engine.signal(&ScopeSpec::polyhouse(house.clone()), *kind);
            let (Some(range), Some(mean)) = (*range, mean) else {
                continue;
            };
            if !range.has(mean.shown()) {
                left.insert((house.clone(), *kind), range);
            }
        }
        left
    }
}

/// A polyhouse and what is measured in it.
type Key = (PolyhouseId, SensorType);

/// The ranges of all farms, as they were read last.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownRanges(Arc<RwLock<BTreeMap<FarmId, Arc<Ranges>>>>);

impl KnownRanges {
    pub(crate) fn get(&self, farm: &FarmId) -> Arc<Ranges> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(farm).cloned().unwrap_or_default()
    }

    pub(crate) fn put(&self, farm: &FarmId, ranges: Arc<Ranges>) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(farm.clone(), ranges);
    }

    fn remove(&self, farm: &FarmId) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.remove(farm);
    }
}

/// Keeps the ranges, and what is outside of them.
pub(crate) struct RangeKeeper {
    records: Records,
    hub: Hub,
    known: KnownRanges,
    /// Since when what is outside is so, of each farm that was looked at.
    since: BTreeMap<FarmId, BTreeMap<Key, Timestamp>>,
}

impl RangeKeeper {
    pub(crate) const fn new(records: Records, hub: Hub, known: KnownRanges) -> Self {
        Self {
            records,
            hub,
            known,
            since: BTreeMap::new(),
        }
    }

    /// Looks until it is stopped.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let mut round = tokio::time::interval(ROUND);
        round.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = round.tick() => {}
            }
            // Whatever a farm's clock says, this is two days ago there, or a little more.
            let since = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(48);
            let since = since.strftime("%F").to_string();
            match self.records.farms_with_crops(&since).await {
                Ok(farms) => self.look_at(farms).await,
                Err(error) => tracing::warn!(%error, "what the crops want waits"),
            }
        }
    }

    async fn look_at(&mut self, farms: Vec<FarmRow>) {
        let mut gone = std::mem::take(&mut self.since);
        for row in farms {
            let farm = FarmId::new(row.id);
            let before = gone.remove(&farm);
            match self.look(&farm, &row.timezone, before.as_ref()).await {
                Ok(now) => {
                    self.since.insert(farm, now);
                }
                // It failed, or has no engine yet: the next round asks it.
                Err(error) => {
                    tracing::debug!(%farm, %error, "what a farm's crops want waits");
                    self.since.extend(before.map(|before| (farm, before)));
                }
            }
        }
        for farm in gone.into_keys() {
            self.known.remove(&farm);
            if self.hub.farms().contains(&farm) {
                self.hub.put_left_ranges(&farm, Vec::new());
            }
        }
    }

    async fn look(
        &self,
        farm: &FarmId,
        zone: &str,
        before: Option<&BTreeMap<Key, Timestamp>>,
    ) -> Result<BTreeMap<Key, Timestamp>, ApiError> {
        let now = Timestamp::from_millis(now_ms());
        let day = day_at(&zone_of(zone), now.as_millis()).to_string();
        let wanted = wanted(&self.records.of_farm(farm.clone()), &day).await?;
        let seen = move |engine: &Engine| {
            let ranges = Ranges::of(engine, &wanted);
            let left = ranges.left(engine);
            (ranges, left)
        };
        let (ranges, left) = self.hub.read(farm, seen).await?;
        self.known.put(farm, Arc::new(ranges));
        let mut since = BTreeMap::new();
        let mut told = Vec::new();
        for (key, range) in left {
            let from = match before {
                Some(before) => before.get(&key).copied().unwrap_or(now),
                None => self.outside_since(farm, key.clone(), range, now).await?,
            };
            told.push(LeftRange {
                house: key.0.clone(),
                sensor_type: key.1,
                low: range.low,
                high: range.high,
                since: from,
            });
            since.insert(key, from);
        }
        self.hub.put_left_ranges(farm, told);
        Ok(since)
    }

    /// Since when a mean is outside, as far as the history of the last hours knows.
    async fn outside_since(
        &self,
        farm: &FarmId,
        (house, kind): Key,
        range: Range,
        now: Timestamp,
    ) -> Result<Timestamp, ApiError> {
        let here = move |engine: &Engine| -> Vec<SensorId> {
            let of_type = engine.sensors().filter(|s| s.spec.sensor_type == kind);
            let here = of_type.filter(|s| engine.house_of(&s.spec.scope) == Some(&house));
            here.map(|s| s.spec.id).collect()
        };
        let sensors = self.hub.read(farm, here).await?;
        let question = PlaceQuestion {
            sensors: sensors.into_iter().map(|s| (s, 0)).collect(),
            from: now - LOOK_BACK,
            to: now,
            step_sec: MINUTE_SEC,
            each: false,
        };
        match self.hub.history().place(farm, question).await {
            Ok(past) => {
                let minutes = past.groups.first().map_or(&[][..], Vec::as_slice);
                Ok(first_outside(minutes, range).unwrap_or(now))
            }
            Err(error) => {
                tracing::warn!(%farm, %error, "since when a mean is outside its range cannot be read");
                Ok(now)
            }
        }
    }
}

/// The first of the latest minutes that are all outside. What is not known of ends nothing.
fn first_outside(minutes: &[PlacePoint], range: Range) -> Option<Timestamp> {
    let latest = minutes.iter().rev();
    let outside = latest.take_while(|minute| !range.has(minute.mean));
    outside.last().map(|minute| minute.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: i64, high: i64) -> Range {
        Range {
            low: Quantity::from_units(low),
            high: Quantity::from_units(high),
        }
    }

    #[test]
    fn what_two_crops_want_is_what_both_have() {
        assert_eq!(range(18, 27).and(range(20, 30)), Some(range(20, 27)));
        assert_eq!(range(18, 27).and(range(27, 30)), Some(range(27, 27)));
        assert_eq!(range(18, 20).and(range(21, 30)), None);
    }

    #[test]
    fn a_mean_is_outside_since_it_was_last_inside() {
        let minute = |n: i64, mean: i64| PlacePoint {
            at: Timestamp::from_millis(n * 60_000),
            sensors: 1,
            mean: Quantity::from_units(mean),
            min: Quantity::from_units(mean),
            max: Quantity::from_units(mean),
        };
        let since = |minutes: &[PlacePoint]| {
            first_outside(minutes, range(18, 27)).map(|at| at.as_millis() / 60_000)
        };
        let (hot, well) = (|n| minute(n, 28), |n| minute(n, 27));
        assert_eq!(since(&[]), None);
        assert_eq!(since(&[hot(1), well(2)]), None, "it came back");
        assert_eq!(since(&[hot(1), well(2), hot(3), hot(4)]), Some(3));
        assert_eq!(
            since(&[well(1), hot(2), hot(40)]),
            Some(2),
            "a gap ends nothing"
        );
        assert_eq!(since(&[hot(1), minute(2, 17)]), Some(1), "on either side");
    }
}
