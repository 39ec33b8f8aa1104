//! What ran at a reservoir on each day: by device and by who had decided it, in time and, where the flow is known, in volume.

use std::collections::{BTreeMap, HashMap};

use axum::Json;
use harit_engine::{DeviceSpec, DeviceType, Engine, Quantity, Timestamp};
use harit_ingest::CommandFilter;
use harit_ingest::command::MAX_LISTED;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm};
use crate::device_past::{COMMAND_BEFORE_MS, Segment, segments};
use crate::document::DeviceTypeDocument;
use crate::error::{ApiError, ErrorBody, Item, Params};
use crate::language::Text;
use crate::letter::{Span, day_at, span_of, zone_of};
use crate::records::now_ms;

/// The most days of one answer.
const MAX_DAYS: i32 = 92;
/// The days of an answer where nothing is said.
const DEFAULT_DAYS: i32 = 7;

/// Which days.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LedgerQuery {
    /// YYYY-MM-DD, in the farm's time; six days before `to` by default.
    from: Option<String>,
    /// YYYY-MM-DD, that day included; today by default. At most 92 days.
    to: Option<String>,
}

/// What a device ran because of somebody, or something.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerShare)]
struct ShareBody {
    /// rule, manual, or what else the history of a device says.
    cause: String,
    /// The rule's or the person's name.
    #[schema(required)]
    by: Option<String>,
    /// How long, in seconds.
    on_sec: i64,
    /// What flowed, in ml: time x flow; null where the flow is not known for all of it.
    #[schema(required, value_type = Option<f64>)]
    ml: Option<Quantity>,
}

/// A device on a day.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerDevice)]
struct DeviceBody {
    device_id: String,
    name: String,
    #[serde(rename = "type")]
    #[schema(value_type = DeviceTypeDocument)]
    device_type: DeviceType,
    /// By who decided it.
    shares: Vec<ShareBody>,
    on_sec: i64,
    #[schema(required, value_type = Option<f64>)]
    ml: Option<Quantity>,
    /// How long it is not known what it did, in seconds.
    unknown_sec: i64,
}

/// A day of a reservoir.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerDay)]
struct DayBody {
    /// YYYY-MM-DD
    day: String,
    devices: Vec<DeviceBody>,
}

/// What is left of a device's budget today.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerBudget)]
struct BudgetBody {
    device_id: String,
    name: String,
    #[schema(required)]
    left_sec: Option<i64>,
    #[schema(required, value_type = Option<f64>)]
    left_ml: Option<Quantity>,
}

/// The days of a reservoir.
#[derive(Serialize, ToSchema)]
#[schema(as = ReservoirLedger)]
pub(super) struct LedgerBody {
    /// Oldest first.
    days: Vec<DayBody>,
    /// Of the devices that have a budget.
    budgets: Vec<BudgetBody>,
}

/// A device of the reservoir's controllers.
struct Asked {
    spec: DeviceSpec,
    budget: Option<BudgetBody>,
}

/// What ran at a reservoir
///
/// The pumps, valves and dosing pumps of its controllers. Volume is time x flow: the flow that was commanded, else that of the device's
/// limits; no sensor measures it. What was not reported is counted as not known.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/reservoirs/{reservoirId}/ledger", tag = "places",
    operation_id = "get_reservoir_ledger", summary = "Get what ran at a reservoir", params(LedgerQuery),
    responses(
        (status = OK, body = LedgerBody),
        (status = UNPROCESSABLE_ENTITY, description = "No days, or too many", body = ErrorBody),
    )
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<LedgerQuery>,
) -> Result<Json<LedgerBody>, ApiError> {
    let records = access.records();
    let all = records.reservoirs().await?;
    let reservoir = all.iter().find(|r| r.id == *id);
    reservoir.ok_or_else(ApiError::not_found)?;
    let farm = records.farm_row().await?.ok_or_else(ApiError::not_found)?;
    let zone = zone_of(&farm.timezone);
    let days = days(&zone, &query)?;
    let macs: Vec<String> = { records.controllers().into_iter() }
        .filter(|c| c.reservoir_id.as_deref() == Some(&*id))
        .map(|c| c.mac.as_str().to_owned())
        .collect();
    let (devices, rules) = access.hub().read(move |e| ask(e, &macs)).await?;
    let mut by_day: BTreeMap<Date, Vec<DeviceBody>> = BTreeMap::new();
    let mut budgets = Vec::new();
    for asked in devices {
        for (day, span) in &days {
            let past = past(&access, &asked.spec, *span, &rules).await?;
            by_day
                .entry(*day)
                .or_default()
                .push(device(&asked.spec, *span, &past));
        }
        budgets.extend(asked.budget);
    }
    let days = days.into_iter().map(|(day, _)| DayBody {
        devices: by_day.remove(&day).unwrap_or_default(),
        day: day.to_string(),
    });
    Ok(Json(LedgerBody {
        days: days.collect(),
        budgets,
    }))
}

/// The days that are asked for, up to now.
fn days(zone: &TimeZone, query: &LedgerQuery) -> Result<Vec<(Date, Span)>, ApiError> {
    let now = now_ms();
    let parsed = |text: &Option<String>, default: Date| match text {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| ApiError::bad_query()),
    };
    let to: Date = parsed(&query.to, day_at(zone, now))?;
    let from = parsed(&query.from, to.saturating_sub((DEFAULT_DAYS - 1).days()))?;
    let wrong = || ApiError::field("from", "out_of_range", Text::StepOutOfRange);
    if from > to || from.saturating_add((MAX_DAYS - 1).days()) < to {
        return Err(wrong());
    }
    let mut days = Vec::new();
    let mut day = from;
    while day <= to {
        if let Some(span) = span_of(zone, day).filter(|s| s.from < now) {
            let until = span.until.min(now);
            days.push((day, Span { until, ..span }));
        }
        day = day.tomorrow().map_err(|_| wrong())?;
    }
    Ok(days)
}

fn ask(engine: &Engine, macs: &[String]) -> (Vec<Asked>, HashMap<String, String>) {
    let ours = |s: &DeviceSpec| {
        let mac = s.controller.as_deref();
        s.device_type.moves_water() && mac.is_some_and(|mac| macs.iter().any(|m| m == mac))
    };
    let now = Timestamp::from_millis(now_ms());
    let devices = engine.devices().map(|d| d.spec).filter(ours).map(|spec| {
        let has_one = { spec.limits.as_ref() }
            .is_some_and(|l| l.ml_per_day.is_some() || l.time_per_day.is_some());
        let status = engine.limits_at(spec.id.as_str(), now).filter(|_| has_one);
        let budget = status.map(|s| BudgetBody {
            device_id: spec.id.to_string(),
            name: spec.name.clone(),
            left_sec: s.time_left.map(harit_engine::Duration::as_secs),
            left_ml: s.ml_left,
        });
        Asked { spec, budget }
    });
    let rules = engine.rules().map(|r| (r.spec.id.to_string(), r.spec.name));
    (devices.collect(), rules.collect())
}

/// What a device did in a span.
async fn past(
    access: &FarmAccess<ReadFarm>,
    spec: &DeviceSpec,
    span: Span,
    rules: &HashMap<String, String>,
) -> Result<Vec<Segment>, ApiError> {
    let hub = access.hub();
    let (from, to) = (
        Timestamp::from_millis(span.from),
        Timestamp::from_millis(span.until),
    );
    let reports = hub.reports(&spec.id, from, to).await.map_err(|error| {
        tracing::error!(%error, "the history failed");
        ApiError::unavailable()
    })?;
    let filter = CommandFilter {
        device: Some(spec.id.clone()),
        from: Some(Timestamp::from_millis(span.from - COMMAND_BEFORE_MS)),
        to: Some(to),
        limit: MAX_LISTED,
        state: None,
    };
    let mut commands = hub.commands(filter).await?.items;
    commands.reverse();
    Ok(segments(&reports, &commands, rules))
}

/// The flow of a device while it runs, in ml/s: as commanded, else by its limits.
fn flow(spec: &DeviceSpec, segment: &Segment) -> Option<Quantity> {
    let actions = spec.supported_actions.as_array();
    let has_rate = actions.is_some_and(|all| all.iter().any(|a| a["action"] == "set_flow_rate"));
    let commanded = segment.value.filter(|_| has_rate);
    commanded.or_else(|| spec.limits.as_ref()?.ml_per_sec)
}

/// For how long something ran, and how much flowed; none where the flow is not known.
type Ran = (i64, Option<i128>);

fn device(spec: &DeviceSpec, day: Span, past: &[Segment]) -> DeviceBody {
    let mut shares: BTreeMap<(&str, Option<&str>), Ran> = BTreeMap::new();
    let mut known = 0;
    for segment in past {
        let whole = Span {
            from: segment.at,
            until: segment.until.unwrap_or(day.until),
        };
        let Some(part) = whole.within(day) else {
            continue;
        };
        let length = part.until - part.from;
        known += length;
        if !segment.on {
            continue;
        }
        let flowed = flow(spec, segment).map(|f| i128::from(f.as_micro()) * i128::from(length));
        let share = shares
            .entry((segment.cause, segment.by.as_deref()))
            .or_insert((0, Some(0)));
        share.0 += length;
        share.1 = share.1.zip(flowed).map(|(a, b)| a + b);
    }
    // micro-millilitres a second times milliseconds
    let ml = |flowed: i128| i64::try_from(flowed / 1_000).ok().map(Quantity::from_micro);
    let (mut on, mut sum) = (0, Some(0));
    for (length, flowed) in shares.values() {
        on += length;
        sum = sum.zip(*flowed).map(|(a, b)| a + b);
    }
    DeviceBody {
        device_id: spec.id.to_string(),
        name: spec.name.clone(),
        device_type: spec.device_type,
        shares: { shares.into_iter() }
            .map(|((cause, by), (length, flowed))| ShareBody {
                cause: cause.to_owned(),
                by: by.map(str::to_owned),
                on_sec: length / 1_000,
                ml: flowed.and_then(ml),
            })
            .collect(),
        on_sec: on / 1_000,
        ml: sum.and_then(ml),
        unknown_sec: (day.until - day.from - known) / 1_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn segment(from: i64, until: i64, on: bool, cause: &'static str, by: &str) -> Segment {
        Segment {
            at: from * MINUTE,
            until: Some(until * MINUTE),
            on,
            value: None,
            cause,
            by: Some(by.to_owned()),
        }
    }

    #[test]
    fn volume_is_time_and_flow_by_who_decided_and_null_where_the_flow_is_not_known() {
        let mut document = serde_json::json!({
            "id": "d", "name": "Acid", "type": "dosing_pump", "scope": {"type": "farm"},
            "limits": {"ml_per_sec": 2, "ml_per_day": 1000},
        });
        let spec = |d: &serde_json::Value| DeviceSpec::from_json(d).expect("a device");
        let day = Span {
            from: 0,
            until: 100 * MINUTE,
        };
        let past = [
            segment(-5, 1, true, "rule", "Acid rule"),
            segment(1, 10, false, "rule", "Acid rule"),
            segment(10, 13, true, "manual", "Sunita"),
            segment(13, 90, false, "manual", "Sunita"),
        ];
        let told = device(&spec(&document), day, &past);
        let shares: Vec<_> = { told.shares.iter() }
            .map(|s| (s.cause.as_str(), s.on_sec, s.ml.map(Quantity::as_micro)))
            .collect();
        assert_eq!(
            shares,
            [
                ("manual", 180, Some(360_000_000)),
                ("rule", 60, Some(120_000_000))
            ]
        );
        assert_eq!((told.on_sec, told.unknown_sec), (240, 600));
        assert_eq!(told.ml, Some(Quantity::from_micro(480_000_000)));
        document["limits"] = serde_json::Value::Null;
        let told = device(&spec(&document), day, &past);
        assert_eq!((told.ml, told.on_sec), (None, 240));
    }
}
