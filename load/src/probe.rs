//! Publish to command, as a state machine over instants.
//!
//! The probe's rule holds for 1 s, so the message that starts the hold cannot be the one that is measured. It is followed,
//! well after that second, by a second sample: the one that the hold waits for (`min_samples` is 2). What is measured is
//! from its publish to the arrival of the command. Then the same the other way, and the fan is off again.

use std::time::Duration;

use tokio::time::Instant;

use crate::farm::PROBE_HOLD_SEC;

/// How long after the hold's second the completing sample is sent.
const MARGIN: Duration = Duration::from_millis(50);
/// The same where no acknowledgement says when the first sample was taken.
const UNACKNOWLEDGED_MARGIN: Duration = Duration::from_millis(500);
/// How long a command is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The next hold starts then.
    Start(Instant),
    /// The first sample was sent, and is not acknowledged.
    Starting,
    /// The hold grows old; the completing sample is sent then.
    Holding(Instant),
    /// The completing sample was sent then.
    Waiting(Instant),
}

/// A message to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) high: bool,
    /// Whether it is the sample that completes the hold.
    pub(crate) completes: bool,
    /// For values that differ.
    pub(crate) turn: usize,
}

/// One controller's probe.
#[derive(Debug)]
pub(crate) struct Probe {
    state: State,
    high: bool,
    turn: usize,
}

impl Probe {
    pub(crate) fn new(first: Instant) -> Self {
        Self {
            state: State::Start(first),
            high: true,
            turn: 0,
        }
    }

    /// When there is something to send, or to give up.
    pub(crate) fn wakes(&self) -> Option<Instant> {
        match self.state {
            State::Start(at) | State::Holding(at) => Some(at),
            State::Waiting(since) => Some(since + PATIENCE),
            State::Starting => None,
        }
    }

    /// What is to be sent now; and whether a command was given up.
    pub(crate) fn next(&mut self, now: Instant, acknowledged: bool) -> (Option<Message>, bool) {
        let hold = Duration::from_secs(u64::from(PROBE_HOLD_SEC));
        let mut gave_up = false;
        if let State::Waiting(since) = self.state
            && now >= since + PATIENCE
        {
            gave_up = true;
            self.turn_round(now);
        }
        let completes = match self.state {
            State::Start(at) if at <= now => {
                self.state = if acknowledged {
                    State::Starting
                } else {
                    State::Holding(now + hold + UNACKNOWLEDGED_MARGIN)
                };
                false
            }
            State::Holding(at) if at <= now => {
                self.state = State::Waiting(now);
                true
            }
            _ => return (None, gave_up),
        };
        self.turn += 1;
        let message = Message {
            high: self.high,
            completes,
            turn: self.turn,
        };
        (Some(message), gave_up)
    }

    /// The first sample was taken, at the latest now.
    pub(crate) fn started(&mut self, now: Instant) {
        if self.state == State::Starting {
            self.state =
                State::Holding(now + Duration::from_secs(u64::from(PROBE_HOLD_SEC)) + MARGIN);
        }
    }

    /// A command came; its latency, if it is the one that is waited for.
    pub(crate) fn commanded(&mut self, on: bool, now: Instant) -> Option<Duration> {
        let State::Waiting(since) = self.state else {
            return None;
        };
        if on != self.high {
            return None;
        }
        self.turn_round(now);
        Some(now - since)
    }

    fn turn_round(&mut self, now: Instant) {
        self.high = !self.high;
        self.state = State::Start(now + MARGIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_goes_up_and_down() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut probe = Probe::new(at(10));
        assert_eq!(probe.next(at(9), true), (None, false));
        let (first, _) = probe.next(at(10), true);
        assert!(first.is_some_and(|m| m.high && !m.completes));
        assert_eq!(
            (probe.next(at(11), true), probe.wakes()),
            ((None, false), None)
        );
        probe.started(at(20));
        assert_eq!(probe.wakes(), Some(at(1_070)));
        assert!(
            probe
                .next(at(1_070), true)
                .0
                .is_some_and(|m| m.high && m.completes)
        );
        assert_eq!(probe.commanded(false, at(1_071)), None, "an old command");
        assert_eq!(
            probe.commanded(true, at(1_073)),
            Some(Duration::from_millis(3))
        );
        assert_eq!(probe.commanded(true, at(1_074)), None, "a repeated command");
        assert!(
            probe
                .next(at(1_123), true)
                .0
                .is_some_and(|m| !m.high && !m.completes)
        );
    }

    #[test]
    fn a_command_that_never_comes_is_given_up() {
        let begin = Instant::now();
        let mut probe = Probe::new(begin);
        probe.next(begin, false);
        let completed = begin + Duration::from_millis(1_500);
        assert!(probe.next(completed, false).0.is_some_and(|m| m.completes));
        assert_eq!(
            probe.next(completed + PATIENCE - MARGIN, false),
            (None, false)
        );
        assert_eq!(probe.next(completed + PATIENCE, false), (None, true));
        assert!(
            probe
                .next(completed + PATIENCE + MARGIN, false)
                .0
                .is_some_and(|m| !m.high)
        );
    }
}
