//! The day of a device or a rule as lanes: it is looked at after each step of a span, and every change is kept with its instant.

use std::collections::{BTreeMap, BTreeSet};

use super::{Outcome, PartExplanation, PartRole, Said, Step, StepKind};
use crate::document::{AlertSpec, ScopeSpec};
use crate::engine::Engine;
use crate::event::{Event, EventKind};
use crate::id::{AlertId, DeviceId, RuleId};
use crate::lock::DeviceLock;
use crate::status::{HoldStatus, RulePhase};
use crate::time::Timestamp;
use crate::truth::Truth;

/// The most spans of a lane; what comes after them is not known.
const MAX_SPANS: usize = 1_500;
/// The most rules that are followed of a device.
const MAX_RULES: usize = 16;

/// Whose day it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A device, with the rules that name it.
    Device(DeviceId),
    /// A rule, with its devices.
    Rule(RuleId),
}

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
    /// Whether it is on.
    Reported(bool),
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

impl LaneState {
    /// Whether it goes on as another look tells it.
    fn goes_on(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Decides(a), Self::Decides(b)) => {
                a.setting == b.setting && same(&a.what, &b.what)
            }
            (Self::Hold(a), Self::Hold(b)) => (a.hold_since, a.length) == (b.hold_since, b.length),
            _ => self == other,
        }
    }
}

fn same(a: &StepKind, b: &StepKind) -> bool {
    match (a, b) {
        (StepKind::Claim { claim: a, .. }, StepKind::Claim { claim: b, .. }) => a.rule == b.rule,
        (StepKind::Manual(a), StepKind::Manual(b)) => a.owner == b.owner,
        _ => a == b,
    }
}

/// A time in which nothing of a lane changed.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneSpan {
    /// From when; of the first it may have begun earlier.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// What was so.
    pub state: LaneState,
}

/// A lane.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lane {
    /// Its spans in order; between them nothing is known, or there is nothing to tell.
    pub spans: Vec<LaneSpan>,
    /// From when on it is not known, because it changed too often.
    pub cut: Option<Timestamp>,
    open: bool,
}

impl Lane {
    fn set(&mut self, at: Timestamp, state: Option<LaneState>) {
        if self.open
            && let Some(last) = self.spans.last_mut()
        {
            last.to = last.to.max(at);
            if let Some(state) = &state
                && last.state.goes_on(state)
            {
                if let LaneState::Hold(_) = state {
                    last.state = state.clone();
                }
                return;
            }
            self.open = false;
            if last.from == last.to {
                self.spans.pop();
            }
        }
        let (Some(state), None) = (state, self.cut) else {
            return;
        };
        if self.spans.len() >= MAX_SPANS {
            self.cut = Some(at);
            return;
        }
        let before = self.spans.last_mut();
        match before.filter(|last| last.to == at && last.state.goes_on(&state)) {
            Some(_) => {}
            None => self.spans.push(LaneSpan {
                from: at,
                to: at,
                state,
            }),
        }
        self.open = true;
    }

    /// Forgets what it has after an instant.
    fn end(&mut self, at: Timestamp) {
        self.spans.retain(|s| s.from < at);
        if let Some(last) = self.spans.last_mut() {
            last.to = last.to.min(at);
        }
        self.open = false;
    }
}

/// Follows a device or a rule through a span.
#[derive(Debug, Clone)]
pub struct LaneTracer {
    subject: Subject,
    from: Timestamp,
    at: Timestamp,
    lanes: BTreeMap<LaneKey, Lane>,
    /// What leaves say.
    said: BTreeMap<LaneKey, Said>,
    /// Each rule with how often its document changed.
    rules: BTreeMap<RuleId, (u32, crate::document::RuleSpec)>,
    devices: Vec<DeviceId>,
    alerts: BTreeMap<AlertId, String>,
    /// How many rules of the device are not followed.
    pub left_out: usize,
    /// Whether it was there at all.
    pub found: bool,
}

impl LaneTracer {
    /// Begins at an instant, with the farm as it is then.
    #[must_use]
    pub fn new(subject: Subject, engine: &Engine, from: Timestamp) -> Self {
        let mut tracer = Self {
            subject,
            from,
            at: from,
            lanes: BTreeMap::new(),
            said: BTreeMap::new(),
            rules: BTreeMap::new(),
            devices: Vec::new(),
            alerts: BTreeMap::new(),
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

    /// Finds what belongs to it.
    fn know(&mut self, engine: &Engine) {
        let rules: Vec<RuleId> = match &self.subject {
            Subject::Rule(id) => vec![id.clone()],
            Subject::Device(id) => {
                let names = |a: &crate::document::ActionSpec| a.device_id == *id;
                let all = { engine.rules() }.filter(|r| r.spec.actions.iter().any(names));
                all.map(|r| r.spec.id).collect()
            }
        };
        let known: BTreeSet<RuleId> = self.rules.keys().cloned().collect();
        let new = rules.into_iter().filter(|id| !known.contains(id));
        let mut room = MAX_RULES.saturating_sub(known.len());
        let mut left_out = 0;
        for id in new {
            let Some(status) = engine.rule(id.as_str()) else {
                continue;
            };
            match room {
                0 => left_out += 1,
                _ => {
                    room -= 1;
                    self.rules.insert(id, (0, status.spec));
                }
            }
        }
        self.left_out = left_out;
        self.devices = match &self.subject {
            Subject::Device(id) => vec![id.clone()],
            Subject::Rule(id) => {
                let actions = engine.rule(id.as_str()).map(|r| r.spec.actions);
                let named = { actions.into_iter().flatten() }.map(|a| a.device_id);
                let named = self.devices.iter().cloned().chain(named);
                let found: BTreeSet<DeviceId> = named.collect();
                found.into_iter().collect()
            }
        };
    }

    fn set(&mut self, key: LaneKey, state: Option<LaneState>) {
        if state.is_none() && !self.lanes.contains_key(&key) {
            return;
        }
        self.lanes.entry(key).or_default().set(self.at, state);
    }

    fn look(&mut self, engine: &Engine) {
        for id in self.devices.clone() {
            self.look_at_device(engine, &id);
        }
        let rules: Vec<RuleId> = self.rules.keys().cloned().collect();
        for id in rules {
            self.look_at_rule(engine, &id);
        }
    }

    fn look_at_device(&mut self, engine: &Engine, id: &DeviceId) {
        let explained = engine.explain_device(id.as_str());
        let own = matches!(&self.subject, Subject::Device(_));
        self.found |= own && explained.is_some();
        let reported = explained.as_ref().and_then(|e| e.reported);
        let online = explained.as_ref().map(|e| e.status.online);
        let locks = explained.as_ref().map(|e| e.status.locks.clone());
        self.set(
            LaneKey::Reported(id.clone()),
            reported.map(LaneState::Reported),
        );
        self.set(LaneKey::Online(id.clone()), online.map(LaneState::Online));
        if own {
            let locks = locks.filter(|l| !l.is_empty());
            self.set(LaneKey::Locks(id.clone()), locks.map(LaneState::Locked));
            let decides = explained.and_then(|e| e.steps.into_iter().nth(e.decides));
            let decides = decides.map(|step| LaneState::Decides(Box::new(step)));
            self.set(LaneKey::Decides(id.clone()), decides);
        }
    }

    fn look_at_rule(&mut self, engine: &Engine, id: &RuleId) {
        let found = engine.state.rules.index(id.as_str());
        let status = found.and_then(|ix| Some((ix, engine.rule(id.as_str())?)));
        let Some((ix, status)) = status else {
            self.ends(id, |_| true);
            return;
        };
        let own = matches!(&self.subject, Subject::Rule(_));
        self.found |= own;
        if let Some((edition, spec)) = self.rules.get_mut(id)
            && *spec != status.spec
        {
            *edition += 1;
            *spec = status.spec.clone();
            let before = *edition;
            self.ends(id, |of| of < before);
        }
        let edition = self.rules.get(id).map_or(0, |(edition, _)| *edition);
        let active = status.spec.is_active();
        let standing = match status.phase {
            _ if !active => Standing::Inactive,
            RulePhase::Idle => Standing::Idle,
            RulePhase::Pending { .. } => Standing::Pending,
            RulePhase::Running { .. } => Standing::Running,
        };
        self.set(LaneKey::Phase(id.clone()), Some(LaneState::Phase(standing)));
        for part in engine.explain_parts(ix, &status, false) {
            self.look_at_part(id, edition, &part);
        }
        if own {
            let runs = standing == Standing::Running;
            let outcomes = if runs {
                engine.outcomes(&status.spec)
            } else {
                Vec::new()
            };
            let of = |id: &DeviceId| outcomes.iter().find(|o| o.id == *id);
            let states: Vec<_> = { self.devices.iter() }
                .map(|id| (id.clone(), of(id).map(|o| o.outcome.clone())))
                .collect();
            for (id, outcome) in states {
                self.set(LaneKey::Outcome(id), outcome.map(LaneState::Outcome));
            }
        }
    }

    fn look_at_part(&mut self, id: &RuleId, edition: u32, part: &PartExplanation) {
        let hold = part.hold.map(LaneState::Hold);
        self.set(LaneKey::Hold(id.clone(), part.role), hold);
        let nodes = part.nodes.iter().enumerate();
        for (node, n) in nodes.filter(|(_, n)| n.said.is_leaf()) {
            let key = LaneKey::Leaf(id.clone(), edition, part.role, node);
            if !self.said.contains_key(&key) {
                self.said.insert(key.clone(), n.said.clone());
            }
            self.set(key, Some(LaneState::Truth(n.truth)));
        }
    }

    /// Nothing more is told of a rule's leaves of some of its documents; of none, of the rule.
    fn ends(&mut self, id: &RuleId, is_over: impl Fn(u32) -> bool) {
        let at = self.at;
        let gone = is_over(u32::MAX);
        for (key, lane) in &mut self.lanes {
            let over = match key {
                LaneKey::Leaf(rule, edition, ..) => rule == id && is_over(*edition),
                LaneKey::Phase(rule) => rule == id && gone,
                LaneKey::Hold(rule, _) => rule == id,
                _ => false,
            };
            if over {
                lane.set(at, None);
            }
        }
    }

    /// Looks at the alerts of the place.
    fn look_at_alerts(&mut self, engine: &Engine) {
        let place = match &self.subject {
            Subject::Device(id) => engine.device_ref(id.as_str()).map(|d| d.spec.scope.clone()),
            Subject::Rule(id) => engine.rule(id.as_str()).map(|r| r.spec.scope),
        };
        let Some(place) = place else {
            return;
        };
        let mut there = BTreeSet::new();
        for alert in engine.alerts() {
            if !is_near(engine, &alert.spec, &place) {
                continue;
            }
            let id = alert.spec.id.clone();
            there.insert(id.clone());
            self.alerts.insert(id.clone(), alert.spec.name);
            let raised = alert.active.then_some(LaneState::Raised);
            self.set(LaneKey::Alert(id), raised);
        }
        let gone: Vec<AlertId> = { self.alerts.keys() }
            .filter(|id| !there.contains(*id))
            .cloned()
            .collect();
        for id in gone {
            self.set(LaneKey::Alert(id), None);
        }
    }
}

/// Whether an alert looks at a place, what lies in it or what it lies in.
fn is_near(engine: &Engine, alert: &AlertSpec, place: &ScopeSpec) -> bool {
    let farm = ScopeSpec::farm();
    let own = alert.scope.as_ref().unwrap_or(&farm);
    engine.overlap(own, place)
}
