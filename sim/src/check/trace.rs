//! The machines' own traces, judged when the day is over.

use harit_engine::{DeviceId, FarmId};

use super::{Checks, LEASE_MS, UNDER_WAY_MS, Watched};
use crate::plan::LEASE_END;

/// How far the clocks may disagree.
const SKEW_MS: i64 = 10_000;
/// In which time pulses are summed.
const PULSE_WINDOW_MS: i64 = 3_600_000;
/// By how much later than its own instant a reading may come and still decide.
const LATE_MS: i64 = 300_000;

impl Checks {
    /// The machines' own traces, once the day is over: **I9**, **I16** and that nothing runs without an owner (**I11**).
    pub fn trace(
        &mut self,
        farm: &FarmId,
        device: &str,
        trace: &[(i64, f64)],
        start_ms: i64,
        end_ms: i64,
    ) {
        let key = (farm.clone(), DeviceId::from(device));
        let Some(watched) = self.devices.get(&key).cloned() else {
            return;
        };
        // What goes on by the end of its lease does so as its controller was set up: for the reasons of others it is off then.
        let mut told = trace.to_vec();
        for (_, level) in &mut told {
            if *level == LEASE_END / 100.0 {
                *level = 0.0;
            }
        }
        let on = on_intervals(&told, end_ms);
        let mut wrong = Vec::new();
        for (from, to) in &on {
            self.looked += 1;
            // What somebody switched on at the machine is on by that somebody's will.
            if watched
                .hands
                .iter()
                .any(|(at, on)| *on && from <= at && at <= to)
            {
                continue;
            }
            owned(&watched, device, *from, *to, &mut wrong);
            // Under a lock, the safe setting is kept for as long as the lock is, whatever it is.
            if let Some(max) = watched.max_on_ms.filter(|_| !watched.safe_is_on)
                && !watched
                    .offs
                    .iter()
                    .any(|off| *off > *from - UNDER_WAY_MS && *off < *to)
                && to - from > max + max / 50 + LEASE_MS + UNDER_WAY_MS
            {
                wrong.push((
                    "I9",
                    *to,
                    format!(
                        "{device} was on for {} s and may be for {} s",
                        (to - from) / 1_000,
                        max / 1_000
                    ),
                ));
            }
        }
        wrong.extend(pulses_within_budget(&watched, device));
        for (checker, at, what) in wrong {
            self.blame(checker, at - start_ms, what);
        }
    }
}

/// When a machine was on.
#[must_use]
pub fn on_intervals(trace: &[(i64, f64)], end_ms: i64) -> Vec<(i64, i64)> {
    let mut all = Vec::new();
    let mut since = None;
    for (at, level) in trace {
        match (since, *level > 0.0) {
            (None, true) => since = Some(*at),
            (Some(from), false) => {
                all.push((from, *at));
                since = None;
            }
            _ => {}
        }
    }
    if let Some(from) = since {
        all.push((from, end_ms));
    }
    all
}

/// A machine is on only while the server means it to be, a pulse runs, or the lease of what it meant lasts.
fn owned(
    watched: &Watched,
    device: &str,
    from: i64,
    to: i64,
    wrong: &mut Vec<(&'static str, i64, String)>,
) {
    let wanted = watched
        .wanted
        .iter()
        .map(|(a, b)| (*a, b.unwrap_or(i64::MAX)));
    let pulses = watched.pulses.iter().map(|(at, ms)| (*at, *at + *ms));
    let spans: Vec<(i64, i64)> = wanted.chain(pulses).collect();
    // It went on for a reason that is not older than a message can be.
    if !spans
        .iter()
        .any(|(a, b)| *a <= from && *b >= from - UNDER_WAY_MS - SKEW_MS)
    {
        wrong.push((
            "I11 owner",
            from,
            format!("{device} went on, and nobody wanted it"),
        ));
    }
    // It went off soon after the last reason.
    let last = spans
        .iter()
        .filter(|(a, _)| *a <= to)
        .map(|(_, b)| (*b).min(to))
        .max()
        .unwrap_or(from);
    if to - last > LEASE_MS + UNDER_WAY_MS + SKEW_MS {
        wrong.push((
            "I9 lease",
            to,
            format!(
                "{device} was on for {} s after anybody wanted it",
                (to - last) / 1_000
            ),
        ));
    }
}

/// **I16**: the seconds of all pulses decided within an hour are within the device's budget.
fn pulses_within_budget(watched: &Watched, device: &str) -> Option<(&'static str, i64, String)> {
    let max = watched.max_pulse_s? * 1_000;
    for (i, (end, _)) in watched.pulses.iter().enumerate() {
        // A little less than the hour: the server's seconds may be a little shorter than true ones, and a pulse that a late
        // reading decides counts from that reading's instant.
        let window = PULSE_WINDOW_MS - PULSE_WINDOW_MS / 50 - LATE_MS;
        let sum: i64 = watched.pulses[..=i]
            .iter()
            .filter(|(at, _)| *at > end - window)
            .map(|(_, ms)| ms)
            .sum();
        if sum > max {
            return Some((
                "I16",
                *end,
                format!(
                    "{device} got {} s of pulses in an hour, and may get {}",
                    sum / 1_000,
                    max / 1_000
                ),
            ));
        }
    }
    None
}
