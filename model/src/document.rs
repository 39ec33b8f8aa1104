//! What the JSON documents say, defaults filled in.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::curve::Curve;
use crate::limits::{self, Limits};
use crate::number::Decimal;
use crate::program::{Trigger, given, ranged};
use crate::sensor_type::{SENSOR_TYPES, sensor_type};
use crate::tree::Node;

/// How far from its setpoint a condition may be, in millionths.
const MOST_OFFSET: i64 = 1_000_000 * 1_000_000;

/// A document or an input that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// Locks by kind and whose they are (empty where a kind is nobody's), with their reasons.
pub(crate) type Locks = BTreeMap<(String, String), String>;

pub(crate) fn malformed<T>(what: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(what.into()))
}

/// A scope; a zone's polyhouse is looked up where it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Farm,
    Polyhouse(String),
    Zone(String),
}

impl Place {
    /// Smaller is narrower.
    pub(crate) fn width(&self) -> u8 {
        match self {
            Self::Zone(_) => 0,
            Self::Polyhouse(_) => 1,
            Self::Farm => 2,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Polyhouse {
    pub(crate) id: String,
    pub(crate) zones: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SensorDoc {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) place: Place,
    pub(crate) stale_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) action: String,
    /// Millionths.
    pub(crate) value: Option<i64>,
}

impl Setting {
    pub(crate) fn off() -> Self {
        Self {
            action: "off".into(),
            value: Some(0),
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        match self.action.as_str() {
            "off" => false,
            "on" => true,
            _ => self.value.unwrap_or(0) > 0,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceDoc {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) place: Place,
    pub(crate) rest: Setting,
    pub(crate) safe: Setting,
    pub(crate) max_on_ms: Option<i64>,
    pub(crate) max_pulse_sec: Option<i64>,
    pub(crate) limits: Limits,
    pub(crate) online: bool,
    pub(crate) locks: Locks,
    pub(crate) safety: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) kind: String,
    pub(crate) operator: String,
    pub(crate) value: i64,
    pub(crate) value_max: Option<i64>,
    /// What `value` is to be replaced with.
    pub(crate) target: Option<Target>,
    pub(crate) place: Place,
}

/// A setpoint with an offset in millionths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) setpoint: String,
    pub(crate) offset: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Action {
    pub(crate) device: String,
    pub(crate) action: String,
    pub(crate) value: Option<i64>,
    pub(crate) delay_ms: i64,
    /// How long its claim lasts at most.
    pub(crate) for_ms: Option<i64>,
    /// How long its claim outlasts the run.
    pub(crate) linger_ms: Option<i64>,
    pub(crate) curve: Option<Curve>,
}

/// A rule with everything that makes a put of it an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleDoc {
    pub(crate) id: String,
    pub(crate) mode: String,
    pub(crate) deployed: bool,
    pub(crate) priority: i64,
    pub(crate) place: Place,
    pub(crate) trigger: Trigger,
    pub(crate) trigger_ms: i64,
    pub(crate) stop: Option<(Node, i64)>,
    pub(crate) run_ms: Option<i64>,
    pub(crate) actions: Vec<Action>,
    pub(crate) on_signal_lost: String,
}

impl RuleDoc {
    pub(crate) fn is_active(&self) -> bool {
        self.mode == "auto" && self.deployed
    }
}

/// What the conditions of an alert with memory compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    Worst,
    Mean,
}

pub(crate) fn evidence(doc: &Value) -> Result<Option<Evidence>, Malformed> {
    match &doc["evidence"] {
        Value::Null => Ok(None),
        Value::String(s) if s == "worst" => Ok(Some(Evidence::Worst)),
        Value::String(s) if s == "mean" => Ok(Some(Evidence::Mean)),
        other => malformed(format!("evidence {other}")),
    }
}

/// An alert with everything that makes a put of it an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AlertDoc {
    pub(crate) id: String,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) is_active: bool,
    pub(crate) repeat_ms: i64,
    pub(crate) any: bool,
    pub(crate) hold_ms: i64,
    pub(crate) clear_ms: i64,
    pub(crate) conditions: Vec<Condition>,
    /// What is to be true beside its conditions.
    pub(crate) only_if: Option<Node>,
}

pub(crate) fn text<'a>(doc: &'a Value, field: &str) -> Result<&'a str, Malformed> {
    doc[field]
        .as_str()
        .ok_or_else(|| Malformed(format!("{field} is missing in {doc}")))
}

pub(crate) fn list<'a>(doc: &'a Value, field: &str) -> &'a [Value] {
    doc[field].as_array().map_or(&[], Vec::as_slice)
}

/// A whole number of at least `least`; null counts as absent.
pub(crate) fn whole(
    doc: &Value,
    field: &str,
    default: Option<i64>,
    least: i64,
) -> Result<i64, Malformed> {
    let number = match &doc[field] {
        Value::Null => default,
        value => value.as_i64(),
    };
    match number {
        Some(n) if n >= least => Ok(n),
        _ => malformed(format!(
            "{field} is no whole number of at least {least} in {doc}"
        )),
    }
}

/// A number in millionths; null counts as absent.
pub(crate) fn micros(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => Decimal::parse(&n.to_string())?.micros(),
        _ => None,
    }
}

/// Puts the value of a command into its range, or says that there is none: the value of a valid setting, else `Err`.
pub(crate) fn setting_value(
    action: &str,
    value: Option<i64>,
    kind: &str,
) -> Result<Option<i64>, ()> {
    match (action, value) {
        ("on", _) if kind == "fan" || kind == "pump" => Ok(Some(100_000_000)),
        ("on", _) => Ok(None),
        ("off", _) => Ok(Some(0)),
        ("set_speed" | "set_position", Some(v)) if (0..=100_000_000).contains(&v) => Ok(Some(v)),
        ("set_flow_rate", Some(v)) if (100_000..=10_000_000).contains(&v) => Ok(Some(v)),
        _ => Err(()),
    }
}

/// A pulse's seconds, if valid.
pub(crate) fn pulse_seconds(value: Option<i64>) -> Option<i64> {
    value
        .filter(|v| v % 1_000_000 == 0)
        .map(|v| v / 1_000_000)
        .filter(|s| (1..=60).contains(s))
}

pub(crate) fn sensor(doc: &Value, place: Place) -> Result<SensorDoc, Malformed> {
    let kind = text(doc, "type")?;
    if plausible(kind).is_none() {
        return malformed(format!("unknown sensor type {kind}"));
    }
    Ok(SensorDoc {
        id: text(doc, "id")?.into(),
        kind: kind.into(),
        place,
        stale_ms: whole(doc, "stale_after_sec", Some(900), 1)? * 1_000,
    })
}

/// The plausible range of a type of sensor.
pub(crate) fn plausible(kind: &str) -> Option<(i64, i64)> {
    sensor_type(kind).map(|t| t.plausible)
}

pub(crate) fn device(doc: &Value, place: Place) -> Result<DeviceDoc, Malformed> {
    let kind = text(doc, "type")?;
    let setting = |field: &str| {
        let doc = &doc[field];
        if doc.is_null() {
            return Ok(Setting::off());
        }
        let action = text(doc, "action")?;
        match setting_value(action, micros(&doc["value"]), kind) {
            Ok(value) => Ok(Setting {
                action: action.into(),
                value,
            }),
            Err(()) => malformed(format!("{field} is no setting: {doc}")),
        }
    };
    let (rest, safe) = (setting("rest")?, setting("safe")?);
    if kind == "dosing_pump" && (rest != Setting::off() || safe != Setting::off()) {
        return malformed("a dosing pump rests off");
    }
    let max_on = match doc.get("max_on_sec") {
        Some(Value::Null) => None,
        Some(_) => Some(whole(doc, "max_on_sec", None, 1)?),
        None => match kind {
            "dosing_pump" => Some(60),
            "siren" => Some(600),
            "fogger" => Some(900),
            "valve" => Some(1_800),
            "pump" | "mixing_pump" => Some(3_600),
            _ => None,
        },
    };
    let max_pulse_sec = match doc.get("max_pulse_sec_per_hour") {
        None if kind == "dosing_pump" => Some(300),
        given => given.and_then(Value::as_i64),
    };
    Ok(DeviceDoc {
        id: text(doc, "id")?.into(),
        kind: kind.into(),
        place,
        rest,
        safe,
        max_on_ms: max_on.map(|s| s * 1_000),
        max_pulse_sec,
        limits: limits::limits(&doc["limits"])?,
        online: doc["online"].as_bool().unwrap_or(true),
        locks: locks(&doc["state"])?,
        safety: doc["state"]["mode"].as_str() == Some("safety"),
    })
}

/// How a device starts: the list counts, and the single reason where there is none.
fn locks(state: &Value) -> Result<Locks, Malformed> {
    let listed = list(state, "locks");
    if let ([], Some(reason)) = (listed, state["lock"].as_str()) {
        return Ok(Locks::from([(of_version_1(reason), reason.into())]));
    }
    let read = |lock: &Value| {
        let user = lock["owner"]["user_id"].as_str().unwrap_or("");
        let of = (text(lock, "kind")?.to_owned(), user.to_owned());
        Ok((of, text(lock, "reason")?.to_owned()))
    };
    listed.iter().map(read).collect()
}

pub(crate) fn condition(doc: &Value, place: Place) -> Result<Condition, Malformed> {
    let operator = text(doc, "operator")?;
    let Some(value) = micros(&doc["value"]) else {
        return malformed(format!("no value in {doc}"));
    };
    let value_max = micros(&doc["value_max"]);
    match operator {
        "gt" | "gte" | "lt" | "lte" | "eq" => {}
        "between" if value_max.is_some_and(|max| value <= max) => {}
        _ => return malformed(format!("operator or bounds in {doc}")),
    }
    Ok(Condition {
        kind: text(doc, "sensor_type")?.into(),
        operator: operator.into(),
        value,
        value_max,
        target: None,
        place,
    })
}

/// A condition that compares with a setpoint.
pub(crate) fn condition_of_setpoint(doc: &Value, place: Place) -> Result<Condition, Malformed> {
    let operator = text(doc, "operator")?;
    if !["gt", "gte", "lt", "lte"].contains(&operator) {
        return malformed(format!("operator of {doc}"));
    }
    let offset = match given(doc, "offset") {
        None => Some(0),
        Some(offset) => micros(offset).filter(|o| o.abs() <= MOST_OFFSET),
    };
    let Some(offset) = offset else {
        return malformed(format!("offset of {doc}"));
    };
    Ok(Condition {
        kind: text(doc, "sensor_type")?.into(),
        operator: operator.into(),
        value: 0,
        value_max: None,
        target: Some(Target {
            setpoint: text(doc, "setpoint")?.into(),
            offset,
        }),
        place,
    })
}

/// An action without its curve.
pub(crate) fn action(doc: &Value) -> Result<Action, Malformed> {
    let command = &doc["command"];
    let action = text(command, "action")?;
    let value = micros(&command["value"]);
    let is_valid = match action {
        "pulse" => pulse_seconds(value).is_some(),
        _ => setting_value(action, value, "").is_ok(),
    };
    if !is_valid {
        return malformed(format!("no action: {doc}"));
    }
    let lasting = |field: &str, high: i64| match given(doc, field) {
        None => Ok(None),
        Some(_) if action == "pulse" => malformed(format!("{field} of a pulse: {doc}")),
        Some(_) => Ok(Some(ranged(doc, field, None, (1, high))? * 1_000)),
    };
    Ok(Action {
        for_ms: lasting("for_sec", 86_400)?,
        linger_ms: lasting("linger_sec", 60)?,
        device: text(doc, "device_id")?.into(),
        action: action.into(),
        value,
        delay_ms: whole(doc, "delay_sec", Some(0), 0)? * 1_000,
        curve: None,
    })
}

/// An alert's condition in the words of a rule's.
pub(crate) fn alert_condition(doc: &Value, place: Place) -> Result<Condition, Malformed> {
    let sensor = text(doc, "sensor")?;
    let Some(of_type) = SENSOR_TYPES.iter().find(|t| t.alert == sensor) else {
        return malformed(format!("unknown alert sensor {sensor}"));
    };
    let kind = of_type.name;
    let operator = match text(doc, "operator")? {
        ">" => "gt",
        "<" => "lt",
        "=" => "eq",
        ">=" => "gte",
        "<=" => "lte",
        other => return malformed(format!("unknown alert operator {other}")),
    };
    match micros(&doc["value"]) {
        Some(value) => Ok(Condition {
            kind: kind.into(),
            operator: operator.into(),
            value,
            value_max: None,
            target: None,
            place,
        }),
        None => malformed(format!("no value in {doc}")),
    }
}

pub(crate) fn alert_repeat_ms(doc: &Value) -> Result<i64, Malformed> {
    let unit = match text(doc, "repeatUnit")? {
        "minutes" => 60_000,
        "hours" => 3_600_000,
        "days" => 86_400_000,
        other => return malformed(format!("unknown repeat unit {other}")),
    };
    Ok(whole(doc, "repeatsIn", None, 1)? * unit)
}

/// What a reason of the first version means.
pub(crate) fn of_version_1(reason: &str) -> (String, String) {
    let kind = if reason == "max_on" { reason } else { "person" };
    (kind.to_owned(), String::new())
}

pub(crate) fn min_samples(settings: &Value) -> Result<i64, Malformed> {
    let n = whole(settings, "min_samples", Some(2), 1)?;
    if n > 10 {
        malformed("min_samples above 10")
    } else {
        Ok(n)
    }
}
