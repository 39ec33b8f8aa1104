//! What the conditions of rules see, and what a person should know of a rule before it runs, though nothing forbids it.

use std::collections::BTreeSet;

use axum::Json;
use harit_engine::{
    ConditionSpec, DeviceType, Duration, Engine, NodeKind, NodeSpec, Operator, Quantity, RuleMode,
    RuleSpec, ScopeSpec, SensorType, Sight, Timestamp, WhenSpec, clear_after,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::chatter::chatter;
use super::hazards::{FoundBody, found_of_draft};
use super::verdict::ThingBody;
use crate::access::{FarmAccess, ReadFarm};
use crate::document::{OperatorDocument, ScopeDocument, SensorTypeDocument};
use crate::error::{ApiError, Body};
use crate::records::now_ms;

/// A rule's priority where it says none, as in its document.
const PRIORITY: u8 = 5;
/// How long a condition holds where it does not say, as in its document.
const HOLDS_FOR: Duration = Duration::from_secs(300);

/// What the conditions of a rule see.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleConditions)]
pub(super) struct ConditionsBody {
    /// The rule's id.
    rule: String,
    /// Null where no sensor of its quantity is registered in its place or around it; of a tree and of a schedule.
    #[schema(required)]
    trigger: Option<SightBody>,
    /// Null likewise, and where the rule has no stop condition.
    #[schema(required)]
    stop: Option<SightBody>,
    /// What each comparison of a tree sees, the trigger's or guard's first, in the order in which they are written; empty of a rule
    /// without trees.
    parts: Vec<PartBody>,
}

/// What a comparison within a tree sees.
#[derive(Serialize, ToSchema)]
#[schema(as = ConditionPart)]
pub(super) struct PartBody {
    /// Whether it is of the stop condition.
    of_stop: bool,
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    /// Null where no sensor of its quantity is registered in its place or around it.
    #[schema(required)]
    sight: Option<SightBody>,
}

/// What a condition sees.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Sight)]
pub(super) struct SightBody {
    /// Where the sensors are, with the names of now.
    #[schema(value_type = ScopeDocument)]
    place: ScopeSpec,
    /// Whether that is the place that the condition names; else the nearest around it that has a sensor.
    own: bool,
    sensors: usize,
    /// How many of them are fresh.
    fresh: usize,
    /// Their mean, rounded to two decimals; null where none is fresh.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// When the newest reading of any was taken; null where there never was one.
    #[schema(required)]
    read_at: Option<i64>,
    /// Whether the condition is true of the exact mean; null where that is not known.
    #[schema(required)]
    holds: Option<bool>,
}

impl SightBody {
    fn of(sight: Sight, condition: Option<&ConditionSpec>) -> Self {
        let holds = condition.and_then(|c| Some(c.holds(sight.mean?)));
        Self {
            place: sight.place,
            own: sight.own,
            sensors: sight.sensors,
            fresh: sight.fresh,
            value: sight.mean.map(harit_engine::Mean::shown),
            read_at: sight.read_at.map(harit_engine::Timestamp::as_millis),
            holds,
        }
    }
}

/// The conditions of the rules
///
/// What each sees now: the sensors in its place, or in the nearest around it that has one.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/conditions", tag = "automation",
    operation_id = "list_conditions", summary = "List what conditions see",
    responses((status = OK, body = Vec<ConditionsBody>))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
) -> Result<Json<Vec<ConditionsBody>>, ApiError> {
    let all = |engine: &Engine| {
        let rules = engine.rules();
        rules.map(|rule| conditions(engine, &rule.spec)).collect()
    };
    Ok(Json(access.hub().read(all).await?))
}

fn conditions(engine: &Engine, rule: &RuleSpec) -> ConditionsBody {
    let trigger = rule.trigger.as_condition();
    let stop = rule.stop_condition.as_ref();
    let place = trigger
        .and_then(|c| c.scope.as_ref())
        .unwrap_or(&rule.scope);
    let see = |condition: &ConditionSpec| {
        let place = condition.scope.as_ref().unwrap_or(place);
        let sight = engine.sight(place, condition.sensor_type)?;
        Some(SightBody::of(sight, Some(condition)))
    };
    let of_trigger = rule.trigger_tree();
    let of_stop = rule
        .stop_tree()
        .map(|tree| parts(engine, place, tree, true));
    let parts = { of_trigger.map(|tree| parts(engine, place, tree, false)) }
        .into_iter()
        .chain(of_stop)
        .flatten();
    ConditionsBody {
        rule: rule.id.to_string(),
        trigger: trigger.and_then(see),
        stop: stop.and_then(WhenSpec::as_condition).and_then(see),
        parts: parts.collect(),
    }
}

/// What the comparisons of a tree see, in the order in which they are written.
fn parts(engine: &Engine, place: &ScopeSpec, tree: &NodeSpec, of_stop: bool) -> Vec<PartBody> {
    let now = Timestamp::from_millis(now_ms());
    let part = |sensor_type, scope: Option<&ScopeSpec>, condition: Option<&ConditionSpec>| {
        let sight = engine.sight(scope.unwrap_or(place), sensor_type);
        PartBody {
            of_stop,
            sensor_type,
            sight: sight.map(|sight| SightBody::of(sight, condition)),
        }
    };
    let nodes = tree.nodes().into_iter();
    nodes
        .filter_map(|node| match &node.kind {
            NodeKind::Signal(c) => Some(part(c.sensor_type, c.scope.as_ref(), Some(c))),
            NodeKind::Setpoint(c) => {
                let number = engine.comparison_at(c, now);
                Some(part(c.sensor_type, c.scope.as_ref(), number.as_ref()))
            }
            _ => None,
        })
        .collect()
}

/// A rule as far as it is written: a rule's document can be sent, and what is missing in it is not looked at.
#[derive(Deserialize, ToSchema)]
#[schema(as = RuleDraft)]
pub(super) struct Draft {
    /// Its id, once it has one.
    id: Option<String>,
    #[schema(value_type = ScopeDocument)]
    scope: ScopeSpec,
    /// 1 to 10, 10 the strongest; 5 by default.
    priority: Option<u8>,
    trigger: DraftTrigger,
    stop_condition: Option<DraftTrigger>,
    /// How long it runs at most, in seconds.
    run_sec: Option<i64>,
    #[serde(default)]
    actions: Vec<DraftAction>,
}

/// What starts or stops a rule, as far as it is written.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = TriggerDraft)]
enum DraftTrigger {
    /// A condition alone.
    Condition(DraftCondition),
    /// A tree or a schedule, whose parts are checked when it is saved.
    #[schema(value_type = Object)]
    Other(serde::de::IgnoredAny),
}

impl DraftTrigger {
    const fn condition(&self) -> Option<&DraftCondition> {
        match self {
            Self::Condition(condition) => Some(condition),
            Self::Other(_) => None,
        }
    }

    /// Whether it ends by itself or by a tree: what a pump without a stop condition does is not known then.
    const fn is_other(&self) -> bool {
        matches!(self, Self::Other(_))
    }
}

/// A condition as far as it is written.
#[derive(Deserialize, ToSchema)]
#[schema(as = ConditionDraft)]
struct DraftCondition {
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    #[schema(value_type = Option<OperatorDocument>)]
    operator: Option<Operator>,
    value: Option<f64>,
    value_max: Option<f64>,
    duration_sec: Option<i64>,
    #[schema(value_type = Option<ScopeDocument>)]
    scope: Option<ScopeSpec>,
}

/// An action as far as it is written.
#[derive(Deserialize, ToSchema)]
#[schema(as = ActionDraft)]
struct DraftAction {
    device_id: Option<String>,
    command: Option<DraftCommand>,
}

/// A command as far as it is written.
#[derive(Deserialize, ToSchema)]
#[schema(as = CommandDraft)]
struct DraftCommand {
    action: Option<String>,
}

/// What there is to know of a rule.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleCheck)]
pub(super) struct CheckBody {
    /// What its trigger sees; null where no sensor of its quantity is registered in its place or around it.
    #[schema(required)]
    trigger: Option<SightBody>,
    /// What its stop condition sees; null likewise, and where there is none.
    #[schema(required)]
    stop: Option<SightBody>,
    hazards: Vec<Hazard>,
    /// What the engine found by trying the rule, each with a situation in which it is so; once the rule could be saved.
    found: Vec<FoundBody>,
}

/// What a person should know of a rule before it runs.
#[derive(Serialize, ToSchema, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Hazard {
    /// No sensor of the quantity is registered in the place or around it: such a rule is refused.
    NoSensor {
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: SensorType,
        #[schema(value_type = ScopeDocument)]
        place: ScopeSpec,
    },
    /// There are sensors, and none is fresh.
    Silent {
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: SensorType,
        #[schema(value_type = ScopeDocument)]
        place: ScopeSpec,
    },
    /// There is no sensor in the place itself: those around it count.
    Elsewhere {
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: SensorType,
        #[schema(value_type = ScopeDocument)]
        place: ScopeSpec,
        /// Where they are.
        #[schema(value_type = ScopeDocument)]
        used: ScopeSpec,
    },
    /// A pump that runs until the trigger has not been true for so long.
    Pump { device: ThingBody, clear_sec: i64 },
    /// Trigger and stop condition can be true together: the rule is not started while they are.
    Overlap,
    /// As a sensor of its type wavers by itself between these readings, it starts so many times an hour.
    Chatter {
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: SensorType,
        #[schema(value_type = f64)]
        low: Quantity,
        #[schema(value_type = f64)]
        high: Quantity,
        starts_per_hour: u32,
    },
    /// A deployed rule of higher priority drives the same device.
    Outranked { device: ThingBody, rule: ThingBody },
}

/// Checks a rule
///
/// Of a rule that is being written: what its conditions see, and what a person should know before it runs, though nothing
/// forbids it. Nothing is stored.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/check-rule", tag = "automation",
    operation_id = "check_rule", summary = "Check a rule", request_body = Draft,
    responses((status = OK, body = CheckBody))
)]
pub(super) async fn check(
    access: FarmAccess<ReadFarm>,
    Body(document): Body<Value>,
) -> Result<Json<CheckBody>, ApiError> {
    let draft: Draft =
        serde_json::from_value(document.clone()).map_err(|_| ApiError::bad_json())?;
    let checked = move |engine: &Engine| {
        let found = found_of_draft(engine, &document);
        let mut checked = checked(engine, &draft);
        // Where it is known whether they can differ, rank alone says nothing more.
        let known = |of: &ThingBody, by: &ThingBody| found.iter().any(|f| f.says_rank(of, by));
        checked.hazards.retain(
            |hazard| !matches!(hazard, Hazard::Outranked { device, rule } if known(device, rule)),
        );
        checked.found = found;
        checked
    };
    Ok(Json(access.hub().read(checked).await?))
}

fn checked(engine: &Engine, draft: &Draft) -> CheckBody {
    let own = draft.trigger.condition();
    let place = own.and_then(|c| c.scope.as_ref()).unwrap_or(&draft.scope);
    let stop = draft
        .stop_condition
        .as_ref()
        .and_then(DraftTrigger::condition);
    let stop_place = stop.map(|s| s.scope.as_ref().unwrap_or(place));
    let mut hazards = Vec::new();
    let mut see = |condition: &DraftCondition, place: &ScopeSpec| {
        let sight = engine.sight(place, condition.sensor_type);
        for hazard in of_sight(engine, condition.sensor_type, place, sight.as_ref()) {
            if !hazards.contains(&hazard) {
                hazards.push(hazard);
            }
        }
        Some(SightBody::of(sight?, condition.written().as_ref()))
    };
    let trigger = own.and_then(|c| see(c, place));
    let stop_sight = stop
        .zip(stop_place)
        .and_then(|(stop, place)| see(stop, place));
    let seen = trigger.as_ref().zip(stop_sight.as_ref());
    let both = own.zip(stop);
    let same = both.is_some_and(|(own, stop)| stop.sensor_type == own.sensor_type)
        && seen.is_some_and(|(a, b)| a.place == b.place);
    let written = both.and_then(|(own, stop)| own.written().zip(stop.written()));
    if same && written.is_some_and(|(a, b)| a.can_hold_with(&b)) {
        hazards.push(Hazard::Overlap);
    }
    let unstopped = draft.stop_condition.is_none() && draft.run_sec.is_none();
    if unstopped && !draft.trigger.is_other() {
        hazards.extend(pumps(engine, draft));
    }
    let wavering = { own.and_then(DraftCondition::written) }.and_then(|own| match stop {
        None if unstopped => chatter(&own, None),
        Some(stop) if same => chatter(&own, Some(&stop.written()?)),
        _ => None,
    });
    hazards.extend(wavering.zip(own).map(|(found, own)| Hazard::Chatter {
        sensor_type: own.sensor_type,
        low: found.low,
        high: found.high,
        starts_per_hour: found.starts,
    }));
    hazards.extend(outranked(engine, draft));
    CheckBody {
        trigger,
        stop: stop_sight,
        hazards,
        found: Vec::new(),
    }
}

impl DraftCondition {
    /// The condition, once it can be compared.
    fn written(&self) -> Option<ConditionSpec> {
        Some(ConditionSpec {
            sensor_type: self.sensor_type,
            operator: self.operator?,
            value: Quantity::from_f64(self.value?)?,
            value_max: match (self.operator?, self.value_max) {
                (Operator::Between, max) => Some(Quantity::from_f64(max?)?),
                _ => None,
            },
            duration: self.duration_sec.map_or(HOLDS_FOR, Duration::from_secs),
            scope: None,
        })
    }
}

fn of_sight(
    engine: &Engine,
    sensor_type: SensorType,
    place: &ScopeSpec,
    sight: Option<&Sight>,
) -> Vec<Hazard> {
    let place = || engine.labelled(place).unwrap_or_else(|| place.clone());
    let Some(sight) = sight else {
        let place = place();
        return vec![Hazard::NoSensor { sensor_type, place }];
    };
    let used = sight.place.clone();
    let elsewhere = (!sight.own).then(|| Hazard::Elsewhere {
        sensor_type,
        place: place(),
        used: used.clone(),
    });
    let silent = (sight.fresh == 0).then(|| Hazard::Silent {
        sensor_type,
        place: used.clone(),
    });
    elsewhere.into_iter().chain(silent).collect()
}

/// The pumps that a rule without a stop condition switches on.
fn pumps(engine: &Engine, draft: &Draft) -> Vec<Hazard> {
    let trigger = draft.trigger.condition().and_then(|c| c.duration_sec);
    let trigger = trigger.map_or(HOLDS_FOR, Duration::from_secs);
    let clear_sec = clear_after(trigger).as_secs();
    let mut seen = BTreeSet::new();
    let actions = draft.actions.iter().filter(|action| {
        let word = action.command.as_ref().and_then(|c| c.action.as_deref());
        // a pulse ends by itself, and off is off
        !matches!(word, None | Some("" | "off" | "pulse"))
    });
    let devices = actions.filter_map(|action| engine.device(action.device_id.as_deref()?));
    let pumps = devices.filter(|device| {
        matches!(
            device.spec.device_type,
            DeviceType::Pump | DeviceType::DosingPump | DeviceType::MixingPump
        )
    });
    { pumps.filter(|pump| seen.insert(pump.spec.id.clone())) }
        .map(|pump| Hazard::Pump {
            device: ThingBody::new(&pump.spec.id, &pump.spec.name),
            clear_sec,
        })
        .collect()
}

/// The rules that are stronger and drive a device of this one.
fn outranked(engine: &Engine, draft: &Draft) -> Vec<Hazard> {
    let mine = draft.priority.unwrap_or(PRIORITY);
    let devices: BTreeSet<&str> = { draft.actions.iter() }
        .filter_map(|action| action.device_id.as_deref())
        .collect();
    let others = engine.rules().map(|rule| rule.spec).filter(|rule| {
        let other = draft.id.as_deref() != Some(rule.id.as_str());
        other && rule.deployed && rule.mode == RuleMode::Auto && rule.priority > mine
    });
    let mut hazards = Vec::new();
    for rule in others {
        let driven: BTreeSet<&str> = { rule.actions.iter() }
            .map(|action| action.device_id.as_str())
            .filter(|id| devices.contains(id))
            .collect();
        for device in driven.into_iter().filter_map(|id| engine.device(id)) {
            hazards.push(Hazard::Outranked {
                device: ThingBody::new(&device.spec.id, &device.spec.name),
                rule: ThingBody::new(&rule.id, &rule.name),
            });
        }
    }
    hazards
}
