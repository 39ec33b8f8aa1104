//! Gathers the reasons of a farm's verdict.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Facts, FarmVerdict, HouseVerdict, MAX_NAMED, NOT_FOLLOWING_AFTER, OUTSIDE_AFTER, PlaceVerdict,
    Reason, Thing, What, worst_first,
};
use crate::alert::Alert;
use crate::device::Device;
use crate::document::{AlertSeverity, PolyhouseSpec, RuleMode, RuleSpec, ScopeSpec, SensorSpec};
use crate::engine::Engine;
use crate::id::{AlertId, DeviceId, PolyhouseId, RuleId, SensorId};
use crate::place::PlaceIx;
use crate::rule::Rule;
use crate::sensor::BEFORE_ALL;
use crate::sensor_type::SensorType;
use crate::setting::Setting;
use crate::time::Timestamp;
use crate::truth::Truth;

/// A polyhouse's place in the order of ids; none for the farm. (Its number may be another after a restart.)
type House = Option<usize>;

/// The silent sensors of a type in a place.
#[derive(Debug, Default)]
struct Silent {
    of: usize,
    /// Sensor numbers, by id.
    silent: Vec<u32>,
}

/// What a place has, and what speaks against it.
struct Place {
    spec: Option<(PolyhouseId, String)>,
    set_up: bool,
    reasons: Vec<Reason>,
}

struct Gathering<'a> {
    engine: &'a Engine,
    facts: &'a Facts,
    /// The farm's own under none.
    places: BTreeMap<House, Place>,
    /// Where a polyhouse's number is in the order of ids.
    order: BTreeMap<u32, usize>,
    /// Of the whole farm, each once.
    all: Vec<Reason>,
}

impl Engine {
    /// How the farm and each of its houses stand, with the reasons: never better than what is known. The same state and
    /// facts give the same verdict.
    #[must_use]
    pub fn verdict(&self, facts: &Facts) -> FarmVerdict {
        let mut gathering = Gathering::new(self, facts);
        gathering.stores();
        gathering.sensors();
        gathering.devices();
        gathering.controllers();
        gathering.rules();
        gathering.alerts();
        gathering.ranges();
        gathering.finish()
    }
}

impl<'a> Gathering<'a> {
    fn new(engine: &'a Engine, facts: &'a Facts) -> Self {
        let place = |spec| Place {
            spec,
            set_up: false,
            reasons: Vec::new(),
        };
        let houses = || engine.state.places.houses().enumerate();
        let named = |(n, (_, spec)): (usize, (u32, &PolyhouseSpec))| {
            (Some(n), place(Some((spec.id.clone(), spec.name.clone()))))
        };
        Self {
            engine,
            facts,
            places: houses().map(named).chain([(None, place(None))]).collect(),
            order: houses().map(|(n, (ix, _))| (ix, n)).collect(),
            all: Vec::new(),
        }
    }

    fn house(&self, place: PlaceIx) -> House {
        self.order.get(&place.house()?).copied()
    }

    fn house_of_scope(&self, scope: &ScopeSpec) -> House {
        let state = &self.engine.state;
        let place = state.places.resolve(&state.farm, scope);
        place.ok().and_then(|place| self.house(place))
    }

    /// A reason that counts in these places: once for the farm, where it is told of the first, and once for each.
    fn tell(
        &mut self,
        places: impl IntoIterator<Item = House>,
        what: &What,
        since: Option<Timestamp>,
    ) {
        let mut told = BTreeSet::new();
        for house in places {
            let Some(place) = self.places.get_mut(&house) else {
                continue;
            };
            let reason = Reason {
                what: what.clone(),
                house: place.spec.as_ref().map(|(id, _)| id.clone()),
                since,
            };
            if told.is_empty() {
                self.all.push(reason.clone());
            }
            if told.insert(house) {
                place.reasons.push(reason);
            }
        }
    }

    /// What cannot be stored concerns every place.
    fn stores(&mut self) {
        for store in &self.facts.unwritable {
            let everywhere: Vec<House> = self.places.keys().copied().collect();
            self.tell(everywhere, &What::CannotWrite(*store), None);
        }
    }

    fn sensors(&mut self) {
        let state = &self.engine.state;
        let mut groups: BTreeMap<(House, SensorType), Silent> = BTreeMap::new();
        let mut gone = Vec::new();
        for (ix, sensor) in state.sensors.iter() {
            let house = self.house(sensor.place);
            if let Some(place) = self.places.get_mut(&house) {
                place.set_up = true;
            }
            let reading = &state.readings[ix as usize];
            if !self.facts.gone_sensors.is_empty()
                && self.facts.gone_sensors.contains(sensor.document.id())
            {
                gone.push((ix, house));
                continue;
            }
            let group = groups.entry((house, reading.sensor_type)).or_default();
            group.of += 1;
            if !reading.fresh {
                group.silent.push(ix);
            }
        }
        for ((house, sensor_type), group) in groups {
            let read_at = group.silent.iter().map(|ix| self.read_at(*ix));
            let all = group.silent.len() == group.of;
            let since = if all { read_at.max() } else { read_at.min() };
            let Some(since) = since else { continue };
            let what = What::NoSignal {
                sensor_type,
                sensors: self.sensor_names(&group.silent),
                silent: group.silent.len(),
                of: group.of,
            };
            self.tell([house], &what, since);
        }
        for (ix, house) in gone {
            let Some(sensor) = self.sensor_names(&[ix]).pop() else {
                continue;
            };
            let sensor_type = state.readings[ix as usize].sensor_type;
            let since = self.read_at(ix);
            self.tell(
                [house],
                &What::SensorGone {
                    sensor,
                    sensor_type,
                },
                since,
            );
        }
    }

    /// When a sensor's last good reading was, by the reading's own timestamp.
    fn read_at(&self, ix: u32) -> Option<Timestamp> {
        let at = self.engine.state.readings[ix as usize].read_at;
        (at != BEFORE_ALL).then_some(at)
    }

    fn sensor_names(&self, sensors: &[u32]) -> Vec<Thing<SensorId>> {
        let state = &self.engine.state;
        let named = sensors.iter().take(MAX_NAMED);
        let specs = named.filter_map(|ix| {
            let sensor = state.sensors.get(*ix)?;
            Some(SensorSpec::unpack(&sensor.document, &state.words))
        });
        let thing = |spec: SensorSpec| Thing {
            id: spec.id,
            name: spec.name.unwrap_or_default(),
        };
        specs.map(thing).collect()
    }

    fn devices(&mut self) {
        let carried: BTreeSet<&DeviceId> = self
            .facts
            .offline
            .values()
            .flat_map(|c| &c.devices)
            .collect();
        let engine = self.engine;
        for (_, device) in engine.state.devices.iter() {
            let house = self.house_of_scope(&device.spec.scope);
            if let Some(place) = self.places.get_mut(&house) {
                place.set_up = true;
            }
            let id = &device.spec.id;
            if self.facts.gone_devices.contains(id) {
                self.tell([house], &What::DeviceGone(thing_of(device)), None);
            } else if !device.online && !carried.contains(id) {
                self.tell([house], &What::DeviceOffline(thing_of(device)), None);
            }
            let astray = self.facts.astray.get(id).copied();
            if let Some(since) = astray.filter(|s| *s + NOT_FOLLOWING_AFTER <= self.facts.now) {
                self.tell([house], &What::NotFollowing(thing_of(device)), Some(since));
            }
            self.locks(house, device);
            self.people(house, device);
        }
    }

    fn locks(&mut self, house: House, device: &Device) {
        for lock in device.locks.iter() {
            let what = What::Locked {
                device: thing_of(device),
                kind: lock.kind,
                reason: lock.reason.clone(),
                by: lock.owner.as_ref().map(|o| o.name.clone()),
            };
            self.tell([house], &what, lock.since);
        }
    }

    fn people(&mut self, house: House, device: &Device) {
        if let Some(manual) = &device.manual {
            let what = What::Override {
                device: thing_of(device),
                until: manual.until,
                on: manual.setting.is_none_or(Setting::is_on),
                by: manual.owner.as_ref().map(|o| o.name.clone()),
            };
            self.tell([house], &what, None);
        }
        if device.safety {
            self.tell([house], &What::Safety(thing_of(device)), None);
        }
    }

    fn controllers(&mut self) {
        for (controller, offline) in &self.facts.offline {
            let state = &self.engine.state;
            let sensors = offline.sensors.iter().filter_map(|id| {
                let sensor = state.sensors.get(state.sensors.index(id.as_str())?)?;
                Some(self.house(sensor.place))
            });
            let devices = offline.devices.iter().filter_map(|id| {
                let device = state.devices.get(state.devices.index(id.as_str())?)?;
                Some(self.house_of_scope(&device.spec.scope))
            });
            let mut places: BTreeSet<House> = sensors.chain(devices).collect();
            if places.is_empty() {
                places.insert(None);
            }
            let what = What::ControllerOffline {
                controller: controller.clone(),
                sensors: offline.sensors.len(),
                devices: offline.devices.len(),
            };
            // A house says more than the farm.
            let own = places.remove(&None).then_some(None);
            self.tell(places.into_iter().chain(own), &what, offline.since);
        }
    }

    fn rules(&mut self) {
        let engine = self.engine;
        for (ix, rule) in engine.state.rules.iter() {
            let lost = self.lost(ix, rule);
            let withdrawn = engine.state.withdrawn.get(rule.document.id()).copied();
            if lost.is_none() && rule.conditions.trigger().is_some() {
                continue;
            }
            let Some(spec) = engine.state.rule_spec(ix) else {
                continue;
            };
            let thing = Thing {
                id: spec.id.clone(),
                name: spec.name.clone(),
            };
            let (what, since) = if let Some((sensor_type, since)) = lost {
                (self.blind(ix, thing, sensor_type), since)
            } else if withdrawn.is_some() || spec.deployed && spec.mode == RuleMode::Disabled {
                let draft = !spec.deployed;
                (What::RuleOff { rule: thing, draft }, withdrawn)
            } else {
                continue;
            };
            let places = self.concerned(ix, &spec);
            self.tell(places, &what, since);
        }
    }

    /// What an active rule's conditions lack, and the last instant at which they had it.
    fn lost(&self, ix: u32, rule: &Rule) -> Option<(SensorType, Option<Timestamp>)> {
        let comparisons = match self.engine.state.programs.get(ix) {
            Some(program) => program.comparisons(),
            None => [rule.conditions.trigger(), rule.conditions.stop()]
                .into_iter()
                .flatten()
                .collect(),
        };
        let lost = comparisons.into_iter().filter_map(|l| self.unknown(l));
        lost.min_by_key(|(_, since)| *since)
    }

    /// Of a condition that is unknown: what it watches and when there last was a value of it.
    fn unknown(&self, comparison: u32) -> Option<(SensorType, Option<Timestamp>)> {
        let state = &self.engine.state;
        if !state.signals.lacks_value(comparison) {
            return None;
        }
        let (place, sensor_type) = state.signals.watched(comparison)?;
        let members = state.members(place, sensor_type).iter();
        Some((
            sensor_type,
            members.map(|ix| self.read_at(*ix)).max().flatten(),
        ))
    }

    fn blind(&self, ix: u32, rule: Thing<RuleId>, sensor_type: SensorType) -> What {
        let state = &self.engine.state;
        let devices = state.devices_of(ix).into_iter();
        let mut devices: Vec<&Device> = devices.filter_map(|d| state.devices.get(d)).collect();
        devices.sort_by_key(|d| &d.spec.id);
        devices.dedup_by_key(|d| &d.spec.id);
        What::RuleBlind {
            rule,
            sensor_type,
            all_off: devices.iter().all(|d| {
                d.last_sent == Some(Setting::Off) && !self.facts.astray.contains_key(&d.spec.id)
            }),
            devices: devices
                .iter()
                .take(MAX_NAMED)
                .map(|d| thing_of(d))
                .collect(),
        }
    }

    /// The places that a rule concerns: its own, and those of its devices.
    fn concerned(&self, ix: u32, spec: &RuleSpec) -> Vec<House> {
        let state = &self.engine.state;
        let own = self.house_of_scope(&spec.scope);
        let devices = state.devices_of(ix).into_iter();
        let devices =
            devices.filter_map(|d| Some(self.house_of_scope(&state.devices.get(d)?.spec.scope)));
        std::iter::once(own).chain(devices).collect()
    }

    fn alerts(&mut self) {
        let engine = self.engine;
        for (ix, alert) in engine.state.alerts.iter() {
            let scope = alert.spec.scope.as_ref();
            let house = scope.and_then(|scope| self.house_of_scope(scope));
            if alert.active {
                let what = What::AlertRaised {
                    alert: alert_thing(alert),
                    critical: alert.spec.severity == AlertSeverity::Critical,
                };
                self.tell([house], &what, alert.raised_since);
            }
            if alert.comparisons.is_empty() || engine.state.alert_truth(ix) != Truth::Unknown {
                continue;
            }
            let lost = alert.comparisons.iter().filter_map(|l| self.unknown(*l));
            let lost = lost.map(|(_, since)| since).min().flatten();
            let since = alert.unknown_since.or(lost);
            let what = What::AlertBlind {
                alert: alert_thing(alert),
                raised: alert.active,
            };
            self.tell([house], &what, since);
        }
    }

    /// What was found outside its range, and still is.
    fn ranges(&mut self) {
        for left in &self.facts.left_ranges {
            let scope = ScopeSpec::polyhouse(left.house.clone());
            let house = self.house_of_scope(&scope);
            let mean = self.engine.signal(&scope, left.sensor_type);
            let (Some(_), Some(mean)) = (house, mean) else {
                continue;
            };
            let value = mean.shown();
            let is_outside = value < left.low || value > left.high;
            if is_outside && left.since + OUTSIDE_AFTER <= self.facts.now {
                let what = What::OutsideRange {
                    sensor_type: left.sensor_type,
                    value,
                    low: left.low,
                    high: left.high,
                };
                self.tell([house], &what, Some(left.since));
            }
        }
    }

    fn finish(mut self) -> FarmVerdict {
        let set_up = self.places.values().any(|p| p.set_up);
        worst_first(&mut self.all);
        let farm = PlaceVerdict::of(self.all.clone(), set_up);
        let house = |p: Place| {
            let (id, name) = p.spec?;
            let place = PlaceVerdict::of(p.reasons, p.set_up);
            Some(HouseVerdict { id, name, place })
        };
        let houses = self.places.into_values().filter_map(house).collect();
        FarmVerdict {
            farm,
            houses,
            all: self.all,
        }
    }
}

fn thing_of(device: &Device) -> Thing<DeviceId> {
    Thing {
        id: device.spec.id.clone(),
        name: device.spec.name.clone(),
    }
}

fn alert_thing(alert: &Alert) -> Thing<AlertId> {
    Thing {
        id: alert.spec.id.clone(),
        name: alert.spec.name.clone(),
    }
}
