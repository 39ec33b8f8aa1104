//! Hazards of a rule that the engine found: as they are answered, and what keeps a rule with one from being deployed.

use std::collections::BTreeSet;

use harit_engine::hazards::{Example, ExampleReading, Grade, Hazard, HazardKind, Limit};
use harit_engine::{
    DeviceId, Engine, Quantity, RuleId, RuleSpec, ScopeSpec, SensorType, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::verdict::ThingBody;
use crate::access::{DeployOverHazards, FarmAccess, WriteRules};
use crate::audit::Action;
use crate::document::{ScopeDocument, SensorTypeDocument};
use crate::error::ApiError;
use crate::language::Text;
use crate::records::now_ms;

/// The kinds that may be blocking.
const BLOCKING: [(&str, Text); 3] = [
    ("circle", Text::HazardCircle),
    ("dosing", Text::HazardDosing),
    ("flood", Text::HazardFlood),
];

/// What the engine found, and what shows it.
#[derive(Serialize, ToSchema, PartialEq)]
#[schema(as = FoundHazard)]
pub(super) struct FoundBody {
    what: WhatBody,
    grade: GradeBody,
    example: ExampleBody,
}

/// Whether a rule with it may be deployed: over what is blocking by an owner alone.
#[derive(Serialize, ToSchema, PartialEq, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[schema(as = HazardGrade)]
enum GradeBody {
    Blocking,
    Advising,
}

/// What is dangerous about the rule.
#[derive(Serialize, ToSchema, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = HazardFound)]
enum WhatBody {
    /// Another active rule wants something else of the device at the same time.
    Fight {
        device: ThingBody,
        rule: ThingBody,
        /// Whether the rule that is checked gets it.
        wins: bool,
    },
    /// Of two rules one always has the device when the other wants it.
    NeverWins {
        device: ThingBody,
        /// The other rule.
        rule: ThingBody,
        /// Whether it is the rule that is checked that never gets it.
        own: bool,
    },
    /// What the rule moves comes back to it.
    Circle {
        /// The other rules on the way.
        rules: Vec<ThingBody>,
        devices: Vec<ThingBody>,
        /// How often the rule starts in an hour as readings stay the same.
        starts_per_hour: u32,
    },
    /// A limit of the device stands against what the rule does.
    Limited { device: ThingBody, limit: LimitBody },
    /// Nothing ends what the rule starts.
    Flood { device: ThingBody },
    /// A dosing pump doses for so many seconds of an hour, and nothing ends that.
    Dosing { device: ThingBody, secs: i64 },
    /// The rule does not start while this sensor is silent.
    OneSensor {
        sensor: ThingBody,
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: SensorType,
        #[schema(value_type = ScopeDocument)]
        place: ScopeSpec,
    },
}

/// Which limit of a device.
#[derive(Serialize, ToSchema, PartialEq, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[schema(as = HazardLimit)]
enum LimitBody {
    /// The hours in which it may run are never those of the rule.
    Hours,
    /// No active rule switches on what it needs at the same time.
    Needs,
    /// One run is more than its budget of a day.
    Budget,
    /// It has to stay off for longer than until the next start.
    MinOff,
    /// It is started more often than it may start in an hour.
    Starts,
    /// One run is longer than it may be on.
    MaxOn,
}

/// A situation in which it is so.
#[derive(Serialize, ToSchema, PartialEq)]
#[schema(as = HazardExample)]
struct ExampleBody {
    /// When, in epoch milliseconds, where the hour is a part of it.
    #[schema(required)]
    at: Option<i64>,
    /// What is read.
    readings: Vec<ReadingBody>,
    /// What devices are reported to do.
    reports: Vec<ReportBody>,
}

/// A mean in a place.
#[derive(Serialize, ToSchema, PartialEq)]
#[schema(as = HazardReading)]
struct ReadingBody {
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    #[schema(value_type = ScopeDocument)]
    place: ScopeSpec,
    #[schema(value_type = f64)]
    value: Quantity,
}

/// What a device is reported to do.
#[derive(Serialize, ToSchema, PartialEq)]
#[schema(as = HazardReport)]
struct ReportBody {
    device: ThingBody,
    on: bool,
}

impl From<Limit> for LimitBody {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Hours => Self::Hours,
            Limit::Needs => Self::Needs,
            Limit::Budget => Self::Budget,
            Limit::MinOff => Self::MinOff,
            Limit::Starts => Self::Starts,
            Limit::MaxOn => Self::MaxOn,
        }
    }
}

fn device(engine: &Engine, id: &DeviceId) -> ThingBody {
    let name = engine.device_ref(id.as_str()).map(|d| d.spec.name.clone());
    ThingBody::new(id, &name.unwrap_or_default())
}

fn rule(engine: &Engine, id: &RuleId) -> ThingBody {
    ThingBody::new(id, &engine.rule_name(id.as_str()).unwrap_or_default())
}

impl FoundBody {
    fn new(engine: &Engine, own: &RuleSpec, hazard: &Hazard) -> Self {
        let device = |id: &DeviceId| device(engine, id);
        let rule = |id: &RuleId| rule(engine, id);
        let what = match &hazard.kind {
            HazardKind::Fight {
                device: of,
                other,
                winner,
                ..
            } => WhatBody::Fight {
                device: device(of),
                rule: rule(other),
                wins: *winner == own.id,
            },
            HazardKind::NeverWins {
                device: of,
                rule: weak,
                by,
            } => WhatBody::NeverWins {
                device: device(of),
                rule: rule(if *weak == own.id { by } else { weak }),
                own: *weak == own.id,
            },
            HazardKind::Circle {
                rules,
                devices,
                starts_per_hour,
            } => WhatBody::Circle {
                rules: { rules.iter() }
                    .filter(|id| **id != own.id)
                    .map(rule)
                    .collect(),
                devices: devices.iter().map(device).collect(),
                starts_per_hour: *starts_per_hour,
            },
            HazardKind::Limited { device: of, limit } => WhatBody::Limited {
                device: device(of),
                limit: (*limit).into(),
            },
            HazardKind::Flood { device: of } => WhatBody::Flood { device: device(of) },
            HazardKind::Dosing { device: of, secs } => WhatBody::Dosing {
                device: device(of),
                secs: *secs,
            },
            HazardKind::OneSensor {
                sensor,
                sensor_type,
                place,
            } => {
                let known = engine.sensor(sensor.as_str());
                let name = known.and_then(|s| s.spec.name).unwrap_or_default();
                WhatBody::OneSensor {
                    sensor: ThingBody::new(sensor, &name),
                    sensor_type: *sensor_type,
                    place: place.clone(),
                }
            }
        };
        Self {
            what,
            grade: match hazard.kind.grade() {
                Grade::Blocking => GradeBody::Blocking,
                Grade::Advising => GradeBody::Advising,
            },
            example: ExampleBody::new(engine, &hazard.example),
        }
    }

    /// Whether it says of a device that another rule may have it.
    pub(super) fn says_rank(&self, of: &ThingBody, by: &ThingBody) -> bool {
        match &self.what {
            WhatBody::Fight { device, rule, .. } | WhatBody::NeverWins { device, rule, .. } => {
                device == of && rule == by
            }
            _ => false,
        }
    }
}

impl ExampleBody {
    fn new(engine: &Engine, of: &Example) -> Self {
        let reading = |r: &ExampleReading| ReadingBody {
            sensor_type: r.sensor_type,
            place: r.place.clone(),
            value: r.value,
        };
        let report = |(id, on): &(DeviceId, bool)| ReportBody {
            device: device(engine, id),
            on: *on,
        };
        Self {
            at: of.by_clock.then(|| of.at.as_millis()),
            readings: of.readings.iter().map(reading).collect(),
            reports: of.reports.iter().map(report).collect(),
        }
    }
}

fn found(engine: &Engine, rule: &RuleSpec) -> Vec<Hazard> {
    let now = Timestamp::from_millis(now_ms());
    engine.hazards(rule, now).unwrap_or_default()
}

/// What is found of a rule as far as it is written; nothing of one that could not be saved.
pub(super) fn found_of_draft(engine: &Engine, document: &Value) -> Vec<FoundBody> {
    let mut document = document.clone();
    for (field, stands_in) in [("id", "draft"), ("name", "-")] {
        let missing = document[field].as_str().is_none_or(str::is_empty);
        if missing && document.is_object() {
            document[field] = json!(stands_in);
        }
    }
    let Ok(rule) = RuleSpec::from_json(&document) else {
        return Vec::new();
    };
    let all = found(engine, &rule);
    all.iter()
        .map(|h| FoundBody::new(engine, &rule, h))
        .collect()
}

/// Over which hazards a rule is deployed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OverQuery {
    /// The kinds of hazard over which an owner deploys the rule, separated by commas: circle, dosing, flood.
    #[serde(rename = "overHazards")]
    over_hazards: Option<String>,
}

impl OverQuery {
    /// The kinds.
    ///
    /// # Errors
    /// When one is none, or the caller is no owner.
    pub(super) fn kinds(&self, access: &FarmAccess<WriteRules>) -> Result<Over, ApiError> {
        let all = self.over_hazards.as_deref().unwrap_or_default().split(',');
        let all = all.map(str::trim).filter(|word| !word.is_empty());
        let mut kinds = BTreeSet::new();
        for word in all {
            let Some((known, _)) = BLOCKING.iter().find(|(known, _)| *known == word) else {
                return Err(ApiError::field(
                    "overHazards",
                    "unknown_word",
                    Text::Invalid,
                ));
            };
            kinds.insert(*known);
        }
        if !kinds.is_empty() && !access.may::<DeployOverHazards>() {
            return Err(ApiError::not_permitted());
        }
        Ok(Over(kinds))
    }
}

/// The kinds of hazard over which an owner deploys a rule.
#[derive(Debug, Default)]
pub(super) struct Over(BTreeSet<&'static str>);

/// Refuses a rule that would be active with a hazard that is blocking, unless an owner says so or it was so before; of what an owner
/// says, the log has an entry.
///
/// # Errors
/// 409 with the hazards; when the farm cannot be read.
pub(super) async fn weigh(
    access: &FarmAccess<WriteRules>,
    before: Option<&RuleSpec>,
    rule: &RuleSpec,
    over: &Over,
) -> Result<Option<(Action, Value)>, ApiError> {
    if !rule.is_active() {
        return Ok(None);
    }
    let before = before.filter(|b| b.is_active()).cloned();
    let asked = rule.clone();
    let blocking = move |engine: &Engine| {
        let of = |rule: &RuleSpec| -> Vec<(&'static str, String)> {
            let all = found(engine, rule).into_iter().map(|h| h.kind);
            all.filter(|kind| kind.grade() == Grade::Blocking)
                .map(|kind| (kind.word(), about(engine, &kind)))
                .collect()
        };
        let mut now = of(&asked);
        if let Some(before) = before.filter(|_| !now.is_empty()) {
            let known = of(&before);
            now.retain(|hazard| !known.contains(hazard));
        }
        now
    };
    let all = access.hub().read(blocking).await?;
    let open = all.iter().filter(|(kind, _)| !over.0.contains(kind));
    let open: Vec<_> = open
        .filter_map(|(kind, name)| {
            let (word, text) = BLOCKING.iter().find(|(known, _)| known == kind)?;
            Some((*word, *text, name.clone()))
        })
        .collect();
    if !open.is_empty() {
        return Err(ApiError::hazardous(open));
    }
    let kinds: BTreeSet<&str> = all.iter().map(|(kind, _)| *kind).collect();
    let deed = json!({"name": rule.name, "hazards": kinds});
    Ok((!kinds.is_empty()).then_some((Action::RuleDeployedOverHazards, deed)))
}

/// The devices that a hazard is about, by name.
fn about(engine: &Engine, kind: &HazardKind) -> String {
    let name = |id: &DeviceId| {
        let device = engine.device_ref(id.as_str());
        let name = device.map(|d| d.spec.name.clone());
        name.filter(|n| !n.is_empty())
            .unwrap_or_else(|| id.to_string())
    };
    match kind {
        HazardKind::Flood { device } | HazardKind::Dosing { device, .. } => name(device),
        HazardKind::Circle { devices, .. } => {
            devices.iter().map(name).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}
