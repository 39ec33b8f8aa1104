//! An automation rule: a state machine over the truth of its trigger and of its end condition.

use serde::{Deserialize, Serialize};

use crate::document::{OnSignalLost, RuleSpec};
use crate::event::{BlockReason, StopReason};
use crate::hold::{Evidence, Hold, HoldRequirement, observe};
use crate::id::RuleId;
use crate::interner::Interner;
use crate::packed::Packed;
use crate::setting::Setting;
use crate::table::Keyed;
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

/// How long a rule with `on_signal_lost: hold` goes on without knowing its end condition.
pub(crate) const SIGNAL_LOSS_GRACE: Duration = Duration::from_secs(3_600);
/// A rule without a stop condition ends when its trigger was false for its duration, but at most this long.
const MAX_CLEAR: Duration = Duration::from_secs(60);

/// A rule, compiled against its farm, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// What is not below is read from there when it is wanted.
    pub(crate) document: Packed,
    trigger_length: Duration,
    /// How long its end condition must hold.
    end_length: Duration,
    pub(crate) phase: Phase,
    pub(crate) conditions: Conditions,
    pub(crate) priority: u8,
    pub(crate) specificity: u8,
    /// How many of its delayed actions, in the order in which they fall due, are done with since it fired.
    done: u8,
    /// Whether it goes on for a while without knowing its end condition.
    patient: bool,
    /// Whether it waits for re-evaluation in the present step.
    pub(crate) dirty: bool,
}

impl Keyed for Rule {
    type Key = [u8];
    fn key(&self) -> &[u8] {
        self.document.id_bytes()
    }
}

/// The comparisons of a rule's conditions; none while the rule is not active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conditions {
    trigger: u32,
    stop: u32,
}

const NO_COMPARISON: u32 = u32::MAX;

impl Conditions {
    pub(crate) const INACTIVE: Self = Self {
        trigger: NO_COMPARISON,
        stop: NO_COMPARISON,
    };

    /// Without a stop condition the rule ends when its trigger is false.
    pub(crate) fn new(trigger: u32, stop: Option<u32>) -> Self {
        Self {
            trigger,
            stop: stop.unwrap_or(NO_COMPARISON),
        }
    }

    pub(crate) fn trigger(self) -> Option<u32> {
        (self.trigger != NO_COMPARISON).then_some(self.trigger)
    }

    pub(crate) fn stop(self) -> Option<u32> {
        (self.stop != NO_COMPARISON).then_some(self.stop)
    }
}

/// An action, and the device that it is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Action {
    pub(crate) device: u32,
    pub(crate) effect: ActionEffect,
}

/// What an action does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionEffect {
    Claim(Setting),
    Pulse { secs: u8 },
}

/// An action that waits for its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Delayed {
    pub(crate) due: Timestamp,
    pub(crate) action: usize,
}

/// Where a rule stands. A hold's parts stand in the variants themselves, so that a phase is three words and not four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    Idle,
    Pending { since: Timestamp, samples: u8 },
    Running { since: Timestamp, end: End },
}

/// How a running rule stands to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    /// Its end condition is false.
    Far,
    /// A hold on its end condition exists.
    Near { since: Timestamp, samples: u8 },
    /// Its end condition is unknown, and it is patient.
    Lost { since: Timestamp },
}

/// What an evaluation led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transition {
    None,
    Fired,
    Blocked(BlockReason),
    Stopped(StopReason),
}

impl Phase {
    fn pending(hold: Option<Hold>) -> Self {
        hold.map_or(Self::Idle, |Hold { since, samples }| Self::Pending {
            since,
            samples,
        })
    }

    /// The present hold, wherever it is.
    pub(crate) const fn hold(self) -> Option<Hold> {
        match self {
            Self::Pending { since, samples }
            | Self::Running {
                end: End::Near { since, samples },
                ..
            } => Some(Hold { since, samples }),
            Self::Idle | Self::Running { .. } => None,
        }
    }

    /// Changes the present hold, if there is one.
    pub(crate) fn with_hold(&mut self, change: impl FnOnce(Hold) -> Hold) {
        let hold = self.hold().map(change);
        match self {
            Self::Pending { .. } => *self = Self::pending(hold),
            Self::Running {
                end: end @ End::Near { .. },
                ..
            } => *end = End::near(hold),
            Self::Idle | Self::Running { .. } => {}
        }
    }
}

impl End {
    fn near(hold: Option<Hold>) -> Self {
        hold.map_or(Self::Far, |Hold { since, samples }| Self::Near {
            since,
            samples,
        })
    }
}

impl Rule {
    /// A rule that nothing has happened to yet, without comparisons.
    pub(crate) fn new(document: Packed, spec: &RuleSpec, specificity: u8) -> Self {
        let end_length = match &spec.stop_condition {
            Some(stop) => stop.duration,
            None => spec.trigger.duration.min(MAX_CLEAR),
        };
        Self {
            document,
            trigger_length: spec.trigger.duration,
            end_length,
            phase: Phase::Idle,
            conditions: Conditions::INACTIVE,
            priority: spec.priority,
            specificity,
            done: 0,
            patient: spec.on_signal_lost == OnSignalLost::Hold,
            dirty: false,
        }
    }

    pub(crate) fn id(&self) -> RuleId {
        RuleId::from(self.document.id())
    }

    pub(crate) const fn trigger_requirement(&self, min_samples: u8) -> HoldRequirement {
        HoldRequirement::new(self.trigger_length, min_samples)
    }

    pub(crate) const fn end_requirement(&self, min_samples: u8) -> HoldRequirement {
        HoldRequirement::new(self.end_length, min_samples)
    }

    /// The present hold and what it must reach.
    fn required(&self, min_samples: u8) -> Option<(Hold, HoldRequirement)> {
        let requirement = match self.phase {
            Phase::Running { .. } => self.end_requirement(min_samples),
            Phase::Idle | Phase::Pending { .. } => self.trigger_requirement(min_samples),
        };
        Some((self.phase.hold()?, requirement))
    }

    /// When the rule's hold completes by time, or its patience ends.
    pub(crate) fn deadline(&self, min_samples: u8) -> Option<Timestamp> {
        if let Phase::Running {
            end: End::Lost { since },
            ..
        } = self.phase
        {
            return Some(since + SIGNAL_LOSS_GRACE);
        }
        let (hold, requirement) = self.required(min_samples)?;
        hold.deadline(requirement)
    }

    /// Delayed actions not yet due, by due time and place in the list.
    pub(crate) fn delayed(&self, words: &Interner) -> Vec<Delayed> {
        let Phase::Running { since, .. } = self.phase else {
            return Vec::new();
        };
        let mut delayed: Vec<Delayed> = RuleSpec::unpack_actions(&self.document, words)
            .enumerate()
            .filter(|(_, a)| a.delay > Duration::ZERO)
            .map(|(action, a)| Delayed {
                due: since + a.delay,
                action,
            })
            .collect();
        delayed.sort_unstable();
        delayed.drain(..delayed.len().min(self.done.into()));
        delayed
    }

    /// When its next delayed action is due.
    pub(crate) fn next_action(&self, words: &Interner) -> Option<Timestamp> {
        self.delayed(words).first().map(|d| d.due)
    }

    /// Takes the delayed actions that are due at `now`.
    pub(crate) fn take_due(&mut self, now: Timestamp, words: &Interner) -> Vec<Delayed> {
        let mut due = self.delayed(words);
        due.retain(|d| d.due <= now);
        self.done += u8::try_from(due.len()).unwrap_or(u8::MAX);
        due
    }

    /// Only the last so many of its delayed actions are still to be done.
    pub(crate) fn leave_delayed(&mut self, left: usize, words: &Interner) {
        self.done = 0;
        let all = self.delayed(words).len();
        self.done = u8::try_from(all.saturating_sub(left)).unwrap_or(u8::MAX);
    }

    /// The comparison whose samples its present hold counts, if it counts any more.
    pub(crate) fn awaiting_comparison(&self, min_samples: u8) -> Option<u32> {
        let (hold, requirement) = self.required(min_samples)?;
        let comparison = match (self.phase, self.conditions.stop()) {
            (Phase::Running { .. }, Some(stop)) => stop,
            _ => self.conditions.trigger()?,
        };
        hold.counts_samples(requirement).then_some(comparison)
    }

    /// Re-evaluates at `now`. Where `complete` is false holds start and end, but none completes.
    pub(crate) fn evaluate(
        &mut self,
        now: Timestamp,
        trigger: Evidence,
        end: Evidence,
        min_samples: u8,
        complete: bool,
    ) -> Transition {
        match self.phase {
            Phase::Idle | Phase::Pending { .. } => {
                let mut hold = self.phase.hold();
                let done = observe(
                    &mut hold,
                    trigger,
                    self.trigger_requirement(min_samples),
                    now,
                );
                self.phase = Phase::pending(hold);
                if done && complete {
                    self.start(now, end.truth)
                } else {
                    Transition::None
                }
            }
            Phase::Running {
                since,
                end: standing,
            } => match end.truth {
                Truth::True => {
                    let mut hold = self.phase.hold();
                    let done = observe(&mut hold, end, self.end_requirement(min_samples), now);
                    self.phase = Phase::Running {
                        since,
                        end: End::near(hold),
                    };
                    if !(done && complete) {
                        return Transition::None;
                    }
                    let reason = if self.conditions.stop().is_some() {
                        StopReason::StopCondition
                    } else {
                        StopReason::TriggerCleared
                    };
                    self.stop(now, reason, trigger.truth)
                }
                Truth::False => {
                    self.phase = Phase::Running {
                        since,
                        end: End::Far,
                    };
                    Transition::None
                }
                Truth::Unknown => {
                    let lost = if let End::Lost { since } = standing {
                        since
                    } else {
                        now
                    };
                    let stops = !self.patient && !planted!(UnknownGoesOn);
                    if stops || now >= lost + SIGNAL_LOSS_GRACE {
                        return self.stop(now, StopReason::SignalLost, trigger.truth);
                    }
                    self.phase = Phase::Running {
                        since,
                        end: End::Lost { since: lost },
                    };
                    Transition::None
                }
            },
        }
    }

    /// The trigger's hold is complete.
    fn start(&mut self, now: Timestamp, end: Truth) -> Transition {
        let blocked = match end {
            Truth::True => Some(BlockReason::StopCondition),
            Truth::Unknown if !self.patient => Some(BlockReason::SignalLost),
            Truth::Unknown | Truth::False => None,
        };
        if let Some(reason) = blocked {
            self.phase = Phase::pending(Some(Hold::new(now)));
            return Transition::Blocked(reason);
        }
        let end = if end == Truth::Unknown {
            End::Lost { since: now }
        } else {
            End::Far
        };
        self.phase = Phase::Running { since: now, end };
        self.done = 0;
        Transition::Fired
    }

    fn stop(&mut self, now: Timestamp, reason: StopReason, trigger: Truth) -> Transition {
        self.phase = Phase::pending((trigger == Truth::True).then(|| Hold::new(now)));
        Transition::Stopped(reason)
    }
}
