//! The state of a farm: what is known of its sensors, devices, rules and alerts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::almanac::Almanac;
use crate::curve::Following;
use crate::document::{AlertDoc, DeviceDoc, Locks, Polyhouse, RuleDoc, SensorDoc, Setting};
use crate::duty::Duty;
use crate::hours::Hours;
use crate::limits::Groups;
use crate::mutation::Mutation;
use crate::setpoint::Setpoints;
use crate::tree::Branches;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sensor {
    pub(crate) doc: SensorDoc,
    /// The fresh value in millionths, and its own timestamp.
    pub(crate) value: Option<(i64, i64)>,
    /// The own timestamp of the newest reading that was not late, faults included.
    pub(crate) newest: Option<i64>,
    /// Faults in a row that count.
    pub(crate) faults: u32,
}

impl Sensor {
    pub(crate) fn new(doc: SensorDoc) -> Self {
        Self {
            doc,
            value: None,
            newest: None,
            faults: 0,
        }
    }

    pub(crate) fn expiry(&self) -> Option<i64> {
        self.value.map(|(_, at)| at + self.doc.stale_ms)
    }
}

/// How far back pulses count.
pub(crate) const PULSE_WINDOW_MS: i64 = 3_600_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) rule: String,
    pub(crate) at: i64,
    pub(crate) setting: Setting,
    pub(crate) priority: i64,
    /// Of the rule's scope; smaller is narrower.
    pub(crate) width: u8,
    /// When it ends by itself.
    pub(crate) until: Option<i64>,
    /// How long it outlasts its run.
    pub(crate) linger_ms: Option<i64>,
    /// How it follows its curve, if it does.
    pub(crate) following: Option<Following>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ManualMode {
    pub(crate) until: i64,
    /// An override's; a pulse has none.
    pub(crate) setting: Option<Setting>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Device {
    pub(crate) doc: DeviceDoc,
    pub(crate) online: bool,
    /// Whether it was last reported to be on.
    pub(crate) running: Option<bool>,
    pub(crate) locks: Locks,
    pub(crate) safety: bool,
    pub(crate) manual: Option<ManualMode>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) was_claimed: bool,
    pub(crate) was_commanded: bool,
    pub(crate) last_sent: Option<Setting>,
    pub(crate) on_since: Option<i64>,
    /// When, and for how many seconds.
    pub(crate) pulses: Vec<(i64, i64)>,
    pub(crate) duty: Duty,
}

impl Device {
    pub(crate) fn new(doc: DeviceDoc) -> Self {
        Self {
            online: doc.online,
            duty: Duty::new(doc.online),
            running: None,
            locks: doc.locks.clone(),
            safety: doc.safety,
            doc,
            manual: None,
            claims: Vec::new(),
            was_claimed: false,
            was_commanded: false,
            last_sent: None,
            on_since: None,
            pulses: Vec::new(),
        }
    }

    pub(crate) fn is_locked(&self) -> bool {
        !self.locks.is_empty()
    }

    pub(crate) fn holds(&self, kind: &str) -> bool {
        self.locks.keys().any(|(k, _)| k == kind)
    }

    pub(crate) fn max_on_deadline(&self) -> Option<i64> {
        Some(self.on_since? + self.doc.max_on_ms?)
    }
}

/// How long a condition has been TRUE on evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hold {
    pub(crate) start: i64,
    pub(crate) samples: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    Idle,
    Pending(Hold),
    Running {
        hold: Option<Hold>,
        unknown_since: Option<i64>,
        /// When each is due, and its place in the list of actions.
        actions: Vec<(i64, usize)>,
        /// When its run ends.
        until: Option<i64>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) doc: Arc<RuleDoc>,
    pub(crate) phase: Phase,
    pub(crate) branches: Branches,
    /// The instant up to which starts are handled or do not count.
    pub(crate) handled: i64,
}

impl Rule {
    pub(crate) fn new(doc: RuleDoc, now: i64) -> Self {
        Self {
            doc: Arc::new(doc),
            phase: Phase::Idle,
            branches: Branches::new(),
            handled: now,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running { .. })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alert {
    pub(crate) doc: Arc<AlertDoc>,
    pub(crate) raised: bool,
    pub(crate) hold: Option<Hold>,
    /// When the next notification falls due, while it is raised.
    pub(crate) next: Option<i64>,
    /// Whether one was sent since the joined condition became UNKNOWN.
    pub(crate) told_no_data: bool,
    /// The sensors on whose values it is raised; empty for those without evidence.
    pub(crate) remembered: BTreeSet<String>,
    pub(crate) branches: Branches,
}

impl Alert {
    pub(crate) fn new(doc: Arc<AlertDoc>) -> Self {
        Self {
            doc,
            raised: false,
            hold: None,
            next: None,
            told_no_data: false,
            remembered: BTreeSet::new(),
            branches: Branches::new(),
        }
    }
}

/// The model of one farm.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) farm: String,
    pub(crate) min_samples: i64,
    pub(crate) groups: Groups,
    /// The documents of groups' hours.
    pub(crate) group_hours: BTreeMap<String, Value>,
    /// By device.
    pub(crate) hours: BTreeMap<String, Vec<Hours>>,
    pub(crate) setpoints: Setpoints,
    /// When each of them has another value than just before.
    pub(crate) steps: BTreeMap<String, BTreeSet<i64>>,
    pub(crate) polyhouses: Vec<Polyhouse>,
    pub(crate) sensors: BTreeMap<String, Sensor>,
    pub(crate) devices: BTreeMap<String, Device>,
    pub(crate) rules: BTreeMap<String, Rule>,
    pub(crate) alerts: BTreeMap<String, Alert>,
    pub(crate) almanac: Almanac,
    /// When each alert was last notified, also of those that were deleted.
    pub(crate) notified: BTreeMap<String, i64>,
    pub(crate) commands: u64,
    pub(crate) clock: Option<i64>,
    /// The instant of the round that is being run.
    pub(crate) now: i64,
    pub(crate) touched: BTreeSet<String>,
    pub(crate) pulsed: BTreeSet<String>,
    /// The devices with limits, or that others need, that are looked at.
    pub(crate) looked: BTreeSet<String>,
    /// The device of which the input says that it does not do what it should.
    pub(crate) corrected: Option<String>,
    pub(crate) mutation: Option<Mutation>,
    /// What happened since the input was applied.
    pub(crate) events: Vec<Value>,
}

impl Model {
    /// The same farm with a deliberate mistake.
    #[must_use]
    pub fn with_mutation(self, mutation: Mutation) -> Self {
        let mut model = Self {
            mutation: Some(mutation),
            ..self
        };
        model.find_steps();
        model.find_hours();
        model
    }

    /// The farm's clock.
    #[must_use]
    pub fn clock(&self) -> Option<i64> {
        self.clock
    }

    /// Adds an event at the round's instant.
    pub(crate) fn emit(&mut self, event: &str, fields: &Value) {
        let mut line = serde_json::json!({"at": self.now, "event": event});
        if let (Some(line), Some(fields)) = (line.as_object_mut(), fields.as_object()) {
            line.extend(fields.clone());
        }
        self.events.push(line);
    }

    pub(crate) fn device_mut(&mut self, id: &str) -> &mut Device {
        match self.devices.get_mut(id) {
            Some(device) => device,
            None => unreachable!("documents and inputs with unknown devices are malformed"),
        }
    }

    pub(crate) fn device_ids(&self) -> Vec<String> {
        self.devices.keys().cloned().collect()
    }

    /// The ids of all rules, strongest first, then by id.
    pub(crate) fn rules_in_order(&self) -> Vec<String> {
        let mut rules: Vec<_> = self
            .rules
            .values()
            .map(|r| (-r.doc.priority, r.doc.id.clone()))
            .collect();
        rules.sort();
        rules.into_iter().map(|(_, id)| id).collect()
    }

    pub(crate) fn alert_ids(&self) -> Vec<String> {
        self.alerts.keys().cloned().collect()
    }
}
