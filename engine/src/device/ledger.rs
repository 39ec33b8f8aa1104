//! Ledgers: what a device used of its budgets in a day, and what is left of them.

use serde::{Deserialize, Serialize};

use super::Device;
use crate::almanac::Almanac;
use crate::document::LimitsSpec;
use crate::quantity::Quantity;
use crate::setting::Setting;
use crate::time::{Duration, Timestamp};

/// A day of which no almanac tells, in milliseconds.
const UTC_DAY_MS: i64 = 86_400_000;

/// What a device used of its budgets in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    /// When its day is over.
    pub(crate) ends: Timestamp,
    /// Up to when the on period is counted.
    pub(crate) counted: Timestamp,
    /// The time it ran, in milliseconds.
    pub(crate) time_ms: i64,
    /// What flowed, in millionths of a ml/s times milliseconds.
    pub(crate) flow: i64,
}

impl Ledger {
    /// The ledger that begins at an instant.
    fn begin(at: Timestamp, almanac: &Almanac) -> Self {
        let ends = almanac.day_of(at).map(|day| day.to);
        let midnight = (at.as_millis().div_euclid(UTC_DAY_MS) + 1).saturating_mul(UTC_DAY_MS);
        Self {
            ends: ends.unwrap_or(Timestamp::from_millis(midnight)),
            counted: at,
            time_ms: 0,
            flow: 0,
        }
    }

    pub(super) fn count(&mut self, ms: i64, rate: i64) {
        self.time_ms = self.time_ms.saturating_add(ms);
        self.flow = self.flow.saturating_add(rate.saturating_mul(ms));
    }
}

impl Device {
    /// How much flows while it runs, in millionths of a ml/s.
    pub(super) fn rate(&self) -> i64 {
        let rated = self.limits().and_then(|l| l.ml_per_sec);
        let rate = match self.limited.as_ref().and_then(|l| l.last_on) {
            Some(Setting::FlowRate(said)) => Some(said),
            _ => rated,
        };
        rate.map_or(0, Quantity::as_micro)
    }

    /// Counts what it used until now. Where its day ended meanwhile, the next begins: when that ended, or now after an outage.
    pub(crate) fn count_until(&mut self, now: Timestamp, almanac: &Almanac, resumed: bool) {
        let ledger = self.ledger_at(now, almanac, resumed);
        if let Some(limited) = self.limited.as_mut() {
            limited.ledger = ledger;
        }
    }

    /// Its ledger as [`Self::count_until`] makes it.
    pub(super) fn ledger_at(
        &self,
        now: Timestamp,
        almanac: &Almanac,
        resumed: bool,
    ) -> Option<Ledger> {
        let limited = self.limited.as_ref()?;
        if !self.limits().is_some_and(LimitsSpec::has_budget) {
            return None;
        }
        let is_on = self.on_since.is_some();
        let ledger = match limited.ledger {
            Some(over) if over.ends <= now => {
                let at = if resumed { now } else { over.ends };
                is_on.then(|| Ledger::begin(at, almanac))
            }
            going => going,
        };
        match ledger {
            Some(mut ledger) => {
                // While it is off nothing counts, whoever looks how often.
                if let Some(since) = self.on_since {
                    let from = ledger.counted.max(since);
                    ledger.count((now - from).as_millis(), self.rate());
                    ledger.counted = now;
                }
                Some(ledger)
            }
            None => { self.runs(now) }.then(|| Ledger::begin(now, almanac)),
        }
    }

    /// What is left of its budgets: of time, in milliseconds, and of what flows, as a ledger counts that.
    pub(super) fn left(&self) -> (Option<i64>, Option<i64>) {
        self.left_of(self.limited.as_ref().and_then(|l| l.ledger))
    }

    pub(super) fn left_of(&self, ledger: Option<Ledger>) -> (Option<i64>, Option<i64>) {
        let Some(limits) = self.limits() else {
            return (None, None);
        };
        let (time, flow) = ledger.map_or((0, 0), |l| (l.time_ms, l.flow));
        (
            limits.time_per_day.map(|most| most.as_millis() - time),
            limits.ml_per_day.map(|most| most.as_micro() * 1_000 - flow),
        )
    }

    pub(super) fn is_used_up(&self) -> bool {
        let (time, flow) = self.left();
        time.into_iter().chain(flow).any(|left| left <= 0)
    }

    /// Whether a pulse would use more than is left.
    pub(super) fn exceeds_budget(&self, secs: u8) -> bool {
        let (ms, (time, flow)) = (i64::from(secs) * 1_000, self.left());
        time.is_some_and(|left| ms > left) || flow.is_some_and(|left| self.rate() * ms > left)
    }

    /// When each of its budgets is used up, if its on period goes on like this.
    pub(super) fn used_up_at(&self) -> Vec<Timestamp> {
        let Some(ledger) = self.limited.as_ref().and_then(|l| l.ledger) else {
            return Vec::new();
        };
        let (rate, (time, flow)) = (self.rate(), self.left());
        let flows = flow.filter(|_| rate > 0);
        let flow = flows.map(|left| left.div_euclid(rate) + i64::from(left.rem_euclid(rate) > 0));
        let left = time.into_iter().chain(flow);
        let from = self
            .on_since
            .map_or(ledger.counted, |since| ledger.counted.max(since));
        left.map(|left| from + Duration::from_millis(left))
            .collect()
    }
}
