//! What helps against a raised alert, besides looking. Where something keeps the house's own rules from helping, that: as the
//! verdict says it. Else a device that a rule of the house switches on against the same, or a fan or vent against heat and damp.
//! Nothing is done: it is where a person does it.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::verdict::{FarmVerdict, Reason, What};
use harit_engine::{
    DeviceId, DeviceStatus, DeviceType, Engine, LockKind, NodeSpec, Operator, PolyhouseId, RuleId,
    RuleSpec, ScopeKind, ScopeSpec, SensorType, Setting, ZoneId,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::verdict::{ReasonBody, ThingBody};
use crate::notifications::Watch;

/// What helps against what an incident is about.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = IncidentRemedy)]
pub(super) enum RemedyBody {
    /// Another reason of the verdict keeps it from getting better: its act helps.
    Act { reason: ReasonBody },
    /// A device that is off, and would help when it is switched on.
    SwitchOn { device: ThingBody },
}

/// What helps, if anything is known to.
pub(super) fn remedy(
    engine: &Engine,
    verdict: &FarmVerdict,
    watch: &Watch,
    unknown: bool,
) -> Option<RemedyBody> {
    let houses = Houses::of(engine);
    let house = watch.scope.as_ref().and_then(|s| houses.of_scope(s));
    let helpers = Helpers::of(engine, watch, &houses, house);
    let keeps = |reason: &Reason| match &reason.what {
        What::ControllerOffline { .. } | What::NoSignal { .. } => unknown,
        What::RuleOff { rule, .. } => helpers.rules.contains(&rule.id),
        What::NotFollowing(device) => helpers.devices.contains(&device.id),
        What::Override { device, on, .. } => !on && helpers.devices.contains(&device.id),
        // who locked or stopped it may be at it
        What::Locked { device, kind, .. } => {
            !matches!(kind, LockKind::Person | LockKind::Stop)
                && helpers.devices.contains(&device.id)
        }
        _ => false,
    };
    let place = house.and_then(|id| verdict.houses.iter().find(|h| h.id == *id));
    let reasons = place.map_or(&verdict.farm.reasons, |h| &h.place.reasons);
    if let Some(reason) = reasons.iter().find(|r| keeps(r)) {
        let reason = ReasonBody::from(reason);
        return Some(RemedyBody::Act { reason });
    }
    let devices = engine.devices().filter(is_ready);
    let mut helping: Vec<DeviceStatus> = devices
        .filter(|d| helpers.devices.contains(&d.spec.id))
        .collect();
    // what a rule would switch on before what is only there
    helping.sort_by_key(|d| !helpers.of_rules.contains(&d.spec.id));
    let device = helping.first()?;
    Some(RemedyBody::SwitchOn {
        device: ThingBody::new(&device.spec.id, &device.spec.name),
    })
}

/// Whether a device is off, and a person may switch it on.
fn is_ready(device: &DeviceStatus) -> bool {
    let is_on = device.last_sent.is_some_and(Setting::is_on);
    device.online && device.locks.is_empty() && !device.safety && !is_on
}

/// Whether it is about too much, or about too little; none where it is about neither.
const fn is_too_much(operator: Operator) -> Option<bool> {
    match operator {
        Operator::Gt | Operator::Gte => Some(true),
        Operator::Lt | Operator::Lte => Some(false),
        Operator::Eq | Operator::Between => None,
    }
}

/// The houses of a farm, by themselves and by their zones: a zone may be named without its house.
pub(super) struct Houses {
    houses: BTreeSet<PolyhouseId>,
    zones: BTreeMap<ZoneId, PolyhouseId>,
}

impl Houses {
    pub(super) fn of(engine: &Engine) -> Self {
        let (mut houses, mut zones) = (BTreeSet::new(), BTreeMap::new());
        for house in engine.document().polyhouses {
            zones.extend(house.zones.into_iter().map(|z| (z.id, house.id.clone())));
            houses.insert(house.id);
        }
        Self { houses, zones }
    }

    /// The house in which a place lies; none for the farm, and for what is gone.
    pub(super) fn of_scope(&self, scope: &ScopeSpec) -> Option<&PolyhouseId> {
        match scope.kind {
            ScopeKind::Farm => None,
            ScopeKind::Polyhouse => self.houses.get(scope.polyhouse_id.as_ref()?),
            ScopeKind::Zone => self.zones.get(scope.zone_id.as_ref()?),
        }
    }
}

/// What would help.
#[derive(Default)]
struct Helpers {
    rules: BTreeSet<RuleId>,
    /// What those rules switch on.
    of_rules: BTreeSet<DeviceId>,
    devices: BTreeSet<DeviceId>,
}

impl Helpers {
    fn of(engine: &Engine, watch: &Watch, houses: &Houses, house: Option<&PolyhouseId>) -> Self {
        let there = |scope: &ScopeSpec| house.is_none() || houses.of_scope(scope) == house;
        let against: Vec<(SensorType, bool)> = { watch.conditions.iter() }
            .filter_map(|c| Some((c.sensor, is_too_much(c.operator)?)))
            .collect();
        let mut helpers = Self::default();
        for rule in engine.rules() {
            let rule: RuleSpec = rule.spec;
            let compared = rule
                .trigger_tree()
                .into_iter()
                .flat_map(NodeSpec::setpoints);
            let compared = compared.map(|c| (c.sensor_type, c.operator));
            let mut about = { rule.trigger.conditions().into_iter() }
                .map(|c| (c.sensor_type, c.operator))
                .chain(compared)
                .filter_map(|(sensor_type, operator)| Some((sensor_type, is_too_much(operator)?)));
            if !there(&rule.scope) || !about.any(|about| against.contains(&about)) {
                continue;
            }
            helpers.rules.insert(rule.id);
            let on = rule.actions.into_iter();
            let on = on.filter(|a| !matches!(a.command.action.as_str(), "off" | "pulse"));
            helpers.of_rules.extend(on.map(|a| a.device_id));
        }
        let airs = against.iter().any(|about| {
            matches!(
                about,
                (SensorType::Temperature | SensorType::Humidity, true)
            )
        });
        for device in engine.devices() {
            let spec = device.spec;
            let helps = match spec.device_type {
                // a dose is for who looks at the tank
                DeviceType::DosingPump => false,
                DeviceType::Fan | DeviceType::Vent | DeviceType::Curtain
                    if airs && there(&spec.scope) =>
                {
                    true
                }
                _ => helpers.of_rules.contains(&spec.id),
            };
            if helps {
                helpers.devices.insert(spec.id);
            }
        }
        helpers
    }
}
