//! The engine's timers, in the order in which those of one instant run.

use crate::deadline::Deadlines;
use crate::time::Timestamp;

/// What can come due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// A sensor's value expires.
    Expiry,
    /// A leaf of time of a program changes its truth.
    Boundary,
    /// A leaf of time of an alert's tree changes its truth.
    AlertBoundary,
    /// A curve may change again, or its setpoint is another.
    Curve,
    /// A rule's hold completes, its patience with a lost signal or its run ends, or it starts by its schedule.
    RuleHold,
    /// An alert's hold completes.
    AlertHold,
    /// A rule's delayed action.
    Action,
    /// A claim ends by itself.
    Claim,
    /// A manual mode ends.
    Manual,
    /// A device is looked at for its limits.
    Limit,
    /// A device was on for as long as it may.
    MaxOn,
    /// An alert is to be notified again.
    Repeat,
}

impl Timer {
    pub(crate) const ALL: [Self; 12] = [
        Self::Expiry,
        Self::Boundary,
        Self::AlertBoundary,
        Self::Curve,
        Self::RuleHold,
        Self::AlertHold,
        Self::Action,
        Self::Claim,
        Self::Manual,
        Self::Limit,
        Self::MaxOn,
        Self::Repeat,
    ];
}

/// All deadlines of a farm.
#[derive(Debug, Clone)]
pub(crate) struct Timers {
    queues: [Deadlines; Timer::ALL.len()],
    /// No deadline is before this.
    wake: Timestamp,
}

/// No deadline is after this.
pub(crate) const NEVER: Timestamp = Timestamp::from_millis(i64::MAX);

impl Default for Timers {
    fn default() -> Self {
        Self {
            queues: Default::default(),
            wake: NEVER,
        }
    }
}

impl Timers {
    pub(crate) fn set(&mut self, timer: Timer, owner: u32, deadline: Timestamp) {
        self.wake = self.wake.min(deadline);
        self.queues[timer as usize].set(owner, deadline);
    }

    /// Whether anything may be due.
    pub(crate) fn may_be_due(&self, now: Timestamp) -> bool {
        self.wake <= now
    }

    /// The earliest true deadline, if it is no later than `until`: what is due later costs nothing.
    pub(crate) fn earliest(
        &mut self,
        until: Timestamp,
        deadline_of: impl Fn(Timer, u32) -> Option<Timestamp>,
    ) -> Option<Timestamp> {
        let mut first = None;
        for timer in Timer::ALL {
            let queue = &mut self.queues[timer as usize];
            let own = queue.earliest(first.unwrap_or(until), |o| deadline_of(timer, o));
            first = own.or(first);
        }
        let bounds = self.queues.iter().filter_map(Deadlines::bound);
        self.wake = bounds.min().unwrap_or(NEVER);
        first
    }

    /// The same without queueing anything again.
    pub(crate) fn seek(
        &self,
        until: Timestamp,
        deadline_of: impl Fn(Timer, u32) -> Option<Timestamp>,
    ) -> Option<Timestamp> {
        let of = |timer: Timer| {
            self.queues[timer as usize].seek(until, |owner| deadline_of(timer, owner))
        };
        Timer::ALL.into_iter().filter_map(of).min()
    }

    /// Takes out all owners whose deadline of that kind may be at or before `now`, in any order.
    pub(crate) fn take_until(&mut self, timer: Timer, now: Timestamp, owners: &mut Vec<u32>) {
        self.queues[timer as usize].take_until(now, owners);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}
