//! The air of each house, and how long it was not as its crops wanted.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{Engine, Quantity, ScopeSpec, SensorId, SensorType, Timestamp};
use harit_ingest::history::HistoryError;
use harit_ingest::history::place::{PlacePoint, PlaceQuestion};
use serde::Serialize;
use utoipa::ToSchema;

use super::minutes::{Hour, MINUTE_MS, Minutes, Reading, Span, readings, seconds};
use crate::access::FarmHub;
use crate::document::SensorTypeDocument;
use crate::error::ApiError;
use crate::farm::Wanted;
use crate::records::Decimal;
use crate::routes::vapour_deficit;

/// A time without any reading of any sensor is told from this length on: none of them is fresh any more.
const UNHEARD_MS: i64 = 15 * MINUTE_MS;

/// The air of a house on a day. What is not known is null.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterHouse)]
pub(crate) struct House {
    pub(crate) id: String,
    pub(crate) name: String,
    /// By the mean of its sensors.
    #[schema(required)]
    pub(crate) hottest: Option<Hour>,
    #[schema(required)]
    pub(crate) coldest: Option<Hour>,
    /// The highest single reading.
    #[schema(required)]
    highest: Option<Reading>,
    #[schema(required)]
    lowest: Option<Reading>,
    /// For how many seconds its temperature is not known; null where nothing measures it.
    #[schema(required)]
    unknown_sec: Option<i64>,
    #[schema(required)]
    deficit: Option<Deficit>,
    /// What its crops wanted.
    targets: Vec<Target>,
    /// For how many seconds at least one of them was missed; null where nothing was wanted or nothing of it is known.
    #[schema(required)]
    pub(crate) outside_sec: Option<i64>,
    /// For how many seconds that is not known.
    pub(crate) outside_unknown_sec: i64,
}

/// The vapour pressure deficit, in kPa.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterDeficit)]
pub(crate) struct Deficit {
    #[schema(value_type = f64)]
    mean: Quantity,
    #[schema(required)]
    highest: Option<Hour>,
    #[schema(required)]
    lowest: Option<Hour>,
    known_sec: i64,
}

/// What a crop wanted, and for how long it had it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterTarget)]
pub(crate) struct Target {
    crop: String,
    zone: String,
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    unit: &'static str,
    min: Decimal,
    max: Decimal,
    within_sec: i64,
    below_sec: i64,
    above_sec: i64,
    unknown_sec: i64,
    /// When it was first missed.
    #[schema(required)]
    first_at: Option<i64>,
}

/// What is asked of the history: groups of sensors, each with how long its readings are fresh.
#[derive(Default)]
struct Plan {
    sensors: Vec<(SensorId, usize)>,
    fresh: Vec<i64>,
    houses: Vec<Asked>,
    targets: Vec<(usize, Wanted, String)>,
}

struct Asked {
    id: String,
    name: String,
    temperature: Option<usize>,
    humidity: Option<usize>,
    /// The target's place in the plan, and its group.
    targets: Vec<(usize, Option<usize>)>,
}

impl Plan {
    fn group(&mut self, sensors: impl IntoIterator<Item = (SensorId, i64)>) -> Option<usize> {
        let group = self.fresh.len();
        let mut longest = None;
        for (sensor, fresh) in sensors {
            self.sensors.push((sensor, group));
            longest = longest.max(Some(fresh));
        }
        self.fresh.push(longest?);
        Some(group)
    }

    fn of(engine: &Engine, wanted: Vec<Wanted>) -> Self {
        let mut plan = Self::default();
        let document = engine.document();
        let all: Vec<_> = engine.sensors().map(|s| s.spec).collect();
        for house in document.polyhouses {
            let zones: BTreeSet<_> = house.zones.iter().map(|z| z.id.clone()).collect();
            let mut of_type = |kind: SensorType| {
                let here = all.iter().filter(|s| {
                    s.sensor_type == kind
                        && (s.scope.polyhouse_id.as_ref() == Some(&house.id)
                            || s.scope.zone_id.as_ref().is_some_and(|z| zones.contains(z)))
                });
                plan.group(here.map(|s| (s.id.clone(), s.stale_after.as_millis())))
            };
            let temperature = of_type(SensorType::Temperature);
            let humidity = of_type(SensorType::Humidity);
            let mut targets = Vec::new();
            for zone in &house.zones {
                for want in wanted.iter().filter(|w| *w.zone == *zone.id.as_str()) {
                    let scope = ScopeSpec::zone(zone.id.as_str());
                    let seen = engine.sensors_seen(&scope, want.sensor_type).into_iter();
                    let group = plan.group(seen.map(|s| (s.id.clone(), s.stale_after.as_millis())));
                    targets.push((plan.targets.len(), group));
                    plan.targets.push((0, want.clone(), zone.name.clone()));
                }
            }
            plan.houses.push(Asked {
                id: house.id.to_string(),
                name: house.name,
                temperature,
                humidity,
                targets,
            });
        }
        // of the rest only whether they were heard
        let asked: BTreeSet<SensorId> = plan.sensors.iter().map(|(id, _)| id.clone()).collect();
        let rest = all.into_iter().filter(|s| !asked.contains(&s.id));
        plan.group(rest.map(|s| (s.id, s.stale_after.as_millis())));
        plan
    }
}

/// The air of the farm's houses.
#[derive(Debug, Default)]
pub(crate) struct Air {
    pub(crate) houses: Vec<House>,
    /// When no sensor of the farm was heard, as while the server was off; empty where there is no sensor.
    pub(crate) unheard: Vec<Span>,
}

/// Asks for the air of a day up to `day.until`.
pub(super) async fn air(
    hub: &FarmHub<'_>,
    wanted: Vec<Wanted>,
    day: Span,
) -> Result<Air, ApiError> {
    let plan = hub.read(move |engine| Plan::of(engine, wanted)).await?;
    let groups = if plan.sensors.is_empty() {
        Vec::new()
    } else {
        let question = PlaceQuestion {
            sensors: plan.sensors.clone(),
            from: Timestamp::from_millis(day.from),
            to: Timestamp::from_millis(day.until),
            step_sec: 60,
            each: false,
        };
        hub.place(question).await.map_err(unreadable)?.groups
    };
    let none: &[PlacePoint] = &[];
    let points = |group: Option<usize>| {
        let points = group.and_then(|g| groups.get(g));
        points.map_or(none, Vec::as_slice)
    };
    let minutes = |group: Option<usize>| {
        let fresh = group.and_then(|g| plan.fresh.get(g)).copied();
        Minutes::of(points(group), day, fresh.unwrap_or(0))
    };
    let house = |asked: &Asked| {
        let temperature = minutes(asked.temperature);
        let extremes = temperature.extremes();
        let peaks = readings(points(asked.temperature));
        let judged: Vec<(Target, Vec<Truth>)> = (asked.targets.iter())
            .filter_map(|(index, group)| {
                let (_, wanted, zone) = plan.targets.get(*index)?;
                Some(judge(wanted, zone, &minutes(*group), day))
            })
            .collect();
        let (outside_sec, outside_unknown_sec) = outside(&judged);
        House {
            id: asked.id.clone(),
            name: asked.name.clone(),
            hottest: extremes.map(|e| e.1),
            coldest: extremes.map(|e| e.0),
            highest: peaks.map(|p| p.1),
            lowest: peaks.map(|p| p.0),
            unknown_sec: asked.temperature.map(|_| temperature.unknown_sec()),
            deficit: deficit(&temperature, &minutes(asked.humidity)),
            targets: judged.into_iter().map(|(target, _)| target).collect(),
            outside_sec,
            outside_unknown_sec,
        }
    };
    Ok(Air {
        houses: plan.houses.iter().map(house).collect(),
        unheard: if plan.sensors.is_empty() {
            Vec::new()
        } else {
            unheard(&groups, day)
        },
    })
}

pub(super) fn unreadable(error: HistoryError) -> ApiError {
    tracing::error!(%error, "the history cannot be read for a letter");
    ApiError::unavailable()
}

fn deficit(temperature: &Minutes, humidity: &Minutes) -> Option<Deficit> {
    let deficit = temperature.joined(humidity, vapour_deficit);
    let extremes = deficit.extremes();
    Some(Deficit {
        mean: deficit.mean()?,
        highest: extremes.map(|e| e.1),
        lowest: extremes.map(|e| e.0),
        known_sec: deficit.known_sec(),
    })
}

/// Whether a minute was as wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    Within,
    Outside,
    Unknown,
}

fn judge(wanted: &Wanted, zone: &str, minutes: &Minutes, day: Span) -> (Target, Vec<Truth>) {
    let (min, max) = (wanted.min.0, wanted.max.0);
    let (mut below, mut above, mut unknown, mut first) = (0, 0, 0, None);
    let mut truths = Vec::with_capacity(minutes.values().len());
    let mut at = day.from;
    for value in minutes.values() {
        let truth = match value.map(Quantity::as_micro) {
            None => {
                unknown += 1;
                Truth::Unknown
            }
            Some(v) if v < min => {
                below += 1;
                Truth::Outside
            }
            Some(v) if v > max => {
                above += 1;
                Truth::Outside
            }
            Some(_) => Truth::Within,
        };
        if truth == Truth::Outside && first.is_none() {
            first = Some(at);
        }
        truths.push(truth);
        at += MINUTE_MS;
    }
    let target = Target {
        crop: wanted.crop.clone(),
        zone: zone.to_owned(),
        sensor_type: wanted.sensor_type,
        unit: wanted.sensor_type.unit(),
        min: wanted.min,
        max: wanted.max,
        within_sec: seconds(truths.len() - below - above - unknown),
        below_sec: seconds(below),
        above_sec: seconds(above),
        unknown_sec: seconds(unknown),
        first_at: first,
    };
    (target, truths)
}

/// For how long at least one target was missed, and for how long nobody knows whether one was.
fn outside(judged: &[(Target, Vec<Truth>)]) -> (Option<i64>, i64) {
    let count = judged.iter().map(|(_, t)| t.len()).max().unwrap_or(0);
    let (mut missed, mut unknown) = (0, 0);
    for minute in 0..count {
        let all = || judged.iter().filter_map(|(_, t)| t.get(minute));
        if all().any(|t| *t == Truth::Outside) {
            missed += 1;
        } else if all().any(|t| *t == Truth::Unknown) {
            unknown += 1;
        }
    }
    ((unknown < count).then(|| seconds(missed)), seconds(unknown))
}

/// The times in which none of the groups has a point.
fn unheard(groups: &[Vec<PlacePoint>], day: Span) -> Vec<Span> {
    let heard: BTreeMap<i64, ()> = (groups.iter().flatten())
        .map(|p| (p.at.as_millis(), ()))
        .collect();
    let mut spans = Vec::new();
    let mut from = day.from;
    for at in heard.into_keys().chain([day.until]) {
        if at - from >= UNHEARD_MS {
            spans.push(Span { from, until: at });
        }
        from = from.max(at + MINUTE_MS);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(minutes: impl IntoIterator<Item = (i64, i64)>) -> Vec<PlacePoint> {
        let point = |(minute, celsius): (i64, i64)| PlacePoint {
            at: Timestamp::from_millis(minute * MINUTE_MS),
            sensors: 1,
            mean: Quantity::from_micro(celsius * 1_000_000),
            min: Quantity::from_micro(celsius * 1_000_000),
            max: Quantity::from_micro(celsius * 1_000_000),
        };
        minutes.into_iter().map(point).collect()
    }

    fn wanted(min: i64, max: i64) -> Wanted {
        Wanted {
            zone: "z".into(),
            crop: "Capsicum".into(),
            sensor_type: SensorType::Temperature,
            min: Decimal(min * 1_000_000),
            max: Decimal(max * 1_000_000),
        }
    }

    const DAY: Span = Span {
        from: 0,
        until: 120 * MINUTE_MS,
    };

    #[test]
    fn what_a_crop_missed_is_counted_and_what_is_not_known_is_no_miss() {
        let measured = points((0..30).map(|m| (m, 15)).chain((30..60).map(|m| (m, 35))));
        let minutes = Minutes::of(&measured, DAY, MINUTE_MS);
        let (target, truths) = judge(&wanted(18, 30), "North", &minutes, DAY);
        assert_eq!((target.below_sec, target.above_sec), (1_800, 1_800));
        assert_eq!((target.within_sec, target.unknown_sec), (0, 3_600));
        assert_eq!(target.first_at, Some(0));
        let fine = points((0..120).map(|m| (m, 20)));
        let fine = Minutes::of(&fine, DAY, MINUTE_MS);
        let second = judge(&wanted(18, 30), "South", &fine, DAY);
        assert_eq!((second.0.within_sec, second.0.first_at), (7_200, None));
        assert_eq!(outside(&[(target, truths), second]), (Some(3_600), 3_600));
    }

    #[test]
    fn nothing_wanted_or_known_is_no_zero() {
        assert_eq!(outside(&[]), (None, 0));
        let nothing = Minutes::of(&[], DAY, MINUTE_MS);
        let judged = judge(&wanted(18, 30), "North", &nothing, DAY);
        assert_eq!(outside(&[judged]), (None, 7_200));
    }

    #[test]
    fn a_time_in_which_nobody_is_heard_is_told_from_a_quarter_of_an_hour_on() {
        let one = points((0..20).map(|m| (m, 20)).chain((50..60).map(|m| (m, 20))));
        let other = points([(34, 20), (100, 20)]);
        let minutes = |spans: Vec<Span>| -> Vec<(i64, i64)> {
            let minute = |at: i64| at / MINUTE_MS;
            spans
                .iter()
                .map(|s| (minute(s.from), minute(s.until)))
                .collect()
        };
        let gaps = unheard(&[one, other], DAY);
        assert_eq!(minutes(gaps), [(35, 50), (60, 100), (101, 120)]);
        assert_eq!(minutes(unheard(&[], DAY)), [(0, 120)]);
    }
}
