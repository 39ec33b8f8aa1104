//! Further looks at a run that goes on without an effect: a fan that does nothing is never switched off by a rule that waits for cooler air.

use crate::learned::Learned;
use crate::run::Run;
use crate::series::Series;

/// The least minutes between two looks.
const BETWEEN_MIN: i64 = 5;
/// No more looks after these many: those that there were are told.
const MOST: usize = 6;

/// What the looks after the first came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Looks {
    /// How many were in vain, the first included.
    pub(crate) in_vain: usize,
    /// Whether one found the effect.
    pub(crate) found: bool,
    /// How many minutes after the start the last was.
    pub(crate) minute: i64,
    /// Whether there may be more.
    pub(crate) open: bool,
}

/// Looks again, as far as `known` (a minute) allows, whether the signal has moved at least half as far from where it was before the
/// start as it does in runs that work.
pub(crate) fn again(signal: &Series, learned: &Learned, run: &Run, near: i64, known: i64) -> Looks {
    let first = learned.span.length;
    let mut looks = Looks {
        in_vain: 1,
        found: false,
        minute: first,
        // doses may go on after a break
        open: run
            .until
            .is_none_or(|u| known - u.div_euclid(crate::MINUTE_MS) < first),
    };
    let half = learned.moved * learned.sign / 2;
    if half <= 0 {
        // such runs only slow what goes on anyway
        looks.open = false;
        return looks;
    }
    let ran = run.minutes(known * crate::MINUTE_MS);
    let between = first.max(BETWEEN_MIN);
    while looks.in_vain < MOST {
        let at = looks.minute + between;
        if at > ran || run.minute() + at > known {
            return looks;
        }
        let end = run.minute() + at;
        looks.minute = at;
        // a look without a reading is none
        if let Some(now) = signal.mean(end - learned.span.width, end) {
            if learned.sign * (now - near) >= half {
                looks.found = true;
                looks.open = false;
                return looks;
            }
            looks.in_vain += 1;
        }
    }
    looks.open = false;
    looks
}
