//! Entries of events: what the engine said that rules, devices, alerts and sensors did.

use harit_engine::{
    Cause, Command, DeviceId, Event, EventKind, LockKind, NodeSpec, ResolveReason, RuleId,
    RuleSpec, ScopeSpec, StopReason, Timestamp, WhenSpec,
};
use serde_json::{Value, json};

use super::{Before, Collecting};
use crate::log::{LogBody, LogKind, LogOrder, LogResult, LogType, Named, NewLogEntry};

/// How many of the sensors that fell silent together an entry names.
const MAX_SENSORS_NAMED: usize = 20;

impl Collecting<'_> {
    pub(super) fn event(&mut self, event: &Event) {
        let at = event.at;
        match &event.kind {
            EventKind::RuleFired { rule } => {
                self.rule(at, LogKind::RuleFired, rule, None, true);
                self.seen(at, rule, false);
            }
            EventKind::RuleBlocked { rule, reason } => {
                self.rule(at, LogKind::RuleBlocked, rule, Some(reason.as_str()), false);
            }
            EventKind::RuleStopped { rule, reason } => {
                self.rule(at, LogKind::RuleStopped, rule, Some(reason.as_str()), true);
                match reason {
                    StopReason::StopCondition => self.seen(at, rule, true),
                    StopReason::TriggerCleared => self.seen(at, rule, false),
                    StopReason::SignalLost | StopReason::RunEnded | StopReason::Deactivated => {}
                }
            }
            EventKind::StartSkipped {
                rule,
                reason,
                start,
                count,
            } => {
                self.rule(
                    at,
                    LogKind::StartSkipped,
                    rule,
                    Some(reason.as_str()),
                    false,
                );
                if let Some(entry) = self.entries.last_mut() {
                    entry.body.fact("start", start);
                    entry.body.fact("count", count);
                }
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
            EventKind::CommandHeld {
                device,
                reason,
                cause,
            } => {
                let mut body = self.of_device(LogKind::CommandHeld, device);
                if let Cause::Rule(rule) = cause {
                    body.rule = self.of_rule(LogKind::CommandHeld, rule).0.rule;
                }
                body.fact("reason", reason.as_str());
                self.add(at, LogType::RuleTrigger, body).result = LogResult::Failure;
            }
            EventKind::LimitReached { device, reason } => {
                let mut body = self.of_device(LogKind::LimitReached, device);
                body.fact("reason", reason.as_str());
                self.add(at, LogType::SafetyOverride, body);
            }
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

    /// Adds to the entry of a rule what the condition saw that started or stopped it. What was decided at an earlier instant
    /// than that of a reading was decided before the reading: then it is not known any more.
    fn seen(&mut self, at: Timestamp, id: &RuleId, stops: bool) {
        if !self.has_input && self.engine.clock() != Some(at) {
            return;
        }
        let Some(rule) = self.engine.rule(id.as_str()) else {
            return;
        };
        // Of a tree the first signal stands for what was seen.
        let RuleSpec {
            trigger,
            stop_condition,
            ..
        } = &rule.spec;
        let (of_trigger, of_stop) = (rule.spec.trigger_tree(), rule.spec.stop_tree());
        let stop = stop_condition.as_ref().and_then(WhenSpec::as_condition);
        let said = [(stop, of_stop), (trigger.as_condition(), of_trigger)].into_iter();
        let said = said.skip(usize::from(!stops));
        let mut signals = said.flat_map(|(alone, tree)| {
            let alone = alone.map(|c| (c.sensor_type, c.scope.as_ref()));
            let tree = tree.into_iter().flat_map(NodeSpec::signals);
            alone.into_iter().chain(tree)
        });
        let Some((sensor_type, named)) = signals.next() else {
            return;
        };
        let alone = rule
            .spec
            .trigger
            .as_condition()
            .and_then(|c| c.scope.as_ref());
        let place = named.or(alone).unwrap_or(&rule.spec.scope);
        let sight = self.engine.sight(place, sensor_type);
        if let Some((sight, mean)) = sight.and_then(|s| s.mean.map(|mean| (s, mean)))
            && let Some(entry) = self.entries.last_mut()
        {
            let reading = json!({
                "sensorType": sensor_type,
                "value": mean.shown(),
                "sensors": sight.fresh,
            });
            entry.body.fact("reading", reading);
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
            Cause::Limit => {
                on_it(e) && matches!(e.body.kind, LogKind::CommandHeld | LogKind::LimitReached)
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
            Cause::Lock | Cause::Safety | Cause::MaxOn | Cause::Limit | Cause::Stop => {
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
