//! What is learned of a signal: how it changes when the device starts, and how it does at the same hour without that.

use harit_engine::SensorType;

use crate::expected::{Direction, Response};
use crate::judge::{Candidate, Past};
use crate::robust::{Spread, median};
use crate::run::Run;
use crate::series::Series;
use crate::{LEARN_DAYS, LEAST_RUNS, MINUTE_MS};

const DAY_MIN: i64 = 1_440;
/// The latest runs, of which no more are learned from.
const MOST_RUNS: usize = 60;
/// Times without a run are looked for in so many days, at the same hour give or take so many minutes; where there are too few, at
/// more hours.
const QUIET_DAYS: i64 = 14;
const NEAR_HOURS_MIN: [i64; 3] = [60, 180, DAY_MIN];
/// Steps between such times.
const QUIET_STEP_MIN: i64 = 10;
/// So many scales must lie between what runs do and what happens without: two of each.
const APART: i64 = 2;
/// So many of what a sensor can tell is the least scatter of the start's level.
const LEVEL_STEPS: i64 = 10;
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

/// What tells a run that works from one that does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learned {
    pub(crate) span: Span,
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
    let mut shifts = Vec::new();
    let mut strengths = Vec::new();
    for (i, other) in earlier.iter().enumerate().rev() {
        if other.from < since || shifts.len() >= MOST_RUNS {
            break;
        }
        let previous = i.checked_sub(1).and_then(|p| earlier.get(p));
        let Some(span) = span(candidate, other, previous, length) else {
            continue;
        };
        if is_left_out(other) || past.company(&candidate.others, other, span) != company {
            continue;
        }
        let Some(shift) = shift(&candidate.signal, other.minute(), span) else {
            continue;
        };
        shifts.push(shift);
        strengths.extend(other.value.map(|v| v.as_micro()));
    }
    let span = Span::of(length, i64::MAX, candidate.signal.gap());
    let values = |of: fn(&Shift) -> i64| shifts.iter().map(of).collect::<Vec<_>>();
    let of_runs = Spread::of(&values(|s| s.change)).ok_or(Unlearned::TooFew)?;
    let moved = Spread::of(&values(|s| s.moved)).ok_or(Unlearned::TooFew)?;
    let level = Spread::of(&values(|s| s.near)).ok_or(Unlearned::TooFew)?;
    let strength = median(strengths).map(|m| m / 2);
    let step = step(candidate.expected.signal);
    if let Some(sure) = candidate.expected.sure {
        let showed = shifts.iter().filter(|s| s.moved >= sure).count();
        if showed < LEAST_SURE {
            return Err(Unlearned::TooFew);
        }
        if showed * 2 < shifts.len() {
            return Err(Unlearned::Unseen);
        }
        return Ok(Learned {
            span,
            usual: moved.median,
            without: 0,
            cut: sure,
            sign: 1,
            moved: moved.median,
            level: i64::MAX,
            strength,
            count: of_runs.count,
            clearness: i64::MAX,
        });
    }
    if of_runs.count < LEAST_RUNS {
        return Err(Unlearned::TooFew);
    }
    let quiet = quiet(past, candidate, run, span).ok_or(Unlearned::TooFew)?;
    let (scale, without_scale) = (of_runs.scale.max(step), quiet.scale.max(step));
    let apart = of_runs.median - quiet.median;
    let sign = match candidate.expected.direction {
        Direction::Rises => 1,
        Direction::Falls => -1,
        Direction::Moves => apart.signum(),
    };
    let clearness = (sign * apart).saturating_mul(1_000) / (scale + without_scale);
    if clearness < APART * 1_000 {
        return Err(Unlearned::Unseen);
    }
    // as many scales from what happens without as from what runs do
    let cut = i128::from(apart) * i128::from(without_scale) / i128::from(scale + without_scale);
    let room = (4 * level.scale).max(LEVEL_STEPS * step);
    Ok(Learned {
        span,
        usual: of_runs.median,
        without: quiet.median,
        cut: quiet.median + i64::try_from(cut).unwrap_or(apart / 2),
        sign,
        moved: moved.median,
        level: level.median + sign * room,
        strength,
        count: of_runs.count,
        clearness,
    })
}

/// What the signal did about times without a run of the device or of those that hide it, at the hour of the run.
fn quiet(past: &Past, candidate: &Candidate, run: &Run, span: Span) -> Option<Spread> {
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
                found.push(shift.change);
            }
            minute += QUIET_STEP_MIN;
        }
        if found.len() >= LEAST_RUNS {
            return Spread::of(&found);
        }
    }
    None
}
