//! From one input, and what the engine said to it, to entries.
//!
//! What one happening leads to in the same instant is one entry: a rule that fires and the commands of its actions, a person's
//! command and what was sent for it, a lock and the safe setting. What comes later (a delayed action, a device that a rule
//! has again) is an entry of its own, under its own instant.

use harit_engine::{
    Cause, Command, DeviceId, DeviceLock, DeviceSpec, Engine, Event, EventKind, Input, InputKind,
    Lock, LockKind, Manual, ManualKind, Owner, ResolveReason, RuleId, ScopeSpec, Status, Stop,
    StopScope, Timestamp,
};
use harit_protocol::Mac;

use serde_json::{Value, json};

use super::{LogBody, LogKind, LogOrder, LogResult, LogType, Named, NewLogEntry};

/// How many of the sensors that fell silent together an entry names.
const MAX_SENSORS_NAMED: usize = 20;

/// What an input may change so that it cannot be told from the engine's state after it.
#[derive(Debug, Clone)]
pub(crate) enum Before {
    /// Where a device stood.
    Device {
        online: bool,
        locks: Vec<DeviceLock>,
        safety: bool,
    },
    /// A rule that is to be deleted.
    Rule { rule: Named, scope: ScopeSpec },
    /// An alert that is to be deleted.
    Alert { alert: Named, scope: ScopeSpec },
}

impl Before {
    /// What is to be remembered before an input is applied.
    pub(crate) fn of(engine: &Engine, input: &Input) -> Option<Self> {
        match &input.kind {
            InputKind::Status { device, .. } => {
                let d = engine.device(device.as_str())?;
                Some(Self::Device {
                    online: d.online,
                    locks: d.locks,
                    safety: d.safety,
                })
            }
            InputKind::RuleDelete(id) => {
                let r = engine.rule(id.as_str())?;
                Some(Self::Rule {
                    rule: Named::new(id.as_str(), r.spec.name),
                    scope: r.spec.scope,
                })
            }
            InputKind::AlertDelete(id) => {
                let a = engine.alert(id.as_str())?;
                Some(Self::Alert {
                    alert: Named::new(id.as_str(), a.spec.name),
                    scope: a.spec.scope.unwrap_or_else(ScopeSpec::farm),
                })
            }
            _ => None,
        }
    }
}

/// The entries of an input and its events. `has_controller` says whether a device's coming and going is its controller's,
/// which has an entry of its own.
pub(crate) fn collect(
    engine: &Engine,
    input: Option<(&Input, Option<Before>)>,
    events: &[Event],
    has_controller: &dyn Fn(&DeviceId) -> bool,
) -> Vec<NewLogEntry> {
    let (input, before) = input.map_or((None, None), |(i, b)| (Some(i), b));
    let interesting = matches!(
        input.map(|i| &i.kind),
        Some(InputKind::Manual(_) | InputKind::Stop(_) | InputKind::Status { .. })
    );
    if events.is_empty() && !interesting {
        return Vec::new();
    }
    let mut all = Collecting {
        engine,
        before: before.as_ref(),
        entries: Vec::new(),
    };
    // The input's own entry comes first, so that its commands find it; timers that were due before it have earlier instants.
    if let Some(input) = input {
        let at = engine.clock().map_or(input.at, |clock| clock.max(input.at));
        match &input.kind {
            InputKind::Manual(manual) => all.manual(at, manual, events),
            InputKind::Stop(stop) => all.stop(at, stop),
            InputKind::Status { device, status } => {
                all.status(at, device, status, events, has_controller(device));
            }
            _ => {}
        }
    }
    for event in events {
        all.event(event);
    }
    all.entries
}

/// A controller came or went.
pub(crate) fn controller<'a>(
    engine: &Engine,
    at: Timestamp,
    mac: &Mac,
    online: bool,
    devices: impl Iterator<Item = &'a DeviceId>,
) -> NewLogEntry {
    let mut body = LogBody::new(if online {
        LogKind::ControllerOnline
    } else {
        LogKind::ControllerOffline
    });
    body.device = Some(Named::new(mac.to_string(), ""));
    let devices: Vec<_> = devices
        .filter_map(|id| engine.device(id.as_str()))
        .collect();
    let mut scopes = devices.iter().map(|d| &d.spec.scope);
    // its place is that of its devices, if they share one
    if let Some(first) = scopes.next()
        && scopes.all(|s| s == first)
    {
        body.scope = engine.labelled(first);
    }
    let names: Vec<String> = devices
        .into_iter()
        .map(|d| Named::new(d.spec.id.as_str(), d.spec.name).name)
        .collect();
    body.fact("devices", &names);
    NewLogEntry {
        at,
        log_type: LogType::DeviceOffline,
        result: LogResult::Success,
        body,
        also: names,
    }
}

struct Collecting<'a> {
    engine: &'a Engine,
    before: Option<&'a Before>,
    entries: Vec<NewLogEntry>,
}

impl Collecting<'_> {
    fn add(&mut self, at: Timestamp, log_type: LogType, body: LogBody) -> &mut NewLogEntry {
        self.entries.push(NewLogEntry {
            at,
            log_type,
            result: LogResult::Success,
            body,
            also: Vec::new(),
        });
        let last = self.entries.len() - 1;
        &mut self.entries[last]
    }

    /// A body about a device.
    fn of_device(&self, kind: LogKind, id: &DeviceId) -> LogBody {
        let mut body = LogBody::new(kind);
        let device = self.engine.device(id.as_str());
        body.scope = device
            .as_ref()
            .and_then(|d| self.engine.labelled(&d.spec.scope));
        let name = device.map(|d| d.spec.name).unwrap_or_default();
        body.device = Some(Named::new(id.as_str(), name));
        body
    }

    /// A body about a rule, and the names of the devices that it acts on.
    fn of_rule(&self, kind: LogKind, id: &RuleId) -> (LogBody, Vec<Named>) {
        let mut body = LogBody::new(kind);
        let mut devices: Vec<Named> = Vec::new();
        if let Some(status) = self.engine.rule(id.as_str()) {
            body.rule = Some(Named::new(id.as_str(), status.spec.name));
            body.scope = self.engine.labelled(&status.spec.scope);
            for action in &status.spec.actions {
                let device = self.device(&action.device_id);
                if !devices.contains(&device) {
                    devices.push(device);
                }
            }
        } else if let Some(Before::Rule { rule, scope }) = self.before
            && rule.id == id.as_str()
        {
            body.rule = Some(rule.clone());
            body.scope = self.engine.labelled(scope);
        } else {
            body.rule = Some(Named::new(id.as_str(), ""));
        }
        (body, devices)
    }

    fn device(&self, id: &DeviceId) -> Named {
        let name = self.engine.device(id.as_str()).map(|d| d.spec.name);
        Named::new(id.as_str(), name.unwrap_or_default())
    }

    fn manual(&mut self, at: Timestamp, manual: &Manual, events: &[Event]) {
        let kind = match manual.kind {
            ManualKind::Override => LogKind::Override,
            ManualKind::Pulse => LogKind::Pulse,
            ManualKind::Release => LogKind::Release,
        };
        let mut body = self.of_device(kind, &manual.device);
        body.by(manual.owner.as_deref());
        body.fact("action", &manual.action);
        body.fact("value", manual.value);
        body.fact("durationSec", manual.duration_sec);
        let refused = refusal(events, &manual.device);
        body.fact("refused", refused);
        let entry = self.add(at, LogType::ManualCommand, body);
        if refused.is_some() {
            entry.result = LogResult::Failure;
        }
    }

    /// A body about a lock of a device.
    fn of_lock(
        &self,
        kind: LogKind,
        id: &DeviceId,
        lock: &DeviceLock,
        by: Option<&Owner>,
    ) -> LogBody {
        let mut body = self.of_device(kind, id);
        body.by(by);
        body.fact("lock", &lock.reason);
        body.fact("lockKind", lock.kind);
        let owner = lock.owner.as_deref();
        body.fact("lockOf", owner.map(|o| Named::new(&*o.user_id, &*o.name)));
        body
    }

    /// One entry, however many devices a stop reaches.
    fn stop(&mut self, at: Timestamp, stop: &Stop) {
        let mut body = match &stop.scope {
            StopScope::Device(id) => self.of_device(LogKind::Stopped, id),
            StopScope::Place(scope) => LogBody {
                scope: self.engine.labelled(scope),
                ..LogBody::new(LogKind::Stopped)
            },
        };
        let place = body.device.as_ref().map(|d| d.name.clone());
        let scope = body.scope.as_ref().and_then(|s| s.name.clone());
        body.fact("place", place.or(scope));
        body.by(Some(&stop.owner));
        let ids = self.engine.devices_in(&stop.scope);
        let devices: Vec<_> = ids
            .iter()
            .filter_map(|id| self.engine.device(id.as_str()))
            .collect();
        body.fact("count", devices.len());
        // They are stopped when they come back, and nothing was sent to them.
        let away = devices.iter().filter(|d| !d.online);
        let away: Vec<String> = away.map(|d| name_of(&d.spec)).collect();
        body.fact("offline", Some(away).filter(|away| !away.is_empty()));
        let also = devices.iter().map(|d| name_of(&d.spec)).collect();
        self.add(at, LogType::SafetyOverride, body).also = also;
    }

    /// What changed of a device's status, as the engine has it now.
    fn status(
        &mut self,
        at: Timestamp,
        id: &DeviceId,
        status: &Status,
        events: &[Event],
        has_controller: bool,
    ) {
        let Some(Before::Device {
            online,
            locks,
            safety,
        }) = self.before
        else {
            return;
        };
        let Some(now) = self.engine.device(id.as_str()) else {
            return;
        };
        let owner = status.owner.as_deref();
        if now.online != *online && !has_controller {
            let kind = if now.online {
                LogKind::DeviceOnline
            } else {
                LogKind::DeviceOffline
            };
            let body = self.of_device(kind, id);
            self.add(at, LogType::DeviceOffline, body);
        }
        let by_engine = events
            .iter()
            .any(|e| matches!(&e.kind, EventKind::DeviceLocked { device, .. } if device == id));
        let refused = refusal(events, id);
        let opening = status.lock.as_ref().filter(|l| l.is_opening());
        let same = |a: &DeviceLock, b: &DeviceLock| a.kind == b.kind && whose(a) == whose(b);
        for lock in &now.locks {
            let known = |l: &DeviceLock| same(l, lock) && l.reason == lock.reason;
            let timed = by_engine && lock.kind == LockKind::MaxOn;
            if !locks.iter().any(known) && !timed {
                let body = self.of_lock(LogKind::Locked, id, lock, owner);
                self.add(at, LogType::SafetyOverride, body);
            }
        }
        for lock in locks.iter().filter(|_| opening.is_some()) {
            if !now.locks.iter().any(|l| same(l, lock)) {
                let mut body = self.of_lock(LogKind::Unlocked, id, lock, owner);
                let left: Vec<LockKind> = now.locks.iter().map(|l| l.kind).collect();
                body.fact("left", Some(left).filter(|left| !left.is_empty()));
                self.add(at, LogType::SafetyOverride, body);
            }
        }
        if opening.is_some() && refused.is_some() {
            let kept = locks.iter().find(|lock| match opening {
                Some(Lock::Open { kind, .. }) => lock.kind == *kind,
                _ => true,
            });
            let mut body = match kept {
                Some(lock) => self.of_lock(LogKind::Unlocked, id, lock, owner),
                None => self.of_device(LogKind::Unlocked, id),
            };
            body.fact("refused", refused);
            self.add(at, LogType::SafetyOverride, body).result = LogResult::Failure;
        }
        if now.safety != *safety {
            let kind = if now.safety {
                LogKind::SafetyOn
            } else {
                LogKind::SafetyOff
            };
            let mut body = self.of_device(kind, id);
            body.by(owner);
            self.add(at, LogType::SafetyOverride, body);
        }
    }

    fn event(&mut self, event: &Event) {
        let at = event.at;
        match &event.kind {
            EventKind::RuleFired { rule } => self.rule(at, LogKind::RuleFired, rule, None, true),
            EventKind::RuleBlocked { rule, reason } => {
                self.rule(at, LogKind::RuleBlocked, rule, Some(reason.as_str()), false);
            }
            EventKind::RuleStopped { rule, reason } => {
                self.rule(at, LogKind::RuleStopped, rule, Some(reason.as_str()), true);
            }
            EventKind::ActionMissed { rule, device } => {
                self.on_device(at, LogKind::ActionMissed, rule, device, None);
            }
            EventKind::CommandSuppressed {
                device,
                rule,
                reason,
            } => {
                self.on_device(
                    at,
                    LogKind::PulseSuppressed,
                    rule,
                    device,
                    Some(reason.as_str()),
                );
            }
            EventKind::Command(command) => self.command(at, command),
            EventKind::ManualEnded { device } => {
                let body = self.of_device(LogKind::ManualEnded, device);
                self.add(at, LogType::ManualCommand, body);
            }
            EventKind::DeviceLocked { device, reason } => {
                let mut body = self.of_device(LogKind::Locked, device);
                body.fact("lock", reason);
                body.fact("lockKind", LockKind::MaxOn);
                self.add(at, LogType::SafetyOverride, body);
            }
            EventKind::AlertRaised { alert } => {
                self.alert(at, LogKind::AlertRaised, alert.as_str(), None);
            }
            EventKind::AlertResolved { alert, reason } => {
                let reason = Some(*reason).filter(|r| *r != ResolveReason::Cleared);
                self.alert(at, LogKind::AlertResolved, alert.as_str(), reason);
            }
            EventKind::SensorExpired { sensor } => self.stale(at, sensor.as_str()),
            // told with what they answer; a repeated notification of a raised alert is no happening of its own
            _ => {}
        }
    }

    fn rule(
        &mut self,
        at: Timestamp,
        kind: LogKind,
        id: &RuleId,
        reason: Option<&str>,
        done: bool,
    ) {
        let (mut body, devices) = self.of_rule(kind, id);
        body.device = devices.first().cloned();
        body.fact("reason", reason);
        let entry = self.add(at, LogType::RuleTrigger, body);
        entry.also = devices.into_iter().map(|d| d.name).collect();
        if !done {
            entry.result = LogResult::Failure;
        }
    }

    /// What a rule wanted of a device and did not get.
    fn on_device(
        &mut self,
        at: Timestamp,
        kind: LogKind,
        rule: &RuleId,
        device: &DeviceId,
        reason: Option<&str>,
    ) {
        let mut body = self.of_device(kind, device);
        body.rule = self.of_rule(kind, rule).0.rule;
        body.fact("reason", reason);
        self.add(at, LogType::RuleTrigger, body).result = LogResult::Failure;
    }

    fn alert(&mut self, at: Timestamp, kind: LogKind, id: &str, reason: Option<ResolveReason>) {
        let mut body = LogBody::new(kind);
        let (alert, scope) = match (self.engine.alert(id), self.before) {
            (Some(a), _) => (Named::new(id, a.spec.name), a.spec.scope),
            (None, Some(Before::Alert { alert, scope })) if alert.id == id => {
                (alert.clone(), Some(scope.clone()))
            }
            (None, _) => (Named::new(id, ""), None),
        };
        body.scope = self.engine.labelled(&scope.unwrap_or_else(ScopeSpec::farm));
        body.fact("alert", alert);
        body.fact("reason", reason.map(ResolveReason::as_str));
        self.add(at, LogType::Other, body);
    }

    /// Sensors that fall silent together are told together.
    fn stale(&mut self, at: Timestamp, id: &str) {
        let spec = self.engine.sensor(id).map(|s| s.spec);
        let name = spec.as_ref().and_then(|s| s.name.clone());
        let sensor = Named::new(id, name.unwrap_or_default());
        let known = self
            .entries
            .iter_mut()
            .rev()
            .find(|e| e.at == at && e.body.kind == LogKind::SensorStale);
        if let Some(entry) = known {
            entry.body.scope = None;
            let count = entry.body.facts.get("count").and_then(Value::as_u64);
            entry.body.fact("count", count.unwrap_or(1) + 1);
            if let Some(Value::Array(named)) = entry.body.facts.get_mut("sensors")
                && named.len() < MAX_SENSORS_NAMED
            {
                named.push(json!(sensor));
            }
            return;
        }
        let mut body = LogBody::new(LogKind::SensorStale);
        body.scope = spec.and_then(|s| self.engine.labelled(&s.scope));
        body.fact("sensors", [&sensor]);
        body.fact("count", 1);
        self.add(at, LogType::Other, body);
    }

    /// A command goes to the entry that it follows from, or gets one.
    fn command(&mut self, at: Timestamp, command: &Command) {
        let device = self.device(command.device());
        let order = LogOrder {
            command_id: command.id().to_string(),
            device: device.clone(),
            action: command.order().action().to_owned(),
            value: command.order().value(),
        };
        let on_it = |e: &NewLogEntry| e.body.device.as_ref() == Some(&device);
        let manual = |e: &NewLogEntry| {
            matches!(
                e.body.kind,
                LogKind::Override | LogKind::Pulse | LogKind::Release
            )
        };
        let follows = |e: &NewLogEntry| match command.cause() {
            Cause::Rule(id) => {
                e.body.kind == LogKind::RuleFired
                    && e.body.rule.as_ref().is_some_and(|r| r.id == id.as_str())
            }
            Cause::Rest => {
                (e.body.kind == LogKind::RuleStopped && e.also.contains(&device.name))
                    || (on_it(e)
                        && (manual(e)
                            || matches!(e.body.kind, LogKind::ManualEnded | LogKind::Unlocked)))
            }
            // What opens a stop keeps the device off for a while.
            Cause::Manual => on_it(e) && (manual(e) || e.body.kind == LogKind::Unlocked),
            Cause::Stop if e.body.kind == LogKind::Stopped => true,
            Cause::Lock | Cause::MaxOn | Cause::Stop => {
                on_it(e) && matches!(e.body.kind, LogKind::Locked | LogKind::Unlocked)
            }
            Cause::Safety => {
                on_it(e)
                    && (manual(e) || matches!(e.body.kind, LogKind::SafetyOn | LogKind::Unlocked))
            }
            Cause::Corrected => false,
        };
        if let Some(entry) = self
            .entries
            .iter_mut()
            .rev()
            .find(|e| e.at == at && follows(e))
        {
            entry.body.orders.push(order);
            return;
        }
        let (log_type, kind) = match command.cause() {
            Cause::Rule(_) => (LogType::RuleTrigger, LogKind::RuleCommand),
            Cause::Rest => (LogType::RuleTrigger, LogKind::RestCommand),
            Cause::Manual => (LogType::ManualCommand, LogKind::Override),
            Cause::Lock | Cause::Safety | Cause::MaxOn | Cause::Stop => {
                (LogType::SafetyOverride, LogKind::SafeCommand)
            }
            Cause::Corrected => (LogType::SafetyOverride, LogKind::Corrected),
        };
        let mut body = self.of_device(kind, command.device());
        if let Cause::Rule(id) = command.cause() {
            body.rule = self.of_rule(kind, id).0.rule;
        }
        body.by(command.owner().map(|o| &**o));
        body.fact("cause", command.cause().as_str());
        body.orders.push(order);
        self.add(at, log_type, body);
    }
}

impl LogBody {
    /// Who did it, and why.
    fn by(&mut self, owner: Option<&Owner>) {
        if let Some(owner) = owner {
            self.user = Some(Named::new(&*owner.user_id, &*owner.name));
            self.fact("reason", owner.reason.as_deref());
        }
    }
}

fn name_of(device: &DeviceSpec) -> String {
    Named::new(device.id.as_str(), &*device.name).name
}

/// The id of the person whose lock it is, of a kind that each has his own of.
fn whose(lock: &DeviceLock) -> Option<&str> {
    lock.owner.as_deref().map(|o| &*o.user_id)
}

/// Why the engine refused what was asked of a device.
fn refusal(events: &[Event], id: &DeviceId) -> Option<&'static str> {
    events.iter().find_map(|e| match &e.kind {
        EventKind::CommandRefused { device, reason } if device == id => Some(reason.as_str()),
        _ => None,
    })
}
