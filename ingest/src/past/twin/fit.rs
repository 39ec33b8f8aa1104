//! How a place answers to its devices: the parameters that its own past shows, and how far off they are.
//!
//! In an hour a signal `x` changes by `w - a (x - x0) + sum u_k (g_k - c_k (x - x_k) + h_k)`: `w` is the weather (the hour of the day and,
//! where it is measured, the light), `1/a` the time constant, `u_k` from 0 to 1 how far a device runs, `g_k` its effect where it usually
//! runs, at `x_k`. What moves air takes more the hotter it is against the outside, and so makes the house quicker: `c_k`, and with the
//! hour `h_k`, a wave a day. What devices do is found by least squares over how steps differ from those of the hours around them, so that
//! slow weather is in neither; the weather then from what is left.

use harit_effects::Direction;

use super::least::{Solved, Sums};

/// What the weather is made of: a constant, two waves a day, the light.
const WEATHER: usize = 6;
/// The place of the signal itself among the unknowns; those of each group of devices come after it.
const SIGNAL: usize = WEATHER;
/// Of a group: its effect, by how much that is less the higher the signal is, and how it goes with the hour.
const OF_GROUP: usize = 4;
/// So many standard errors make an effect one.
const SURE: f64 = 2.0;
/// The longest time constant, in hours: what is longer cannot be told from forever.
const LONGEST_H: f64 = 72.0;
/// The minutes that are told ahead, and those before it by which the weather of the hour is known.
const AHEAD_MIN: i64 = 60;
const BEFORE_MIN: i64 = 30;
/// Fewer minutes tell nothing.
pub(super) const LEAST_MIN: i64 = 1_440;
/// What devices do is told from how steps differ from those so many minutes before and after.
const AROUND_MIN: i64 = 120;
/// The most that are told ahead of a past.
const MOST_TOLD: usize = 2_000;

/// Some minutes of a place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// The minute in which it begins, since 1970.
    pub(super) minute: i64,
    /// How many minutes it lasts.
    pub(super) minutes: i64,
    /// The signal at its beginning, at its end, and its mean.
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) mean: f64,
    /// The light, as a part of the most that there was.
    pub(super) light: f64,
    /// How far on each group of devices is on average, and that times the signal.
    pub(super) run: Vec<f64>,
    pub(super) run_signal: Vec<f64>,
}

/// What is known of a group of devices beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prior {
    /// Whether it moves air between the place and the outside.
    pub(super) exchanges: bool,
    /// Which way it can only move the signal.
    pub(super) direction: Option<Direction>,
}

/// Why nothing is said of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknown {
    /// It never ran, or for less than half an hour in all.
    NeverRan,
    /// It always ran.
    AlwaysRan,
    /// What it does cannot be told from nothing.
    NotSeen,
    /// It seems to do the contrary of what such a device does: something else that ran with it did that.
    Contrary,
}

/// What a group of devices does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effect {
    /// Of an hour at full, where it usually runs.
    pub(super) per_hour: f64,
    /// The standard error of that.
    pub(super) error: f64,
    /// By how much less that is for each unit that the signal is higher.
    slope: f64,
    /// How that goes with the hour: with what is outside.
    wave: [f64; 2],
    /// The signal and the hour where it usually runs.
    usual: Usual,
    /// The least and the most effect that was seen.
    seen: (f64, f64),
}

/// Where a group usually runs: the signal and the wave of the hour, on average.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Usual {
    signal: f64,
    wave: [f64; 2],
}

/// The hour of the day as a wave.
fn wave(minute: i64) -> [f64; 2] {
    let day = hours(minute.rem_euclid(1_440)) / 24.0 * std::f64::consts::TAU;
    [day.sin(), day.cos()]
}

impl Effect {
    /// Of an hour at full where the signal is so, in that minute. It is never more than was seen, and never turns round.
    pub(super) fn at(&self, signal: f64, minute: i64) -> f64 {
        let (least, most) = self.seen;
        let effect = self.raw(signal, wave(minute)).clamp(least, most);
        match self.per_hour < 0.0 {
            true => effect.min(0.0),
            false => effect.max(0.0),
        }
    }

    fn raw(&self, signal: f64, wave: [f64; 2]) -> f64 {
        let by_hour = (0..2).map(|i| self.wave[i] * (wave[i] - self.usual.wave[i]));
        self.per_hour - self.slope * (signal - self.usual.signal) + by_hour.sum::<f64>()
    }

    /// By how much it makes the place quicker, an hour.
    pub(super) const fn quickens(&self) -> f64 {
        self.slope
    }
}

/// What fits best.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    weather: Vec<f64>,
    reference: f64,
    /// One over the time constant, an hour.
    pub(super) rate: f64,
    /// What each group does.
    pub(super) effects: Vec<Result<Effect, Unknown>>,
}

/// How far off an hour ahead is, as the root of the mean square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Errors {
    /// Of the model.
    pub(super) model: f64,
    /// Of a model that knows no device.
    pub(super) without: f64,
    /// Of "it stays as it is".
    pub(super) stays: f64,
}

impl Step {
    fn hours(&self) -> f64 {
        hours(self.minutes)
    }

    fn follows(&self, before: &Self) -> bool {
        before.minute + before.minutes == self.minute
    }

    fn weather(&self) -> [f64; WEATHER] {
        let ([sin, cos], [sin_2, cos_2]) = (wave(self.minute), wave(2 * self.minute));
        [1.0, sin, cos, sin_2, cos_2, self.light]
    }

    fn row(&self, reference: f64, usual: &[Usual]) -> (Vec<f64>, f64) {
        let mut x: Vec<f64> = self.weather().to_vec();
        x.push(self.mean - reference);
        for ((run, warm), usual) in self.run.iter().zip(&self.run_signal).zip(usual) {
            x.extend([*run, warm - run * usual.signal]);
            x.extend((0..2).map(|i| run * (wave(self.minute)[i] - usual.wave[i])));
        }
        x.iter_mut().for_each(|x| *x *= self.hours());
        (x, self.to - self.from)
    }
}

#[allow(clippy::cast_precision_loss, reason = "some days at most")]
fn hours(minutes: i64) -> f64 {
    minutes as f64 / 60.0
}

#[allow(clippy::cast_precision_loss, reason = "some thousands of steps")]
const fn count(n: usize) -> f64 {
    n as f64
}

/// How a group ran: for how many hours it was on and off, and where.
#[derive(Default)]
struct Ran {
    on: f64,
    off: f64,
    usual: Usual,
}

impl Ran {
    fn of(steps: &[Step], group: usize) -> Self {
        let mut ran = Self::default();
        for step in steps {
            let on = step.run[group] * step.hours();
            ran.on += on;
            ran.off += step.hours() - on;
            ran.usual.signal += step.run_signal[group] * step.hours();
            for (sum, wave) in ran.usual.wave.iter_mut().zip(wave(step.minute)) {
                *sum += wave * on;
            }
        }
        let all = ran.on.max(1e-9);
        ran.usual.signal /= all;
        ran.usual.wave = ran.usual.wave.map(|sum| sum / all);
        ran
    }
}

/// Finds what fits best; none where there are too few steps, or they say nothing.
pub(super) fn fit(steps: &[Step], priors: &[Prior]) -> Option<Fit> {
    let of: Vec<Ran> = (0..priors.len()).map(|k| Ran::of(steps, k)).collect();
    let usual: Vec<Usual> = of.iter().map(|r| r.usual).collect();
    let reference = steps.iter().map(|s| s.mean).sum::<f64>() / count(steps.len().max(1));
    let rows: Vec<(Vec<f64>, f64)> = steps.iter().map(|s| s.row(reference, &usual)).collect();
    let unknowns = column(priors.len());
    let mut why: Vec<Option<Unknown>> = of.iter().map(idle).collect();
    let dark = steps.iter().all(|s| s.light <= 0.0);
    let mut kept: Vec<usize> = if dark {
        vec![SIGNAL]
    } else {
        vec![SIGNAL - 1, SIGNAL]
    };
    for (k, prior) in priors.iter().enumerate().filter(|(k, _)| why[*k].is_none()) {
        let own = column(k);
        kept.extend(own..own + if prior.exchanges { OF_GROUP } else { 1 });
    }
    let sums = quick(steps, &rows, unknowns);
    let solved = loop {
        let solved = sums.solve(&kept)?;
        match worst(&solved, &kept, priors) {
            None => break solved,
            Some((gone, reason)) => {
                let group = (gone - SIGNAL - 1) / OF_GROUP;
                let own = column(group);
                kept.retain(|c| *c != gone && (gone != own || !(own..own + OF_GROUP).contains(c)));
                if gone == own {
                    why[group] = Some(reason);
                }
            }
        }
    };
    // What devices do shows from one step to the next; what the weather is, over days.
    let calm: Vec<usize> = (0..if dark { WEATHER - 1 } else { WEATHER }).collect();
    let mut days = Sums::new(SIGNAL);
    for (x, y) in &rows {
        let moved = x.iter().zip(&solved.value).skip(SIGNAL);
        let moved: f64 = moved.map(|(x, b)| x * b).sum();
        days.add(&x[..SIGNAL], y - moved);
    }
    let weather = days.solve(&calm)?.value;
    let effects = (0..priors.len()).map(|k| {
        let own = column(k);
        let mut effect = Effect {
            per_hour: solved.value[own],
            error: solved.error[own],
            slope: -solved.value[own + 1],
            wave: [solved.value[own + 2], solved.value[own + 3]],
            usual: of[k].usual,
            seen: (f64::INFINITY, f64::NEG_INFINITY),
        };
        for step in steps.iter().filter(|s| s.run[k] > 0.0) {
            let there = effect.raw(step.mean, wave(step.minute));
            effect.seen = (effect.seen.0.min(there), effect.seen.1.max(there));
        }
        why[k].map_or(Ok(effect), Err)
    });
    Some(Fit {
        weather,
        reference,
        rate: (-solved.value[SIGNAL]).max(1.0 / LONGEST_H),
        effects: effects.collect(),
    })
}

/// The first of a group's columns.
const fn column(group: usize) -> usize {
    SIGNAL + 1 + OF_GROUP * group
}

/// Why the past of a group can say nothing.
fn idle(ran: &Ran) -> Option<Unknown> {
    if ran.on < 0.5 {
        Some(Unknown::NeverRan)
    } else if ran.off < 0.5 {
        Some(Unknown::AlwaysRan)
    } else {
        None
    }
}

/// The sums of steps less the mean of those around them: what the weather does slowly is in both.
fn quick(steps: &[Step], rows: &[(Vec<f64>, f64)], unknowns: usize) -> Sums {
    let mut sums = Sums::new(unknowns);
    let around = steps.first().map_or(1, |s| AROUND_MIN / s.minutes);
    let around = usize::try_from(around).unwrap_or(1).max(1);
    for (window, own) in rows
        .windows(2 * around + 1)
        .zip(steps.windows(2 * around + 1))
    {
        if !own.windows(2).all(|pair| pair[1].follows(&pair[0])) {
            continue;
        }
        let of = count(window.len());
        let (x, y) = &window[around];
        let mean = |c: usize| window.iter().map(|(x, _)| x[c]).sum::<f64>() / of;
        let x: Vec<f64> = x.iter().enumerate().map(|(c, x)| x - mean(c)).collect();
        sums.add(&x, y - window.iter().map(|(_, y)| y).sum::<f64>() / of);
    }
    sums
}

/// The column that is to go next: first what is least certain of what makes the place quicker, then of the effects.
fn worst(solved: &Solved, kept: &[usize], priors: &[Prior]) -> Option<(usize, Unknown)> {
    let sure = |c: usize| solved.value[c].abs() / solved.error[c].max(f64::MIN_POSITIVE);
    let judged = |c: &usize| {
        let (group, of) = ((*c - SIGNAL - 1) / OF_GROUP, (*c - SIGNAL - 1) % OF_GROUP);
        let is_slope = of == 1;
        let contrary = match (is_slope, priors[group].direction) {
            (true, _) => solved.value[*c] > 0.0,
            (false, Some(Direction::Falls)) => solved.value[*c] > 0.0,
            (false, Some(Direction::Rises)) => solved.value[*c] < 0.0,
            (false, _) => false,
        };
        let doubtful = sure(*c) < SURE;
        let reason = if doubtful {
            Unknown::NotSeen
        } else {
            Unknown::Contrary
        };
        (doubtful || contrary).then_some((!is_slope, sure(*c), *c, reason))
    };
    let devices = kept
        .iter()
        .filter(|c| **c > SIGNAL && (**c - SIGNAL - 1) % OF_GROUP < 2);
    let worst = devices
        .filter_map(judged)
        .min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    worst.map(|(.., column, reason)| (column, reason))
}

impl Fit {
    /// What the signal moves towards, and how quickly, an hour.
    fn source(&self, step: &Step) -> (f64, f64) {
        let weather = step
            .weather()
            .into_iter()
            .zip(&self.weather)
            .map(|(x, b)| x * b);
        let mut source = weather.sum::<f64>() + self.rate * self.reference;
        let mut rate = self.rate;
        for (run, effect) in step.run.iter().zip(&self.effects) {
            if let Ok(effect) = effect {
                source += run * effect.raw(0.0, wave(step.minute));
                rate += run * effect.slope;
            }
        }
        (source, rate)
    }

    fn left(&self, step: &Step) -> f64 {
        let (source, rate) = self.source(step);
        (step.to - step.from) / step.hours() - (source - rate * step.mean)
    }

    /// The signal after some steps, of which the weather of the hour before is known.
    fn ahead(&self, before: &[Step], steps: &[Step]) -> Option<f64> {
        let more = before.iter().map(|s| self.left(s)).sum::<f64>() / count(before.len());
        let mut signal = steps.first()?.from;
        for step in steps {
            let (source, rate) = self.source(step);
            let end = (source + more) / rate;
            signal = end + (signal - end) * (-rate * step.hours()).exp();
        }
        Some(signal)
    }
}

/// How far off an hour ahead is in the last third, of what the first two thirds show; none where there is too little of either.
pub(super) fn held_out(steps: &[Step], priors: &[Prior]) -> Option<Errors> {
    let (learned, held) = steps.split_at(steps.len() / 3 * 2);
    let none = vec![];
    let bare: Vec<Step> = learned.iter().map(|s| s.without_devices()).collect();
    let (with, without) = (fit(learned, priors)?, fit(&bare, &none)?);
    let of = |minutes: i64| usize::try_from(minutes / steps.first()?.minutes).ok();
    let (before, ahead) = (of(BEFORE_MIN)?.max(1), of(AHEAD_MIN)?.max(1));
    let mut sums = [0.0; 3];
    let mut told = 0;
    let every = held.len() / MOST_TOLD + 1;
    for window in held.windows(before + ahead).step_by(every) {
        if !window.windows(2).all(|pair| pair[1].follows(&pair[0])) {
            continue;
        }
        let (before, steps) = window.split_at(before);
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
            continue;
        };
        let all = [
            with.ahead(before, steps)?,
            without.ahead(before, steps)?,
            first.from,
        ];
        for (sum, told) in sums.iter_mut().zip(all) {
            *sum += (told - last.to).powi(2);
        }
        told += 1;
    }
    let [model, without, stays] = sums.map(|sum| (sum / count(told.max(1))).sqrt());
    (told >= ahead).then_some(Errors {
        model,
        without,
        stays,
    })
}

impl Step {
    fn without_devices(&self) -> Self {
        Self {
            run: Vec::new(),
            run_signal: Vec::new(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests;
