//! From one input, and what the engine said to it, to entries.
//!
//! What one happening leads to in the same instant is one entry: a rule that fires and the commands of its actions, a person's
//! command and what was sent for it, a lock and the safe setting. What comes later (a delayed action, a device that a rule
//! has again) is an entry of its own, under its own instant.

use harit_engine::{
    Cause, Command, DeviceId, Engine, Event, EventKind, Input, InputKind, Manual, ManualKind,
    Owner, RuleId, ScopeSpec, Status, Timestamp,
};

use serde_json::{Value, json};

use super::{LogBody, LogKind, LogOrder, LogResult, LogType, Named, NewLogEntry};
use crate::mac::Mac;

/// How many of the sensors that fell silent together an entry names.
const MAX_SENSORS_NAMED: usize = 20;

/// What an input may change so that it cannot be told from the engine's state after it.
#[derive(Debug, Clone)]
pub(crate) enum Before {
    /// Where a device stood.
    Device {
        online: bool,
        lock: Option<std::sync::Arc<str>>,
        safety: bool,
    },
    /// A rule that is to be deleted.
    Rule { rule: Named, scope: ScopeSpec },
}

impl Before {
    /// What is to be remembered before an input is applied.
    pub(crate) fn of(engine: &Engine, input: &Input) -> Option<Self> {
        match &input.kind {
            InputKind::Status { device, .. } => {
                let d = engine.device(device.as_str())?;
                Some(Self::Device {
                    online: d.online,
                    lock: d.lock,
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
        Some(InputKind::Manual(_) | InputKind::Status { .. })
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
            lock,
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
        if (now.lock != *lock && !by_engine) || (status.lock.is_some() && refused.is_some()) {
            let kind = if now.lock.is_some() && refused.is_none() {
                LogKind::Locked
            } else {
                LogKind::Unlocked
            };
            let mut body = self.of_device(kind, id);
            body.by(owner);
            body.fact("lock", if now.lock.is_some() { &now.lock } else { lock });
            body.fact("refused", refused);
            let entry = self.add(at, LogType::SafetyOverride, body);
            if refused.is_some() {
                entry.result = LogResult::Failure;
            }
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
                self.add(at, LogType::SafetyOverride, body);
            }
            EventKind::AlertRaised { alert } => {
                self.alert(at, LogKind::AlertRaised, alert.as_str());
            }
            EventKind::AlertResolved { alert } => {
                self.alert(at, LogKind::AlertResolved, alert.as_str());
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

    fn alert(&mut self, at: Timestamp, kind: LogKind, id: &str) {
        let mut body = LogBody::new(kind);
        let alert = self.engine.alert(id).map(|a| a.spec);
        let scope = alert.as_ref().and_then(|a| a.scope.clone());
        body.scope = self.engine.labelled(&scope.unwrap_or_else(ScopeSpec::farm));
        let name = alert.map(|a| a.name).unwrap_or_default();
        body.fact("alert", Named::new(id, name));
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
            Cause::Manual => on_it(e) && manual(e),
            Cause::Lock | Cause::MaxOn => on_it(e) && e.body.kind == LogKind::Locked,
            Cause::Safety => on_it(e) && (manual(e) || e.body.kind == LogKind::SafetyOn),
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
            Cause::Lock | Cause::Safety | Cause::MaxOn => {
                (LogType::SafetyOverride, LogKind::SafeCommand)
            }
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

/// Why the engine refused what was asked of a device.
fn refusal(events: &[Event], id: &DeviceId) -> Option<&'static str> {
    events.iter().find_map(|e| match &e.kind {
        EventKind::CommandRefused { device, reason } if device == id => Some(reason.as_str()),
        _ => None,
    })
}
