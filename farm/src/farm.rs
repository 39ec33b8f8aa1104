//! The farm: records in, effects out.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use harit_engine::{
    Cause, DeviceId, Engine, Event, EventKind, FarmId, Input, InputKind, Measured, Problems,
    RegistryChange, SentOrder, Setting, Timestamp, planted,
};
use harit_protocol::{Mac, Reject, Report, TypeWord};

use crate::authored::{Authored, AuthoredEntry};
use crate::controllers::{self, Controllers, Decision, Registration};
use crate::delivery::{self, Delivery};
use crate::observer::{Applied, Effect, Observer, Reading};
use crate::record::{Record, Telemetry};
use crate::reported;

/// One farm; see the crate.
#[derive(Debug, Clone)]
pub struct Farm {
    id: FarmId,
    pub(crate) engine: Engine,
    pub(crate) controllers: Controllers,
    pub(crate) delivery: Delivery,
    pub(crate) authored: Authored,
    /// Why it failed: then nothing is decided any more.
    failed: Option<String>,
    events: Vec<Event>,
    values: Vec<(u32, Measured)>,
}

impl Farm {
    /// A farm of whose controllers nothing is known but what the engine has registered.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self {
            id: engine.farm_id().clone(),
            controllers: Controllers::of(&engine),
            delivery: Delivery::default(),
            authored: Authored::default(),
            engine,
            failed: None,
            events: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> &FarmId {
        &self.id
    }

    /// Its engine.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Its engine alone, for what controllers have no part in.
    #[must_use]
    pub fn into_engine(self) -> Engine {
        self.engine
    }

    /// Its controllers.
    #[must_use]
    pub const fn controllers(&self) -> &Controllers {
        &self.controllers
    }

    /// Its commands.
    #[must_use]
    pub const fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// What people changed last, the latest at the end; at most [`crate::KEPT_ENTRIES`].
    #[must_use]
    pub const fn authored(&self) -> &VecDeque<AuthoredEntry> {
        self.authored.latest()
    }

    /// Why it failed, if it did: a panic, that is, a fault of this program.
    #[must_use]
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Whether a controller, or a device of it, counts as online.
    #[must_use]
    pub fn is_present(&self, mac: Mac) -> bool {
        let online = |d: &DeviceId| self.engine.device_online(d.as_str()) == Some(true);
        let c = self.controllers.find(mac);
        c.is_some_and(|c| {
            self.controllers.get(c).online || self.controllers.devices_of(c).any(online)
        })
    }

    /// Decides nothing for it any more, for a reason that lies outside.
    pub fn isolate(&mut self, why: &str) {
        self.failed = Some(why.to_owned());
    }

    /// When something is due: then a [`InputKind::Tick`] is to be applied.
    pub fn next_deadline(&mut self) -> Option<Timestamp> {
        self.guarded(|farm| {
            let drift = farm.controllers.next_deadline(&farm.engine);
            let delivery = farm.delivery.next_deadline();
            let engine = farm.engine.next_deadline();
            engine.into_iter().chain(drift).chain(delivery).min()
        })
        .flatten()
    }

    /// Applies a record at an instant that is never before that of the last one, and tells what follows from it. Where that
    /// panics the farm has failed: of what comes later only readings are told, for the history.
    pub fn apply(&mut self, at: Timestamp, record: Record<'_>, observer: &mut impl Observer) {
        if let Record::Telemetry(telemetry) = record {
            return self.telemetry(at, telemetry, observer);
        }
        self.guarded(|farm| match record {
            Record::Controller { mac, scope } => {
                let c = farm.controllers.controller(mac);
                farm.controllers.place(c, scope);
            }
            Record::Telemetry(_) => {}
            Record::Report { mac, report } => {
                let c = farm.controllers.controller(mac);
                farm.controllers.seen(c, at);
                farm.report(at, c, report, observer);
            }
            Record::Gone { mac } => farm.gone(at, mac, observer),
            Record::Ack { mac, ack } => {
                let c = farm.controllers.controller(mac);
                farm.controllers.seen(c, at);
                let Self {
                    controllers,
                    delivery,
                    ..
                } = farm;
                let reported = |d: &DeviceId| controllers.device(d)?.1.reported;
                let outcome = delivery.ack(at, mac, ack, reported, observer);
                observer.effect(Effect::Ack(outcome));
            }
            Record::Unsent { commands } => {
                for command in commands {
                    farm.delivery.unsent(at, *command, observer);
                }
            }
            Record::WayOut => farm.delivery.way_out(at, observer),
            Record::Input(input) => farm.person_or_time(at, input, observer),
            Record::Authored { input, entry } => {
                if farm.input(at, input, observer) {
                    farm.authored.push(at, entry);
                }
            }
        });
    }

    /// Does something that must not take the whole server with it.
    fn guarded<R>(&mut self, what: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.failed.is_some() {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| what(self))) {
            Ok(r) => Some(r),
            Err(panic) => {
                let text = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied());
                self.failed = Some(text.unwrap_or("a panic").to_owned());
                None
            }
        }
    }

    fn person_or_time(&mut self, at: Timestamp, input: &Input, observer: &mut impl Observer) {
        match &input.kind {
            InputKind::Reading { sensor, value } => {
                let Self {
                    engine,
                    controllers,
                    ..
                } = self;
                // One search by name: which sensor of the engine that is, the controllers remember.
                let number = controllers.number_of(sensor.as_str()).filter(|n| {
                    let known = controllers.sensor_mut(*n);
                    known.is_some_and(|s| s.index(engine).is_some())
                });
                match number {
                    Some(n) => self.readings(at, input.at, false, &[(n, *value)], observer),
                    // Of no sensor that is known: it moves the clock.
                    None => {
                        self.input(at, input, observer);
                    }
                }
            }
            InputKind::Tick => {
                self.input(at, input, observer);
                let due = self.controllers.overdue(&self.engine, at);
                self.carry_out(at, due, observer);
                let engine = &self.engine;
                let is_on = |device: &DeviceId| {
                    let is = engine.device_ref(device.as_str());
                    is.is_some_and(|d| d.online && d.last_sent.is_some_and(Setting::is_on))
                };
                self.delivery.due(at, is_on, observer);
            }
            InputKind::Resumed => {
                self.controllers.resumed(at);
                self.input(at, input, observer);
            }
            _ => {
                self.input(at, input, observer);
            }
        }
    }

    /// Applies an input of the engine: the controllers follow what it registers, its commands go out. False where the engine
    /// refuses it.
    fn input(&mut self, at: Timestamp, input: &Input, observer: &mut impl Observer) -> bool {
        observer.before(&self.engine, input);
        let result = self.engine.apply(input, &mut self.events);
        if let (InputKind::Registry(changes), Ok(())) = (&input.kind, &result) {
            self.controllers.follow(changes);
        }
        self.applied(at, Some((input, &result)), observer);
        if let (InputKind::Registry(changes), Ok(())) = (&input.kind, &result) {
            for change in changes {
                let device = match change {
                    RegistryChange::DeleteDevice(id) => id,
                    RegistryChange::PutDevice(spec) => &spec.id,
                    _ => continue,
                };
                // Gone, or another controller's by now: what it was told does not count any more.
                let mac = self.controllers.target(device).map(|(mac, _)| mac);
                let sent_to = self.delivery.sent_to(device);
                let deleted = matches!(change, RegistryChange::DeleteDevice(_));
                if deleted || sent_to.is_some_and(|to| Some(to) != mac) {
                    self.delivery.forget(at, device, observer);
                }
            }
        }
        let taken = result.is_ok();
        let names_devices = matches!(
            input.kind,
            InputKind::Registry(_) | InputKind::RulePut(_) | InputKind::AlertPut(_)
        );
        if taken && names_devices {
            for (device, status) in self.controllers.unread(&self.engine) {
                let kind = InputKind::Status { device, status };
                self.input(at, &Input { at, kind }, observer);
            }
        }
        taken
    }

    /// Tells what the engine said, and sends its commands.
    fn applied(
        &mut self,
        at: Timestamp,
        input: Option<(&Input, &Result<(), Problems>)>,
        observer: &mut impl Observer,
    ) {
        let Self {
            id,
            engine,
            controllers,
            delivery,
            events,
            ..
        } = self;
        observer.applied(Applied {
            engine,
            controllers,
            input,
            events,
        });
        for event in &*events {
            let EventKind::Command(command) = &event.kind else {
                continue;
            };
            observer.effect(Effect::Commanded(command));
            let rule_name = match command.cause() {
                Cause::Rule(rule) => engine.rule_name(rule.as_str()),
                _ => None,
            };
            let target = controllers.target(command.device());
            let new = delivery::New {
                farm: id,
                at: event.at,
                command,
                rule_name,
                target: target.map(|(mac, local)| (mac, local.into())),
            };
            delivery.decided(at, new, observer);
            if let SentOrder::Set(_) = command.order() {
                controllers.commanded(command.device(), event.at);
            }
        }
        events.clear();
    }

    /// A message with values of a controller's sensors.
    fn telemetry(&mut self, at: Timestamp, message: Telemetry<'_>, observer: &mut impl Observer) {
        let c = self.controllers.controller(message.mac);
        self.controllers.seen(c, at);
        if let Some(number) = message.number
            && self.controllers.get_mut(c).repeats(number)
            && !planted!(RepeatedMessageCounts)
        {
            // A repeated delivery says nothing new, and must not count as a new sample.
            return observer.effect(Effect::Repeated);
        }
        let key = |k: u32| message.keys.get(k as usize);
        let twice = controllers::repeated_types(message.items.iter().filter_map(|(k, _)| key(*k)));
        let mut new = Registration::default();
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for (k, value) in message.items {
            let Some(key) = key(*k) else { continue };
            let ambiguous = key.id.is_none()
                && matches!(key.sensor_type, TypeWord::Known(t) if twice & 1_u64 << t as u32 != 0);
            let found = if ambiguous {
                Err(Reject::Ambiguous)
            } else {
                let engine = &self.engine;
                self.controllers.resolve(engine, c, key, &mut new)
            };
            match found {
                Ok(sensor) => values.push((sensor, *value)),
                Err(reject) => observer.effect(Effect::Refused(reject)),
            }
        }
        if self.register(at, new, observer) {
            self.readings(at, message.at, message.backlog, &values, observer);
        } else {
            observer.effect(Effect::Refused(Reject::Refused));
        }
        self.values = values;
    }

    /// Values of one instant, each with the number of its sensor.
    fn readings(
        &mut self,
        at: Timestamp,
        true_at: Timestamp,
        backlog: bool,
        values: &[(u32, Measured)],
        observer: &mut impl Observer,
    ) {
        for (number, value) in values {
            if let Some(sensor) = self.controllers.sensor(*number) {
                let reading = Reading {
                    at: true_at,
                    value: *value,
                    backlog,
                };
                observer.reading(*number, sensor, reading);
            }
        }
        if backlog {
            return;
        }
        self.guarded(|farm| {
            let Self {
                engine,
                controllers,
                events,
                ..
            } = farm;
            let known = |(number, _): &(u32, _)| controllers.sensor_mut(*number)?.index(engine);
            engine.load(values.iter().filter_map(known));
            for (number, value) in values {
                let Some(sensor) = controllers.sensor_mut(*number) else {
                    continue;
                };
                let outcome = match sensor.index(engine) {
                    Some(ix) => engine.apply_reading(true_at, ix, *value, events),
                    None => {
                        // Deleted by a person: it still moves the clock.
                        let kind = InputKind::Reading {
                            sensor: sensor.id.clone(),
                            value: *value,
                        };
                        // A reading is refused nowhere.
                        let _ = engine.apply(&Input { at: true_at, kind }, events);
                        harit_engine::ReadingOutcome::Unknown
                    }
                };
                observer.outcome(outcome);
            }
            farm.applied(at, None, observer);
        });
    }

    /// Registers what a controller has that is new. False where the engine refuses it: then all of it is not there.
    fn register(&mut self, at: Timestamp, new: Registration, observer: &mut impl Observer) -> bool {
        for reject in new.rejected {
            observer.effect(Effect::Refused(reject));
        }
        if new.changes.is_empty() {
            return true;
        }
        let input = Input {
            at,
            kind: InputKind::Registry(new.changes),
        };
        let taken = self.guarded(|farm| {
            observer.before(&farm.engine, &input);
            let result = farm.engine.apply(&input, &mut farm.events);
            let taken = result.is_ok();
            farm.applied(at, Some((&input, &result)), observer);
            taken
        });
        if taken != Some(true)
            && let InputKind::Registry(changes) = &input.kind
        {
            self.controllers.unfollow(&self.engine, changes);
        }
        // Of a farm that has failed the readings are told all the same.
        taken.unwrap_or(true)
    }

    /// A controller said what it is and has.
    fn report(&mut self, at: Timestamp, c: u32, report: &Report, observer: &mut impl Observer) {
        let decided = self.controllers.judge(&self.engine, c, at, report);
        let new = self.controllers.registration(&self.engine, c, report);
        if !self.register(at, new, observer) {
            observer.effect(Effect::Refused(Reject::Refused));
        }
        let statuses = self.controllers.statuses(&self.engine, c, report);
        let changed = self.controllers.remember(c, at, report);
        for (device, status) in statuses {
            let kind = InputKind::Status { device, status };
            self.input(at, &Input { at, kind }, observer);
        }
        self.carry_out(at, decided, observer);
        let Self {
            engine,
            controllers,
            delivery,
            ..
        } = self;
        reported::tell(controllers, delivery, at, c, report, observer);
        let mac = controllers.get(c).mac;
        if report.online {
            let counts_on = |device: &DeviceId| {
                let is = engine.device_ref(device.as_str());
                is.filter(|d| d.online).and_then(|d| d.last_sent)
            };
            delivery.controller_seen(at, mac, counts_on, observer);
        }
        if changed {
            let online = report.online;
            observer.effect(Effect::Presence { mac, online });
        }
    }

    /// The last connection of a controller is lost.
    fn gone(&mut self, at: Timestamp, mac: Mac, observer: &mut impl Observer) {
        if self.is_present(mac)
            && let Some(c) = self.controllers.find(mac)
        {
            self.report(at, c, &Report::OFFLINE, observer);
        }
    }

    /// Does what was decided about devices that do not do what they should.
    fn carry_out(&mut self, at: Timestamp, all: Vec<Decision>, observer: &mut impl Observer) {
        for decision in all {
            self.controllers.note(&decision, at);
            if let Some(kind) = decision.input() {
                self.input(at, &Input { at, kind }, observer);
            }
        }
    }
}
