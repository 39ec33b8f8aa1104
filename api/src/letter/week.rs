//! A week on one sheet: a table a house, a row a day.

use std::collections::BTreeMap;

use harit_engine::{DeviceType, Quantity};
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use serde::Serialize;
use utoipa::ToSchema;

use super::houses::House;
use super::machines::Machine;
use super::minutes::Hour;
use super::ready::{day_at, span_of};
use super::{Figures, figures, told_of};
use crate::access::{FarmAccess, Needs};
use crate::document::DeviceTypeDocument;
use crate::error::ApiError;
use crate::farm::{Harvested, written, zones_of};
use crate::records::{Decimal, now_ms};

/// A week of a farm, from Monday on.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterWeek)]
pub(crate) struct Week {
    /// YYYY-MM-DD, a Monday.
    from: String,
    /// The Sunday.
    to: String,
    /// Up to when it is told.
    known_until: i64,
    houses: Vec<WeekHouse>,
    incomplete: bool,
}

/// A house in a week. What belongs to no house stands in one without id and name, where there is any.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterWeekHouse)]
pub(crate) struct WeekHouse {
    #[schema(required)]
    id: Option<String>,
    #[schema(required)]
    name: Option<String>,
    /// What kinds of device it has, in the order of their names.
    #[schema(value_type = Vec<DeviceTypeDocument>)]
    kinds: Vec<DeviceType>,
    /// The days that have begun.
    days: Vec<WeekDay>,
    /// What they come to.
    total: WeekTotal,
}

/// A house on a day; null is not known, or nothing of the kind.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterWeekDay)]
pub(crate) struct WeekDay {
    day: String,
    #[schema(required)]
    hottest: Option<Hour>,
    #[schema(required)]
    coldest: Option<Hour>,
    /// For how many seconds one of the targets was missed.
    #[schema(required)]
    outside_sec: Option<i64>,
    outside_unknown_sec: i64,
    /// In the order of the house's kinds.
    devices: Vec<KindHours>,
    #[schema(required, value_type = Option<f64>)]
    litres: Option<Quantity>,
    #[schema(required)]
    harvest_kg: Option<Decimal>,
}

/// How long the devices of a kind were on, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterKindHours)]
pub(crate) struct KindHours {
    /// Null where nothing is known of any.
    #[schema(required)]
    on_sec: Option<i64>,
    unknown_sec: i64,
}

/// What a week comes to.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterWeekTotal)]
pub(crate) struct WeekTotal {
    #[schema(required)]
    hottest: Option<Hour>,
    #[schema(required)]
    coldest: Option<Hour>,
    #[schema(required)]
    outside_sec: Option<i64>,
    outside_unknown_sec: i64,
    devices: Vec<KindHours>,
    #[schema(required, value_type = Option<f64>)]
    litres: Option<Quantity>,
    #[schema(required)]
    harvest_kg: Option<Decimal>,
}

/// The week in which a day lies; none of one that has not begun.
pub(crate) async fn of_week<N: Needs>(
    access: &FarmAccess<N>,
    zone: &TimeZone,
    day: Date,
) -> Result<Option<Week>, ApiError> {
    let now = now_ms();
    let past_monday = day.weekday().since(Weekday::Monday);
    let monday = day.checked_sub(jiff::Span::new().days(i64::from(past_monday)));
    let Ok(monday) = monday else { return Ok(None) };
    if monday > day_at(zone, now) {
        return Ok(None);
    }
    let zones = access.hub().read(zones_of).await?;
    let records = access.records();
    let mut days = Vec::new();
    let mut known_until = now;
    let mut sunday = monday;
    for date in monday.series(jiff::Span::new().days(1)).take(7) {
        sunday = date;
        let Some(told) = span_of(zone, date).and_then(|span| told_of(span, now)) else {
            continue;
        };
        known_until = told.until;
        let figures = figures(access, date, told).await?;
        let harvests = written(&records, &date.to_string(), false).await?.harvests;
        days.push((date, figures, harvests));
    }
    Ok(Some(Week {
        from: monday.to_string(),
        to: sunday.to_string(),
        known_until,
        houses: houses(&days, &zones),
        incomplete: access.hub().history_incomplete(),
    }))
}

type Day = (Date, Figures, Vec<Harvested>);

/// A table a house, and one of what belongs to none.
fn houses(days: &[Day], zones: &BTreeMap<String, String>) -> Vec<WeekHouse> {
    let Some((_, last, _)) = days.last() else {
        return Vec::new();
    };
    let known = last.air.houses.iter();
    let known = known.map(|h| (Some(h.id.clone()), Some(h.name.clone())));
    let tables = known.chain([(None, None)]).map(|(id, name)| {
        let mut kinds: Vec<DeviceType> = (last.machines.iter())
            .filter(|m| m.polyhouse_id == id && m.device_type != DeviceType::Sensor)
            .map(|m| m.device_type)
            .collect();
        kinds.sort_unstable_by_key(|k| k.as_str());
        kinds.dedup();
        let rows: Vec<WeekDay> = (days.iter())
            .map(|day| row(day, id.as_deref(), &kinds, zones))
            .collect();
        let total = total(&rows, kinds.len());
        WeekHouse {
            id,
            name,
            kinds,
            days: rows,
            total,
        }
    });
    let has_something =
        |h: &WeekHouse| h.id.is_some() || !h.kinds.is_empty() || h.total.harvest_kg.is_some();
    tables.filter(has_something).collect()
}

fn row(
    (date, figures, harvests): &Day,
    house: Option<&str>,
    kinds: &[DeviceType],
    zones: &BTreeMap<String, String>,
) -> WeekDay {
    let air: Option<&House> = house.and_then(|id| figures.air.houses.iter().find(|h| h.id == id));
    let here = || (figures.machines.iter()).filter(|m| m.polyhouse_id.as_deref() == house);
    let picked = harvests
        .iter()
        .filter(|h| zones.get(&h.zone).map(String::as_str) == house);
    WeekDay {
        day: date.to_string(),
        hottest: air.and_then(|a| a.hottest),
        coldest: air.and_then(|a| a.coldest),
        outside_sec: air.and_then(|a| a.outside_sec),
        outside_unknown_sec: air.map_or(0, |a| a.outside_unknown_sec),
        devices: (kinds.iter())
            .map(|kind| of_kind(here().filter(|m| m.device_type == *kind)))
            .collect(),
        litres: sum(here().map(|m| m.litres.map(Quantity::as_micro))).map(Quantity::from_micro),
        harvest_kg: sum(picked.map(|h| Some(h.kg.0))).map(Decimal),
    }
}

fn of_kind<'a>(machines: impl Iterator<Item = &'a Machine>) -> KindHours {
    machines.fold(KindHours::default(), |hours, m| KindHours {
        on_sec: added(hours.on_sec, m.on_sec),
        unknown_sec: hours.unknown_sec + m.unknown_sec,
    })
}

fn total(days: &[WeekDay], kinds: usize) -> WeekTotal {
    let hottest = days.iter().filter_map(|d| d.hottest);
    let coldest = days.iter().filter_map(|d| d.coldest);
    let device = |kind: usize| {
        let of = days.iter().filter_map(|d| d.devices.get(kind));
        of.fold(KindHours::default(), |hours, d| KindHours {
            on_sec: added(hours.on_sec, d.on_sec),
            unknown_sec: hours.unknown_sec + d.unknown_sec,
        })
    };
    WeekTotal {
        hottest: hottest.reduce(|a, b| if b.mean > a.mean { b } else { a }),
        coldest: coldest.reduce(|a, b| if b.mean < a.mean { b } else { a }),
        outside_sec: sum(days.iter().map(|d| d.outside_sec)),
        outside_unknown_sec: days.iter().map(|d| d.outside_unknown_sec).sum(),
        devices: (0..kinds).map(device).collect(),
        litres: sum(days.iter().map(|d| d.litres.map(Quantity::as_micro)))
            .map(Quantity::from_micro),
        harvest_kg: sum(days.iter().map(|d| d.harvest_kg.map(|k| k.0))).map(Decimal),
    }
}

/// The sum of what is known; none where nothing is.
fn sum(all: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    all.fold(None, added)
}

fn added(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (known, None) | (None, known) => known,
    }
}
