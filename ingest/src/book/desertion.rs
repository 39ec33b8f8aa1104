//! Devices that do not do what they should although they did and nobody told them otherwise: when they are told again, and
//! which are locked until a person has looked.
//!
//! A lease ran out that was not renewed in time, somebody switched the machine by hand, its thermal switch tripped: the
//! controller says that it is off, and nobody sent it anything. Telling it again is right for the first two and may ruin the
//! third. So it is done a few times, and then the device is locked: that tells people, and one of them unlocks it. A
//! controller that says that the lease ran out says that it is not the third: the network lost the renewals.
//!
//! A device that kept to it for a while is told at once. One that did not, or never did, is told when it has been astray for
//! as long: what trips at once is not pressed, and a report that crossed a command on its way is no desertion. It needs no
//! report for that, because none may come (a command is lost, or ignored by a controller whose clock is ahead): the time is
//! a deadline of the farm.

use std::collections::{BTreeSet, HashMap, VecDeque};

use harit_engine::{
    DeviceId, DeviceStatus, Duration, Engine, Lock, LockKind, Setting, Status, Timestamp,
};
use harit_protocol::Report;
use serde::{Deserialize, Serialize};

use super::standing::{Standings, standing};
use super::{Book, BookDevice};
use crate::journal::codec::Desertion;

/// For how long a device must have done what it should, so that it is told again at once; and for how long it must have been
/// astray, so that it is told again where it did not.
const STEADY: Duration = Duration::from_secs(30);
/// How long one that was told again has to do it, and twice as long with every further time: the command may have been lost
/// with its connection, and what does not follow at all is not to fill the log.
const PATIENCE: Duration = Duration::from_secs(300);
/// So often that is doubled at most.
const DOUBLED: u8 = 4;
/// How often in an hour a device is told again.
const AN_HOUR: usize = 3;
/// How often in a day.
const A_DAY: usize = 8;
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

/// How a device lately kept to what it was told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Conduct {
    /// When it was told again and that counted, oldest first.
    told: VecDeque<Timestamp>,
    #[serde(default)]
    astray: Option<Astray>,
}

/// A device that does not do what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Astray {
    /// Since when, or since it was told again.
    since: Timestamp,
    /// How often it was told again since it is.
    told: u8,
    /// Whether it did, so that it is its own doing.
    counts: bool,
    /// Since when, however often it was told again. Snapshots of earlier builds do not have it.
    #[serde(default)]
    from: Option<Timestamp>,
}

impl Conduct {
    pub(super) fn is_empty(&self) -> bool {
        self.told.is_empty() && self.astray.is_none()
    }

    /// Whether it is astray.
    pub(super) const fn deserts(&self) -> bool {
        self.astray.is_some()
    }

    /// Takes in what was decided. Once it was given up, a person has the say, and counting begins anew.
    fn note(&mut self, at: Timestamp, what: Desertion) {
        // What is seen only when it should long have followed has not followed since it was told.
        let begun = match what {
            Desertion::ToldFreely => Timestamp::from_millis(at.as_millis() - STEADY.as_millis()),
            _ => at,
        };
        let from = self.astray.map_or(begun, Astray::began);
        let astray = |told, counts| {
            Some(Astray {
                since: at,
                told,
                counts,
                from: Some(from),
            })
        };
        let so_often = self.astray.map_or(1, |a| a.told.saturating_add(1));
        match what {
            Desertion::Begun => self.astray = astray(0, true),
            Desertion::Unheeded => self.astray = astray(0, false),
            Desertion::ToldAgain => {
                if self.told.len() >= A_DAY {
                    self.told.pop_front();
                }
                self.told.push_back(at);
                self.astray = astray(so_often, true);
            }
            Desertion::ToldFreely => self.astray = astray(so_often, false),
            Desertion::GivenUp => *self = Self::default(),
            Desertion::Over => self.astray = None,
        }
    }

    /// It is told anew anyway: whether it is astray is seen then.
    pub(super) const fn forget(&mut self) {
        self.astray = None;
    }

    /// From when on it may be told again where that counts.
    fn allowed_from(&self) -> Timestamp {
        let last = |n: usize, within: Duration| {
            let first = self.told.len().checked_sub(n).map(|i| self.told[i]);
            first.map(|at| at + within)
        };
        last(AN_HOUR, HOUR)
            .max(last(A_DAY, DAY))
            .unwrap_or(Timestamp::from_millis(i64::MIN))
    }
}

impl Astray {
    /// Since when it has been, however often it was told again.
    fn began(self) -> Timestamp {
        self.from.unwrap_or(self.since)
    }

    /// When it has been for long enough.
    fn patience_ends(self) -> Timestamp {
        let patience = match self.told {
            0 => STEADY,
            n => Duration::from_millis(PATIENCE.as_millis() << (n - 1).min(DOUBLED)),
        };
        self.since + patience
    }
}

/// Devices that were commanded, and when it is seen whether they did it. It is not kept: whoever begins anew looks at all.
#[derive(Debug, Default)]
pub(super) struct Commanded {
    seen_at: HashMap<DeviceId, Timestamp>,
    in_order: BTreeSet<(Timestamp, DeviceId)>,
}

impl Commanded {
    fn add(&mut self, device: &DeviceId, seen: Timestamp) {
        self.forget(device);
        self.seen_at.insert(device.clone(), seen);
        self.in_order.insert((seen, device.clone()));
    }

    pub(super) fn forget(&mut self, device: &DeviceId) {
        if let Some(seen) = self.seen_at.remove(device) {
            self.in_order.remove(&(seen, device.clone()));
        }
    }

    fn next(&self) -> Option<Timestamp> {
        self.in_order.first().map(|(at, _)| *at)
    }

    fn take(&mut self, at: Timestamp) -> Option<DeviceId> {
        self.next().filter(|next| *next <= at)?;
        let (_, device) = self.in_order.pop_first()?;
        self.seen_at.remove(&device);
        Some(device)
    }
}

/// What is done about a device.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Remedy {
    /// Nothing now.
    None,
    /// What holds for it is sent under a new id, because a controller ignores the one that it knows.
    Tell,
    /// It is locked, which sends its safe setting.
    Lock(LockKind),
}

/// What is decided about a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) device: DeviceId,
    /// What is to be journaled of it, where that is to be remembered.
    pub(crate) note: Option<Desertion>,
    remedy: Remedy,
}

impl Again {
    /// The inputs that it leads to.
    pub(crate) fn statuses(self) -> Vec<(DeviceId, Status)> {
        let status = |online, lock| Status {
            online,
            lock,
            ..Status::default()
        };
        let all = match self.remedy {
            Remedy::None => Vec::new(),
            // As if it had been away and come back.
            Remedy::Tell => vec![status(Some(false), None), status(Some(true), None)],
            Remedy::Lock(kind) => {
                let reason = kind.as_str().replace('_', " ").into();
                vec![status(None, Some(Lock::Engage { kind, reason }))]
            }
        };
        let device = self.device;
        all.into_iter().map(|s| (device.clone(), s)).collect()
    }
}

impl Book {
    /// Devices of a report about which something is decided. Those that come back, that their controller locks or whose
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
            let meant = Meant {
                locked: !is.locks.is_empty(),
                ..Meant::of(&engine.device(known.id.as_str())?)?
            };
            let locked = match &said.lock {
                Some(lock) => lock.is_some(),
                None => known.lock.is_some(),
            };
            let safety = said.safety.unwrap_or(known.safety);
            if !is.online || locked || safety {
                return None;
            }
            // What its panel locked and now opens is locked here by somebody else, or was unlocked here before: no lock opens
            // here with it, and what was sent meanwhile was refused.
            let others = is.locks.iter().any(|l| l.kind != LockKind::Controller);
            let freed = known.lock.is_some() && (others || is.locks.is_empty())
                || known.safety && !is.safety;
            let rests = !meant.on && said.on == Some(false);
            let (note, remedy) = if freed && rests {
                return None;
            } else if freed {
                (None, Remedy::Tell)
            } else {
                let lease_over = said.lease_over == Some(true);
                known.judge(meant, said.on?, lease_over, at)?
            };
            Some(Again {
                device: known.id.clone(),
                note,
                remedy,
            })
        })
        .collect()
    }

    /// Everything is told anew: what is astray has its time from now on, and every device is looked at, because the server
    /// may have died before it looked. (Not everything is sent anew: what a pulse is at work on, for one.)
    pub(crate) fn resumed(&mut self, at: Timestamp) {
        for device in self.devices.keys() {
            self.commanded.add(device, at + STEADY);
        }
        for device in &self.deserters {
            let Some((c, local)) = self.devices.get(device) else {
                continue;
            };
            if let Some(known) = self.controllers[*c as usize].devices.get_mut(local)
                && let Some(astray) = &mut known.conduct.astray
            {
                astray.since = at;
            }
        }
    }

    /// A setting was sent to a device.
    pub(crate) fn commanded(&mut self, device: &DeviceId, at: Timestamp) {
        self.commanded.add(device, at + STEADY);
    }

    /// When something is to be decided about a device that may be astray.
    pub(crate) fn next_deadline(&self, engine: &Engine) -> Option<Timestamp> {
        let deserters = self.deserters.iter().filter_map(|id| {
            let (known, meant) = self.can_be_told(engine, id)?;
            known.remedied_at(meant)
        });
        deserters.chain(self.commanded.next()).min()
    }

    /// When something is to be decided about that device.
    #[cfg(feature = "simulation")]
    pub(crate) fn remedied_at(&self, engine: &Engine, device: &DeviceId) -> Option<Timestamp> {
        let (known, meant) = self.can_be_told(engine, device)?;
        let seen = self.commanded.seen_at.get(device).copied();
        known.remedied_at(meant).into_iter().chain(seen).min()
    }

    /// What is decided about devices that have been astray for long enough.
    pub(crate) fn overdue(&mut self, engine: &Engine, at: Timestamp) -> Vec<Again> {
        let again = |known: &BookDevice, note, remedy| Again {
            device: known.id.clone(),
            note,
            remedy,
        };
        let mut all = Vec::new();
        for id in &self.deserters {
            if let Some((known, meant)) = self.can_be_told(engine, id)
                && let Some((note, remedy)) = known.decide(meant, at)
            {
                all.push(again(known, note, remedy));
            }
        }
        let mut at_work = Vec::new();
        while let Some(id) = self.commanded.take(at) {
            let Some((known, meant)) = self.can_be_told(engine, &id) else {
                continue;
            };
            let Some(meant) = known.contradicts(meant) else {
                continue;
            };
            if known.conduct.deserts() || planted!(DeserterForgotten) {
                continue;
            }
            if meant.from > at {
                at_work.push((id, meant.from));
            } else {
                let note = Some(Desertion::ToldFreely);
                all.push(again(known, note, Remedy::Tell));
            }
        }
        for (device, ends) in at_work {
            self.commanded.add(&device, ends);
        }
        all
    }

    /// Takes in what was decided about a device.
    pub(crate) fn note_desertion(&mut self, device: &DeviceId, at: Timestamp, what: Desertion) {
        let Some((c, local)) = self.devices.get(device) else {
            return;
        };
        let Some(known) = self.controllers[*c as usize].devices.get_mut(local) else {
            return;
        };
        known.conduct.note(at, what);
        if known.conduct.deserts() && !planted!(DeserterForgotten) {
            self.deserters.insert(device.clone());
        } else {
            self.deserters.remove(device);
        }
    }

    /// Devices that do not do what they were told, and since when.
    pub(super) fn not_following(
        &self,
        engine: &Engine,
        now: Timestamp,
    ) -> impl Iterator<Item = (DeviceId, Timestamp)> {
        self.deserters.iter().filter_map(move |id| {
            let (known, meant) = self.can_be_told(engine, id)?;
            let meant = known.contradicts(meant)?;
            let began = known.conduct.astray?.began();
            (meant.from <= now).then(|| (id.clone(), began))
        })
    }

    /// A device that hears what it is told and is not kept from it at its panel, with what is meant of it.
    fn can_be_told(
        &self,
        engine: &Engine,
        device: &DeviceId,
    ) -> Option<(&BookDevice, Option<Meant>)> {
        let (c, local) = self.devices.get(device)?;
        let controller = &self.controllers[*c as usize];
        let known = controller.devices.get(local)?;
        let is = engine.device(device.as_str())?;
        let hears = controller.online && is.online && !known.gone;
        let kept_off = known.lock.is_some() || known.safety;
        (hears && !kept_off).then_some((known, Meant::of(&is)))
    }
}

/// What a device is to do.
#[derive(Debug, Clone, Copy)]
struct Meant {
    on: bool,
    /// From when on: a pulse that was sent may be at work for a little longer than it takes.
    from: Timestamp,
    /// Whether it is locked.
    locked: bool,
}

impl Meant {
    /// As far as the device was told: a pulse ends in off, and a lock has a safe setting even where nothing was ever sent.
    /// `None` of a device that was left to its people so far.
    fn of(is: &DeviceStatus) -> Option<Self> {
        let always = Timestamp::from_millis(i64::MIN);
        let locked = !is.locks.is_empty();
        let (setting, from) = match (is.last_sent, is.pulse_until) {
            (Some(sent), _) => (sent, always),
            (None, _) if locked => (is.safe, always),
            (None, Some(until)) => (Setting::Off, until + STEADY),
            (None, None) => return None,
        };
        Some(Self {
            on: setting.is_on(),
            from,
            locked,
        })
    }
}

impl BookDevice {
    /// What a report says of whether it keeps to what it was told.
    fn judge(
        &self,
        meant: Meant,
        on: bool,
        lease_over: bool,
        at: Timestamp,
    ) -> Option<(Option<Desertion>, Remedy)> {
        if on == meant.on {
            return (self.conduct.deserts()).then_some((Some(Desertion::Over), Remedy::None));
        }
        let did = self.reported.is_some_and(|r| r.on == meant.on);
        let steady = self.since.is_some_and(|since| since + STEADY <= at);
        if !did && self.conduct.deserts() {
            // What was noted has its deadline.
            return None;
        }
        Some(if !did || lease_over && !steady {
            (Some(Desertion::Unheeded), Remedy::None)
        } else if !steady || at < meant.from {
            (Some(Desertion::Begun), Remedy::None)
        } else if on {
            // What goes on by itself is always switched off, and looked at again.
            (Some(Desertion::Begun), Remedy::Tell)
        } else if lease_over {
            // The network's fault, and none of the machine's.
            (Some(Desertion::ToldFreely), Remedy::Tell)
        } else {
            self.remedy(meant, true, at)
        })
    }

    /// What is done about it now.
    fn remedy(&self, meant: Meant, counts: bool, at: Timestamp) -> (Option<Desertion>, Remedy) {
        if !counts {
            return (Some(Desertion::ToldFreely), Remedy::Tell);
        }
        // Where it is locked and off, people know, and switching off burns nothing.
        if self.conduct.allowed_from() <= at || meant.locked && !meant.on {
            return (Some(Desertion::ToldAgain), Remedy::Tell);
        }
        if meant.locked {
            // People know. It is told again when it may be.
            return (Some(Desertion::Begun), Remedy::None);
        }
        let why = if meant.on {
            LockKind::KeepsStopping
        } else {
            LockKind::KeepsStarting
        };
        (Some(Desertion::GivenUp), Remedy::Lock(why))
    }

    /// What is meant of it now, if it does not do that.
    fn contradicts(&self, meant: Option<Meant>) -> Option<Meant> {
        meant.filter(|meant| self.reported.is_some_and(|r| r.on != meant.on))
    }

    /// When something is decided about it.
    fn remedied_at(&self, meant: Option<Meant>) -> Option<Timestamp> {
        let astray = self.conduct.astray?;
        let Some(meant) = self.contradicts(meant) else {
            // Something else is meant of it now than when it deserted, or nothing: that is over, at once.
            return Some(astray.since);
        };
        let ends = astray.patience_ends().max(meant.from);
        Some(if astray.counts && meant.locked && meant.on {
            ends.max(self.conduct.allowed_from())
        } else {
            ends
        })
    }

    /// What is decided about it when that time has come.
    fn decide(&self, meant: Option<Meant>, at: Timestamp) -> Option<(Option<Desertion>, Remedy)> {
        let astray = self.conduct.astray?;
        let due = self.remedied_at(meant)? <= at;
        due.then(|| match self.contradicts(meant) {
            Some(meant) => self.remedy(meant, astray.counts, at),
            None => (Some(Desertion::Over), Remedy::None),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn minutes(m: i64) -> Timestamp {
        Timestamp::from_millis(m * 60_000)
    }

    fn told(at: impl IntoIterator<Item = i64>) -> Conduct {
        let mut conduct = Conduct::default();
        for m in at {
            conduct.note(minutes(m), Desertion::ToldAgain);
        }
        conduct
    }

    #[test]
    fn three_times_an_hour_and_eight_a_day() {
        assert!(told([0, 1]).allowed_from() < minutes(0));
        assert_eq!(told([0, 1, 2]).allowed_from(), minutes(60));
        assert_eq!(told([0, 1, 2, 61]).allowed_from(), minutes(61));
        let slow = |n| (0..n).map(|n| n * 30);
        assert_eq!(told(slow(7)).allowed_from(), minutes(180));
        assert_eq!(told(slow(8)).allowed_from(), minutes(1_440));
        // The oldest goes; what is remembered does not grow.
        let many = told(slow(100));
        assert_eq!(many.told.len(), A_DAY);
        assert_eq!(many.allowed_from(), minutes(92 * 30 + 1_440));
    }

    #[test]
    fn one_that_was_told_has_longer_and_longer() {
        let mut conduct = Conduct::default();
        let after = |conduct: &Conduct| {
            let astray = conduct.astray.unwrap();
            (astray.patience_ends() - astray.since).as_secs()
        };
        conduct.note(minutes(1), Desertion::Begun);
        assert_eq!(after(&conduct), 30);
        conduct.note(minutes(2), Desertion::ToldAgain);
        assert_eq!(after(&conduct), 300);
        let mut waits = vec![];
        for m in 3..9 {
            conduct.note(minutes(m), Desertion::ToldFreely);
            waits.push(after(&conduct));
        }
        assert_eq!(waits, [600, 1_200, 2_400, 4_800, 4_800, 4_800]);
        conduct.note(minutes(9), Desertion::Over);
        assert!(!conduct.deserts() && !conduct.is_empty());
        conduct.note(minutes(10), Desertion::Unheeded);
        assert_eq!(after(&conduct), 30);
        conduct.note(minutes(11), Desertion::GivenUp);
        assert!(conduct.is_empty());
    }
}
