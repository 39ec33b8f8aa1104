//! Ledgers of budgets (section 14): what was used of a device since its ledger began, until the end of that day.

use crate::almanac;
use crate::document::Setting;
use crate::mutation::Mutation;
use crate::state::Model;

const DAY_MS: i64 = 86_400_000;

/// What flows, in millionths of a millilitre a second.
type Rate = i64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ledger {
    pub(crate) until: i64,
    /// The on periods in it, in pieces of one rate each; the last may go on.
    pieces: Vec<Piece>,
    /// The pulses in it, with their milliseconds.
    pulses: Vec<(Rate, i64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    rate: Rate,
    from: i64,
    to: Option<i64>,
}

impl Ledger {
    /// Milliseconds of each rate, until now.
    fn times(&self, now: i64) -> Vec<(Rate, i64)> {
        let on = self.pieces.iter();
        let on = on.map(|p| (p.rate, p.to.unwrap_or(now) - p.from));
        on.chain(self.pulses.iter().copied()).collect()
    }

    fn close(&mut self, now: i64) {
        for piece in self.pieces.iter_mut().filter(|p| p.to.is_none()) {
            piece.to = Some(now);
        }
    }
}

/// A budget of a device: how much of it is left, and how much goes in a millisecond while the device is on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    left: i128,
    /// What the seconds of a pulse use, for a second.
    pulse: i128,
    speed: i128,
}

impl Budget {
    pub(crate) fn is_used_up(&self) -> bool {
        self.left <= 0
    }

    /// Whether a pulse of so many seconds would make more than the budget.
    pub(crate) fn lacks(&self, seconds: i64) -> bool {
        self.pulse * i128::from(seconds) > self.left
    }

    /// In how many milliseconds it is used up, if the device stays on; the first at which it is.
    pub(crate) fn lasts_ms(&self) -> i64 {
        let ms = (self.left + self.speed - 1).div_euclid(self.speed);
        i64::try_from(ms).unwrap_or(i64::MAX / 4)
    }
}

impl Model {
    /// The rate of what is sent to a device now: that of the last setting sent that was on.
    fn rate(&self, id: &str) -> Rate {
        let is_rate = |s: &&Setting| {
            s.action == "set_flow_rate" && self.mutation != Some(Mutation::FlowRateIsForgotten)
        };
        let last = self.devices[id].duty.last_on.as_ref();
        let said = last.filter(is_rate).and_then(|s| s.value);
        said.or(self.devices[id].doc.limits.ml_per_sec).unwrap_or(0)
    }

    /// A device's ledger, if it has one that is not over.
    pub(crate) fn ledger(&self, id: &str) -> Option<&Ledger> {
        let ledger = self.devices[id].duty.ledger.as_ref();
        ledger.filter(|l| l.until > self.now)
    }

    /// The budgets of a device as they stand now.
    pub(crate) fn budgets(&self, id: &str) -> Vec<Budget> {
        let limits = &self.devices[id].doc.limits;
        let times = self.ledger(id).map_or(Vec::new(), |l| l.times(self.now));
        let mut budgets = Vec::new();
        if let Some(most) = limits.ms_per_day {
            let used: i128 = times.iter().map(|(_, ms)| i128::from(*ms)).sum();
            budgets.push(Budget {
                left: i128::from(most) - used,
                pulse: 1_000,
                speed: 1,
            });
        }
        if let Some(most) = limits.ml_per_day {
            // In millionths of a millilitre times milliseconds a second, so that nothing is divided.
            let flows = times
                .iter()
                .map(|(rate, ms)| i128::from(*rate) * i128::from(*ms));
            let rate = i128::from(self.rate(id));
            budgets.push(Budget {
                left: i128::from(most) * 1_000 - flows.sum::<i128>(),
                pulse: rate * 1_000,
                speed: rate,
            });
        }
        budgets
    }

    /// The end of this instant's day.
    fn end_of_day(&self) -> i64 {
        let known = almanac::end_of_day(&self.almanac, self.now);
        let known = known.filter(|_| self.mutation != Some(Mutation::LedgerByUtc));
        known.unwrap_or((self.now.div_euclid(DAY_MS) + 1) * DAY_MS)
    }

    /// A ledger that is over ends; the next, or the first, begins.
    pub(crate) fn keep_ledger(&mut self, id: &str) {
        if !self.devices[id].doc.limits.have_a_budget() {
            self.device_mut(id).duty.ledger = None;
            return;
        }
        let device = &self.devices[id];
        let is_over = (device.duty.ledger.as_ref()).is_some_and(|l| l.until <= self.now);
        let begins = match &device.duty.ledger {
            Some(_) => is_over && device.on_since.is_some(),
            None => self.runs(id),
        };
        let keeps_used = self.mutation == Some(Mutation::LedgerIsNotRenewed);
        let until = self.end_of_day();
        let ledger = &mut self.device_mut(id).duty.ledger;
        if is_over && begins && keeps_used {
            if let Some(ledger) = ledger {
                ledger.until = until;
            }
            return;
        }
        if is_over {
            *ledger = None;
        }
        if begins {
            *ledger = Some(Ledger {
                until,
                pieces: Vec::new(),
                pulses: Vec::new(),
            });
            self.account(id);
        }
    }

    /// What is on from now on is on at the rate of now.
    pub(crate) fn account(&mut self, id: &str) {
        let (now, rate) = (self.now, self.rate(id));
        let device = self.device_mut(id);
        let is_on = device.on_since.is_some();
        if let Some(ledger) = &mut device.duty.ledger {
            ledger.close(now);
            if is_on {
                ledger.pieces.push(Piece {
                    rate,
                    from: now,
                    to: None,
                });
            }
        }
    }

    /// The seconds of a pulse count at its sending.
    pub(crate) fn account_pulse(&mut self, id: &str, seconds: i64) {
        let rate = self.rate(id);
        if let Some(ledger) = &mut self.device_mut(id).duty.ledger {
            ledger.pulses.push((rate, seconds * 1_000));
        }
    }
}
