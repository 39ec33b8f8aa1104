//! The engine of one farm: inputs in, events out.

use crate::almanac::Almanac;
use crate::device::{Device, Outbox};
use crate::document::FarmDocument;
use crate::event::Event;
use crate::hold::Completion;
use crate::id::{DeviceId, FarmId};
use crate::input::{Input, InputKind, StopScope};
use crate::lock::{Lock, LockKind};
use crate::problem::Problems;
use crate::quantity::Mean;
use crate::rule::Action;
use crate::sensor::{Counters, NOTHING_SAMPLED, SensorIx};
use crate::signal::Owner;
use crate::state::State;
use crate::time::Timestamp;
use crate::timer::{NEVER, Timer, Timers};

/// A farm's rule engine: a deterministic state machine over a log of [`Input`]s.
///
/// It reads no clock and does no I/O: time arrives inside inputs, decisions leave as [`Event`]s. The same inputs give the
/// same events, byte for byte. Engines share nothing; a process holds as many as it has farms.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) state: State,
    pub(crate) timers: Timers,
    /// Whose conditions may have changed in the present step.
    pub(crate) dirty: Vec<Owner>,
    /// Of them, the rules that are about to act, and the alerts; empty between steps.
    pub(crate) acting: Vec<u32>,
    pub(crate) alerts: Vec<u32>,
    /// Of them, the rules that are programs, and the curves; empty between steps.
    pub(crate) programs: Vec<u32>,
    pub(crate) curves: Vec<u32>,
    /// What a rule does at once when it fires; empty between steps.
    pub(crate) actions: Vec<Action>,
    /// Devices that something was done to in the present round.
    pub(crate) devices_in_round: Vec<u32>,
    /// Whether an outage ends, and devices are told again what holds for them: on periods that end and begin thereby have no break.
    pub(crate) resumes: bool,
}

/// What can come due of a device.
const DEVICE_TIMERS: [Timer; 4] = [Timer::Claim, Timer::Manual, Timer::Limit, Timer::MaxOn];

impl Engine {
    /// An engine for the farm that the document describes. It has no clock yet, and nothing was ever sent to its devices.
    ///
    /// # Errors
    /// All problems of the document, each with its path.
    pub fn new(document: &FarmDocument) -> Result<Self, Problems> {
        // No clock, so no deadlines; and without a reading every signal is unknown. What programs see beside that they see with
        // the first input.
        let state = State::from_document(document)?;
        Ok(Self {
            dirty: state.owners_of_trees(),
            state,
            timers: Timers::default(),
            acting: Vec::new(),
            alerts: Vec::new(),
            programs: Vec::new(),
            curves: Vec::new(),
            actions: Vec::new(),
            devices_in_round: Vec::new(),
            resumes: false,
        })
    }

    /// The farm.
    #[must_use]
    pub const fn farm_id(&self) -> &FarmId {
        &self.state.farm.id
    }

    /// The farm's clock: the largest instant of any input so far.
    #[must_use]
    pub const fn clock(&self) -> Option<Timestamp> {
        self.state.clock
    }

    /// The local days that are known, by date.
    pub fn almanac(&self) -> impl Iterator<Item = &crate::AlmanacDay> {
        self.state.almanac.days()
    }

    /// How many readings became what.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.state.counters
    }

    /// Changes with every change of what is registered: sensor numbers got before are void then.
    #[must_use]
    pub const fn registry_version(&self) -> u64 {
        self.state.registry_version
    }

    /// The number under which [`Self::apply_reading`] knows the sensor.
    #[must_use]
    pub fn sensor_index(&self, id: &str) -> Option<SensorIx> {
        self.state.sensors.index(id).map(SensorIx)
    }

    /// The farm as it is stored now, defaults filled in.
    #[must_use]
    pub fn document(&self) -> FarmDocument {
        self.state.document()
    }

    /// The earliest instant at which time alone would do something: a [`InputKind::Tick`] is due then.
    pub fn next_deadline(&mut self) -> Option<Timestamp> {
        self.deadline_until(NEVER)
    }

    /// The earliest instant after the clock and up to `until` at which time alone does something; for who looks at an engine
    /// that is another's.
    #[must_use]
    pub fn due_by(&self, until: Timestamp) -> Option<Timestamp> {
        let clock = self.state.clock?;
        if !self.timers.may_be_due(until) {
            return None;
        }
        let later = |timer, owner| self.state.deadline(timer, owner).filter(|at| *at > clock);
        self.timers.seek(until, later)
    }

    /// The earliest deadline, if it is no later than `until`.
    pub(crate) fn deadline_until(&mut self, until: Timestamp) -> Option<Timestamp> {
        let state = &self.state;
        state.clock?;
        self.timers
            .earliest(until, |timer, owner| state.deadline(timer, owner))
    }

    /// Whether [`Self::apply`] would take the input.
    ///
    /// # Errors
    /// Why the input is malformed: an unknown device, a rule that does not compile, an empty lock reason.
    pub fn check(&self, input: &Input) -> Result<(), Problems> {
        let device = |id: &str| match self.state.devices.index(id) {
            Some(_) => Ok(()),
            None => Err(Problems::one(
                "device",
                "unknown",
                format!("there is no device {id}"),
            )),
        };
        match &input.kind {
            InputKind::Reading { .. }
            | InputKind::Tick
            | InputKind::Resumed
            | InputKind::AlertDelete(_) => Ok(()),
            InputKind::RuleDelete(id) => self.state.check_unnamed(id),
            InputKind::Almanac(days) => Almanac::check(days),
            InputKind::Manual(m) => device(m.device.as_str()),
            InputKind::Correct(id) => device(id.as_str()),
            InputKind::Stop(stop) if stop.owner.user_id.is_empty() => Err(Problems::one(
                "owner",
                "required",
                "a stop needs the person who stops",
            )),
            InputKind::Stop(stop) => match &stop.scope {
                StopScope::Device(id) => device(id.as_str()),
                StopScope::Place(scope) => {
                    let place = self.state.places.resolve(&self.state.farm, scope);
                    place.map(|_| ()).map_err(|e| e.under("scope"))
                }
            },
            InputKind::Status { device: id, status } => {
                device(id.as_str())?;
                match &status.lock {
                    Some(Lock::Engage { reason, .. } | Lock::Replace { reason })
                        if reason.is_empty() =>
                    {
                        Err(Problems::one("lock", "required", "a lock needs a reason"))
                    }
                    Some(Lock::Engage {
                        kind: LockKind::Stop,
                        ..
                    }) => {
                        let message = "a stop is an input of its own";
                        Err(Problems::one("lock_kind", "reserved", message))
                    }
                    _ => Ok(()),
                }
            }
            InputKind::RulePut(spec) => {
                self.state.compile_rule(spec)?;
                self.state.check_dependencies(spec)
            }
            InputKind::AlertPut(spec) => self.state.compile_alert(spec).map(|_| ()),
            InputKind::Registry(changes) => {
                let now = self.state.clock.unwrap_or(input.at);
                self.state.with_registry(changes, now).map(|_| ())
            }
        }
    }

    /// Applies one input: everything that came due until its instant, then the input itself. Events are appended to `events`.
    ///
    /// # Errors
    /// As [`Self::check`]; then nothing has changed, not even the clock.
    pub fn apply(&mut self, input: &Input, events: &mut Vec<Event>) -> Result<(), Problems> {
        if let InputKind::Reading { sensor, value } = &input.kind {
            match self.sensor_index(sensor.as_str()) {
                Some(ix) => self.apply_reading(input.at, ix, *value, events),
                None => self.apply_unknown_reading(input.at, events),
            };
            return Ok(());
        }
        // Built once where nothing comes due before it.
        let mut changed = None;
        match &input.kind {
            InputKind::Registry(changes) => {
                let now = self
                    .state
                    .clock
                    .map_or(input.at, |clock| input.at.max(clock));
                let built = self.state.with_registry(changes, now)?;
                changed = (!self.timers.may_be_due(now)).then_some(built);
            }
            _ => self.check(input)?,
        }
        if input.kind == InputKind::Resumed {
            self.resume(input.at, events);
            return Ok(());
        }
        let now = self.advance(input.at, events);
        match &input.kind {
            InputKind::Reading { .. } | InputKind::Tick | InputKind::Resumed => {}
            InputKind::Manual(m) => {
                self.with_device(m.device.as_str(), now, events, |d, out| d.manual(m, out));
            }
            InputKind::Status { device, status } => {
                let mut seen_anew = false;
                self.with_device(device.as_str(), now, events, |d, out| {
                    let before = (d.online, d.running);
                    d.status(status, out);
                    seen_anew = before != (d.online, d.running);
                });
                if seen_anew {
                    self.touch_readers_of_device(device);
                }
            }
            InputKind::Correct(id) => {
                self.with_device(id.as_str(), now, events, Device::correct);
            }
            InputKind::Stop(stop) => {
                for ix in self.stopped_by(&stop.scope) {
                    self.with_device_ix(ix, now, events, |d, out| d.stop(&stop.owner, out));
                }
            }
            InputKind::RulePut(spec) => self.put_rule(spec, now, events)?,
            InputKind::RuleDelete(id) => self.delete_rule(id, now, events),
            InputKind::Almanac(days) => self.put_almanac(days, now),
            InputKind::AlertPut(spec) => self.put_alert(spec, now, events)?,
            InputKind::AlertDelete(id) => self.delete_alert(id, now, events),
            InputKind::Registry(changes) => {
                let built = match changed {
                    Some(built) => built,
                    None => self.state.with_registry(changes, now)?,
                };
                self.change_registry(built, now, events)?;
            }
        }
        self.reevaluate(now, NOTHING_SAMPLED, Completion::Acts, events);
        self.finish_round(now, events);
        Ok(())
    }

    /// The exact mean of the fresh sensors of that type in the scope itself, not in one that encloses it.
    #[must_use]
    pub fn signal(
        &self,
        scope: &crate::document::ScopeSpec,
        sensor_type: crate::SensorType,
    ) -> Option<Mean> {
        let place = self.state.places.resolve(&self.state.farm, scope).ok()?;
        self.state.mean(place, sensor_type)
    }

    /// Step 1: runs everything that is due until `at`, then moves the clock. Returns the instant at which the input applies.
    #[inline]
    pub(crate) fn advance(&mut self, at: Timestamp, events: &mut Vec<Event>) -> Timestamp {
        let now = self.state.clock.map_or(at, |clock| at.max(clock));
        if self.timers.may_be_due(now) {
            self.run_timers(now, events);
        }
        self.state.clock = Some(now);
        now
    }

    /// The devices that a stop of that scope reaches, by id.
    #[must_use]
    pub fn devices_in(&self, scope: &StopScope) -> Vec<DeviceId> {
        let devices = &self.state.devices;
        let reached = self.stopped_by(scope).into_iter();
        reached
            .filter_map(|ix| Some(devices.get(ix)?.spec.id.clone()))
            .collect()
    }

    fn stopped_by(&self, scope: &StopScope) -> Vec<u32> {
        let state = &self.state;
        let resolve = |scope| state.places.resolve(&state.farm, scope).ok();
        match scope {
            StopScope::Device(id) => state.devices.index(id.as_str()).into_iter().collect(),
            StopScope::Place(scope) => {
                let Some(place) = resolve(scope) else {
                    return Vec::new();
                };
                let lies_in = |ix: &u32| {
                    let device = state.devices.get(*ix);
                    let own = device.and_then(|d| resolve(&d.spec.scope));
                    own.is_some_and(|own| own.outwards().any(|p| p == place))
                };
                let mut all = state.devices.indices();
                all.retain(lies_in);
                all
            }
        }
    }

    fn with_device(
        &mut self,
        id: &str,
        now: Timestamp,
        events: &mut Vec<Event>,
        f: impl FnOnce(&mut Device, &mut Outbox<'_>),
    ) {
        if let Some(ix) = self.state.devices.index(id) {
            self.with_device_ix(ix, now, events, f);
        }
    }

    /// Does something to a device, and sees to it that it is settled in this round and that its deadlines are kept.
    pub(crate) fn with_device_ix(
        &mut self,
        ix: u32,
        now: Timestamp,
        events: &mut Vec<Event>,
        f: impl FnOnce(&mut Device, &mut Outbox<'_>),
    ) {
        self.change_device(ix, now, events, f);
        let device = self.state.devices.get_mut(ix);
        let Some(device) = device else {
            return;
        };
        if let Some(limited) = device.limited.as_mut() {
            limited.look = true;
        }
        if !std::mem::replace(&mut device.in_round, true) {
            self.devices_in_round.push(ix);
        }
    }

    /// Settles a device. What is sent to it then may make something of its limits.
    pub(crate) fn settle_device(&mut self, ix: u32, now: Timestamp, events: &mut Vec<Event>) {
        let sent = self.state.commands;
        self.change_device(ix, now, events, Device::settle);
        let has_sent = self.state.commands != sent;
        let device = self.state.devices.get_mut(ix).filter(|_| has_sent);
        if let Some(limited) = device.and_then(|d| d.limited.as_mut()) {
            limited.look = true;
        }
    }

    fn change_device(
        &mut self,
        ix: u32,
        now: Timestamp,
        events: &mut Vec<Event>,
        f: impl FnOnce(&mut Device, &mut Outbox<'_>),
    ) {
        let around = self.state.around(ix, now);
        let State {
            devices,
            farm,
            commands,
            almanac,
            ..
        } = &mut self.state;
        let Some(device) = devices.get_mut(ix) else {
            return;
        };
        let is_limited = device.limited.is_some();
        if is_limited {
            device.count_until(now, almanac, false);
        }
        f(
            device,
            &mut Outbox {
                now,
                farm: &farm.id,
                commands,
                events,
                almanac,
                around,
            },
        );
        if is_limited {
            device.count_until(now, almanac, false);
            self.tell_neighbours(ix, now);
        }
        for timer in DEVICE_TIMERS {
            if let Some(deadline) = self.state.deadline(timer, ix) {
                self.timers.set(timer, ix, deadline);
            }
        }
    }

    /// Ends a round: settles, and forgets what was only for the round.
    pub(crate) fn finish_round(&mut self, now: Timestamp, events: &mut Vec<Event>) {
        if self.devices_in_round.is_empty() {
            return;
        }
        self.settle(now, events);
        for ix in self.devices_in_round.drain(..) {
            if let Some(d) = self.state.devices.get_mut(ix) {
                (d.pulsed, d.in_round) = (false, false);
            }
        }
    }

    /// Queues every deadline anew, and puts every hold that wants samples where it gets them.
    pub(crate) fn watch_everything(&mut self) {
        self.timers.clear();
        let sensors = self.state.sensors.indices();
        let (rules, devices) = (self.state.rules.indices(), self.state.devices.indices());
        for (owners, timers) in [
            (sensors, &[Timer::Expiry][..]),
            (devices, &DEVICE_TIMERS),
            (rules, &[Timer::Action]),
        ] {
            for (ix, timer) in owners
                .iter()
                .flat_map(|ix| timers.iter().map(move |t| (*ix, *t)))
            {
                if let Some(deadline) = self.state.deadline(timer, ix) {
                    self.timers.set(timer, ix, deadline);
                }
            }
        }
        for ix in self.state.rules.indices() {
            self.watch_rule(ix);
        }
        for ix in self.state.alerts.indices() {
            self.watch_alert(ix);
        }
        for ix in self.state.curves.indices() {
            self.watch_curve(ix);
        }
    }
}
