//! What is learned of a signal: how it changes when the device starts, and how it does at the same hour without that.

use harit_engine::SensorType;

use crate::expected::{Direction, Response};
use crate::judge::{Candidate, Past};
use crate::robust::{Spread, median};
use crate::run::Run;
use crate::series::Series;
use crate::{LEARN_DAYS, LEAST_RUNS, MINUTE_MS, TELL_AFTER};

const DAY_MIN: i64 = 1_440;
/// The latest runs, of which no more are learned from.
const MOST_RUNS: usize = 60;
/// Times without a run are looked for in so many days, at the same hour give or take so many minutes; where there are too few, at
/// more hours.
const QUIET_DAYS: i64 = 14;
const NEAR_HOURS_MIN: [i64; 3] = [60, 180, DAY_MIN];
/// Steps between such times.
const QUIET_STEP_MIN: i64 = 10;
/// So many of both scales together must lie between what runs do and what happens without.
const APART: i64 = 3;
/// So many of what a sensor can tell is the least scatter of the start's level.
const LEVEL_STEPS: i64 = 10;
/// Of so many runs no more than one may have been marked in vain, alone or in a row too short to be told, with an effect after it.
const MISFIRE: usize = 25;
/// Runs are judged by a sure change once so many showed it.
const LEAST_SURE: usize = 3;

/// How long before and after an instant a signal is compared, and over how long it is averaged, in minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) length: i64,
    pub(crate) before: i64,
    pub(crate) width: i64,
}

impl Span {
    pub(crate) fn of(length: i64, before: i64, gap: i64) -> Self {
        let width = (length / 3).max(gap).max(1);
        Self {
            length,
            before: before.min(length + width) - width,
            width,
        }
    }
}

/// What a signal did about an instant, in micro-units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shift {
    /// Just before.
    pub(crate) near: i64,
    /// By how much it changed after it.
    pub(crate) moved: i64,
    /// By how much more than in the same time before it.
    pub(crate) change: i64,
}

pub(crate) fn shift(signal: &Series, minute: i64, span: Span) -> Option<Shift> {
    let Span {
        length,
        before,
        width,
    } = span;
    let near = signal.mean(minute - width, minute)?;
    let far = signal.mean(minute - before - width, minute - before)?;
    let after = signal.mean(minute + length - width, minute + length)?;
    let trend = (near - far).saturating_mul(length).checked_div(before)?;
    Some(Shift {
        near,
        moved: after - near,
        change: after - near - trend,
    })
}

/// The smallest step that usual sensors can tell, in micro-units.
pub(crate) const fn step(signal: SensorType) -> i64 {
    match signal {
        SensorType::Ph | SensorType::Ec | SensorType::VapourPressureDeficit => 10_000,
        SensorType::LightIntensity => 100_000_000,
        SensorType::Par => 5_000_000,
        _ => 100_000,
    }
}

/// By what a run is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// What the signal moved by.
    Moved,
    /// That, less what it moved by before.
    Change,
}

impl Shift {
    pub(crate) const fn by(&self, by: By) -> i64 {
        match by {
            By::Moved => self.moved,
            By::Change => self.change,
        }
    }
}

/// What tells a run that works from one that does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learned {
    pub(crate) span: Span,
    pub(crate) by: By,
    pub(crate) usual: i64,
    pub(crate) without: i64,
    pub(crate) cut: i64,
    /// 1 where runs make the signal rise, -1 where they make it fall.
    pub(crate) sign: i64,
    /// How far the signal moves after a start, in the middle.
    pub(crate) moved: i64,
    /// Beyond this, in the runs' direction, a start is another than those that were seen.
    pub(crate) level: i64,
    /// Half of the strength at which it runs, as a rule; none where it has none.
    pub(crate) strength: Option<i64>,
    pub(crate) count: usize,
    /// How many times both lie apart: larger is clearer, in thousandths.
    pub(crate) clearness: i64,
}

/// Why nothing is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unlearned {
    TooFew,
    Unseen,
}

/// How long the runs of a device are looked at.
pub(crate) fn length(candidate: &Candidate, earlier: &[Run], now: i64) -> i64 {
    let gap = candidate.signal.gap();
    let row = &candidate.expected;
    let (least, most) = (row.delay_min.max(2 * gap), row.window_min.max(2 * gap));
    if row.response == Response::Lasting {
        return most;
    }
    let latest = earlier.iter().rev().take(MOST_RUNS);
    let lengths = latest.map(|r| r.minutes(now)).collect();
    median(lengths).map_or(most, |m| m.clamp(least, most))
}

/// The span at which a run is looked at; none where it is too short.
pub(crate) fn span(
    candidate: &Candidate,
    run: &Run,
    previous: Option<&Run>,
    length: i64,
) -> Option<Span> {
    let gap = candidate.signal.gap();
    let least = candidate.expected.delay_min.max(2 * gap);
    let ran = match (candidate.expected.response, run.until) {
        (Response::While, Some(until)) => (until - run.from) / MINUTE_MS,
        _ => length,
    };
    let length = length.min(ran);
    if length < least {
        return None;
    }
    let off = previous.and_then(|p| p.until);
    let off = off.map_or(i64::MAX, |u| run.minute() - u.div_euclid(MINUTE_MS));
    let span = Span::of(length, off, gap);
    // a trend over less than half of the time says too little
    (span.before >= 1 && 2 * span.before >= length).then_some(span)
}

/// Learns from the runs before `at` that have the same company.
pub(crate) fn learn(
    past: &Past,
    candidate: &Candidate,
    at: usize,
    company: &[usize],
    is_left_out: impl Fn(&Run) -> bool,
) -> Result<Learned, Unlearned> {
    let Some((run, earlier)) = past.runs.get(at).zip(past.runs.get(..at)) else {
        return Err(Unlearned::TooFew);
    };
    let length = length(candidate, earlier, run.from);
    let since = run.from - LEARN_DAYS * DAY_MIN * MINUTE_MS;
    let mut shifts: Vec<Shift> = Vec::new();
    let mut in_order: Vec<(Shift, bool)> = Vec::new();
    let mut strengths = Vec::new();
    for (i, other) in earlier.iter().enumerate().rev() {
        if other.from < since || shifts.len() >= MOST_RUNS {
            break;
        }
        let previous = i.checked_sub(1).and_then(|p| earlier.get(p));
        let Some(span) = span(candidate, other, previous, length) else {
            continue;
        };
        if past.company(&candidate.others, other, span) != company {
            continue;
        }
        let Some(shift) = shift(&candidate.signal, other.minute(), span) else {
            continue;
        };
        let is_vain = is_left_out(other);
        in_order.push((shift, is_vain));
        if !is_vain {
            shifts.push(shift);
            strengths.extend(other.value.map(|v| v.as_micro()));
        }
    }
    in_order.reverse();
    let span = Span::of(length, i64::MAX, candidate.signal.gap());
    let strength = median(strengths).map(|m| m / 2);
    if let Some(least) = candidate.expected.sure {
        return sure(&shifts, least, span, strength);
    }
    if shifts.len() < LEAST_RUNS {
        return Err(Unlearned::TooFew);
    }
    let quiet = quiet(past, candidate, run, span);
    let quiet = quiet.ok_or(Unlearned::TooFew)?;
    let level: Vec<i64> = shifts.iter().map(|s| s.near).collect();
    let level = Spread::of(&level).ok_or(Unlearned::TooFew)?;
    let moved = median(shifts.iter().map(|s| s.moved).collect()).unwrap_or(0);
    let step = step(candidate.expected.signal);
    let room = (4 * level.scale).max(LEVEL_STEPS * step);
    let of = |by: By| {
        let of_runs = Spread::of(&shifts.iter().map(|s| s.by(by)).collect::<Vec<_>>())?;
        let without = Spread::of(&quiet.iter().map(|s| s.by(by)).collect::<Vec<_>>())?;
        let (scale, without_scale) = (of_runs.scale.max(step), without.scale.max(step));
        let apart = of_runs.median - without.median;
        let sign = match candidate.expected.direction {
            Direction::Rises => 1,
            Direction::Falls => -1,
            Direction::Moves => apart.signum(),
        };
        let clearness = (sign * apart).saturating_mul(1_000) / (scale + without_scale);
        // as many scales from what happens without as from what runs do
        let cut = i128::from(apart) * i128::from(without_scale) / i128::from(scale + without_scale);
        let learned = Learned {
            span,
            by,
            usual: of_runs.median,
            without: without.median,
            cut: without.median + i64::try_from(cut).unwrap_or(apart / 2),
            sign,
            moved,
            level: level.median + sign * room,
            strength,
            count: of_runs.count,
            clearness,
        };
        let is_clear = clearness >= APART * 1_000;
        (is_clear && misfires(&in_order, &learned) * MISFIRE <= in_order.len()).then_some(learned)
    };
    let both = [By::Moved, By::Change].into_iter().filter_map(of);
    both.max_by_key(|l| l.clearness).ok_or(Unlearned::Unseen)
}

/// By what is zero without a run.
fn sure(
    shifts: &[Shift],
    least: i64,
    span: Span,
    strength: Option<i64>,
) -> Result<Learned, Unlearned> {
    let showed = shifts.iter().filter(|s| s.moved >= least).count();
    if showed < LEAST_SURE {
        return Err(Unlearned::TooFew);
    }
    if showed * 2 < shifts.len() {
        return Err(Unlearned::Unseen);
    }
    let moved = median(shifts.iter().map(|s| s.moved).collect()).unwrap_or(least);
    Ok(Learned {
        span,
        by: By::Moved,
        usual: moved,
        without: 0,
        cut: least,
        sign: 1,
        moved,
        level: i64::MAX,
        strength,
        count: shifts.len(),
        clearness: i64::MAX,
    })
}

/// How many runs were marked in vain, in rows that were too short to be told and had an effect after them.
fn misfires(in_order: &[(Shift, bool)], learned: &Learned) -> usize {
    let (mut row, mut all) = (0, 0);
    for (shift, is_vain) in in_order {
        if *is_vain {
            row += 1;
        } else if learned.sign * shift.by(learned.by) >= learned.sign * learned.cut {
            all += if row < TELL_AFTER { row } else { 0 };
            row = 0;
        }
    }
    all
}

/// What the signal did about times without a run of the device or of those that hide it, at the hour of the run.
fn quiet(past: &Past, candidate: &Candidate, run: &Run, span: Span) -> Option<Vec<Shift>> {
    let end = run.minute();
    let (first, _) = candidate.signal.span();
    let from = first.max(end - QUIET_DAYS * DAY_MIN);
    let mut found = Vec::new();
    for near in NEAR_HOURS_MIN {
        found.clear();
        let mut minute = from;
        while minute < end - span.length {
            let away = (minute - end).rem_euclid(DAY_MIN);
            if away.min(DAY_MIN - away) <= near
                && past.is_quiet(&candidate.others, minute, span)
                && let Some(shift) = shift(&candidate.signal, minute, span)
            {
                found.push(shift);
            }
            minute += QUIET_STEP_MIN;
        }
        if found.len() >= LEAST_RUNS {
            return Some(found);
        }
    }
    None
}
