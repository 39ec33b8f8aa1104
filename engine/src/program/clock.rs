//! What the leaves of time come to at an instant, by the days that are known.

use super::tree::{Kind, Threshold, Tree};
use crate::almanac::{Almanac, AlmanacDay};
use crate::calendar::LocalDate;
use crate::document::{SetpointSpec, WindowSpec};
use crate::setpoint;
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

const fn truth(holds: bool) -> Truth {
    if holds { Truth::True } else { Truth::False }
}

/// The truth of a leaf of time; none of another node.
pub(crate) fn truth_at(kind: &Kind, almanac: &Almanac, at: Timestamp) -> Option<Truth> {
    let of_day = |holds: &dyn Fn(&AlmanacDay) -> bool| {
        let day = almanac.day_of(at);
        day.map_or(Truth::Unknown, |day| truth(holds(day)))
    };
    Some(match kind {
        Kind::Days(days) => of_day(&|day| days.contains(day.date.weekday())),
        Kind::Dates(dates) => of_day(&|day| dates.contains(day.date.month_day())),
        Kind::Time(window) => match almanac.day_of(at) {
            None => Truth::Unknown,
            Some(day) => {
                let begun = [day.date, day.date.plus(-1)].into_iter();
                Truth::any(begun.map(|date| within(*window, date, almanac, at)))
            }
        },
        _ => return None,
    })
}

/// Whether an instant is in the window that begins on a date.
fn within(window: WindowSpec, date: LocalDate, almanac: &Almanac, at: Timestamp) -> Truth {
    if !window.days.contains(date.weekday()) {
        return Truth::False;
    }
    let Some(day) = almanac.day(date) else {
        return Truth::Unknown;
    };
    let ends = day.instant(window.from).zip(day.instant(window.to));
    let Some((from, to)) = ends else {
        return Truth::Unknown;
    };
    if at < from {
        return Truth::False;
    }
    let next = || almanac.day(date.plus(1))?.instant(window.to);
    match if to > from { Some(to) } else { next() } {
        None => Truth::Unknown,
        Some(end) => truth(at < end),
    }
}

/// The first instant after another at which a leaf of time has another truth than a moment before, or a setpoint another value.
pub(super) fn next_boundary<'a>(
    trees: impl Iterator<Item = &'a Tree>,
    almanac: &Almanac,
    setpoints: &[SetpointSpec],
    after: Timestamp,
) -> Option<Timestamp> {
    let first_of = |kind: &Kind| next_change(kind, almanac, setpoints, after);
    { trees.flat_map(Tree::kinds) }.filter_map(first_of).min()
}

/// The first instant after another at which a leaf of time has another truth than a moment before, or the setpoint of a
/// comparison another value; none of another node.
pub(crate) fn next_change(
    kind: &Kind,
    almanac: &Almanac,
    setpoints: &[SetpointSpec],
    after: Timestamp,
) -> Option<Timestamp> {
    let step = Duration::from_millis(1);
    let changes =
        |at: &Timestamp| truth_at(kind, almanac, *at) != truth_at(kind, almanac, *at - step);
    // A truth changes only where a day or a window begins or ends.
    let window = match kind {
        Kind::Time(window) => Some(*window),
        Kind::Days(_) | Kind::Dates(_) => None,
        Kind::Signal(leaf) => {
            let Threshold::Setpoint { id, .. } = &leaf.threshold else {
                return None;
            };
            return setpoint::find(setpoints, id)?.next_change(almanac, after);
        }
        _ => return None,
    };
    let ends = almanac.days().flat_map(|day| {
        let moments = window.map(|w| [day.instant(w.from), day.instant(w.to)]);
        let moments = moments.into_iter().flatten().flatten();
        moments.chain([day.from, day.to])
    });
    let mut ends: Vec<Timestamp> = ends.filter(|at| *at > after).collect();
    ends.sort_unstable();
    ends.into_iter().find(changes)
}
