//! The mark of each run, from what was known before it and what followed it.
//!
//! For a start in minute k, length L and width w, the signal's change is what it moved by from the w minutes before k to the w minutes
//! before k + L, less what it moved by in the same time before (difference in differences). That of runs that were seen and that of times
//! without one at the same hour are each described by median and median absolute deviation (times 1.4826). Where the medians lie at least
//! three times the sum of both deviations apart, a run worked if its change lies beyond the point between them that is as many deviations
//! from either; else its runs do not show in that signal.

use std::collections::BTreeSet;

use crate::MINUTE_MS;
use crate::expected::{Expected, Response};
use crate::learned::{self, Learned, Span, Unlearned, shift};
use crate::looks;
use crate::mark::{Judged, Mark, Numbers, Reason};
use crate::run::Run;
use crate::series::Series;

/// A signal in which a device may show.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// What is expected.
    pub expected: Expected,
    /// The signal.
    pub signal: Series,
    /// Which of the past's others hide the device in it.
    pub others: Vec<usize>,
}

/// What is known of a device.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// The signals in which it may show.
    pub candidates: Vec<Candidate>,
    /// Its runs, oldest first.
    pub runs: Vec<Run>,
    /// The runs of each of the devices that hide it in a signal.
    pub others: Vec<Vec<Run>>,
    /// The starts of runs that had no effect, as marked before.
    pub without_effect: BTreeSet<i64>,
}

impl Past {
    /// Which of the others were switched about a run's start.
    pub(crate) fn company(&self, others: &[usize], run: &Run, span: Span) -> Vec<usize> {
        let from = run.from - (span.before + span.width) * MINUTE_MS;
        let until = run.from + span.length * MINUTE_MS;
        let within = |at: i64| (from..until).contains(&at);
        let switched = |r: &Run| within(r.from) || r.until.is_some_and(within);
        let is_switched = |i: &usize| {
            let runs = self.others.get(*i);
            runs.is_some_and(|runs| nearby(runs, from, until).any(switched))
        };
        others.iter().copied().filter(is_switched).collect()
    }

    /// Whether the device did not run about a minute, and none of the others was switched.
    pub(crate) fn is_quiet(&self, others: &[usize], minute: i64, span: Span) -> bool {
        let from = (minute - span.before - span.width) * MINUTE_MS;
        let until = (minute + span.length) * MINUTE_MS;
        let runs = |r: &Run| r.from < until && r.until.is_none_or(|u| u > from);
        let middle = Run {
            from: minute * MINUTE_MS,
            until: None,
            value: None,
        };
        !nearby(&self.runs, from, until).any(runs) && self.company(others, &middle, span).is_empty()
    }
}

/// The runs that may reach into [from, until): those that begin before it ends, from the last that begins before it.
fn nearby(runs: &[Run], from: i64, until: i64) -> impl Iterator<Item = &Run> {
    let first = runs.partition_point(|r| r.from < from).saturating_sub(1);
    runs.iter().skip(first).take_while(move |r| r.from < until)
}

/// Marks the runs that began at or after `since`, oldest first, as far as they can be looked at: readings up to the instant `known` are
/// in the signals.
#[must_use]
pub fn judge(past: &Past, since: i64, known: i64) -> Vec<Judged> {
    let mut past = past.clone();
    let mut all = Vec::new();
    for at in 0..past.runs.len() {
        let Some(run) = past.runs.get(at).copied().filter(|r| r.from >= since) else {
            continue;
        };
        let Some(judged) = mark(&past, at, run, known.div_euclid(MINUTE_MS)) else {
            continue;
        };
        if judged.mark == Mark::NoEffect {
            past.without_effect.insert(run.from);
        } else {
            past.without_effect.remove(&run.from);
        }
        all.push(judged);
    }
    all
}

fn cannot_tell(run: Run, reason: Reason) -> Judged {
    Judged {
        run,
        mark: Mark::CannotTell,
        reason: Some(reason),
        seen: false,
        looks: 0,
        looked_min: 0,
        company: Vec::new(),
        numbers: None,
        open: false,
    }
}

type Why = (Reason, Vec<usize>);
type Best<'a> = (&'a Candidate, Learned, Span, Vec<usize>);

/// The candidate in which the device's runs show best, or why none can be asked: the reason that says most.
fn best(past: &Past, at: usize, run: Run) -> Result<Best<'_>, Why> {
    let earlier = past.runs.get(..at).unwrap_or_default();
    let mut found: Option<Best<'_>> = None;
    let mut why = (Reason::NoSensor, Vec::new());
    let left_out = |r: &Run| past.without_effect.contains(&r.from);
    for candidate in past.candidates.iter().filter(|c| !c.signal.is_empty()) {
        let length = learned::length(candidate, earlier, run.from);
        let Some(span) = learned::span(candidate, &run, earlier.last(), length) else {
            why = weightier(why, (Reason::TooShort, Vec::new()));
            continue;
        };
        let company = past.company(&candidate.others, &run, span);
        match learned::learn(past, candidate, at, &company, left_out) {
            Ok(learned) => {
                if found
                    .as_ref()
                    .is_none_or(|f| f.1.clearness < learned.clearness)
                {
                    found = Some((candidate, learned, span, company));
                }
            }
            Err(Unlearned::Unseen) => why = weightier(why, (Reason::Unseen, company)),
            Err(Unlearned::TooFew) if company.is_empty() => {
                why = weightier(why, (Reason::TooFew, company));
            }
            Err(Unlearned::TooFew) => why = weightier(why, (Reason::Together, company)),
        }
    }
    found.ok_or(why)
}

fn weightier(a: Why, b: Why) -> Why {
    let weight = |r: Reason| match r {
        Reason::NoSensor => 0,
        Reason::TooShort => 1,
        Reason::NotFresh => 2,
        Reason::TooFew => 3,
        Reason::Together => 4,
        Reason::Unlike => 5,
        Reason::Unseen => 6,
    };
    if weight(b.0) > weight(a.0) { b } else { a }
}

/// None while it is too early.
fn mark(past: &Past, at: usize, run: Run, known: i64) -> Option<Judged> {
    let (candidate, learned, span, company) = match best(past, at, run) {
        Ok(best) => best,
        Err((reason, company)) => {
            // a run that goes on may still become long enough
            let early = reason == Reason::TooShort && run.until.is_none();
            return (!early).then(|| Judged {
                company,
                ..cannot_tell(run, reason)
            });
        }
    };
    let lasting = candidate.expected.response == Response::Lasting;
    if run.minute() + span.length > known
        || (!lasting && run.minutes(known * MINUTE_MS) < span.length)
    {
        return None;
    }
    let Some(shift) = shift(&candidate.signal, run.minute(), span) else {
        return Some(cannot_tell(run, Reason::NotFresh));
    };
    let change = shift.by(learned.by);
    let mut judged = Judged {
        looked_min: span.length,
        company,
        numbers: Some(Numbers {
            signal: candidate.expected.signal,
            minutes: span.length,
            change,
            usual: learned.usual,
            without: learned.without,
            cut: learned.cut,
            learned: learned.count,
        }),
        ..cannot_tell(run, Reason::Unlike)
    };
    let sign = learned.sign;
    if sign.saturating_mul(change) >= sign.saturating_mul(learned.cut) {
        judged.seen = true;
    } else {
        let weak = learned.strength.zip(run.value);
        if weak.is_some_and(|(half, v)| v.as_micro() < half)
            || sign.saturating_mul(shift.near) > sign.saturating_mul(learned.level)
        {
            return Some(judged);
        }
        judged.looks = 1;
        if run.minutes(known * MINUTE_MS) >= span.length {
            let looks = looks::again(&candidate.signal, &learned, &run, shift.near, known);
            (judged.looks, judged.seen) = (looks.in_vain, looks.found);
            (judged.looked_min, judged.open) = (looks.minute, looks.open);
        }
    }
    (judged.mark, judged.reason) = match (judged.seen, judged.company.is_empty()) {
        (true, true) => (Mark::Worked, None),
        // together they did something: whose it was is not known
        (true, false) => (Mark::CannotTell, Some(Reason::Together)),
        (false, _) => (Mark::NoEffect, None),
    };
    if judged.seen {
        judged.looks = 0;
    }
    Some(judged)
}
