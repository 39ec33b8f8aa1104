//! Devices: what they are, where they stand, and who has them.

use std::collections::HashMap;

use axum::Json;
use harit_engine::{
    ClaimStatus, DeviceSpec, DeviceStatus, Engine, InputKind, LimitsSpec, Quantity, RegistryChange,
    ScopeSpec, Setting, Timestamp,
};
use harit_ingest::{DevicePresence, Reported};
use serde::{Deserialize as _, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::device_limits::{LimitsDocument, LimitsStateBody};
use super::lock_body::LockBody;
use super::scopes::Places;
use super::sensors::AssetChange;
use super::wrong::Wrong;
use crate::access::{FarmAccess, ReadFarm, WriteAssets};
use crate::audit::Action;
use crate::document::{DeviceTypeDocument, OrderDocument, ScopeDocument, SupportedActionDocument};
use crate::error::{ApiError, Body, Item};
use crate::language::Text;
use crate::records::now_ms;
use crate::version::{Tagged, Versioned, etag};

/// In place of a rule's id.
const RULES: &str = "rules";

/// Who decides what a device does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum DeviceMode {
    /// The rules.
    Auto,
    /// A person, for a while.
    Manual,
    /// Its safety mode: only OWNER and ADMIN may command it.
    Safety,
}

/// A device.
#[derive(Serialize, ToSchema)]
#[schema(as = Device)]
pub(super) struct DeviceBody {
    id: String,
    name: String,
    /// The version of its name, place and limits, for `If-Match`.
    etag: String,
    #[serde(rename = "type")]
    #[schema(value_type = DeviceTypeDocument)]
    device_type: harit_engine::DeviceType,
    /// What it can do, as its controller said.
    #[serde(rename = "supportedActions")]
    #[schema(value_type = Vec<SupportedActionDocument>)]
    supported_actions: Value,
    state: DeviceStateBody,
    #[schema(value_type = ScopeDocument)]
    scope: ScopeSpec,
    /// Whether its controller can be reached.
    online: bool,
    /// When its controller last reported it.
    #[serde(rename = "lastUpdated")]
    #[schema(required)]
    last_updated: Option<i64>,
    /// Its controller no longer announces it.
    gone: bool,
    /// The MAC of its controller; null for who is not told.
    #[schema(required)]
    controller: Option<String>,
    /// What it does when nobody claims it.
    #[schema(value_type = OrderDocument)]
    rest: Setting,
    /// What it does when it is locked or in safety mode.
    #[schema(value_type = OrderDocument)]
    safe: Setting,
    /// At how many per cent it goes on where it cannot be reached for three minutes, if it was on; null where it goes off.
    #[serde(rename = "leaseEnd")]
    #[schema(required, value_type = Option<f64>)]
    lease_end: Option<Quantity>,
    /// The longest that it may stay on, in seconds; null for no limit.
    #[schema(required)]
    max_on_sec: Option<i64>,
    /// The most seconds of pulses in an hour; null for no limit.
    #[schema(required)]
    max_pulse_sec_per_hour: Option<i64>,
    /// What else it must not do; null where there is nothing. What it needs and its hours are not told to who is not told how the farm is set up.
    #[schema(required, value_type = Option<LimitsDocument>)]
    limits: Option<Box<LimitsSpec>>,
    /// Where it stands with its limits as of now; null where it has none and no device needs it.
    #[schema(required)]
    limits_state: Option<LimitsStateBody>,
    /// What the rules (or rest) want of it.
    #[schema(value_type = OrderDocument)]
    desired: Setting,
    /// Who wants that: a rule's id, or `rest`; `rules` for who is not told which.
    desired_by: String,
    /// What the rules want of it, the winner first.
    claims: Vec<ClaimBody>,
    /// A rule's pulse that is at work; null where none is. A person's is a manual mode.
    #[schema(required)]
    pulse: Option<PulseBody>,
    /// The last setting that was sent, if it is known.
    #[schema(required, value_type = Option<OrderDocument>)]
    last_sent: Option<Setting>,
    /// Since when it is on, as far as what was sent tells.
    #[schema(required)]
    on_since: Option<i64>,
    /// When it will be locked for having been on for too long.
    #[schema(required)]
    max_on_at: Option<i64>,
}

impl DeviceBody {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// For who uses it and is not told how the farm is set up: not which rules want what, nor what it is connected to.
    pub(super) fn without_setup(mut self) -> Self {
        if !self.claims.is_empty() {
            self.desired_by = RULES.to_owned();
            if self.state.manual_override_until.is_none() {
                self.state.source = RULES.to_owned();
            }
        }
        self.claims.clear();
        if let Some(pulse) = &mut self.pulse {
            RULES.clone_into(&mut pulse.rule);
        }
        self.controller = None;
        if let Some(limits) = &mut self.limits {
            limits.needs = None;
            limits.hours = None;
        }
        self
    }
}

/// Where a device stands.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeviceState)]
struct DeviceStateBody {
    /// As its controller last reported; null before the first report.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// As its controller last reported; null before the first report.
    #[schema(required)]
    on: Option<bool>,
    mode: DeviceMode,
    /// Who has it: a person's name, a rule's id, or `system`; `rules` for who is not told which.
    source: String,
    /// Why it is locked, as the first of its locks says.
    #[schema(required)]
    lock: Option<String>,
    /// All its locks; locked is not empty.
    locks: Vec<LockBody>,
    /// Whether it is in safety mode, also while an admin has it.
    safety: bool,
    #[schema(required)]
    manual_override_until: Option<i64>,
}

/// A rule's pulse. It claims nothing: the device goes back to what it is to do by itself.
#[derive(Serialize, ToSchema)]
#[schema(as = RulePulse)]
struct PulseBody {
    /// Whose it is; `rules` for who is not told which.
    rule: String,
    /// When it ends.
    until: i64,
}

impl PulseBody {
    /// That of a device, unless something else was sent since.
    fn of(d: &DeviceStatus) -> Option<Self> {
        let until = d.pulse_until?.as_millis();
        let at_work = d.last_sent.is_none() && d.manual.is_none() && until > now_ms();
        let rule = d.pulsed_by.as_ref().filter(|_| at_work)?;
        Some(Self {
            rule: rule.to_string(),
            until,
        })
    }
}

/// A rule's claim on a device.
#[derive(Serialize, ToSchema)]
#[schema(as = Claim)]
struct ClaimBody {
    rule: String,
    priority: u8,
    at: i64,
    #[schema(value_type = OrderDocument)]
    setting: Setting,
}

impl Versioned for DeviceBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// The devices
///
/// `state.on` and `state.value` are what the controller reported, never what was only sent.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/devices", tag = "automation",
    operation_id = "list_devices", summary = "List devices",
    responses((status = OK, body = Vec<DeviceBody>))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<DeviceBody>>, ApiError> {
    Ok(Json(all(&access).await?))
}

pub(super) async fn all<N>(access: &FarmAccess<N>) -> Result<Vec<DeviceBody>, ApiError> {
    let hub = access.hub();
    let at = Timestamp::from_millis(now_ms());
    let question = move |engine: &Engine| {
        let groups = engine.groups_at(at);
        let limited = |d: DeviceStatus| {
            let status = engine.limits_at(d.spec.id.as_str(), at);
            let own = d.spec.limits.as_deref();
            let state = status.map(|status| LimitsStateBody::of(&status, own, &groups));
            (d, state)
        };
        let all: Vec<_> = engine.devices().map(limited).collect();
        (all, Places::of(engine))
    };
    let (devices, places) = hub.read(question).await?;
    let presence = presence(access).await?;
    let all = devices.into_iter().map(|(d, limits)| DeviceBody {
        limits_state: limits,
        ..body(presence.get(d.spec.id.as_str()), &places, d)
    });
    Ok(all.collect())
}

pub(super) async fn shown<N>(access: &FarmAccess<N>, id: &str) -> Result<DeviceBody, ApiError> {
    let all = all(access).await?;
    let one = all.into_iter().find(|d| d.id == id);
    one.ok_or_else(ApiError::not_found)
}

/// Changes a device
///
/// Names it, or says where it is.
/// What a person says counts from then on, whatever its controller announces. Moving it disturbs nothing that it does.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/devices/{deviceId}", tag = "automation",
    operation_id = "change_device", summary = "Change a device", request_body = AssetChange,
    responses((status = OK, body = DeviceBody))
)]
pub(super) async fn change(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
    Body(request): Body<AssetChange>,
) -> Result<Tagged<DeviceBody>, ApiError> {
    let _edit = access.editing().await;
    access.expect(&id, &shown(&access, &id).await?).await?;
    let asked = id.clone();
    let question = move |engine: &Engine| (engine.device(&asked), Places::of(engine));
    let (device, places) = access.hub().read(question).await?;
    let before = device.ok_or_else(ApiError::not_found)?.spec;
    let mut wrong = Wrong::default();
    let name = request.name(&mut wrong);
    if name == Some(None) {
        wrong.say("name", "required", Text::PlaceNameRequired);
    }
    let scope = request.scope(&places);
    wrong.done()?;
    let spec = DeviceSpec {
        name: name.flatten().unwrap_or_else(|| before.name.clone()),
        scope: scope?.unwrap_or_else(|| before.scope.clone()),
        ..before.clone()
    };
    if spec != before {
        let details = json!({"name": spec.name, "scope": places.labelled(&spec.scope)});
        let change = RegistryChange::PutDevice(Box::new(spec));
        let change = InputKind::Registry(vec![change]);
        access
            .admit(change, Action::DeviceChanged, &id, details)
            .await?;
    }
    Ok(Tagged(shown(&access, &id).await?))
}

pub(super) async fn presence<N>(
    access: &FarmAccess<N>,
) -> Result<HashMap<String, DevicePresence>, ApiError> {
    let controllers = access.hub().controllers().await?.into_iter();
    let devices = controllers.flat_map(|c| c.devices);
    Ok(devices.map(|d| (d.id.to_string(), d)).collect())
}

fn body(presence: Option<&DevicePresence>, places: &Places, d: DeviceStatus) -> DeviceBody {
    let reported = presence.and_then(|p| p.reported);
    let state = state(reported, &d);
    let pulse = PulseBody::of(&d);
    let claim = |c: ClaimStatus| ClaimBody {
        rule: c.rule,
        priority: c.priority,
        at: c.at.as_millis(),
        setting: c.setting,
    };
    DeviceBody {
        etag: etag(&(
            &d.spec.name,
            &d.spec.scope,
            &d.spec.limits,
            d.spec.max_on,
            d.spec.max_pulse,
        )),
        id: d.spec.id.to_string(),
        name: name(&d.spec),
        device_type: d.spec.device_type,
        supported_actions: actions(d.spec.supported_actions),
        state,
        scope: places.labelled(&d.spec.scope),
        online: d.online,
        last_updated: reported.map(|r| r.at.as_millis()),
        gone: presence.is_some_and(|p| p.gone),
        controller: d.spec.controller,
        rest: d.spec.rest,
        safe: d.spec.safe,
        lease_end: presence.and_then(|p| p.lease_end),
        max_on_sec: d.spec.max_on.map(harit_engine::Duration::as_secs),
        max_pulse_sec_per_hour: d.spec.max_pulse.map(harit_engine::Duration::as_secs),
        limits: d.spec.limits,
        limits_state: None,
        desired: d.desired,
        desired_by: d.desired_by,
        claims: d.claims.into_iter().map(claim).collect(),
        pulse,
        last_sent: d.last_sent,
        on_since: d.on_since.map(harit_engine::Timestamp::as_millis),
        max_on_at: d.max_on_at.map(harit_engine::Timestamp::as_millis),
    }
}

/// What a device can do, as far as its controller says it in words that there are: what it announces is kept as it is.
fn actions(announced: Value) -> Value {
    let Value::Array(mut all) = announced else {
        return Value::Array(Vec::new());
    };
    all.retain(|each| SupportedActionDocument::deserialize(each).is_ok());
    Value::Array(all)
}

/// What a device is called; by its id where nobody named it.
pub(super) fn name(spec: &DeviceSpec) -> String {
    let name = if spec.name.is_empty() {
        spec.id.as_str()
    } else {
        &spec.name
    };
    name.to_owned()
}

fn state(reported: Option<Reported>, d: &DeviceStatus) -> DeviceStateBody {
    let mode = match (&d.manual, d.safety) {
        (Some(_), _) => DeviceMode::Manual,
        (None, true) => DeviceMode::Safety,
        (None, false) => DeviceMode::Auto,
    };
    let source = match &d.manual {
        Some(m) => m.owner.as_ref().map_or("system", |o| &o.name).to_owned(),
        None if d.claims.is_empty() => "system".to_owned(),
        None => d.desired_by.clone(),
    };
    DeviceStateBody {
        value: reported.and_then(|r| r.value),
        on: reported.map(|r| r.on),
        mode,
        source,
        lock: d.locks.first().map(|l| l.reason.to_string()),
        locks: d.locks.iter().map(LockBody::from).collect(),
        safety: d.safety,
        manual_override_until: d.manual.as_ref().map(|m| m.until.as_millis()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page that meets an action which it does not know cannot be shown.
    #[test]
    fn what_a_controller_announces_in_words_of_its_own_is_no_action() {
        let speed = json!({"action": "set_speed", "parameterType": "percentage", "minValue": 0, "maxValue": 100});
        let announced = json!(["turn_on", {"action": "dance"}, {"action": "on"}, null, {"on": true}, {"action": "pulse", "maxValue": "60"}, speed.clone()]);
        assert_eq!(actions(announced), json!([{"action": "on"}, speed]));
        for nothing in [Value::Null, json!("on"), json!({"action": "on"})] {
            assert_eq!(actions(nothing), json!([]));
        }
    }
}
