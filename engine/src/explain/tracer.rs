//! What kept a rule from acting: a rule is looked at after each step of a span, and what it came to is kept.

use std::collections::BTreeMap;

use super::sustained::Sustained;
use super::{DeviceOutcome, Outcome, PartExplanation, PartRole, Said};
use crate::document::RuleSpec;
use crate::engine::Engine;
use crate::event::{BlockReason, Event, EventKind, LimitReason, SkipReason, SuppressReason};
use crate::id::{DeviceId, RuleId};
use crate::quantity::{Mean, Quantity};
use crate::status::{RulePhase, RuleStatus};
use crate::time::{Duration, Timestamp};
use crate::truth::{Operator, Truth};

/// The most events that are kept of a span.
const MAX_TRIED: usize = 200;

/// Follows a rule through a span.
#[derive(Debug, Clone)]
pub struct RuleTracer {
    rule: RuleId,
    from: Timestamp,
    /// Up to when it was followed.
    at: Timestamp,
    leaves: Vec<LeafSpan>,
    /// The document of which the leaves are, while there is one.
    spec: Option<RuleSpec>,
    /// How often its document changed within the span.
    pub edits: u32,
    /// How long it was not active.
    pub inactive: Duration,
    /// How long it was not there.
    pub absent: Duration,
    /// How long it ran.
    pub ran: Duration,
    /// What it did or tried; at most 200, the earliest.
    pub tried: Vec<(Timestamp, Tried)>,
    /// How many more there are.
    pub more: usize,
    /// When it came nearest to firing without doing so.
    pub nearest: Option<Nearest>,
    /// How long something stood between it and its devices while it ran, by device and what.
    pub kept: BTreeMap<(DeviceId, Kept), Duration>,
    /// How near the present hold on its trigger has come.
    holds: Option<Nearest>,
    /// Where it stands: before the present step.
    phase: Option<RulePhase>,
    active: bool,
    devices: Vec<DeviceOutcome>,
}

/// What stood between a rule that ran and its device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// It was locked.
    Locked,
    /// It was in safety mode.
    Safety,
    /// A person had it.
    Manual,
    /// This rule had it.
    Outranked(RuleId),
    /// A limit held it.
    Held(LimitReason),
    /// It could not be reached.
    Offline,
}

/// What a rule did or tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// It fired.
    Fired,
    /// It stopped.
    Stopped,
    /// It was about to fire.
    Blocked(BlockReason),
    /// A start of its schedule.
    Skipped(SkipReason),
    /// A pulse of it was not sent.
    Suppressed(SuppressReason),
    /// A limit held what it wanted.
    Held(LimitReason),
}

/// A leaf over a span.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafSpan {
    /// In which condition.
    pub part: PartRole,
    /// Which node of it.
    pub node: usize,
    /// For how long it was true, false and unknown.
    pub lasted: [Duration; 3],
    /// What it came to at the end of what was followed.
    pub truth: Truth,
    /// Since when, where it changed within the span.
    pub since: Option<Timestamp>,
    /// Of a comparison: the mean that was nearest to making it true while it was not, and when.
    pub nearest: Option<(Mean, Timestamp)>,
    /// The lowest and the highest mean.
    pub range: Option<(Mean, Mean)>,
    /// Where it alone decides: the threshold that its mean passed for as long as it has to hold. With that the rule would have acted.
    pub sustained: Option<Quantity>,
    window: Option<Sustained>,
}

/// When a rule came nearest to firing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nearest {
    /// When: the end of its longest hold, or the instant at which most of its leaves were true.
    pub at: Timestamp,
    /// How long its trigger had held.
    pub held: Duration,
    /// How long it has to.
    pub length: Duration,
    /// How many samples it had.
    pub samples: u8,
    /// How many it needs.
    pub samples_needed: u8,
}

impl RuleTracer {
    /// Begins at an instant, with the farm as it is then.
    #[must_use]
    pub fn new(rule: &RuleId, engine: &Engine, from: Timestamp) -> Self {
        let mut tracer = Self {
            rule: rule.clone(),
            from,
            at: from,
            leaves: Vec::new(),
            spec: None,
            edits: 0,
            inactive: Duration::ZERO,
            absent: Duration::ZERO,
            ran: Duration::ZERO,
            tried: Vec::new(),
            more: 0,
            nearest: None,
            kept: BTreeMap::new(),
            holds: None,
            phase: None,
            active: false,
            devices: Vec::new(),
        };
        tracer.look(engine, from);
        tracer.edits = 0;
        tracer
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> &RuleId {
        &self.rule
    }

    /// Its leaves as they were; of its last document.
    #[must_use]
    pub fn leaves(&self) -> &[LeafSpan] {
        &self.leaves
    }

    /// The span that was followed.
    #[must_use]
    pub const fn span(&self) -> (Timestamp, Timestamp) {
        (self.from, self.at)
    }

    /// Follows a step: what was said in it, and the farm afterwards.
    pub fn step(&mut self, engine: &Engine, events: &[Event]) {
        let now = engine.clock().unwrap_or(self.at).max(self.at);
        self.lasted_until(now);
        let before = self.phase;
        for event in events {
            self.event(event);
        }
        self.look(engine, now);
        let goes_on = matches!((before, self.phase),
            (Some(RulePhase::Pending { hold: was }), Some(RulePhase::Pending { hold: is }))
                if was.hold_since == is.hold_since);
        if !goes_on {
            self.came_near();
        }
    }

    /// Ends the span.
    pub fn end(&mut self, at: Timestamp) {
        self.lasted_until(at.max(self.at));
        self.came_near();
    }

    /// What was so until now counts.
    fn lasted_until(&mut self, now: Timestamp) {
        let lasted = now - self.at;
        self.at = now;
        for leaf in &mut self.leaves {
            if let Some(window) = &mut leaf.window {
                window.until(now);
                leaf.sustained = window.best;
            }
            let slot = &mut leaf.lasted[truth_number(leaf.truth)];
            *slot = *slot + lasted;
        }
        match self.phase {
            None => self.absent = self.absent + lasted,
            Some(_) if !self.active => self.inactive = self.inactive + lasted,
            Some(RulePhase::Running { .. }) => {
                self.ran = self.ran + lasted;
                for device in &self.devices {
                    if let Some(kept) = kept_by(&device.outcome) {
                        let slot = self.kept.entry((device.id.clone(), kept));
                        let slot = slot.or_insert(Duration::ZERO);
                        *slot = *slot + lasted;
                    }
                }
            }
            Some(RulePhase::Pending { hold }) => {
                self.holds = Some(Nearest {
                    at: now,
                    held: now - hold.hold_since,
                    length: hold.length,
                    samples: hold.samples,
                    samples_needed: hold.samples_needed,
                });
            }
            Some(RulePhase::Idle) => {}
        }
    }

    /// The hold on its trigger has ended without a run.
    fn came_near(&mut self) {
        let Some(near) = self.holds.take() else {
            return;
        };
        let missing = |n: &Nearest| {
            let samples = n.samples_needed.saturating_sub(n.samples);
            ((n.length - n.held).max(Duration::ZERO), samples)
        };
        if self
            .nearest
            .as_ref()
            .is_none_or(|was| missing(&near) < missing(was))
        {
            self.nearest = Some(near);
        }
    }

    fn event(&mut self, event: &Event) {
        let own = |rule: &RuleId| *rule == self.rule;
        let tried = match &event.kind {
            EventKind::RuleFired { rule } if own(rule) => Tried::Fired,
            EventKind::RuleStopped { rule, .. } if own(rule) => Tried::Stopped,
            EventKind::RuleBlocked { rule, reason } if own(rule) => Tried::Blocked(*reason),
            EventKind::StartSkipped { rule, reason, .. } if own(rule) => Tried::Skipped(*reason),
            EventKind::CommandSuppressed { rule, reason, .. } if own(rule) => {
                Tried::Suppressed(*reason)
            }
            EventKind::CommandHeld { cause, reason, .. }
                if cause.as_str() == self.rule.as_str() =>
            {
                Tried::Held(*reason)
            }
            _ => return,
        };
        if event.at < self.from {
            return;
        }
        if tried == Tried::Fired {
            self.holds = None;
        }
        match self.tried.len() < MAX_TRIED {
            true => self.tried.push((event.at, tried)),
            false => self.more += 1,
        }
    }

    /// Looks at where the rule stands now.
    fn look(&mut self, engine: &Engine, now: Timestamp) {
        let found = engine.state.rules.index(self.rule.as_str());
        let status = found.and_then(|ix| Some((ix, engine.rule(self.rule.as_str())?)));
        let Some((ix, status)) = status else {
            self.phase = None;
            return;
        };
        self.devices = match status.phase {
            RulePhase::Running { .. } => engine.outcomes(&status.spec),
            _ => Vec::new(),
        };
        self.active = status.spec.is_active();
        self.phase = Some(status.phase);
        let parts = engine.explain_parts(ix, &status, false);
        self.see(&parts, &status, now);
    }

    fn see(&mut self, parts: &[PartExplanation], status: &RuleStatus, now: Timestamp) {
        let same = self.spec.as_ref() == Some(&status.spec);
        if !same {
            self.edits += u32::from(self.spec.is_some());
            self.spec = Some(status.spec.clone());
            self.leaves.clear();
        }
        let mut known = std::mem::take(&mut self.leaves).into_iter();
        for part in parts {
            let leaves = part.nodes.iter().enumerate();
            for (node, n) in leaves.filter(|(_, n)| n.said.is_leaf()) {
                let mut leaf = known.next().unwrap_or_else(|| LeafSpan {
                    part: part.role,
                    node,
                    lasted: [Duration::ZERO; 3],
                    truth: n.below,
                    since: None,
                    nearest: None,
                    range: None,
                    sustained: None,
                    window: Sustained::of(part, status),
                });
                if leaf.truth != n.below {
                    leaf.truth = n.below;
                    leaf.since = Some(now);
                }
                if let Said::Signal(signal) = &n.said {
                    if let Some(mean) = signal.mean {
                        leaf.measure(&signal.condition, mean, now);
                    }
                    if let Some(window) = &mut leaf.window {
                        window.see(signal.mean, now);
                        leaf.sustained = window.best;
                    }
                }
                self.leaves.push(leaf);
            }
        }
    }
}

impl LeafSpan {
    fn measure(&mut self, condition: &crate::document::ConditionSpec, mean: Mean, now: Timestamp) {
        let (low, high) = self.range.unwrap_or((mean, mean));
        let low = if mean.is_less(low) { mean } else { low };
        let high = if high.is_less(mean) { mean } else { high };
        self.range = Some((low, high));
        if condition.holds(mean) {
            return;
        }
        let distance = |m: Mean| condition.distance_from(m);
        let nearer = self
            .nearest
            .is_none_or(|(was, _)| distance(mean) < distance(was));
        if nearer {
            self.nearest = Some((mean, now));
        }
    }
}

impl Mean {
    fn is_less(self, other: Self) -> bool {
        i128::from(self.sum) * i128::from(other.count)
            < i128::from(other.sum) * i128::from(self.count)
    }
}

impl crate::document::ConditionSpec {
    /// How far a mean is from its nearest threshold, in micro-units.
    fn distance_from(&self, mean: Mean) -> i128 {
        let n = i128::from(mean.count.max(1));
        let from = |q: Quantity| (i128::from(mean.sum) - i128::from(q.as_micro()) * n).abs() / n;
        let ends = match self.operator {
            Operator::Between => [Some(self.value), self.value_max],
            _ => [Some(self.value), None],
        };
        ends.into_iter().flatten().map(from).min().unwrap_or(0)
    }
}

impl Said {
    /// Whether nothing is below it.
    #[must_use]
    pub const fn is_leaf(&self) -> bool {
        !matches!(self, Self::All | Self::Any | Self::Not)
    }
}

fn kept_by(outcome: &Outcome) -> Option<Kept> {
    Some(match outcome {
        Outcome::Locked => Kept::Locked,
        Outcome::Safety => Kept::Safety,
        Outcome::Manual => Kept::Manual,
        Outcome::Outranked { rule, .. } => Kept::Outranked(rule.clone()),
        Outcome::Held(reason) => Kept::Held(*reason),
        Outcome::Offline => Kept::Offline,
        Outcome::Free => return None,
    })
}

const fn truth_number(truth: Truth) -> usize {
    match truth {
        Truth::True => 0,
        Truth::False => 1,
        Truth::Unknown => 2,
    }
}
