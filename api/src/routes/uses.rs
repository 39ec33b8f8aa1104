//! What goes by something that is to be removed: what would no longer see or reach what it has to. Each removal is refused by
//! [`ApiError::in_use`] with all of it by name, so that nobody finds out later; the console shows the names as they come.

use std::collections::BTreeSet;

use harit_derived::{Document, Source};
use harit_engine::{
    AlertSpec, DeviceId, DeviceSpec, Engine, FarmDocument, NodeKind, NodeSpec, PolyhouseSpec,
    RuleId, RuleSpec, ScopeKind, ScopeSpec, SensorId, SensorSpec, SensorType, SetpointId, WhenSpec,
};

use super::devices::name;
use crate::access::{FarmAccess, Needs};
use crate::derived_sensors::DerivedSensor;
use crate::error::ApiError;
use crate::language::Text;
use crate::records::Days;

/// What uses something: its path, what it is, and its name.
pub(super) type Uses = Vec<(String, Text, String)>;

/// The most uses that are named.
pub(super) const MAX_USES: usize = 50;

/// What is to go, all of it at once.
#[derive(Debug, Default)]
pub(super) struct Going {
    pub(super) sensors: BTreeSet<SensorId>,
    pub(super) devices: BTreeSet<DeviceId>,
    pub(super) setpoint: Option<SetpointId>,
    pub(super) rule: Option<RuleId>,
}

/// Refuses what something else goes by.
///
/// # Errors
/// 409 with the names; when the farm or its records cannot be read.
pub(super) async fn refuse_used<N: Needs>(
    access: &FarmAccess<N>,
    going: Going,
) -> Result<(), ApiError> {
    let derived: Vec<DerivedSensor> = access.records().rows(Days::default()).await?;
    let find = move |engine: &Engine| going.uses(engine, &derived);
    let uses = access.hub().read(find).await?;
    if uses.is_empty() {
        return Ok(());
    }
    Err(ApiError::in_use(uses))
}

impl Going {
    /// All that goes by it, but what goes itself: rules, alerts, devices that need it, derived sensors.
    fn uses(&self, engine: &Engine, derived: &[DerivedSensor]) -> Uses {
        let FarmDocument {
            polyhouses,
            sensors,
            devices,
            rules,
            alerts,
            ..
        } = engine.document();
        let goes = { sensors.iter() }.filter(|s| self.sensors.contains(&s.id));
        let farm = Farm {
            going: self,
            measured: goes.map(|s| s.sensor_type).collect(),
            polyhouses,
            sensors,
        };
        let mut uses = Uses::new();
        for r in rules.into_iter().filter(|r| farm.rule(r)) {
            uses.push((format!("rules.{}", r.id), Text::UsedByRule, r.name));
        }
        for a in alerts.into_iter().filter(|a| farm.alert(a)) {
            uses.push((format!("alerts.{}", a.id), Text::UsedByAlert, a.name));
        }
        for d in devices.iter().filter(|d| self.needed(d)) {
            let path = format!("devices.{}", d.id);
            uses.push((path, Text::NeededByDevice, name(d)));
        }
        for d in derived {
            let document = d.document().map(|document| document.filled(engine));
            if !self.sensors.contains(&d.sensor()) && document.is_some_and(|d| farm.derived(&d)) {
                let path = format!("derived-sensors.{}", d.id);
                uses.push((path, Text::UsedBySensor, d.name.clone()));
            }
        }
        uses.truncate(MAX_USES);
        uses
    }

    fn needed(&self, device: &DeviceSpec) -> bool {
        let needs = device.limits.as_deref().and_then(|l| l.needs.as_ref());
        let goes = self.devices.contains(&device.id);
        !goes && needs.is_some_and(|n| n.any.iter().any(|id| self.devices.contains(id)))
    }
}

/// The farm that something is taken from.
struct Farm<'g> {
    going: &'g Going,
    polyhouses: Vec<PolyhouseSpec>,
    sensors: Vec<SensorSpec>,
    /// What the sensors measure that go.
    measured: BTreeSet<SensorType>,
}

impl Farm<'_> {
    fn rule(&self, rule: &RuleSpec) -> bool {
        let going = self.going;
        if going.rule.as_ref() == Some(&rule.id) {
            return false;
        }
        let of = |scope: Option<&ScopeSpec>| scope.unwrap_or(&rule.scope).clone();
        let stop = rule.stop_condition.iter().flat_map(WhenSpec::conditions);
        let mut conditions = rule.trigger.conditions().into_iter().chain(stop);
        let mut curves = rule.actions.iter().filter_map(|a| a.curve.as_ref());
        conditions.any(|c| self.blind(c.sensor_type, &of(c.scope.as_ref())))
            || curves.any(|c| self.blind(c.sensor_type, &of(c.scope.as_ref())))
            || rule.trees().into_iter().any(|t| self.tree(t, &rule.scope))
            || { rule.actions.iter() }.any(|a| going.devices.contains(&a.device_id))
            || { going.setpoint.as_ref() }.is_some_and(|id| rule.names(id).is_some())
    }

    fn alert(&self, alert: &AlertSpec) -> bool {
        let scope = alert.scope.clone().unwrap_or_else(ScopeSpec::farm);
        let mut conditions = alert.conditions.iter();
        conditions.any(|c| self.blind(c.sensor.sensor_type(), &scope)) || {
            alert.only_if.as_deref()
        }
        .is_some_and(|tree| self.tree(tree, &scope))
    }

    fn derived(&self, document: &Document) -> bool {
        document.inputs.values().any(|input| match input {
            Source::Sensor { sensor } => self.going.sensors.contains(sensor),
            Source::Signal { scope, sensor_type } => self.blind(*sensor_type, scope),
        })
    }

    fn tree(&self, root: &NodeSpec, own: &ScopeSpec) -> bool {
        let going = self.going;
        let names = |node: &NodeSpec| match &node.kind {
            NodeKind::Device { id, .. } => going.devices.contains(id),
            NodeKind::Rule(id) => going.rule.as_ref() == Some(id),
            NodeKind::Setpoint(c) => going.setpoint.as_ref() == Some(&c.setpoint),
            _ => false,
        };
        let mut signals = root.signals().into_iter();
        signals.any(|(measured, scope)| self.blind(measured, scope.unwrap_or(own)))
            || root.nodes().into_iter().any(names)
    }

    /// Whether all sensors go that a signal stands on: those of the nearest place that has some (docs/semantics.md, section 3).
    fn blind(&self, measured: SensorType, scope: &ScopeSpec) -> bool {
        if !self.measured.contains(&measured) {
            return false;
        }
        let mut place = Some(scope.clone());
        while let Some(here) = place {
            let in_it = { self.sensors.iter() }.filter(|s| s.sensor_type == measured);
            let mut in_it = in_it.filter(|s| self.holds(&here, &s.scope)).peekable();
            if in_it.peek().is_some() {
                return in_it.all(|s| self.going.sensors.contains(&s.id));
            }
            place = self.around(&here);
        }
        false
    }

    /// Whether a place lies in another, or is it.
    fn holds(&self, outer: &ScopeSpec, inner: &ScopeSpec) -> bool {
        match outer.kind {
            ScopeKind::Farm => true,
            ScopeKind::Polyhouse => {
                let of = |scope| self.polyhouse(scope).map(|p| &p.id);
                of(inner) == of(outer)
            }
            ScopeKind::Zone => inner.kind == ScopeKind::Zone && inner.zone_id == outer.zone_id,
        }
    }

    fn around(&self, scope: &ScopeSpec) -> Option<ScopeSpec> {
        match scope.kind {
            ScopeKind::Farm => None,
            ScopeKind::Polyhouse => Some(ScopeSpec::farm()),
            ScopeKind::Zone => {
                let polyhouse = self.polyhouse(scope);
                Some(polyhouse.map_or_else(ScopeSpec::farm, |p| ScopeSpec::polyhouse(p.id.clone())))
            }
        }
    }

    /// The polyhouse of a place; none of the farm's.
    fn polyhouse(&self, scope: &ScopeSpec) -> Option<&PolyhouseSpec> {
        self.polyhouses.iter().find(|p| match scope.kind {
            ScopeKind::Farm => false,
            ScopeKind::Polyhouse => Some(&p.id) == scope.polyhouse_id.as_ref(),
            ScopeKind::Zone => p
                .zones
                .iter()
                .any(|z| Some(&z.id) == scope.zone_id.as_ref()),
        })
    }
}
