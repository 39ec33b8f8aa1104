//! Evaluating a rule: where it stands after what is so now, and what that leads to.

use super::{End, Form, PATIENT, Phase, Rule, RuleHold, SIGNAL_LOSS_GRACE};
use crate::event::{BlockReason, SkipReason, StopReason};
use crate::hold::Hold;
use crate::signal::ComparisonEvidence;
use crate::time::Timestamp;
use crate::truth::Truth;

/// What an evaluation led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transition {
    None,
    Fired,
    Blocked(BlockReason),
    Stopped(StopReason),
    /// It did not start by its schedule.
    Skipped(Skip),
}

/// A start that did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Skip {
    pub(crate) reason: SkipReason,
    pub(crate) start: Timestamp,
    /// Of missed ones.
    pub(crate) count: Option<u32>,
}

impl Rule {
    /// Evaluates it at `now`: where it stands then, and what that leads to. Where `complete` is false holds start and end, but
    /// none completes. Evaluated once more, as it stands then, it leads to nothing.
    #[inline]
    pub(crate) fn evaluate(
        &self,
        now: Timestamp,
        evidence: impl Fn(u32) -> ComparisonEvidence,
        min_samples: u8,
        complete: bool,
    ) -> (Phase, Transition) {
        let quiet = |phase| (phase, Transition::None);
        let Some(comparison) = self.watched() else {
            return quiet(self.phase);
        };
        let watched = evidence(comparison);
        let hold = || {
            self.phase
                .hold()
                .unwrap_or_else(|| RuleHold::start(now, &watched))
        };
        let completes = |hold: RuleHold| {
            let requirement = self.requirement_of(min_samples, watched.without);
            let hold = hold.at(watched.counted);
            complete && hold.is_complete(requirement, now)
        };
        let Phase::Running { since, end } = self.phase else {
            if watched.truth != Truth::True {
                return quiet(Phase::Idle);
            }
            let hold = hold();
            if !completes(hold) {
                return quiet(Phase::Pending(hold));
            }
            let end = self
                .conditions
                .stop()
                .map_or(Truth::False, |stop| evidence(stop).truth);
            return self.start(now, end, watched.counted);
        };
        let truth = match self.conditions.stop() {
            Some(_) => watched.truth,
            None => watched.truth.not(),
        };
        let end = match truth {
            Truth::True => {
                let hold = hold();
                if completes(hold) {
                    let reason = match self.conditions.stop() {
                        Some(_) => StopReason::StopCondition,
                        None => StopReason::TriggerCleared,
                    };
                    return self.stop(now, reason, evidence);
                }
                End::Near(hold)
            }
            Truth::False => End::Far,
            Truth::Unknown => {
                let lost = if let End::Lost { since } = end {
                    since
                } else {
                    now
                };
                let stops = !self.is(PATIENT) && !planted!(UnknownGoesOn);
                if stops || complete && now >= lost + SIGNAL_LOSS_GRACE {
                    return self.stop(now, StopReason::SignalLost, evidence);
                }
                End::Lost { since: lost }
            }
        };
        quiet(Phase::Running { since, end })
    }

    /// Takes up where an evaluation left it.
    #[inline]
    pub(crate) const fn enter(&mut self, phase: Phase, transition: Transition) {
        self.phase = phase;
        if matches!(transition, Transition::Fired) {
            self.done = 0;
        }
    }

    /// Evaluates a rule that is a program, as [`Self::evaluate`] does. What it leads to may lead to more at the same instant.
    pub(crate) fn evaluate_program(
        &self,
        now: Timestamp,
        evidence: impl Fn(u32) -> ComparisonEvidence,
        min_samples: u8,
        complete: bool,
        run_until: Option<Timestamp>,
    ) -> (Phase, Transition) {
        let running = matches!(self.phase, Phase::Running { .. });
        if self.form() == Form::Schedule && !running {
            return (self.phase, Transition::None);
        }
        let (phase, transition) = self.evaluate(now, &evidence, min_samples, complete);
        let over = complete && run_until.is_some_and(|until| until <= now);
        let (phase, transition) = match transition {
            Transition::None if over => self.stop(now, StopReason::RunEnded, &evidence),
            _ => (phase, transition),
        };
        match transition {
            Transition::Stopped(_) if self.form() == Form::Schedule => (Phase::Idle, transition),
            _ => (phase, transition),
        }
    }

    /// A start by the schedule: what it leads to.
    pub(crate) fn start_by_schedule(
        &self,
        now: Timestamp,
        evidence: impl Fn(u32) -> ComparisonEvidence,
    ) -> (Phase, Transition) {
        let stop = self.conditions.stop();
        let end = stop.map_or(Truth::False, |stop| evidence(stop).truth);
        match self.start(now, end, 0) {
            (_, blocked @ Transition::Blocked(_)) => (Phase::Idle, blocked),
            fired => fired,
        }
    }

    /// The trigger's hold is complete.
    fn start(&self, now: Timestamp, end: Truth, counted: u32) -> (Phase, Transition) {
        let blocked = match end {
            Truth::True => Some(BlockReason::StopCondition),
            Truth::Unknown if !self.is(PATIENT) => Some(BlockReason::SignalLost),
            Truth::Unknown | Truth::False => None,
        };
        if let Some(reason) = blocked {
            let again = RuleHold::new(Hold::new(now), counted);
            return (Phase::Pending(again), Transition::Blocked(reason));
        }
        let end = if end == Truth::Unknown {
            End::Lost { since: now }
        } else {
            End::Far
        };
        (Phase::Running { since: now, end }, Transition::Fired)
    }

    fn stop(
        &self,
        now: Timestamp,
        reason: StopReason,
        evidence: impl Fn(u32) -> ComparisonEvidence,
    ) -> (Phase, Transition) {
        let trigger = self.conditions.trigger().map(evidence);
        let holds = trigger.filter(|t| t.truth == Truth::True);
        let phase = holds.map_or(Phase::Idle, |t| {
            Phase::Pending(RuleHold::new(Hold::new(now), t.counted))
        });
        (phase, Transition::Stopped(reason))
    }
}
