//! The day of a device, a rule or a polyhouse as lanes: it is looked at after each step of a span, and every change is kept with
//! its instant.

mod lane;
mod look;

use std::collections::BTreeMap;

use super::{Outcome, PartRole, Said, Step};
use crate::document::RuleSpec;
use crate::engine::Engine;
use crate::event::{Event, EventKind};
use crate::id::{AlertId, DeviceId, PolyhouseId, RuleId};
use crate::lock::DeviceLock;
use crate::quantity::Quantity;
use crate::status::HoldStatus;
use crate::time::Timestamp;
use crate::truth::Truth;

pub use lane::{Lane, LaneSpan};

/// Whose day it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A device, with the rules that name it.
    Device(DeviceId),
    /// A rule, with its devices.
    Rule(RuleId),
    /// A polyhouse, with its devices and the rules that name them: of devices what is reported and who decides, of rules where
    /// they stand.
    House(PolyhouseId),
}

/// What a controller reports of a device: whether it is on, and its value where it has one.
pub type Report = (bool, Option<Quantity>);

/// What a lane tells, in the order in which lanes are shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneKey {
    /// Where a rule stands.
    Phase(RuleId),
    /// The hold on a condition of a rule.
    Hold(RuleId, PartRole),
    /// What a leaf comes to: of the rule's document of that number within the span, in this condition, at this node.
    Leaf(RuleId, u32, PartRole, usize),
    /// What becomes of what the rule wants of a device.
    Outcome(DeviceId),
    /// What decides about a device.
    Decides(DeviceId),
    /// What a device is reported to do.
    Reported(DeviceId),
    /// Its locks.
    Locks(DeviceId),
    /// Whether its controller can be reached.
    Online(DeviceId),
    /// An alert of the place.
    Alert(AlertId),
    /// Whether the server ran.
    Server,
}

/// What is so in a span. What is not known has no span, but for what a condition does not know.
#[derive(Debug, Clone, PartialEq)]
pub enum LaneState {
    /// Where a rule stands.
    Phase(Standing),
    /// A hold that fills: as it was last.
    Hold(HoldStatus),
    /// What a leaf comes to.
    Truth(Truth),
    /// What becomes of what a rule that runs wants.
    Outcome(Outcome),
    /// The step that decides, as it was at first.
    Decides(Box<Step>),
    /// Whether it is on, and its value where one is reported.
    Reported(bool, Option<Quantity>),
    /// The locks that hold.
    Locked(Vec<DeviceLock>),
    /// Whether it can be reached.
    Online(bool),
    /// An alert is raised.
    Raised,
    /// The server did not run.
    Down,
}

/// Where a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is off or a draft.
    Inactive,
    /// It waits.
    Idle,
    /// Its trigger holds.
    Pending,
    /// It runs.
    Running,
}

/// Follows a device, a rule or a polyhouse through a span.
#[derive(Debug, Clone)]
pub struct LaneTracer {
    subject: Subject,
    from: Timestamp,
    at: Timestamp,
    lanes: BTreeMap<LaneKey, Lane>,
    /// What leaves say.
    said: BTreeMap<LaneKey, Said>,
    /// Each rule with how often its document changed.
    rules: BTreeMap<RuleId, (u32, RuleSpec)>,
    devices: Vec<DeviceId>,
    alerts: BTreeMap<AlertId, String>,
    /// What is reported of devices, by the last report.
    reports: BTreeMap<DeviceId, Report>,
    /// How many rules and devices are not followed.
    pub left_out: usize,
    /// Whether it was there at all.
    pub found: bool,
}

impl LaneTracer {
    /// Begins at an instant, with the farm as it is then and what controllers reported of devices before it.
    #[must_use]
    pub fn new(
        subject: Subject,
        engine: &Engine,
        from: Timestamp,
        reports: BTreeMap<DeviceId, Report>,
    ) -> Self {
        let mut tracer = Self {
            subject,
            from,
            at: from,
            lanes: BTreeMap::new(),
            said: BTreeMap::new(),
            rules: BTreeMap::new(),
            devices: Vec::new(),
            alerts: BTreeMap::new(),
            reports,
            left_out: 0,
            found: false,
        };
        tracer.know(engine);
        tracer.look(engine);
        tracer.look_at_alerts(engine);
        tracer
    }

    /// The span that was followed.
    #[must_use]
    pub const fn span(&self) -> (Timestamp, Timestamp) {
        (self.from, self.at)
    }

    /// The lanes in order.
    pub fn lanes(&self) -> impl Iterator<Item = (&LaneKey, &Lane)> {
        self.lanes.iter()
    }

    /// What a leaf says.
    #[must_use]
    pub fn said(&self, key: &LaneKey) -> Option<&Said> {
        self.said.get(key)
    }

    /// A rule's name, as it was last.
    #[must_use]
    pub fn rule_name(&self, id: &RuleId) -> Option<&str> {
        self.rules.get(id).map(|(_, spec)| spec.name.as_str())
    }

    /// An alert's name.
    #[must_use]
    pub fn alert_name(&self, id: &AlertId) -> Option<&str> {
        self.alerts.get(id).map(String::as_str)
    }

    /// Takes in what a controller reports of a device, none while it cannot be asked; the next step looks at it.
    pub fn report(&mut self, device: &DeviceId, report: Option<Report>) {
        match report {
            Some(report) => self.reports.insert(device.clone(), report),
            None => self.reports.remove(device),
        };
    }

    /// Follows a step to an instant: what was said in it, the farm afterwards, and whether documents or places may have changed.
    pub fn step(&mut self, engine: &Engine, at: Timestamp, events: &[Event], edited: bool) {
        self.at = self.at.max(at);
        if edited {
            self.know(engine);
        }
        self.look(engine);
        let of_alert = |e: &Event| {
            matches!(
                e.kind,
                EventKind::AlertRaised { .. } | EventKind::AlertResolved { .. }
            )
        };
        if edited || events.iter().any(of_alert) {
            self.look_at_alerts(engine);
        }
    }

    /// The server did not run from an instant until now: nothing is known of that time, whatever was followed of it.
    pub fn down(&mut self, since: Timestamp, until: Timestamp) {
        let since = since.max(self.from);
        self.lanes.values_mut().for_each(|lane| lane.end(since));
        let server = self.lanes.entry(LaneKey::Server).or_default();
        server.set(since, Some(LaneState::Down));
        server.set(until, None);
        self.at = until;
    }

    /// Ends the span.
    pub fn end(&mut self, at: Timestamp) {
        for lane in self.lanes.values_mut() {
            if let Some(last) = lane.spans.last_mut().filter(|_| lane.open) {
                last.to = last.to.max(at);
            }
            lane.spans.retain(|s| s.from < s.to);
        }
        self.at = self.at.max(at);
    }
}
