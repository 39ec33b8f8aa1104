//! An automation rule: a state machine over the truth of its trigger and of its end condition.

mod delayed;
mod evaluate;
mod phase;

pub(crate) use delayed::Delayed;
pub(crate) use evaluate::{Skip, Transition};
pub(crate) use phase::{End, Phase, RuleHold};

use crate::document::{OnSignalLost, RuleSpec, TriggerSpec, WhenSpec};
use crate::hold::{Hold, HoldRequirement};
use crate::id::RuleId;
use crate::packed::Packed;
use crate::program::Seen;
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
    /// For how many seconds its trigger must hold.
    trigger_secs: u32,
    /// For how many seconds its end condition must hold.
    end_secs: u32,
    pub(crate) phase: Phase,
    pub(crate) conditions: Conditions,
    pub(crate) priority: u8,
    pub(crate) specificity: u8,
    /// How many of its delayed actions, in the order in which they fall due, are done with since it fired.
    done: u8,
    /// What else its document says, each a bit: a rule has no byte to spare.
    traits: u8,
    /// Its place in the order in which rules act, where they are ranked.
    pub(crate) rank: u32,
}

/// It goes on for a while without knowing its end condition.
const PATIENT: u8 = 1;
/// The hold on its trigger needs no samples.
const FREE_TRIGGER: u8 = 2;
/// The hold on its end condition needs no samples.
const FREE_END: u8 = 4;
/// Its conditions are a program's.
const PROGRAM: u8 = 8;
/// It starts by the clock.
const SCHEDULE: u8 = 16;

/// What a rule's conditions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Comparisons.
    Conditions,
    /// Those of a program ([`crate::program`]).
    Program,
    /// Those of a program that starts by the clock.
    Schedule,
}

/// Documents know whole seconds, up to ten years of them.
pub(crate) fn whole_secs(duration: Duration) -> u32 {
    u32::try_from(duration.as_secs()).unwrap_or(u32::MAX)
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

    pub(crate) const fn trigger(self) -> Option<u32> {
        if self.trigger == NO_COMPARISON {
            return None;
        }
        Some(self.trigger)
    }

    pub(crate) const fn stop(self) -> Option<u32> {
        if self.stop == NO_COMPARISON {
            return None;
        }
        Some(self.stop)
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
    Claim {
        setting: Setting,
        /// For how many seconds; 0: until the rule stops.
        lasts: u32,
        /// How many seconds longer than the rule.
        linger: u8,
        /// Which of the rule's actions has the curve that it follows.
        curve: Option<u8>,
    },
    Pulse {
        secs: u8,
    },
}

/// How long a trigger has to be untrue until a rule without a stop condition stops.
#[must_use]
pub fn clear_after(trigger: Duration) -> Duration {
    trigger.min(MAX_CLEAR)
}

impl Rule {
    /// A rule that nothing has happened to yet, without comparisons.
    pub(crate) fn new(document: Packed, spec: &RuleSpec, specificity: u8) -> Self {
        let trigger = { spec.trigger.when() }.map_or(Duration::ZERO, WhenSpec::duration);
        let end_length = match &spec.stop_condition {
            Some(stop) => stop.duration(),
            None => clear_after(trigger),
        };
        let free = |when: &WhenSpec| !when.has_signal();
        let free_trigger = spec.trigger.when().is_some_and(free);
        let free_end = spec.stop_condition.as_ref().map_or(free_trigger, free);
        let scheduled = matches!(spec.trigger, TriggerSpec::Schedule(_));
        let all = [
            (PATIENT, spec.on_signal_lost == OnSignalLost::Hold),
            (FREE_TRIGGER, free_trigger),
            (FREE_END, free_end),
            (PROGRAM, spec.is_program()),
            (SCHEDULE, scheduled),
        ];
        let traits = { all.iter().filter(|(_, is)| *is) }.fold(0, |sum, (bit, _)| sum | bit);
        Self {
            document,
            trigger_secs: whole_secs(trigger),
            end_secs: whole_secs(end_length),
            phase: Phase::Idle,
            conditions: Conditions::INACTIVE,
            priority: spec.priority,
            specificity,
            done: 0,
            traits,
            rank: 0,
        }
    }

    #[inline]
    const fn is(&self, bit: u8) -> bool {
        self.traits & bit != 0
    }

    /// What its conditions are.
    #[inline]
    pub(crate) const fn form(&self) -> Form {
        if !self.is(PROGRAM) {
            Form::Conditions
        } else if self.is(SCHEDULE) {
            Form::Schedule
        } else {
            Form::Program
        }
    }

    pub(crate) fn id(&self) -> RuleId {
        RuleId::from(self.document.id())
    }

    /// The comparison that its present hold is about.
    pub(crate) const fn watched(&self) -> Option<u32> {
        match (self.phase, self.conditions.stop()) {
            (Phase::Running { .. }, Some(stop)) => Some(stop),
            _ => self.conditions.trigger(),
        }
    }

    /// The present hold.
    pub(crate) fn hold(&self, seen: Seen<'_>) -> Option<Hold> {
        let hold = self.phase.hold()?;
        Some(hold.at(seen.samples(self.watched()?)))
    }

    /// Changes the present hold, if there is one.
    pub(crate) fn change_hold(&mut self, seen: Seen<'_>, change: impl FnOnce(Hold) -> Hold) {
        let Some(counted) = self.watched().map(|c| seen.samples(c)) else {
            return;
        };
        if let Some(hold) = self.phase.hold_mut() {
            *hold = RuleHold::new(change(hold.at(counted)), counted);
        }
    }

    /// Ends its present hold, if that needs no samples.
    pub(crate) const fn forget_free_hold(&mut self) {
        match self.phase {
            Phase::Pending(_) if self.is(FREE_TRIGGER) => self.phase = Phase::Idle,
            Phase::Running {
                since,
                end: End::Near(_),
            } if self.is(FREE_END) => {
                self.phase = Phase::Running {
                    since,
                    end: End::Far,
                }
            }
            _ => {}
        }
    }

    /// Whether its present hold still counts samples, where it counts them itself.
    pub(crate) fn counts_samples(&self, min_samples: u8, seen: Seen<'_>) -> bool {
        let requirement = self.full_requirement(min_samples);
        self.hold(seen)
            .is_some_and(|hold| hold.counts_samples(requirement))
    }

    /// What its present hold must reach, if what it is about needs its signals.
    #[inline]
    const fn full_requirement(&self, min_samples: u8) -> HoldRequirement {
        let (secs, free) = match self.phase {
            Phase::Running { .. } => (self.end_secs, self.is(FREE_END)),
            Phase::Idle | Phase::Pending(_) => (self.trigger_secs, self.is(FREE_TRIGGER)),
        };
        let samples = if free { 0 } else { min_samples };
        HoldRequirement::new(Duration::from_secs(secs as i64), samples)
    }

    /// What its present hold must reach, being about what is so without its signals.
    #[inline]
    fn requirement_of(&self, min_samples: u8, without: Truth) -> HoldRequirement {
        let negated =
            matches!(self.phase, Phase::Running { .. }) && self.conditions.stop().is_none();
        let free = match without {
            _ if planted!(SilentStopWaits) => false,
            Truth::True => !negated,
            Truth::False => negated,
            Truth::Unknown => false,
        };
        self.full_requirement(if free { 0 } else { min_samples })
    }

    /// What its present hold must reach.
    pub(crate) fn requirement(&self, min_samples: u8, seen: Seen<'_>) -> HoldRequirement {
        let without = match self.form() {
            Form::Conditions => None,
            Form::Program | Form::Schedule => self.watched().map(|n| seen.without(n)),
        };
        self.requirement_of(min_samples, without.unwrap_or(Truth::Unknown))
    }

    /// When the rule's hold completes by time, or its patience ends.
    pub(crate) fn deadline(&self, min_samples: u8, seen: Seen<'_>) -> Option<Timestamp> {
        if let Phase::Running {
            end: End::Lost { since },
            ..
        } = self.phase
        {
            return Some(since + SIGNAL_LOSS_GRACE);
        }
        self.hold(seen)?
            .deadline(self.requirement(min_samples, seen))
    }

    /// The comparison whose samples its present hold lacks, if it does.
    pub(crate) fn awaited(&self, min_samples: u8, seen: Seen<'_>) -> Option<u32> {
        let hold = self.hold(seen)?;
        (hold.samples < self.full_requirement(min_samples).samples).then_some(self.watched()?)
    }
}
