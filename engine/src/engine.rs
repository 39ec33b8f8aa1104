//! The engine of one farm: inputs in, events out.

use crate::alert::{Alert, Change};
use crate::device::{Claim, Device, Outbox};
use crate::document::{AlertSpec, FarmDocument, Problems, RuleSpec};
use crate::event::{Event, EventKind, StopReason};
use crate::hold::Evidence;
use crate::id::{AlertId, FarmId, RuleId};
use crate::input::{Input, InputKind, Lock};
use crate::quantity::{Mean, Measured};
use crate::rule::{Conditions, Deed, Delayed, Phase, Rule, Transition};
use crate::sensor::{Counters, MAX_SIGNALS, NO_SIGNAL, ReadingOutcome, SensorIx};
use crate::signal::Owner;
use crate::state::{MAX_REMEMBERED, State};
use crate::time::{Duration, Timestamp};
use crate::timer::{Timer, Timers};

/// A farm's rule engine: a deterministic state machine over a log of [`Input`]s.
///
/// It reads no clock and does no I/O: time arrives inside inputs, decisions leave as [`Event`]s. The same inputs give the
/// same events, byte for byte. Engines share nothing; a process holds as many as it has farms.
#[derive(Debug)]
pub struct Engine {
    pub(crate) state: State,
    pub(crate) timers: Timers,
    /// Whose conditions may have changed in the present step.
    pub(crate) dirty: Vec<Owner>,
    /// Devices that something was done to in the present round.
    pub(crate) handled: Vec<u32>,
}

/// The signals of the sensor whose reading is a sample, or none.
pub(crate) type Sampled = [u32; MAX_SIGNALS];
pub(crate) const NOTHING_SAMPLED: Sampled = [NO_SIGNAL; MAX_SIGNALS];

/// Whether a hold may complete in this evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    Acts,
    Waits,
}

impl Engine {
    /// An engine for the farm that the document describes. It has no clock yet, and nothing was ever sent to its devices.
    ///
    /// # Errors
    /// All problems of the document, each with its path.
    pub fn new(document: &FarmDocument) -> Result<Self, Problems> {
        // No clock, so no deadlines; and without a reading every condition is unknown: nothing to evaluate.
        let state = State::from_document(document)?;
        Ok(Self {
            state,
            timers: Timers::default(),
            dirty: Vec::new(),
            handled: Vec::new(),
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
        let state = &self.state;
        state.clock?;
        self.timers
            .earliest(|timer, owner| state.deadline(timer, owner))
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
            | InputKind::RuleDelete(_)
            | InputKind::AlertDelete(_) => Ok(()),
            InputKind::Manual(m) => device(m.device.as_str()),
            InputKind::Status { device: id, status } => {
                device(id.as_str())?;
                match &status.lock {
                    Some(Lock::Engage(reason)) if reason.is_empty() => {
                        Err(Problems::one("lock", "required", "a lock needs a reason"))
                    }
                    _ => Ok(()),
                }
            }
            InputKind::RulePut(spec) => self.state.compile_rule(spec).map(|_| ()),
            InputKind::AlertPut(spec) => self.state.compile_alert(spec).map(|_| ()),
            InputKind::Registry(changes) => self.state.with_registry(changes).map(|_| ()),
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
        self.check(input)?;
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
                self.with_device(device.as_str(), now, events, |d, out| d.status(status, out));
            }
            InputKind::RulePut(spec) => self.put_rule(spec, now, events)?,
            InputKind::RuleDelete(id) => self.delete_rule(id, now, events),
            InputKind::AlertPut(spec) => self.put_alert(spec, now, events)?,
            InputKind::AlertDelete(id) => self.delete_alert(id, now, events),
            InputKind::Registry(changes) => self.change_registry(changes, now, events)?,
        }
        self.reevaluate(now, NOTHING_SAMPLED, Completion::Acts, events);
        self.finish_round(now, events);
        Ok(())
    }

    /// Applies a reading; the same as [`Self::apply`], for callers that know the sensor's number.
    pub fn apply_reading(
        &mut self,
        at: Timestamp,
        sensor: SensorIx,
        value: Measured,
        events: &mut Vec<Event>,
    ) -> ReadingOutcome {
        let now = self.advance(at, events);
        let Some(reading) = self
            .state
            .readings
            .get_mut(sensor.0 as usize)
            .filter(|_| self.state.sensors.get(sensor.0).is_some())
        else {
            self.state.counters.count(ReadingOutcome::Unknown);
            return ReadingOutcome::Unknown;
        };
        let was_fresh = reading.fresh;
        let effect = reading.read(at, now, value);
        self.state.counters.count(effect.outcome);
        if effect.outcome != ReadingOutcome::Applied && effect.count == 0 {
            return effect.outcome;
        }
        let signals = reading.signals;
        if !was_fresh && let Some(expiry) = reading.expiry() {
            self.timers.set(Timer::Expiry, sensor.0, expiry);
        }
        for signal in signals.into_iter().take_while(|s| *s != NO_SIGNAL) {
            self.state
                .signals
                .change(signal, effect.sum, effect.count, &mut self.dirty);
            if effect.sample && self.state.signals.has_hungry(signal) {
                self.feed_hungry(signal);
            }
        }
        if !self.dirty.is_empty() {
            self.reevaluate(
                now,
                if effect.sample {
                    signals
                } else {
                    NOTHING_SAMPLED
                },
                Completion::Acts,
                events,
            );
            self.finish_round(now, events);
        }
        effect.outcome
    }

    fn apply_unknown_reading(&mut self, at: Timestamp, events: &mut Vec<Event>) -> ReadingOutcome {
        self.advance(at, events);
        self.state.counters.count(ReadingOutcome::Unknown);
        ReadingOutcome::Unknown
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
    fn advance(&mut self, at: Timestamp, events: &mut Vec<Event>) -> Timestamp {
        let Some(clock) = self.state.clock else {
            self.state.clock = Some(at);
            return at;
        };
        let now = at.max(clock);
        if self.timers.may_be_due(now) {
            self.run_timers(clock, now, events);
        }
        self.state.clock = Some(now);
        now
    }

    /// Puts the rules and alerts whose holds want samples of the signal among the dirty.
    fn feed_hungry(&mut self, signal: u32) {
        let State {
            signals,
            rules,
            alerts,
            farm,
            ..
        } = &mut self.state;
        let min_samples = farm.settings.min_samples;
        let wants = |leaf, owner| match owner {
            Owner::Rule(ix) => rules
                .get(ix)
                .is_some_and(|r| r.hungry_leaf(min_samples) == Some(leaf)),
            Owner::Alert(ix) => alerts
                .get(ix)
                .is_some_and(|a| a.counts_samples(min_samples)),
        };
        signals.hungry(signal, wants, &mut self.dirty);
    }

    // ---- evaluation ----

    /// Re-evaluates whose conditions may have changed: rules by priority and id, then alerts by id.
    pub(crate) fn reevaluate(
        &mut self,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        if self.dirty.is_empty() {
            return;
        }
        let (mut rules, mut alerts) = (Vec::new(), Vec::new());
        for owner in std::mem::take(&mut self.dirty) {
            match owner {
                Owner::Rule(ix) => {
                    if let Some(rule) = self.state.rules.get_mut(ix).filter(|r| !r.dirty) {
                        rule.dirty = true;
                        rules.push(ix);
                    }
                }
                Owner::Alert(ix) => {
                    if let Some(alert) = self.state.alerts.get_mut(ix).filter(|a| !a.dirty) {
                        alert.dirty = true;
                        alerts.push(ix);
                    }
                }
            }
        }
        self.sort_rules(&mut rules);
        self.sort_alerts(&mut alerts);
        for ix in rules {
            self.evaluate_rule(ix, now, sampled, completion, events);
        }
        for ix in alerts {
            self.evaluate_alert(ix, now, sampled, completion, events);
        }
    }

    pub(crate) fn sort_rules(&self, rules: &mut [u32]) {
        rules.sort_by(|a, b| {
            let key = |ix: &u32| {
                self.state
                    .rules
                    .get(*ix)
                    .map(|r| (std::cmp::Reverse(r.spec.priority), &r.spec.id))
            };
            key(a).cmp(&key(b))
        });
    }

    pub(crate) fn sort_alerts(&self, alerts: &mut [u32]) {
        alerts.sort_by_key(|ix| self.state.alerts.get(*ix).map(|a| &a.spec.id));
    }

    pub(crate) fn sort_devices(&self, devices: &mut [u32]) {
        devices.sort_by_key(|ix| self.state.devices.get(*ix).map(|d| &d.spec.id));
    }

    pub(crate) fn evaluate_rule(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        let min_samples = self.state.min_samples();
        let signals = &self.state.signals;
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return;
        };
        rule.dirty = false;
        let evidence = |leaf: u32| {
            let sample = signals
                .leaf(leaf)
                .is_some_and(|l| sampled.contains(&l.signal));
            Evidence {
                truth: signals.truth(leaf),
                sample,
            }
        };
        let (trigger, end) = match rule.conditions {
            Conditions::Inactive => return,
            Conditions::Trigger(t) => {
                let trigger = evidence(t);
                (
                    trigger,
                    Evidence {
                        truth: trigger.truth.not(),
                        ..trigger
                    },
                )
            }
            Conditions::TriggerAndStop(t, s) => (evidence(t), evidence(s)),
        };
        let transition = rule.evaluate(
            now,
            trigger,
            end,
            min_samples,
            completion == Completion::Acts,
        );
        if transition != Transition::None {
            self.perform(ix, transition, now, events);
        }
        self.watch_rule(ix);
    }

    /// Sees to it that the rule's hold gets its samples and completes in time.
    pub(crate) fn watch_rule(&mut self, ix: u32) {
        let min_samples = self.state.min_samples();
        let Some(rule) = self.state.rules.get(ix) else {
            return;
        };
        if let Some(deadline) = rule.deadline(min_samples) {
            self.timers.set(Timer::RuleHold, ix, deadline);
        }
        if let Some(leaf) = rule.hungry_leaf(min_samples) {
            self.state.signals.feed(leaf);
        }
    }

    fn perform(
        &mut self,
        ix: u32,
        transition: Transition,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) {
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return;
        };
        let id = rule.spec.id.clone();
        let mut tell = |kind| events.push(Event { at: now, kind });
        match transition {
            Transition::None => {}
            Transition::Blocked(reason) => tell(EventKind::RuleBlocked { rule: id, reason }),
            Transition::Stopped(reason) => {
                tell(EventKind::RuleStopped { rule: id, reason });
                if !(planted!(DeleteKeepsClaim) && reason == StopReason::Deactivated) {
                    self.drop_claims(ix);
                }
            }
            Transition::Fired => {
                tell(EventKind::RuleFired { rule: id });
                let at_once: Vec<usize> = (0..rule.actions.len())
                    .filter(|i| rule.actions[*i].delay == Duration::ZERO)
                    .collect();
                let later = rule
                    .actions
                    .iter()
                    .enumerate()
                    .filter(|(_, a)| a.delay > Duration::ZERO);
                rule.delayed = later
                    .map(|(action, a)| Delayed {
                        due: now + a.delay,
                        action,
                    })
                    .collect();
                rule.delayed.sort_unstable();
                self.watch_actions(ix);
                for action in at_once {
                    self.act(ix, action, now, events);
                }
            }
        }
    }

    pub(crate) fn watch_actions(&mut self, ix: u32) {
        if let Some(due) = self.state.rules.get(ix).and_then(Rule::next_action) {
            self.timers.set(Timer::Action, ix, due);
        }
    }

    /// Does one of a rule's actions.
    pub(crate) fn act(&mut self, ix: u32, action: usize, now: Timestamp, events: &mut Vec<Event>) {
        let Some(rule) = self.state.rules.get(ix) else {
            return;
        };
        let (deed, device, rule_id) = (
            rule.actions[action].deed,
            rule.actions[action].device,
            rule.spec.id.clone(),
        );
        let (priority, narrowness) = (rule.spec.priority, rule.narrowness);
        self.with_device_ix(device, now, events, |d, out| match deed {
            Deed::Claim(setting) => d.claim(Claim {
                rule: ix,
                rule_id,
                priority,
                narrowness,
                at: now,
                setting,
            }),
            Deed::Pulse { secs } => d.rule_pulse(ix, &rule_id, priority, secs, out),
        });
    }

    fn drop_claims(&mut self, ix: u32) {
        let Some(rule) = self.state.rules.get(ix) else {
            return;
        };
        let devices: Vec<u32> = rule.actions.iter().map(|a| a.device).collect();
        for device in devices {
            if let Some(d) = self.state.devices.get_mut(device) {
                d.drop_claim(ix);
                self.handled.push(device);
            }
        }
    }

    pub(crate) fn evaluate_alert(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        let min_samples = self.state.min_samples();
        let signals = &self.state.signals;
        let Some(alert) = self.state.alerts.get_mut(ix) else {
            return;
        };
        alert.dirty = false;
        if alert.leaves.is_empty() {
            return;
        }
        let sample = alert.leaves.iter().any(|l| {
            signals
                .leaf(*l)
                .is_some_and(|l| sampled.contains(&l.signal))
        });
        let joined = Evidence {
            truth: alert.truth(signals),
            sample,
        };
        let id = alert.spec.id.clone();
        match alert.evaluate(now, joined, min_samples, completion == Completion::Acts) {
            Change::None => {}
            Change::Resolved => events.push(Event {
                at: now,
                kind: EventKind::AlertResolved { alert: id },
            }),
            Change::Raised => {
                events.push(Event {
                    at: now,
                    kind: EventKind::AlertRaised { alert: id },
                });
                if self.state.deadline(Timer::Repeat, ix) == Some(now) {
                    self.notify(ix, now, events);
                }
            }
        }
        self.watch_alert(ix);
    }

    /// Sees to it that the alert's hold gets its samples, and that the alert is resolved and notified in time.
    pub(crate) fn watch_alert(&mut self, ix: u32) {
        for timer in [Timer::AlertHold, Timer::Repeat] {
            if let Some(deadline) = self.state.deadline(timer, ix) {
                self.timers.set(timer, ix, deadline);
            }
        }
        let min_samples = self.state.min_samples();
        if let Some(alert) = self
            .state
            .alerts
            .get(ix)
            .filter(|a| a.counts_samples(min_samples))
        {
            for leaf in &alert.leaves {
                self.state.signals.feed(*leaf);
            }
        }
    }

    /// A notification of an active alert is due.
    pub(crate) fn notify(&mut self, ix: u32, now: Timestamp, events: &mut Vec<Event>) {
        let signals = &self.state.signals;
        let Some(alert) = self.state.alerts.get_mut(ix) else {
            return;
        };
        let truth = alert.truth(signals);
        if let Some(no_data) = alert.notify(now, truth) {
            let kind = EventKind::AlertNotified {
                alert: alert.spec.id.clone(),
                no_data: no_data.0,
            };
            events.push(Event { at: now, kind });
        }
        self.watch_alert(ix);
    }

    // ---- devices ----

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
        let State {
            devices,
            farm,
            commands,
            ..
        } = &mut self.state;
        let Some(device) = devices.get_mut(ix) else {
            return;
        };
        f(
            device,
            &mut Outbox {
                now,
                farm: &farm.id,
                commands,
                events,
            },
        );
        for timer in [Timer::Manual, Timer::MaxOn] {
            if let Some(deadline) = self.state.deadline(timer, ix) {
                self.timers.set(timer, ix, deadline);
            }
        }
        self.handled.push(ix);
    }

    /// Settles the touched devices, by id.
    pub(crate) fn settle(&mut self, now: Timestamp, events: &mut Vec<Event>) {
        let mut touched: Vec<u32> = self.handled.clone();
        touched.retain(|ix| self.state.devices.get(*ix).is_some_and(|d| d.touched));
        self.sort_devices(&mut touched);
        touched.dedup();
        for ix in touched {
            self.with_device_ix(ix, now, events, Device::settle);
        }
    }

    /// Ends a round: settles, and forgets what was only for the round.
    pub(crate) fn finish_round(&mut self, now: Timestamp, events: &mut Vec<Event>) {
        if self.handled.is_empty() {
            return;
        }
        self.settle(now, events);
        for ix in std::mem::take(&mut self.handled) {
            if let Some(d) = self.state.devices.get_mut(ix) {
                d.pulsed = false;
            }
        }
    }

    // ---- rules and alerts come and go ----

    fn put_rule(
        &mut self,
        spec: &RuleSpec,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<(), Problems> {
        let compiled = self.state.compile_rule(spec)?;
        if let Some(ix) = self.state.rules.index(&spec.id) {
            if self.state.same_rule(ix, spec, &compiled) {
                if let Some(rule) = self.state.rules.get_mut(ix) {
                    *rule.spec = spec.clone();
                }
                return Ok(());
            }
            self.end_rule(ix, now, events);
        }
        if planted!(EditRestartsOtherHolds) {
            self.restart_holds(now);
        }
        let ix = self
            .state
            .rules
            .put(spec.id.clone(), Rule::new(spec, &compiled));
        self.state.attach_rule(ix, &compiled);
        self.dirty.push(Owner::Rule(ix));
        Ok(())
    }

    /// Part of a planted mistake.
    fn restart_holds(&mut self, now: Timestamp) {
        for ix in self.state.rules.indices() {
            if let Some(hold) = self.state.rules.get_mut(ix).and_then(Rule::hold_mut) {
                *hold = crate::hold::Hold::new(now);
            }
        }
    }

    fn delete_rule(&mut self, id: &RuleId, now: Timestamp, events: &mut Vec<Event>) {
        if let Some(ix) = self.state.rules.index(id) {
            self.end_rule(ix, now, events);
            self.state.rules.remove(id);
        }
    }

    /// The rule stops if it is running, and ends in any case; what becomes of it then is the caller's.
    pub(crate) fn end_rule(&mut self, ix: u32, now: Timestamp, events: &mut Vec<Event>) {
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return;
        };
        let was_running = matches!(rule.phase, Phase::Running { .. });
        rule.phase = Phase::Idle;
        rule.delayed.clear();
        if was_running {
            self.perform(
                ix,
                Transition::Stopped(StopReason::Deactivated),
                now,
                events,
            );
        }
        self.state.detach_rule(ix);
    }

    fn put_alert(
        &mut self,
        spec: &AlertSpec,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<(), Problems> {
        let watches = self.state.compile_alert(spec)?;
        let mut last_notified = self.state.remembered.remove(&spec.id);
        if let Some(ix) = self.state.alerts.index(&spec.id) {
            if self.state.same_alert(ix, spec) {
                if let Some(alert) = self.state.alerts.get_mut(ix) {
                    *alert.spec = spec.clone();
                }
                return Ok(());
            }
            self.end_alert(ix, now, events);
            last_notified = self.state.alerts.get(ix).and_then(|a| a.last_notified);
        }
        let ix = self
            .state
            .alerts
            .put(spec.id.clone(), Alert::new(spec, last_notified));
        self.state.attach_alert(ix, &watches);
        self.dirty.push(Owner::Alert(ix));
        Ok(())
    }

    fn delete_alert(&mut self, id: &AlertId, now: Timestamp, events: &mut Vec<Event>) {
        let Some(ix) = self.state.alerts.index(id) else {
            return;
        };
        self.end_alert(ix, now, events);
        if let Some(last) = self.state.alerts.remove(id).and_then(|a| a.last_notified) {
            self.state.remembered.insert(id.clone(), last);
            if self.state.remembered.len() > MAX_REMEMBERED {
                let oldest = self
                    .state
                    .remembered
                    .iter()
                    .min_by_key(|(_, at)| **at)
                    .map(|(id, _)| id.clone());
                oldest.map(|id| self.state.remembered.remove(&id));
            }
        }
    }

    /// The alert is resolved if it is active, and ends in any case; what becomes of it then is the caller's.
    pub(crate) fn end_alert(&mut self, ix: u32, now: Timestamp, events: &mut Vec<Event>) {
        let Some(alert) = self.state.alerts.get_mut(ix) else {
            return;
        };
        if alert.end() {
            events.push(Event {
                at: now,
                kind: EventKind::AlertResolved {
                    alert: alert.spec.id.clone(),
                },
            });
        }
        self.state.detach_alert(ix);
    }

    /// Queues every deadline anew, and puts every hold that wants samples where it gets them.
    pub(crate) fn watch_everything(&mut self) {
        self.timers.clear();
        let sensors = self.state.sensors.indices();
        let (rules, devices) = (self.state.rules.indices(), self.state.devices.indices());
        for (owners, timers) in [
            (sensors, &[Timer::Expiry][..]),
            (devices, &[Timer::Manual, Timer::MaxOn]),
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
    }
}
