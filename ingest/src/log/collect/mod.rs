//! From one input, and what the engine said to it, to entries.
//!
//! What one happening leads to in the same instant is one entry: a rule that fires and the commands of its actions, a person's
//! command and what was sent for it, a lock and the safe setting. What comes later (a delayed action, a device that a rule
//! has again) is an entry of its own, under its own instant.

mod events;
mod inputs;

use harit_engine::{
    DeviceId, DeviceLock, Engine, Event, Input, InputKind, Owner, RuleId, RulePhase, ScopeSpec,
    Timestamp,
};
use harit_protocol::Mac;

use super::{LogBody, LogKind, LogResult, LogType, Named, NewLogEntry};

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
    /// The farm's clock before an outage, and the rules whose holds ran.
    Outage { since: Timestamp, held: Vec<Named> },
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
            InputKind::Resumed => Some(Self::Outage {
                since: engine.clock()?,
                held: pending(engine),
            }),
            _ => None,
        }
    }
}

/// The rules whose triggers are being held, by id.
fn pending(engine: &Engine) -> Vec<Named> {
    let held = engine.rules();
    held.filter(|r| matches!(r.phase, RulePhase::Pending { .. }))
        .map(|r| Named::new(r.spec.id.as_str(), r.spec.name))
        .collect()
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
        Some(
            InputKind::Manual(_)
                | InputKind::Stop(_)
                | InputKind::Status { .. }
                | InputKind::Resumed
        )
    );
    if events.is_empty() && !interesting {
        return Vec::new();
    }
    let mut all = Collecting {
        engine,
        before: before.as_ref(),
        has_input: input.is_some(),
        entries: Vec::new(),
    };
    // The input's own entry comes first, so that its commands find it; timers that were due before it have earlier instants.
    if let Some(input) = input {
        let at = engine.clock().map_or(input.at, |clock| clock.max(input.at));
        match &input.kind {
            InputKind::Manual(manual) => all.manual(at, manual, events),
            InputKind::Stop(stop) => all.stop(at, stop),
            InputKind::Resumed => all.resumed(at),
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
    /// Whether it is an input that was applied: readings are none.
    has_input: bool,
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
