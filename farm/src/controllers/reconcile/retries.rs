//! How a device lately kept to what it was told, and how often it may be told again.

use std::collections::VecDeque;

use harit_engine::{Duration, Timestamp};
use serde::{Deserialize, Serialize};

use super::STEADY;

/// How long one that was told again has to do it, and twice as long with every further time: the command may have been lost
/// with its connection, and what does not follow at all is not to fill the log.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often that is doubled at most.
const DOUBLED: u8 = 4;
/// How often in an hour a device is told again.
const AN_HOUR: usize = 3;
/// How often in a day.
const A_DAY: usize = 8;
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

/// How a device lately kept to what it was told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Retries {
    /// When it was told again and that counted, oldest first.
    told: VecDeque<Timestamp>,
    #[serde(default, rename = "astray")]
    pub(super) drift: Option<Drift>,
}

/// A device does not do what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Drift {
    /// Since when, or since it was told again.
    pub(super) since: Timestamp,
    /// How often it was told again since it began.
    told: u8,
    /// Whether it did what it should before, so that it is its own doing.
    pub(super) counts: bool,
    /// Since when, however often it was told again. The first snapshots do not have it.
    #[serde(default)]
    from: Option<Timestamp>,
}

/// What is noted of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    /// It did, and does not any more: it is seen later whether it is told again.
    Begun,
    /// It never did: likewise.
    Unheeded,
    /// It was told again, which counts.
    ToldAgain,
    /// It was told again, and is not to blame.
    ToldFreely,
    /// It was locked.
    GivenUp,
    /// It does what it should, or nothing else is meant of it any more.
    Over,
}

impl Retries {
    pub(crate) fn is_empty(&self) -> bool {
        self.told.is_empty() && self.drift.is_none()
    }

    /// Whether the device does not do what it should.
    pub(crate) const fn is_drifting(&self) -> bool {
        self.drift.is_some()
    }

    /// Takes in what was decided. Once it was given up, a person has the say, and counting begins anew.
    pub(super) fn note(&mut self, at: Timestamp, what: Note) {
        // What is seen only when it should long have followed has not followed since it was told.
        let begun = match what {
            Note::ToldFreely => Timestamp::from_millis(at.as_millis() - STEADY.as_millis()),
            _ => at,
        };
        let from = self.drift.map_or(begun, Drift::began);
        let drift = |told, counts| {
            Some(Drift {
                since: at,
                told,
                counts,
                from: Some(from),
            })
        };
        let so_often = self.drift.map_or(1, |d| d.told.saturating_add(1));
        match what {
            Note::Begun => self.drift = drift(0, true),
            Note::Unheeded => self.drift = drift(0, false),
            Note::ToldAgain => {
                if self.told.len() >= A_DAY {
                    self.told.pop_front();
                }
                self.told.push_back(at);
                self.drift = drift(so_often, true);
            }
            Note::ToldFreely => self.drift = drift(so_often, false),
            Note::GivenUp => *self = Self::default(),
            Note::Over => self.drift = None,
        }
    }

    /// It is told anew anyway: whether it drifts is seen then.
    pub(crate) const fn end_drift(&mut self) {
        self.drift = None;
    }

    /// From when on it may be told again where that counts.
    pub(super) fn allowed_from(&self) -> Timestamp {
        let last = |n: usize, within: Duration| {
            let first = self.told.len().checked_sub(n).map(|i| self.told[i]);
            first.map(|at| at + within)
        };
        last(AN_HOUR, HOUR)
            .max(last(A_DAY, DAY))
            .unwrap_or(Timestamp::from_millis(i64::MIN))
    }
}

impl Drift {
    /// Since when it has been, however often it was told again.
    pub(super) fn began(self) -> Timestamp {
        self.from.unwrap_or(self.since)
    }

    /// When it has been for long enough.
    pub(super) fn patience_ends(self) -> Timestamp {
        let patience = match self.told {
            0 => STEADY,
            n => Duration::from_millis(PATIENCE.as_millis() << (n - 1).min(DOUBLED)),
        };
        self.since + patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn minutes(m: i64) -> Timestamp {
        Timestamp::from_millis(m * 60_000)
    }

    fn told(at: impl IntoIterator<Item = i64>) -> Retries {
        let mut retries = Retries::default();
        for m in at {
            retries.note(minutes(m), Note::ToldAgain);
        }
        retries
    }

    #[test]
    fn three_times_an_hour_and_eight_a_day() {
        assert!(told([0, 1]).allowed_from() < minutes(0));
        assert_eq!(told([0, 1, 2]).allowed_from(), minutes(60));
        assert_eq!(told([0, 1, 2, 61]).allowed_from(), minutes(61));
        let slow = |n| (0..n).map(|n| n * 30);
        assert_eq!(told(slow(7)).allowed_from(), minutes(180));
        assert_eq!(told(slow(8)).allowed_from(), minutes(1_440));
        // The oldest goes; what is remembered does not grow.
        let many = told(slow(100));
        assert_eq!(many.told.len(), A_DAY);
        assert_eq!(many.allowed_from(), minutes(92 * 30 + 1_440));
    }

    #[test]
    fn what_is_seen_only_when_it_should_long_have_followed_began_before() {
        let began = |note| {
            let mut retries = Retries::default();
            retries.note(minutes(10), note);
            retries.drift.unwrap().began()
        };
        assert_eq!(began(Note::Begun), minutes(10));
        assert_eq!(minutes(10) - began(Note::ToldFreely), STEADY);
    }

    #[test]
    fn one_that_was_told_has_longer_and_longer() {
        let mut retries = Retries::default();
        let after = |retries: &Retries| {
            let drift = retries.drift.unwrap();
            (drift.patience_ends() - drift.since).as_secs()
        };
        retries.note(minutes(1), Note::Begun);
        assert_eq!(after(&retries), 30);
        retries.note(minutes(2), Note::ToldAgain);
        assert_eq!(after(&retries), 300);
        let mut waits = vec![];
        for m in 3..9 {
            retries.note(minutes(m), Note::ToldFreely);
            waits.push(after(&retries));
        }
        assert_eq!(waits, [600, 1_200, 2_400, 4_800, 4_800, 4_800]);
        retries.note(minutes(9), Note::Over);
        assert!(!retries.is_drifting() && !retries.is_empty());
        retries.note(minutes(10), Note::Unheeded);
        assert_eq!(after(&retries), 30);
        retries.note(minutes(11), Note::GivenUp);
        assert!(retries.is_empty());
    }
}
