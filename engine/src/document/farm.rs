//! The farm document: places, sensors and devices, and with the rules and alerts the whole farm.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::alert::AlertSpec;
use super::limits::{GroupSpec, LimitsSpec};
use super::reader::{Fields, document};
use super::rule::{RuleSpec, as_secs};
use super::scope::ScopeSpec;
use super::setpoint::SetpointSpec;
use crate::device_type::{DEVICE_TYPES, DeviceType};
use crate::hold::MAX_MIN_SAMPLES;
use crate::id::{DeviceId, FarmId, PolyhouseId, SensorId, ZoneId};
use crate::lock::{DeviceLock, LockKind, Owner};
use crate::problem::Problems;
use crate::quantity::Decimal;
use crate::sensor_type::SensorType;
use crate::setting::{Order, OrderSpec, Setting};
use crate::time::{Duration, Timestamp};

/// The most entries of any list in a farm document.
const MAX_ENTRIES: usize = 1_000_000;
/// The most locks of a device in a document: more than a farm has people.
const MAX_LOCKS: usize = 10_000;
/// How long a reading counts unless the sensor says otherwise.
const DEFAULT_STALE_AFTER: Duration = Duration::from_secs(900);
const DEFAULT_MIN_SAMPLES: u8 = 2;

/// A whole farm: what an engine is made from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FarmDocument {
    /// The farm itself.
    pub farm: FarmSpec,
    /// Its polyhouses with their zones.
    pub polyhouses: Vec<PolyhouseSpec>,
    /// Its sensors.
    pub sensors: Vec<SensorSpec>,
    /// Its devices.
    pub devices: Vec<DeviceSpec>,
    /// Its automation rules.
    pub rules: Vec<RuleSpec>,
    /// Its alert rules.
    pub alerts: Vec<AlertSpec>,
}

impl FarmDocument {
    /// A farm with nothing in it.
    #[must_use]
    pub fn empty(id: impl Into<FarmId>, name: &str) -> Self {
        let farm = FarmSpec {
            id: id.into(),
            name: name.into(),
            timezone: None,
            settings: FarmSettings::default(),
        };
        Self {
            farm,
            polyhouses: vec![],
            sensors: vec![],
            devices: vec![],
            rules: vec![],
            alerts: vec![],
        }
    }

    fn read(f: &mut Fields<'_>) -> Self {
        let farm = f.nested("farm", FarmSpec::read);
        if farm.is_none() {
            f.missing_unless_reported("farm");
        }
        Self {
            farm: farm.unwrap_or_else(|| Self::empty("", "").farm),
            polyhouses: f.list("polyhouses", MAX_ENTRIES, PolyhouseSpec::read),
            sensors: f.list("sensors", MAX_ENTRIES, SensorSpec::read),
            devices: f.list("devices", MAX_ENTRIES, DeviceSpec::read),
            rules: f.list("rules", MAX_ENTRIES, RuleSpec::read),
            alerts: f.list("alerts", MAX_ENTRIES, AlertSpec::read),
        }
    }
}

document!(FarmDocument);

/// A farm's own fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FarmSpec {
    /// Its id.
    pub id: FarmId,
    /// Its name; a label.
    pub name: String,
    /// Its time zone; no part in the engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Its settings.
    pub settings: FarmSettings,
}

impl FarmSpec {
    fn read(f: &mut Fields<'_>) -> Self {
        Self {
            id: FarmId::new(f.id("id")),
            name: f.text_or_empty("name"),
            timezone: f.optional_text("timezone"),
            settings: f.nested("settings", FarmSettings::read).unwrap_or_default(),
        }
    }
}

/// What a farm decides for all its rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FarmSettings {
    /// How many samples a hold needs, 1 to 10.
    pub min_samples: u8,
    /// Groups of devices of which so many run at a time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupSpec>,
    /// Named targets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setpoints: Vec<SetpointSpec>,
}

impl Default for FarmSettings {
    fn default() -> Self {
        Self {
            min_samples: DEFAULT_MIN_SAMPLES,
            groups: Vec::new(),
            setpoints: Vec::new(),
        }
    }
}

impl FarmSettings {
    fn read(f: &mut Fields<'_>) -> Self {
        let n = f
            .whole("min_samples", 1, MAX_MIN_SAMPLES.into())
            .and_then(|n| u8::try_from(n).ok());
        Self {
            min_samples: n.unwrap_or(DEFAULT_MIN_SAMPLES),
            groups: GroupSpec::read_all(f),
            setpoints: SetpointSpec::read_all(f),
        }
    }
}

document!(FarmSettings);

/// A polyhouse with its zones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolyhouseSpec {
    /// Its id.
    pub id: PolyhouseId,
    /// Its name; a label.
    pub name: String,
    /// What it holds, in the farm's own words; a label.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub capacity: Value,
    /// Whether it is in use; a label.
    #[serde(rename = "isActive")]
    pub is_active: bool,
    /// Its zones.
    pub zones: Vec<ZoneSpec>,
}

impl PolyhouseSpec {
    fn read(f: &mut Fields<'_>) -> Self {
        let zone = |z: &mut Fields<'_>| ZoneSpec {
            id: ZoneId::new(z.id("id")),
            name: z.text_or_empty("name"),
        };
        Self {
            id: PolyhouseId::new(f.id("id")),
            name: f.text_or_empty("name"),
            capacity: f.label("capacity"),
            is_active: f.flag("isActive").unwrap_or(true),
            zones: f.list("zones", MAX_ENTRIES, zone),
        }
    }
}

document!(PolyhouseSpec);

/// A zone in a polyhouse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneSpec {
    /// Its id.
    pub id: ZoneId,
    /// Its name; a label.
    pub name: String,
}

/// A sensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SensorSpec {
    /// Its id.
    pub id: SensorId,
    /// Its name; a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it measures.
    #[serde(rename = "type")]
    pub sensor_type: SensorType,
    /// Where it is.
    pub scope: ScopeSpec,
    /// How long a reading counts.
    #[serde(rename = "stale_after_sec", serialize_with = "as_secs")]
    pub stale_after: Duration,
    /// The MAC of the controller that reports it; a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
}

impl SensorSpec {
    fn read(f: &mut Fields<'_>) -> Self {
        let types = SensorType::ALL.map(|t| (t.as_str(), t));
        Self {
            id: SensorId::new(f.id("id")),
            name: f.optional_text("name"),
            sensor_type: f
                .required_one_of("type", &types)
                .unwrap_or(SensorType::Temperature),
            scope: f
                .nested("scope", ScopeSpec::read)
                .unwrap_or_else(ScopeSpec::farm),
            stale_after: f
                .seconds("stale_after_sec", 1)
                .unwrap_or(DEFAULT_STALE_AFTER),
            controller: f.optional_text("controller"),
        }
    }
}

document!(SensorSpec);

/// A device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceSpec {
    /// Its id.
    pub id: DeviceId,
    /// Its name; a label.
    pub name: String,
    /// What it is.
    #[serde(rename = "type")]
    pub device_type: DeviceType,
    /// What it can do, as its controller said; a label.
    #[serde(rename = "supportedActions", skip_serializing_if = "Value::is_null")]
    pub supported_actions: Value,
    /// Where it is.
    pub scope: ScopeSpec,
    /// What it does when nobody claims it.
    pub rest: Setting,
    /// What it does when it is locked or in safety mode.
    pub safe: Setting,
    /// The longest that it may stay on.
    #[serde(rename = "max_on_sec", serialize_with = "optional_secs")]
    pub max_on: Option<Duration>,
    /// The most seconds of pulses in an hour.
    #[serde(rename = "max_pulse_sec_per_hour", serialize_with = "optional_secs")]
    pub max_pulse: Option<Duration>,
    /// What else it must not do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Box<LimitsSpec>>,
    /// Whether it is online when it becomes known.
    pub online: bool,
    /// Its lock and safety mode when it becomes known.
    pub state: DeviceStateSpec,
    /// The MAC of its controller; a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
}

/// The state in which a device becomes known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DeviceStateSpec {
    /// Why it is locked, if it is: the first lock's reason. It counts where `locks` has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// Its locks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<DeviceLock>,
    /// `safety` where it is in safety mode; other words have no meaning here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

#[allow(clippy::ref_option, reason = "serde's signature")]
pub(super) fn optional_secs<S: serde::Serializer>(
    d: &Option<Duration>,
    s: S,
) -> Result<S::Ok, S::Error> {
    d.map(Duration::as_secs).serialize(s)
}

impl DeviceSpec {
    /// A device of that type with every default.
    #[must_use]
    pub fn new(id: impl Into<DeviceId>, device_type: DeviceType, scope: ScopeSpec) -> Self {
        Self {
            id: id.into(),
            name: String::new(),
            device_type,
            supported_actions: Value::Null,
            scope,
            rest: Setting::OFF,
            safe: Setting::OFF,
            max_on: device_type.default_max_on(),
            max_pulse: device_type.default_max_pulse(),
            limits: None,
            online: true,
            state: DeviceStateSpec::default(),
            controller: None,
        }
    }

    fn read(f: &mut Fields<'_>) -> Self {
        let device_type = f
            .required_one_of("type", &DEVICE_TYPES)
            .unwrap_or(DeviceType::Sensor);
        let limit = |f: &mut Fields<'_>, key: &str, default| {
            if f.names(key) {
                f.seconds(key, 1)
            } else {
                default
            }
        };
        let device = Self {
            id: DeviceId::new(f.id("id")),
            name: f.text_or_empty("name"),
            device_type,
            supported_actions: f.label("supportedActions"),
            scope: f
                .nested("scope", ScopeSpec::read)
                .unwrap_or_else(ScopeSpec::farm),
            rest: read_setting(f, "rest", device_type),
            safe: read_setting(f, "safe", device_type),
            max_on: limit(f, "max_on_sec", device_type.default_max_on()),
            max_pulse: limit(f, "max_pulse_sec_per_hour", device_type.default_max_pulse()),
            limits: LimitsSpec::read(f),
            online: f.flag("online").unwrap_or(true),
            state: f
                .nested("state", |s| DeviceStateSpec {
                    lock: s.optional_text("lock"),
                    locks: s.list("locks", MAX_LOCKS, read_lock),
                    mode: s.optional_text("mode"),
                })
                .unwrap_or_default(),
            controller: f.optional_text("controller"),
        };
        if device.state.lock.as_deref() == Some("") {
            f.problem("state.lock", "required", "an empty lock reason is no lock");
        }
        device
    }
}

document!(DeviceSpec);

fn read_lock(f: &mut Fields<'_>) -> DeviceLock {
    let kinds = LockKind::ALL.map(|kind| (kind.as_str(), kind));
    let owner = f.nested("owner", |o| Owner {
        user_id: o.id("user_id"),
        name: o.text_or_empty("name").into(),
        reason: o.optional_text("reason").map(Into::into),
    });
    DeviceLock {
        kind: f
            .required_one_of("kind", &kinds)
            .unwrap_or(LockKind::Person),
        reason: f.text("reason").into(),
        owner: owner.map(Arc::new),
        since: f.label("since").as_i64().map(Timestamp::from_millis),
    }
}

fn read_setting(f: &mut Fields<'_>, key: &str, device_type: DeviceType) -> Setting {
    let setting = f.nested(key, |s| {
        let spec = OrderSpec {
            action: s.text("action"),
            value: s.decimal("value").map(Decimal::rounded),
        };
        match Order::compile(&spec).map(|o| o.setting_for(device_type)) {
            Ok(Some(setting)) => Some(setting),
            Ok(None) => {
                s.problem(
                    "action",
                    "unknown_word",
                    format!("{} is no setting to stay in", spec.action),
                );
                None
            }
            Err(e) => {
                s.order(e.field(), &e);
                None
            }
        }
    });
    let setting = setting.flatten().unwrap_or(Setting::OFF);
    if device_type == DeviceType::DosingPump && setting != Setting::OFF {
        f.problem(
            key,
            "must_be_off",
            format!("the {key} setting of a dosing_pump is off"),
        );
    }
    setting
}
