//! What is registered: building a farm from its document, and changing it while it runs.
//!
//! A change of the registry is made on a copy, checked as a whole and then put in place of the original, so that changes
//! that do not fit together leave nothing behind. All signals are built anew; what was held goes on being held, except for
//! rules and alerts whose conditions now resolve to other sensors: for them the change is an edit.

mod build;
mod rebind;

use crate::device::Device;
use crate::document::{DeviceSpec, SensorSpec};
use crate::engine::Engine;
use crate::event::{Event, ResolveReason};
use crate::input::RegistryChange;
use crate::lock::LockKind;
use crate::members::Members;
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::quantity::Mean;
use crate::sensor::{MAX_SIGNALS, NO_SIGNAL, Sensor, SensorState};
use crate::sensor_type::SensorType;
use crate::signal::{Owner, Signals};
use crate::state::State;
use crate::table::make_room_for;
use crate::time::Timestamp;

/// A state after a change of the registry, with all signals built anew.
pub(crate) struct Rebuilt {
    state: Box<State>,
    /// The rules and alerts whose conditions resolve to other sensors now.
    rules: Vec<u32>,
    alerts: Vec<u32>,
}

/// The most sensors of a farm: sums of their values stay within 64 bits.
const MAX_SENSORS: usize = 1_000_000;

impl State {
    fn put_sensor(&mut self, spec: &SensorSpec) -> Result<(), Problems> {
        let place = self
            .places
            .resolve(&self.farm, &spec.scope)
            .map_err(|e| e.under("scope"))?;
        let known = self.sensors.index(spec.id.as_str()).is_some();
        if self.sensors.len() >= MAX_SENSORS && !known {
            return Err(Problems::one(
                "id",
                "too_many",
                format!("a farm has at most {MAX_SENSORS} sensors"),
            ));
        }
        let document = spec.pack(&mut self.words);
        let (ix, old) = self.sensors.put(Sensor { document, place });
        if let Some(old) = old {
            old.document.release(&mut self.words);
        }
        let ix = ix as usize;
        if ix >= self.readings.len() {
            make_room_for(&mut self.readings, ix + 1);
            self.readings.resize(ix + 1, SensorState::new(spec));
        }
        let state = &mut self.readings[ix];
        if known && state.sensor_type == spec.sensor_type {
            state.stale_after = spec.stale_after;
        } else {
            *state = SensorState::new(spec);
        }
        Ok(())
    }

    fn put_device(&mut self, spec: &DeviceSpec) -> Result<(), Problems> {
        self.places
            .resolve(&self.farm, &spec.scope)
            .map_err(|e| e.under("scope"))?;
        if let Some(known) = self
            .devices
            .index(spec.id.as_str())
            .and_then(|ix| self.devices.get_mut(ix))
        {
            // What it is desired to do may be another thing now; nothing else of a document reaches the device.
            known.needs_settle |= known.spec.rest != spec.rest;
            *known.spec = spec.clone();
        } else {
            self.devices.put(Device::new(spec.clone()));
        }
        Ok(())
    }

    fn count_members(&mut self) {
        self.members = Members::of(&self.sensors.indices(), |s| self.location(s));
    }

    /// A copy with the changes made, or all that speaks against them.
    pub(crate) fn with_registry(
        &self,
        changes: &[RegistryChange],
        now: Timestamp,
    ) -> Result<Rebuilt, Problems> {
        let mut next = self.clone();
        // What was used until now was used by the documents before.
        next.count_all(now, false);
        let mut problems = Problems::default();
        for (i, change) in changes.iter().enumerate() {
            if let Err(e) = next.change(change) {
                problems.0.extend(e.under(&format!("changes[{i}]")).0);
            }
        }
        next.check_stopped(self, changes, &mut problems);
        next.check_places(&mut problems);
        next.check_setpoints(&mut problems);
        if let Err(e) = next.tie_devices() {
            problems.0.extend(e.0);
        }
        next.count_members();
        next.forget_signals();
        if let Err(e) = next.bind_hours() {
            problems.0.extend(e.0);
        }
        let changed = next.changed_members(self);
        let rules = next.rebind_rules(self, &changed, &mut problems);
        let alerts = next.rebind_alerts(self, &changed, &mut problems);
        next.rebind_curves();
        next.registry_version += 1;
        problems.into_result(Rebuilt {
            state: Box::new(next),
            rules,
            alerts,
        })
    }

    fn forget_signals(&mut self) {
        self.signals = Signals::default();
        self.curves.forget_comparisons();
        for reading in &mut self.readings {
            reading.signals = [NO_SIGNAL; MAX_SIGNALS];
        }
    }

    fn change(&mut self, change: &RegistryChange) -> Result<(), Problems> {
        match change {
            RegistryChange::PutPolyhouse(spec) => self.places.put(spec),
            RegistryChange::DeletePolyhouse(id) => {
                self.places.remove(id);
                Ok(())
            }
            RegistryChange::PutSensor(spec) => self.put_sensor(spec),
            RegistryChange::DeleteSensor(id) => {
                if let Some(ix) = self.sensors.index(id.as_str()) {
                    let reading = &mut self.readings[ix as usize];
                    reading.forget();
                    reading.registered = false;
                    if let Some(old) = self.sensors.remove(id.as_str()) {
                        old.document.release(&mut self.words);
                    }
                }
                Ok(())
            }
            RegistryChange::PutDevice(spec) => {
                let known = self
                    .devices
                    .index(spec.id.as_str())
                    .and_then(|ix| self.devices.get(ix));
                if known.is_some_and(|d| d.spec.device_type != spec.device_type) {
                    let message = format!("device {} is of another type; delete it first", spec.id);
                    return Err(Problems::one("type", "type_changed", message));
                }
                self.put_device(spec)
            }
            RegistryChange::DeleteDevice(id) => {
                self.devices.remove(id.as_str());
                Ok(())
            }
            RegistryChange::Settings(settings) => {
                self.farm.settings = settings.clone();
                Ok(())
            }
        }
    }

    /// A stop is not got rid of by deleting the device, unless that is gone already.
    fn check_stopped(&self, before: &Self, changes: &[RegistryChange], problems: &mut Problems) {
        for (i, change) in changes.iter().enumerate() {
            let RegistryChange::DeleteDevice(id) = change else {
                continue;
            };
            let known = before.devices.index(id.as_str());
            let stays = self.devices.index(id.as_str()).is_some();
            if known
                .and_then(|ix| before.devices.get(ix))
                .is_some_and(|d| d.locks.holds(LockKind::Stop) && (d.online || stays))
            {
                let message = format!("device {id} is stopped: open that first");
                problems.add(format!("changes[{i}]"), "stopped", message);
            }
        }
    }

    /// Everything must still lie somewhere.
    fn check_places(&mut self, problems: &mut Problems) {
        let mut moved = Vec::new();
        for (ix, sensor) in self.sensors.iter() {
            let spec = SensorSpec::unpack(&sensor.document, &self.words);
            match self.places.resolve(&self.farm, &spec.scope) {
                Ok(place) => moved.push((ix, place)),
                Err(e) => problems
                    .0
                    .extend(e.under(&format!("sensors.{}.scope", spec.id)).0),
            }
        }
        for (ix, place) in moved {
            if let Some(sensor) = self.sensors.get_mut(ix) {
                sensor.place = place;
            }
        }
        for (_, device) in self.devices.iter() {
            if let Err(e) = self.places.resolve(&self.farm, &device.spec.scope) {
                problems
                    .0
                    .extend(e.under(&format!("devices.{}.scope", device.spec.id)).0);
            }
        }
    }

    /// The exact mean of the fresh sensors of that type in the place.
    pub(crate) fn mean(&self, place: PlaceIx, sensor_type: SensorType) -> Option<Mean> {
        if let Some(signal) = self.signals.find(place, sensor_type) {
            return self.signals.mean(signal);
        }
        let (sum, count) = self.fresh(place, sensor_type);
        (count > 0).then_some(Mean { sum, count })
    }
}

impl Engine {
    pub(crate) fn change_registry(
        &mut self,
        Rebuilt {
            state,
            mut rules,
            mut alerts,
        }: Rebuilt,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<(), Problems> {
        self.state = *state;
        self.state.clock = Some(now);
        for ix in self.state.programs.rules() {
            self.state.look_ahead(ix);
        }
        for ix in self.state.only_if.rules() {
            self.state.look_ahead_only_if(ix);
        }
        self.watch_everything();
        for ix in self.state.devices.indices() {
            let device = self.state.devices.get_mut(ix);
            if device.is_some_and(|d| !std::mem::replace(&mut d.in_round, true)) {
                self.devices_in_round.push(ix);
            }
        }
        self.sort_rules(&mut rules);
        for ix in rules {
            if let Some(spec) = self.state.rule_spec(ix) {
                self.end_rule(ix, now, events);
                let compiled = self.state.compile_rule(&spec)?;
                self.state.attach_rule(ix, &spec, &compiled);
            }
        }
        self.sort_alerts(&mut alerts);
        for ix in alerts {
            if self.state.remembers(ix) {
                // What it knows of the sensors that are left goes on; only what it waited for begins anew.
                if let Some(alert) = self.state.alerts.get_mut(ix) {
                    alert.hold = None;
                }
            } else if let Some(alert) = self.state.alerts.get(ix).map(|a| a.spec.clone()) {
                self.end_alert(ix, ResolveReason::Registry, now, events);
                let watches = self.state.compile_alert(&alert)?;
                self.state.attach_alert(ix, &watches);
            }
        }
        // A sensor that went and came back has no value, and another number of samples may be enough.
        self.dirty
            .extend(self.state.rules.indices().into_iter().map(Owner::Rule));
        self.dirty
            .extend(self.state.alerts.indices().into_iter().map(Owner::Alert));
        self.dirty.extend(self.state.curves.owners());
        self.dirty.extend(self.state.hours.owners());
        Ok(())
    }
}
