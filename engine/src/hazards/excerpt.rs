//! The part of a farm that some rules see: their sensors, devices with what these need, setpoints and groups; and the leaves of their
//! conditions under numbers.

use std::collections::{BTreeMap, BTreeSet};

use super::Case;
use super::form::{Compare, Form, Threshold};
use crate::almanac::Almanac;
use crate::document::{
    DeviceSpec, DeviceStateSpec, FarmDocument, HoursSpec, NodeKind, NodeSpec, RuleSpec,
    ScheduleSpec, ScopeSpec, SensorSpec, SetpointSpec,
};
use crate::engine::Engine;
use crate::id::{DeviceId, RuleId, SetpointId};
use crate::place::PlaceIx;
use crate::program::{Kind, Schedule};
use crate::sensor_type::SensorType;
use crate::time::{Duration, Timestamp};
use crate::truth::Operator;

/// As many sensors stand for all those of a signal that no narrower one has.
const MAX_SENSORS: usize = 8;

/// A part of a farm.
pub(crate) struct Excerpt<'a> {
    pub(super) engine: &'a Engine,
    pub(super) now: Timestamp,
    /// By id.
    rules: BTreeMap<RuleId, RuleSpec>,
    devices: BTreeMap<DeviceId, DeviceSpec>,
    pub(super) signals: Vec<Signal>,
    pub(super) compares: Vec<Compare>,
    pub(super) clocks: Vec<Clock>,
    /// Devices whose reports count.
    pub(super) reports: Vec<DeviceId>,
}

/// A signal: sensors whose mean is compared.
pub(super) struct Signal {
    pub(super) sensor_type: SensorType,
    pub(super) place: ScopeSpec,
    /// Their numbers.
    pub(super) members: Vec<u32>,
}

/// What is true at some hours.
pub(super) enum Clock {
    /// A leaf of a tree.
    Leaf(Kind),
    /// From a start of a schedule on, for so long.
    Runs(Box<Schedule>, Duration),
}

impl<'a> Excerpt<'a> {
    /// The part that a case's rule and some others see, with the rules that they name.
    pub(super) fn new(case: &'a Case<'_>, others: &[&RuleSpec]) -> Self {
        let mut excerpt = Self {
            engine: case.engine,
            now: case.now,
            rules: BTreeMap::new(),
            devices: BTreeMap::new(),
            signals: Vec::new(),
            compares: Vec::new(),
            clocks: Vec::new(),
            reports: Vec::new(),
        };
        excerpt.add_rule(&case.rule);
        for other in others {
            excerpt.add_rule(other);
        }
        excerpt
    }

    fn add_rule(&mut self, rule: &RuleSpec) {
        if self.rules.contains_key(&rule.id) {
            return;
        }
        self.rules.insert(rule.id.clone(), rule.clone());
        for action in &rule.actions {
            self.add_device(&action.device_id);
            if let Some(curve) = &action.curve {
                let place = curve.scope.as_ref().unwrap_or(&rule.scope).clone();
                self.signal(&place, curve.sensor_type);
            }
        }
        // What conditions look at is known with their formulas: all that is to be there is added by making these.
        for node in rule.trees() {
            self.add_named(node);
        }
        let _conditions = (self.trigger(rule), self.end(rule));
    }

    /// The rules and devices that a tree names.
    fn add_named(&mut self, root: &NodeSpec) {
        for node in root.nodes() {
            match &node.kind {
                NodeKind::Rule(id) => {
                    if let Some(rule) = self.engine.rule(id.as_str()) {
                        self.add_rule(&rule.spec);
                    }
                }
                NodeKind::Device { id, .. } => self.add_device(id),
                _ => {}
            }
        }
    }

    fn add_device(&mut self, id: &DeviceId) {
        let known = self.engine.device_ref(id.as_str());
        let Some(device) = known.filter(|_| !self.devices.contains_key(id)) else {
            return;
        };
        let spec = DeviceSpec {
            online: true,
            state: DeviceStateSpec::default(),
            ..device.spec.clone()
        };
        let needs = spec.limits.as_ref().and_then(|l| l.needs.clone());
        self.devices.insert(id.clone(), spec);
        for needed in needs.iter().flat_map(|n| &n.any) {
            self.add_device(needed);
        }
        for (hours, place) in self.hours_of(id) {
            self.add_named(&hours.node);
            let _hours = self.form(&hours.node, &place);
        }
    }

    /// The hours of a device and of its groups, each with the place where its signals are by default.
    pub(super) fn hours_of(&self, id: &DeviceId) -> Vec<(HoursSpec, ScopeSpec)> {
        let device = self.devices.get(id);
        let Some((device, limits)) = device.and_then(|d| Some((d, d.limits.as_deref()?))) else {
            return Vec::new();
        };
        let own = limits.hours.clone().map(|h| (h, device.scope.clone()));
        let groups = self.engine.state.farm.settings.groups.iter();
        let named = groups.filter(|g| limits.groups.contains(&g.id));
        let named = named.filter_map(|g| Some((g.hours.clone()?, ScopeSpec::farm())));
        own.into_iter().chain(named).collect()
    }

    pub(super) fn rule(&self, id: &str) -> Option<&RuleSpec> {
        self.rules.get(id)
    }

    pub(super) fn rules(&self) -> impl Iterator<Item = &RuleSpec> {
        self.rules.values()
    }

    pub(super) fn devices(&self) -> impl Iterator<Item = &DeviceSpec> {
        self.devices.values()
    }

    pub(super) fn setpoint(&self, id: &SetpointId) -> Option<&SetpointSpec> {
        crate::setpoint::find(&self.engine.state.farm.settings.setpoints, id)
    }

    /// The number of the signal that a condition gets which names this place.
    pub(super) fn signal(&mut self, named: &ScopeSpec, sensor_type: SensorType) -> Option<usize> {
        let state = &self.engine.state;
        let named_ix = state.places.resolve(&state.farm, named).ok()?;
        let place: PlaceIx = state.resolve_signal(named_ix, sensor_type)?;
        let members = state.members(place, sensor_type);
        // Two places with the same sensors have one mean.
        if let Some(known) = { self.signals.iter() }.position(|s| s.members == members) {
            return Some(known);
        }
        let scope = self.engine.around(named, place);
        self.signals.push(Signal {
            sensor_type,
            place: self.engine.labelled(&scope).unwrap_or(scope),
            members: members.to_vec(),
        });
        Some(self.signals.len() - 1)
    }

    pub(super) fn compare(
        &mut self,
        place: &ScopeSpec,
        sensor_type: SensorType,
        operator: Operator,
        threshold: Threshold,
    ) -> Form {
        let Some(signal) = self.signal(place, sensor_type) else {
            return Form::Known(crate::truth::Truth::Unknown);
        };
        let compare = Compare {
            signal,
            operator,
            threshold,
        };
        let known = self.compares.iter().position(|c| *c == compare);
        Form::Compare(known.unwrap_or_else(|| {
            self.compares.push(compare);
            self.compares.len() - 1
        }))
    }

    /// The number of what a device is reported to do.
    pub(super) fn report(&mut self, id: &DeviceId) -> usize {
        let known = self.reports.iter().position(|d| d == id);
        known.unwrap_or_else(|| {
            self.reports.push(id.clone());
            self.reports.len() - 1
        })
    }

    pub(super) fn clock(&mut self, kind: &NodeKind) -> Form {
        let kind = match kind {
            NodeKind::Time(window) => Kind::Time(*window),
            NodeKind::Days(days) => Kind::Days(*days),
            NodeKind::Dates(dates) => Kind::Dates(*dates),
            _ => return Form::Known(crate::truth::Truth::Unknown),
        };
        let same = |c: &Clock| matches!(c, Clock::Leaf(known) if *known == kind);
        let known = self.clocks.iter().position(same);
        Form::Clock(known.unwrap_or_else(|| {
            self.clocks.push(Clock::Leaf(kind));
            self.clocks.len() - 1
        }))
    }

    /// Whether a run of a schedule is under way.
    pub(super) fn runs(&mut self, schedule: &ScheduleSpec, run: Duration) -> Form {
        let schedule = Box::new(Schedule::new(schedule, None, crate::program::NEVER_HANDLED));
        let same = |c: &Clock| matches!(c, Clock::Runs(known, lasts) if known.says_the_same(&schedule) && *lasts == run);
        let known = self.clocks.iter().position(same);
        Form::Clock(known.unwrap_or_else(|| {
            self.clocks.push(Clock::Runs(schedule, run));
            self.clocks.len() - 1
        }))
    }

    /// The signals that a sensor belongs to, the narrowest first.
    fn signals_of(&self, sensor: u32) -> Vec<usize> {
        let all = self.signals.iter().enumerate();
        let has = all.filter(|(_, s)| s.members.contains(&sensor));
        let mut all: Vec<usize> = has.map(|(n, _)| n).collect();
        all.sort_by_key(|n| self.signals[*n].members.len());
        all
    }

    /// The sensors that stand for those of all signals, each with the numbers of those that it belongs to, the narrowest first.
    pub(super) fn sensors(&self) -> Vec<(SensorSpec, Vec<usize>)> {
        let all: BTreeSet<u32> = { self.signals.iter() }
            .flat_map(|s| s.members.iter().copied())
            .collect();
        let mut kept = vec![0; self.signals.len()];
        let mut sensors = Vec::new();
        let state = &self.engine.state;
        for ix in all {
            let signals = self.signals_of(ix);
            let narrowest = signals.first().filter(|s| kept[**s] < MAX_SENSORS);
            let Some((narrowest, sensor)) = narrowest.zip(state.sensors.get(ix)) else {
                continue;
            };
            kept[*narrowest] += 1;
            sensors.push((SensorSpec::unpack(&sensor.document, &state.words), signals));
        }
        sensors
    }

    /// The part as a farm of its own.
    pub(super) fn document(&self) -> FarmDocument {
        let state = &self.engine.state;
        let sensors = self.sensors().into_iter().map(|(spec, _)| spec);
        let mut farm = state.farm.clone();
        farm.settings.groups.retain(|group| {
            let limits = self.devices.values().filter_map(|d| d.limits.as_ref());
            { limits }.any(|l| l.groups.contains(&group.id))
        });
        FarmDocument {
            farm,
            polyhouses: state.places.specs().cloned().collect(),
            sensors: sensors.collect(),
            devices: self.devices.values().cloned().collect(),
            rules: self.rules.values().cloned().collect(),
            alerts: Vec::new(),
        }
    }

    /// The days that the farm knows.
    pub(super) const fn almanac(&self) -> &Almanac {
        &self.engine.state.almanac
    }
}
