//! Devices that do not do what they should although nobody told them so: which are told again, and which keep stopping and
//! are left alone until a person has looked.
//!
//! A lease ran out that was not renewed in time, somebody switched the machine by hand, its thermal switch tripped: the
//! controller says that it is off, and nobody sent it anything. Telling it again is right for the first two and may ruin the
//! third. So it is done a few times, and then the device is locked: that tells people, and one of them unlocks it. A
//! controller that says that the lease ran out says that it is not the third: the network lost the renewals.

use std::collections::VecDeque;

use harit_engine::{DeviceId, Duration, Engine, Lock, Setting, Status, Timestamp};
use serde::{Deserialize, Serialize};

use super::standing::{Standings, standing};
use super::{Book, BookDevice};
use crate::wire::{DeviceReport, Report, Stopped};

/// For how long a device must have done what it should, so that it is told again when it stops by itself.
const STEADY: Duration = Duration::from_secs(30);
/// How often in an hour a device is switched on again that stops by itself.
const RESTARTS_AN_HOUR: usize = 3;
/// How often in a day.
const RESTARTS_A_DAY: usize = 8;
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
/// Why a device is locked that stops by itself again and again.
pub(crate) const KEEPS_STOPPING: &str = "keeps stopping";

/// How a device lately stopped by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stops {
    /// When it was told to go on, oldest first.
    told: VecDeque<Timestamp>,
    /// Whether it stopped once more since, and was not told because that was often enough.
    #[serde(default)]
    left: bool,
}

impl Stops {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn is_empty(&self) -> bool {
        self.told.is_empty() && !self.left
    }

    /// Takes a stop in. Once it was given up, a person has the say, and counting begins anew.
    pub(super) fn note(&mut self, at: Timestamp, stopped: Stopped) {
        match stopped {
            Stopped::GivenUp => *self = Self::default(),
            Stopped::ToldAgain => {
                if self.told.len() >= RESTARTS_A_DAY {
                    self.told.pop_front();
                }
                self.told.push_back(at);
                self.left = false;
            }
            Stopped::Left => self.left = true,
        }
    }

    /// It goes again.
    pub(super) fn goes(&mut self) {
        self.left = false;
    }

    /// Whether it was told to go on as often as it may be.
    fn are_enough(&self, at: Timestamp) -> bool {
        let within = |time: Duration| self.told.iter().filter(|t| **t + time > at).count();
        within(HOUR) >= RESTARTS_AN_HOUR || within(DAY) >= RESTARTS_A_DAY
    }
}

/// What is done about a device that does not do what it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) device: DeviceId,
    /// The controller's own id of it.
    pub(crate) local: String,
    /// What is to be journaled of it, where it counts as a stop.
    pub(crate) stopped: Option<Stopped>,
}

impl Again {
    /// The inputs that it leads to.
    pub(crate) fn statuses(self) -> Vec<(DeviceId, Status)> {
        let status = |online, lock| Status {
            online,
            lock,
            ..Status::default()
        };
        let all = match self.stopped {
            Some(Stopped::GivenUp) => vec![status(None, Some(Lock::Engage(KEEPS_STOPPING.into())))],
            Some(Stopped::Left) => Vec::new(),
            // As if it had been away and come back: what holds for it is sent, under a new id, because a controller ignores
            // the one that it knows.
            Some(Stopped::ToldAgain) | None => {
                vec![status(Some(false), None), status(Some(true), None)]
            }
        };
        let device = self.device;
        all.into_iter().map(|s| (device.clone(), s)).collect()
    }
}

impl Book {
    /// Devices of a report about which something is to be done. Those that come back, that their controller locks or whose
    /// lock it opens get what holds for them anyway.
    pub(crate) fn again(
        &self,
        engine: &Engine,
        c: u32,
        at: Timestamp,
        report: &Report,
        standings: &Standings,
    ) -> Vec<Again> {
        let controller = &self.controllers[c as usize];
        if !report.online || !controller.online {
            return Vec::new();
        }
        let said = report.devices.iter().flatten();
        said.filter_map(|said| {
            let known = controller.devices.get(&*said.id)?;
            let is = standing(engine, standings, &known.id)?;
            let last_sent = engine.device(known.id.as_str())?.last_sent?;
            let locked = match &said.lock {
                Some(lock) => lock.is_some(),
                None => known.lock.is_some(),
            };
            let safety = said.safety.unwrap_or(known.safety);
            if !is.online || locked || safety {
                return None;
            }
            let again = |stopped| {
                Some(Again {
                    device: known.id.clone(),
                    local: said.id.clone(),
                    stopped,
                })
            };
            // What its panel locked and now opens is locked here by somebody else, or was unlocked here before: no lock opens
            // here with it, and what was sent meanwhile was refused.
            let freed = known.lock.is_some() && is.lock != known.lock || known.safety && !is.safety;
            let rests = !last_sent.is_on() && said.on == Some(false);
            if freed && rests {
                return None;
            }
            if freed {
                return again(None);
            }
            let locked = is.lock.is_some();
            let waits = known.stops.left && locked && last_sent.is_on() && said.on == Some(false);
            let stops = deserts(known, said, last_sent, at);
            if !waits && !stops {
                return None;
            }
            // A lease that ran out is the network's fault, and none of the machine's.
            if !last_sent.is_on() || stops && said.lease_over == Some(true) {
                return again(None);
            }
            if !known.stops.are_enough(at) {
                return again(Some(Stopped::ToldAgain));
            }
            // One that is locked already has a safe setting that is on: it is told again when it may be.
            match (locked, known.stops.left) {
                (false, _) => again(Some(Stopped::GivenUp)),
                (true, false) => again(Some(Stopped::Left)),
                (true, true) => None,
            }
        })
        .collect()
    }
}

/// Whether a device does not do any more what it should and did for a while. One that stops sooner is not pressed.
fn deserts(known: &BookDevice, said: &DeviceReport, last_sent: Setting, at: Timestamp) -> bool {
    let wanted = last_sent.is_on();
    let steady = known.since.is_some_and(|since| since + STEADY <= at);
    let did = known.reported.is_some_and(|r| r.on == wanted);
    steady && did && said.on == Some(!wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_restarts_an_hour_and_eight_a_day() {
        let minutes = |m: i64| Timestamp::from_millis(m * 60_000);
        let told = |at: &[i64]| {
            let mut stops = Stops::default();
            for m in at {
                stops.note(minutes(*m), Stopped::ToldAgain);
            }
            stops
        };
        assert!(!told(&[0, 1]).are_enough(minutes(2)));
        assert!(told(&[0, 1, 2]).are_enough(minutes(59)));
        assert!(!told(&[0, 1, 2]).are_enough(minutes(60)));
        let slow: Vec<i64> = (0..8).map(|n| n * 30).collect();
        assert!(!told(&slow[..7]).are_enough(minutes(210)));
        assert!(told(&slow).are_enough(minutes(1_439)));
        assert!(!told(&slow).are_enough(minutes(1_440)));
        // The oldest goes; what is remembered does not grow.
        let many: Vec<i64> = (0..100).map(|n| n * 30).collect();
        assert_eq!(told(&many).told.len(), RESTARTS_A_DAY);
        let mut stops = told(&[0, 1, 2]);
        stops.note(minutes(3), Stopped::Left);
        assert!(stops.left && stops.are_enough(minutes(3)));
        stops.note(minutes(60), Stopped::ToldAgain);
        assert!(!stops.left);
        stops.note(minutes(61), Stopped::GivenUp);
        assert!(stops.is_empty());
    }
}
