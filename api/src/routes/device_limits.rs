//! A device's limits: what a person sets, and where the device stands with them.

use harit_engine::{
    DeviceSpec, Duration, Engine, GroupStatus, HoursSpec, InputKind, LimitReason, LimitsSpec,
    LimitsStatus, Quantity, RegistryChange, Timestamp,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::devices::{DeviceBody, name, shown};
use super::resource::set;
use crate::access::{FarmAccess, WriteAssets};
use crate::audit::Action;
use crate::document::NodeDocument;
use crate::error::{ApiError, Body, Item};
use crate::version::Tagged;

/// What a machine must not do, whoever wants it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeviceLimits)]
pub(super) struct LimitsDocument {
    /// How long it stays on at least, in seconds: what rules want off stays on until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 3600)]
    min_on_sec: Option<Value>,
    /// How long it stays off at least, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 3600)]
    min_off_sec: Option<Value>,
    /// How often it starts within an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 60)]
    starts_per_hour: Option<Value>,
    /// The ids of the farm's groups that it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>, max_items = 8)]
    groups: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<NeedsDocument>,
    /// How long it runs in a day, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 86400)]
    sec_per_day: Option<Value>,
    /// How much flows in a day, in ml.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, maximum = 100_000_000)]
    ml_per_day: Option<Value>,
    /// What flows while it runs, in ml/s; needed with `ml_per_day`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, maximum = 10_000)]
    ml_per_sec: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<HoursDocument>,
}

/// When machines may run: outside of it rules and people are held back, and what runs goes off.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeviceHours)]
pub(super) struct HoursDocument {
    /// While this is true: without `rule`, `setpoint` and `hold_sec`.
    #[serde(rename = "while", default)]
    #[schema(value_type = NodeDocument, required)]
    condition: Value,
    /// What holds while it is not known whether that is true: `hold` for off, `allow` for as if it were.
    #[serde(default)]
    #[schema(value_type = UnknownHours, required)]
    if_unknown: Value,
    /// For how long it must have been true before a machine starts, in seconds; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 3600)]
    for_sec: Option<Value>,
}

impl HoursDocument {
    /// What the engine has of it, for people.
    pub(super) fn of(hours: &HoursSpec) -> Option<Self> {
        serde_json::to_value(hours)
            .and_then(serde_json::from_value)
            .ok()
    }
}

/// What holds while it is not known whether machines may run.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[allow(dead_code, reason = "for the document; the engine reads it")]
enum UnknownHours {
    Hold,
    Allow,
}

/// The devices one of which must carry a device before it starts.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeviceNeeds)]
pub(super) struct NeedsDocument {
    /// One of these.
    #[serde(default)]
    #[schema(value_type = Vec<String>, required, min_items = 1, max_items = 16)]
    any: Value,
    /// For how long before it starts, in seconds; 3 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 60)]
    for_sec: Option<Value>,
}

/// All limits of a device at once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeviceLimitsInput)]
pub(super) struct LimitsInput {
    /// Null for none.
    #[serde(deserialize_with = "said")]
    #[schema(required)]
    limits: Option<LimitsDocument>,
    /// The longest that it may stay on, in seconds; null for no limit.
    #[schema(required, value_type = Option<i64>, minimum = 1)]
    max_on_sec: Value,
    /// The most seconds of pulses in an hour; null for no limit.
    #[schema(required, value_type = Option<i64>, minimum = 1)]
    max_pulse_sec_per_hour: Value,
}

/// A field that must be there, if only with null: what is left out by mistake takes no limit away.
fn said<'de, D: Deserializer<'de>>(d: D) -> Result<Option<LimitsDocument>, D::Error> {
    Option::deserialize(d)
}

/// Why a device is not sent what is desired.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = HeldReason)]
enum HeldBody {
    /// It stays on for its least time.
    MinOn,
    /// It stays on until what it carries is off.
    Needed,
    /// It stays off for its least time.
    MinOff,
    /// It started as often in this hour as it may.
    Starts,
    /// As many of one of its groups run as may.
    Group,
    /// None that it needs has carried it for long enough.
    Needs,
    /// Its amount for the day is used up.
    Budget,
    /// Its hours, or those of a group of it, do not allow it.
    Hours,
}

impl From<LimitReason> for HeldBody {
    fn from(reason: LimitReason) -> Self {
        match reason {
            LimitReason::MinOn => Self::MinOn,
            LimitReason::Needed => Self::Needed,
            LimitReason::MinOff => Self::MinOff,
            LimitReason::Starts => Self::Starts,
            LimitReason::Group => Self::Group,
            LimitReason::Needs => Self::Needs,
            LimitReason::Budget => Self::Budget,
            LimitReason::Hours => Self::Hours,
        }
    }
}

/// Where a device stands with its limits as of now.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceLimitsState)]
pub(super) struct LimitsStateBody {
    /// Why it is not sent what is desired.
    #[schema(required)]
    held: Option<HeldBody>,
    /// When time alone may change that, as far as it can be told.
    #[schema(required)]
    held_until: Option<i64>,
    /// How often it started within the last hour.
    starts: usize,
    /// How long it ran today, in seconds, if it has a budget.
    used_sec: i64,
    /// What is left of that.
    #[schema(required)]
    left_sec: Option<i64>,
    /// How much flowed today, in ml, if it has a budget.
    #[schema(value_type = f64)]
    used_ml: Quantity,
    /// What is left of that.
    #[schema(required, value_type = Option<f64>)]
    left_ml: Option<Quantity>,
    /// When the day ends in which that is counted; null where nothing is used.
    #[schema(required)]
    day_ends: Option<i64>,
    /// Its groups.
    groups: Vec<GroupStateBody>,
}

/// How many of a group run.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceGroupState)]
struct GroupStateBody {
    id: String,
    name: String,
    running: usize,
    at_most: u8,
}

impl LimitsStateBody {
    /// Of a device with limits or that another needs, with the farm's groups.
    pub(super) fn of(
        status: &LimitsStatus,
        limits: Option<&LimitsSpec>,
        groups: &[GroupStatus],
    ) -> Self {
        let named = limits.map(|l| l.groups.as_slice()).unwrap_or_default();
        let groups = groups.iter().filter(|g| named.contains(&g.spec.id));
        Self {
            held: status.held.map(HeldBody::from),
            held_until: status.held_until.map(Timestamp::as_millis),
            starts: status.starts,
            used_sec: status.used.as_secs(),
            left_sec: status.time_left.map(Duration::as_secs),
            used_ml: status.used_ml,
            left_ml: status.ml_left,
            day_ends: status.day_ends.map(Timestamp::as_millis),
            groups: groups
                .map(|g| GroupStateBody {
                    id: g.spec.id.to_string(),
                    name: g.spec.name.clone(),
                    running: g.running.len(),
                    at_most: g.spec.at_most,
                })
                .collect(),
        }
    }
}

/// Sets a device's limits
///
/// All at once, in place of those that it had. What it used today and how often it started stay.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/devices/{deviceId}/limits", tag = "automation",
    operation_id = "put_device_limits", summary = "Set the limits of a device", request_body = LimitsInput,
    responses((status = OK, body = DeviceBody))
)]
pub(super) async fn put(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
    Body(request): Body<LimitsInput>,
) -> Result<Tagged<DeviceBody>, ApiError> {
    let _edit = access.editing().await;
    access.expect(&id, &shown(&access, &id).await?).await?;
    let asked = id.clone();
    let question = move |engine: &Engine| engine.device(&asked);
    let device = access.hub().read(question).await?;
    let before = device.ok_or_else(ApiError::not_found)?.spec;
    let limits = serde_json::to_value(&request.limits).map_err(|_| ApiError::internal())?;
    let mut document = serde_json::to_value(&before).map_err(|_| ApiError::internal())?;
    set(&mut document, "limits", limits);
    set(&mut document, "max_on_sec", request.max_on_sec);
    let pulses = request.max_pulse_sec_per_hour;
    set(&mut document, "max_pulse_sec_per_hour", pulses);
    let read = DeviceSpec::from_json(&document)?;
    let spec = DeviceSpec {
        limits: read.limits,
        max_on: read.max_on,
        max_pulse: read.max_pulse,
        ..before.clone()
    };
    if spec != before {
        let (from, to) = changed(said_of(&before), said_of(&spec));
        let details = json!({"name": name(&spec), "from": from, "to": to});
        let change = RegistryChange::PutDevice(Box::new(spec));
        let change = InputKind::Registry(vec![change]);
        let admitted = access.admit(change, Action::DeviceLimited, &id, details);
        let own = |e: ApiError| e.within(&format!("devices.{id}."));
        admitted.await.map_err(own)?;
    }
    Ok(Tagged(shown(&access, &id).await?))
}

/// All limits of a device, one a field.
fn said_of(spec: &DeviceSpec) -> Map<String, Value> {
    let limits = serde_json::to_value(&spec.limits).unwrap_or_default();
    let mut all = match limits {
        Value::Object(limits) => limits,
        _ => Map::new(),
    };
    let secs = |d: Option<Duration>| d.map(|d| Value::from(d.as_secs()));
    let more = [
        ("max_on_sec", spec.max_on),
        ("max_pulse_sec_per_hour", spec.max_pulse),
    ];
    all.extend(more.map(|(field, d)| (field.to_owned(), secs(d).unwrap_or(Value::Null))));
    all
}

/// What differs between two documents, as it was and as it is: null where there was or is none.
fn changed(
    from: Map<String, Value>,
    mut to: Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    for field in from.keys() {
        to.entry(field.clone()).or_insert(Value::Null);
    }
    let was = |field: &String| from.get(field).cloned().unwrap_or_default();
    to.retain(|field, value| was(field) != *value);
    let from = to.keys().map(|field| (field.clone(), was(field))).collect();
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_named_with_old_and_new() {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        let from = map(json!({"min_on_sec": 60, "min_off_sec": 30, "max_on_sec": null}));
        let to = map(json!({"min_on_sec": 60, "groups": ["g"], "max_on_sec": 600}));
        let (was, is) = changed(from, to);
        assert_eq!(
            Value::from(was),
            json!({"min_off_sec": 30, "groups": null, "max_on_sec": null})
        );
        assert_eq!(
            Value::from(is),
            json!({"min_off_sec": null, "groups": ["g"], "max_on_sec": 600})
        );
    }
}
