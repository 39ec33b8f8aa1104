//! The ledger of water and doses of a reservoir.

use std::collections::{BTreeSet, HashMap};

use axum::Json;
use futures_util::future::try_join_all;
use harit_engine::{DeviceSpec, Engine, Quantity, SensorType, Timestamp};
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm};
use crate::document::SensorTypeDocument;
use crate::error::{ApiError, ErrorBody, Item, Params};
use crate::language::Text;
use crate::ledger::{Meter, Ran, Reading, past, plan, ran, readings};
use crate::letter::{Span, day_at, span_of, zone_of};
use crate::outages::{OutageKind, comings, outages};
use crate::records::now_ms;

/// The most days of one answer.
const MAX_DAYS: i32 = 92;
/// The days of an answer where nothing is said.
const DEFAULT_DAYS: i32 = 7;

/// The past of so many devices is asked for at once: each question waits for what is not written yet.
const AT_ONCE: usize = 5;

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

/// A day of a reservoir.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerDay)]
struct DayBody {
    /// YYYY-MM-DD
    day: String,
    devices: Vec<Ran>,
    /// What its meters measured.
    meters: Vec<Reading>,
}

/// A meter of a reservoir.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerMeter)]
struct MeterBody {
    sensor_id: String,
    #[schema(required)]
    name: Option<String>,
    /// flow or volume.
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    /// The devices whose amounts are compared with what it measured; none where nobody knows whose water it measures.
    devices: Vec<String>,
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
    /// What it has in a day.
    #[schema(required)]
    sec_per_day: Option<i64>,
    #[schema(required, value_type = Option<f64>)]
    ml_per_day: Option<Quantity>,
}

/// What a reservoir's days come to.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerSums)]
struct SumsBody {
    devices: Vec<Ran>,
    meters: Vec<Reading>,
}

/// The days of a reservoir.
#[derive(Serialize, ToSchema)]
#[schema(as = ReservoirLedger)]
pub(super) struct LedgerBody {
    /// Oldest first, up to now.
    days: Vec<DayBody>,
    /// Of all days.
    sums: SumsBody,
    /// The sensors of type flow and volume by its devices.
    meters: Vec<MeterBody>,
    /// Of the devices that have a budget.
    budgets: Vec<BudgetBody>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// What the engine has of a reservoir.
struct Asked {
    devices: Vec<DeviceSpec>,
    budgets: Vec<BudgetBody>,
    meters: Vec<Meter>,
    /// The names of the farm's rules.
    rules: HashMap<String, String>,
}

/// What ran at a reservoir
///
/// The pumps, valves, foggers and dosing pumps of its controllers, and what the sensors of type flow and volume by them measured. A device's
/// volume is time x flow: the flow that was commanded, else that of its limits. What was not reported is counted as not known.
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
    let days = days(&zone_of(&farm.timezone), &query)?;
    let (mut macs, mut elsewhere) = (BTreeSet::new(), BTreeSet::new());
    for controller in records.controllers() {
        match controller.reservoir_id.as_deref() {
            Some(of) if of == &*id => macs.insert(controller.mac.to_string()),
            Some(_) => elsewhere.insert(controller.mac.to_string()),
            None => false,
        };
    }
    let settings = records.effect_settings().await?;
    let question = move |engine: &Engine| {
        let (devices, budgets) = devices(engine, &macs);
        let meters = plan(engine, &devices, &settings, &elsewhere);
        let rules = engine.rules().map(|r| (r.spec.id.to_string(), r.spec.name));
        Asked {
            devices,
            budgets,
            meters,
            rules: rules.collect(),
        }
    };
    let asked = access.hub().read(question).await?;
    let whole = whole(&days);
    let server_off = server_off(&access, whole).await?;
    let hub = access.hub();
    let mut pasts = Vec::with_capacity(asked.devices.len());
    for some in asked.devices.chunks(AT_ONCE) {
        let mut of_some = Vec::with_capacity(some.len());
        for spec in some {
            of_some.push(past(&hub, &spec.id, whole, &asked.rules));
        }
        pasts.extend(try_join_all(of_some).await?);
    }
    let minutes = readings(&hub, &asked.meters, whole).await?;
    let told = |span: Span| {
        let devices = asked.devices.iter().zip(&pasts);
        let devices: Vec<Ran> = devices
            .map(|(spec, past)| ran(spec, span, past, &server_off))
            .collect();
        let meters = asked.meters.iter().zip(&minutes);
        let meters = meters
            .map(|(meter, m)| meter.reading(m, span, &devices))
            .collect();
        (devices, meters)
    };
    let of_days = days.iter().map(|(day, span)| {
        let (devices, meters) = told(*span);
        DayBody {
            day: day.to_string(),
            devices,
            meters,
        }
    });
    let of_days = of_days.collect();
    let (devices, meters) = told(whole);
    Ok(Json(LedgerBody {
        days: of_days,
        sums: SumsBody { devices, meters },
        meters: asked.meters.into_iter().map(meter).collect(),
        budgets: asked.budgets,
        incomplete: hub.history_incomplete(),
    }))
}

fn meter(meter: Meter) -> MeterBody {
    MeterBody {
        sensor_id: meter.spec.id.to_string(),
        name: meter.spec.name,
        sensor_type: meter.spec.sensor_type,
        devices: meter.of,
    }
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

/// All of the days; nothing where there are none.
fn whole(days: &[(Date, Span)]) -> Span {
    Span {
        from: days.first().map_or(0, |(_, s)| s.from),
        until: days.last().map_or(0, |(_, s)| s.until),
    }
}

/// When the server was off, oldest first: nobody knows what ran.
async fn server_off(access: &FarmAccess<ReadFarm>, span: Span) -> Result<Vec<Span>, ApiError> {
    let span = (span.from, span.until);
    let (entries, _) = comings(access, span).await?;
    let all = outages(&entries, span).into_iter();
    let off = all.filter(|o| o.kind == OutageKind::Server);
    Ok(off
        .filter_map(|o| {
            Some(Span {
                from: o.from,
                until: o.until?,
            })
        })
        .collect())
}

/// The devices of some controllers that move water, and what is left of their budgets.
fn devices(engine: &Engine, macs: &BTreeSet<String>) -> (Vec<DeviceSpec>, Vec<BudgetBody>) {
    let ours = |s: &DeviceSpec| {
        s.device_type.moves_water() && s.controller.as_ref().is_some_and(|mac| macs.contains(mac))
    };
    let devices: Vec<_> = engine.devices().map(|d| d.spec).filter(ours).collect();
    let now = Timestamp::from_millis(now_ms());
    let budget = |spec: &DeviceSpec| {
        let limits = spec.limits.as_ref()?;
        let sec_per_day = limits.time_per_day.map(harit_engine::Duration::as_secs);
        let ml_per_day = limits.ml_per_day;
        if sec_per_day.is_none() && ml_per_day.is_none() {
            return None;
        }
        let status = engine.limits_at(spec.id.as_str(), now)?;
        Some(BudgetBody {
            device_id: spec.id.to_string(),
            name: spec.name.clone(),
            left_sec: status.time_left.map(harit_engine::Duration::as_secs),
            left_ml: status.ml_left,
            sec_per_day,
            ml_per_day,
        })
    };
    let budgets = devices.iter().filter_map(budget).collect();
    (devices, budgets)
}
