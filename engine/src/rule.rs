//! An automation rule: a state machine over the truth of its trigger and of its end condition.

use serde::{Deserialize, Serialize};

use crate::document::{OnSignalLost, RuleSpec};
use crate::event::{BlockReason, StopReason};
use crate::hold::{Demand, Evidence, Hold, observe};
use crate::id::DeviceId;
use crate::setting::Setting;
use crate::signal::Truth;
use crate::time::{Duration, Timestamp};

/// How long a rule with `on_signal_lost: hold` goes on without knowing its end condition.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3_600);
/// A rule without a stop condition ends when its trigger was false for its duration, but at most this long.
const MAX_CLEAR: Duration = Duration::from_secs(60);

/// A rule, compiled against its farm, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) spec: Box<RuleSpec>,
    pub(crate) narrowness: u8,
    pub(crate) conditions: Conditions,
    pub(crate) actions: Box<[Action]>,
    pub(crate) phase: Phase,
    /// Delayed actions not yet due, by due time and place in the list.
    pub(crate) delayed: Vec<Delayed>,
    /// Whether it waits for re-evaluation in the present step.
    pub(crate) dirty: bool,
}

/// The leaves of a rule's conditions; none while the rule is not active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conditions {
    Inactive,
    /// Ends when the trigger is false.
    Trigger(u32),
    /// Ends when the stop condition is true.
    TriggerAndStop(u32, u32),
}

/// A compiled action.
#[derive(Debug, Clone)]
pub(crate) struct Action {
    pub(crate) device: u32,
    pub(crate) device_id: DeviceId,
    pub(crate) deed: Deed,
    pub(crate) delay: Duration,
}

/// What an action does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Claim(Setting),
    Pulse { secs: u8 },
}

/// An action that waits for its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Delayed {
    pub(crate) due: Timestamp,
    pub(crate) action: usize,
}

/// Where a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    Idle,
    Pending(Hold),
    Running { since: Timestamp, end: End },
}

/// How a running rule stands to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    /// Its end condition is false.
    Far,
    /// A hold on its end condition exists.
    Near(Hold),
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

impl Rule {
    pub(crate) fn trigger_demand(&self, min_samples: u8) -> Demand {
        Demand::new(self.spec.trigger.duration, min_samples)
    }

    pub(crate) fn end_demand(&self, min_samples: u8) -> Demand {
        let length = match &self.spec.stop_condition {
            Some(stop) => stop.duration,
            None => self.spec.trigger.duration.min(MAX_CLEAR),
        };
        Demand::new(length, min_samples)
    }

    /// When the rule's hold completes by time, or its patience ends.
    pub(crate) fn deadline(&self, min_samples: u8) -> Option<Timestamp> {
        match self.phase {
            Phase::Idle | Phase::Running { end: End::Far, .. } => None,
            Phase::Pending(hold) => hold.deadline(self.trigger_demand(min_samples)),
            Phase::Running {
                end: End::Near(hold),
                ..
            } => hold.deadline(self.end_demand(min_samples)),
            Phase::Running {
                end: End::Lost { since },
                ..
            } => Some(since + PATIENCE),
        }
    }

    /// When its next delayed action is due.
    pub(crate) fn next_action(&self) -> Option<Timestamp> {
        self.delayed.first().map(|d| d.due)
    }

    /// The leaf whose samples its present hold counts, if it counts any more.
    pub(crate) fn hungry_leaf(&self, min_samples: u8) -> Option<u32> {
        let (hold, demand, ends) = match self.phase {
            Phase::Pending(hold) => (hold, self.trigger_demand(min_samples), false),
            Phase::Running {
                end: End::Near(hold),
                ..
            } => (hold, self.end_demand(min_samples), true),
            Phase::Idle | Phase::Running { .. } => return None,
        };
        let leaf = match self.conditions {
            Conditions::Inactive => return None,
            Conditions::TriggerAndStop(_, stop) if ends => stop,
            Conditions::Trigger(trigger) | Conditions::TriggerAndStop(trigger, _) => trigger,
        };
        hold.counts_samples(demand).then_some(leaf)
    }

    /// The present hold, wherever it is.
    pub(crate) fn hold_mut(&mut self) -> Option<&mut Hold> {
        match &mut self.phase {
            Phase::Pending(hold)
            | Phase::Running {
                end: End::Near(hold),
                ..
            } => Some(hold),
            Phase::Idle | Phase::Running { .. } => None,
        }
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
            Phase::Idle | Phase::Pending(_) => {
                let mut hold = self.hold_mut().copied();
                let done = observe(&mut hold, trigger, self.trigger_demand(min_samples), now);
                self.phase = hold.map_or(Phase::Idle, Phase::Pending);
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
                    let mut hold = self.hold_mut().copied();
                    let done = observe(&mut hold, end, self.end_demand(min_samples), now);
                    self.phase = Phase::Running {
                        since,
                        end: hold.map_or(End::Far, End::Near),
                    };
                    if !(done && complete) {
                        return Transition::None;
                    }
                    let reason = if self.spec.stop_condition.is_some() {
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
                    let stops =
                        self.spec.on_signal_lost == OnSignalLost::Stop && !planted!(UnknownGoesOn);
                    if stops || now >= lost + PATIENCE {
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
        let blocked = match (end, self.spec.on_signal_lost) {
            (Truth::True, _) => Some(BlockReason::StopCondition),
            (Truth::Unknown, OnSignalLost::Stop) => Some(BlockReason::SignalLost),
            (Truth::Unknown, OnSignalLost::Hold) | (Truth::False, _) => None,
        };
        if let Some(reason) = blocked {
            self.phase = Phase::Pending(Hold::new(now));
            return Transition::Blocked(reason);
        }
        let end = if end == Truth::Unknown {
            End::Lost { since: now }
        } else {
            End::Far
        };
        self.phase = Phase::Running { since: now, end };
        Transition::Fired
    }

    fn stop(&mut self, now: Timestamp, reason: StopReason, trigger: Truth) -> Transition {
        self.delayed.clear();
        self.phase = if trigger == Truth::True {
            Phase::Pending(Hold::new(now))
        } else {
            Phase::Idle
        };
        Transition::Stopped(reason)
    }
}
