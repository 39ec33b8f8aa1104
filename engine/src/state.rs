//! Everything that an engine knows: what is registered, and where each thing stands.

use std::collections::BTreeMap;

use crate::alert::Alert;
use crate::device::Device;
use crate::document::{AlertSpec, FarmDocument, FarmSpec, Problems, RuleSpec};
use crate::id::{AlertId, DeviceId, RuleId, SensorId};
use crate::place::{Members, PlaceIx, Places, resolve_signal};
use crate::quantity::Quantity;
use crate::rule::{Action, Conditions, Deed, Rule};
use crate::sensor::{Counters, NO_SIGNAL, Sensor, SensorState};
use crate::sensor_type::SensorType;
use crate::setting::Order;
use crate::signal::{Owner, Signals};
use crate::table::Table;
use crate::time::Timestamp;
use crate::timer::Timer;

/// How many deleted alerts' last notifications are remembered.
pub(crate) const MAX_REMEMBERED: usize = 4_096;

#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) farm: FarmSpec,
    pub(crate) places: Places,
    pub(crate) sensors: Table<SensorId, Sensor>,
    /// By sensor number.
    pub(crate) readings: Vec<SensorState>,
    pub(crate) members: Members,
    pub(crate) signals: Signals,
    pub(crate) devices: Table<DeviceId, Device>,
    pub(crate) rules: Table<RuleId, Rule>,
    pub(crate) alerts: Table<AlertId, Alert>,
    /// Last notifications of alerts that were deleted.
    pub(crate) remembered: BTreeMap<AlertId, Timestamp>,
    pub(crate) clock: Option<Timestamp>,
    pub(crate) commands: u64,
    pub(crate) counters: Counters,
    pub(crate) registry_version: u64,
}

/// A condition that is resolved: which signal it watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Watch {
    /// The place that the document names, defaults filled in.
    pub(crate) named: PlaceIx,
    /// The place whose signal it gets.
    pub(crate) place: PlaceIx,
    pub(crate) sensor_type: SensorType,
}

/// A rule document, resolved against the farm.
#[derive(Debug, Clone)]
pub(crate) struct CompiledRule {
    pub(crate) place: PlaceIx,
    pub(crate) trigger: Watch,
    pub(crate) stop: Option<Watch>,
    pub(crate) actions: Box<[Action]>,
}

impl State {
    pub(crate) const fn min_samples(&self) -> u8 {
        self.farm.settings.min_samples
    }

    /// The true deadline of a timer's owner.
    pub(crate) fn deadline(&self, timer: Timer, owner: u32) -> Option<Timestamp> {
        match timer {
            Timer::Expiry => self.readings.get(owner as usize)?.expiry(),
            Timer::RuleHold => self.rules.get(owner)?.deadline(self.min_samples()),
            Timer::AlertHold => self.alerts.get(owner)?.deadline(self.min_samples()),
            Timer::Action => self.rules.get(owner)?.next_action(),
            Timer::Manual => self.devices.get(owner)?.manual_deadline(),
            Timer::MaxOn => self.devices.get(owner)?.max_on_deadline(),
            Timer::Repeat => self.alerts.get(owner)?.next_notification,
        }
    }

    fn watch(
        &self,
        named: PlaceIx,
        sensor_type: SensorType,
        path: &str,
        problems: &mut Problems,
    ) -> Watch {
        let place = resolve_signal(&self.members, named, sensor_type);
        if place.is_none() {
            problems.add(
                path,
                "no_sensor",
                format!(
                    "no {sensor_type} sensor is registered in the scope or in one that encloses it"
                ),
            );
        }
        Watch {
            named,
            place: place.unwrap_or(named),
            sensor_type,
        }
    }

    /// Resolves a rule against what is registered, or says all that is wrong.
    pub(crate) fn compile_rule(&self, spec: &RuleSpec) -> Result<CompiledRule, Problems> {
        let mut problems = Problems::default();
        let mut place_of = |scope: Option<&crate::document::ScopeSpec>,
                            default: PlaceIx,
                            path: &str| match scope {
            None => default,
            Some(scope) => self.places.resolve(&self.farm, scope).unwrap_or_else(|e| {
                problems.0.extend(e.under(path).0);
                default
            }),
        };
        let place = place_of(Some(&spec.scope), PlaceIx::Farm, "scope");
        let trigger_place = place_of(spec.trigger.scope.as_ref(), place, "trigger.scope");
        let stop = spec.stop_condition.as_ref();
        let stop_place = place_of(
            stop.and_then(|s| s.scope.as_ref()),
            trigger_place,
            "stop_condition.scope",
        );
        let trigger = self.watch(
            trigger_place,
            spec.trigger.sensor_type,
            "trigger.sensor_type",
            &mut problems,
        );
        let stop = stop.map(|s| {
            self.watch(
                stop_place,
                s.sensor_type,
                "stop_condition.sensor_type",
                &mut problems,
            )
        });
        let mut actions = Vec::with_capacity(spec.actions.len());
        for (i, action) in spec.actions.iter().enumerate() {
            let Some(device) = self.devices.index(&action.device_id) else {
                problems.add(
                    format!("actions[{i}].device_id"),
                    "unknown",
                    format!("there is no device {}", action.device_id),
                );
                continue;
            };
            let order = Order::compile(&action.command).map_err(|e| {
                problems.add(
                    format!("actions[{i}].command.{}", e.field()),
                    e.code(),
                    e.to_string(),
                );
            });
            let (Ok(order), Some(known)) = (order, self.devices.get(device)) else {
                continue;
            };
            let deed = match (order, order.setting_for(known.spec.device_type)) {
                (Order::Pulse { secs }, _) => Deed::Pulse { secs },
                (_, Some(setting)) => Deed::Claim(setting),
                (_, None) => continue,
            };
            actions.push(Action {
                device,
                device_id: action.device_id.clone(),
                deed,
                delay: action.delay,
            });
        }
        problems.into_result(CompiledRule {
            place,
            trigger,
            stop,
            actions: actions.into(),
        })
    }

    /// Resolves an alert's conditions against what is registered, or says all that is wrong.
    pub(crate) fn compile_alert(&self, spec: &AlertSpec) -> Result<Vec<Watch>, Problems> {
        let mut problems = Problems::default();
        let place = spec
            .scope
            .as_ref()
            .map_or(Ok(PlaceIx::Farm), |s| self.places.resolve(&self.farm, s))
            .unwrap_or_else(|e| {
                problems.0.extend(e.under("scope").0);
                PlaceIx::Farm
            });
        let watches = spec.conditions.iter().enumerate();
        let watches = watches
            .map(|(i, c)| {
                self.watch(
                    place,
                    c.sensor.sensor_type(),
                    &format!("conditions[{i}].sensor"),
                    &mut problems,
                )
            })
            .collect();
        problems.into_result(watches)
    }

    /// The signal of a resolved condition; it exists from the first condition that watches it.
    fn signal(&mut self, watch: Watch) -> u32 {
        if let Some(ix) = self.signals.find(watch.place, watch.sensor_type) {
            return ix;
        }
        let members = self
            .members
            .get(&(watch.place, watch.sensor_type))
            .map_or(&[][..], Vec::as_slice);
        let fresh = members
            .iter()
            .map(|m| &self.readings[*m as usize])
            .filter(|r| r.fresh);
        let (sum, count) = fresh.fold((0, 0), |(sum, count), r| (sum + r.value, count + 1));
        let ix = self.signals.add(watch.place, watch.sensor_type, sum, count);
        for m in members {
            if let Some(free) = self.readings[*m as usize]
                .signals
                .iter_mut()
                .find(|s| **s == NO_SIGNAL)
            {
                *free = ix;
            }
        }
        ix
    }

    /// Gives an active rule its leaves.
    pub(crate) fn attach_rule(&mut self, ix: u32, compiled: &CompiledRule) {
        let Some(rule) = self.rules.get(ix) else {
            return;
        };
        if !rule.spec.is_active() {
            return;
        }
        let (t, s) = (rule.spec.trigger.clone(), rule.spec.stop_condition.clone());
        let owner = Owner::Rule(ix);
        let signal = self.signal(compiled.trigger);
        let trigger = self
            .signals
            .add_leaf(signal, owner, t.operator, t.value, t.value_max);
        let conditions = match s.zip(compiled.stop) {
            None => Conditions::Trigger(trigger),
            Some((s, watch)) => {
                let signal = self.signal(watch);
                Conditions::TriggerAndStop(
                    trigger,
                    self.signals
                        .add_leaf(signal, owner, s.operator, s.value, None::<Quantity>),
                )
            }
        };
        if let Some(rule) = self.rules.get_mut(ix) {
            rule.conditions = conditions;
        }
    }

    /// Gives a watched alert its leaves.
    pub(crate) fn attach_alert(&mut self, ix: u32, watches: &[Watch]) {
        let Some(alert) = self.alerts.get(ix) else {
            return;
        };
        if !alert.spec.is_active {
            return;
        }
        let conditions = alert.spec.conditions.clone();
        let mut leaves = Vec::with_capacity(watches.len());
        for (c, watch) in conditions.iter().zip(watches) {
            let signal = self.signal(*watch);
            leaves.push(
                self.signals
                    .add_leaf(signal, Owner::Alert(ix), c.operator, c.value, None),
            );
        }
        if let Some(alert) = self.alerts.get_mut(ix) {
            alert.leaves = leaves.into();
        }
    }

    /// Takes away a rule's leaves.
    pub(crate) fn detach_rule(&mut self, ix: u32) {
        let Some(rule) = self.rules.get_mut(ix) else {
            return;
        };
        match std::mem::replace(&mut rule.conditions, Conditions::Inactive) {
            Conditions::Inactive => {}
            Conditions::Trigger(t) => self.signals.remove_leaf(t),
            Conditions::TriggerAndStop(t, s) => {
                self.signals.remove_leaf(t);
                self.signals.remove_leaf(s);
            }
        }
    }

    /// Takes away an alert's leaves.
    pub(crate) fn detach_alert(&mut self, ix: u32) {
        let Some(alert) = self.alerts.get_mut(ix) else {
            return;
        };
        for leaf in std::mem::take(&mut alert.leaves) {
            self.signals.remove_leaf(leaf);
        }
    }

    /// The farm as it is stored now, defaults filled in.
    pub(crate) fn document(&self) -> FarmDocument {
        FarmDocument {
            farm: self.farm.clone(),
            polyhouses: self.places.specs().cloned().collect(),
            sensors: self
                .sensors
                .iter()
                .map(|(_, s)| (*s.spec).clone())
                .collect(),
            devices: self.devices.iter().map(|(_, d)| d.document()).collect(),
            rules: self.rules.iter().map(|(_, r)| (*r.spec).clone()).collect(),
            alerts: self.alerts.iter().map(|(_, a)| a.document()).collect(),
        }
    }
}
