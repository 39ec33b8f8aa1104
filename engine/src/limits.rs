//! Limits between devices: groups of which so many run at a time, and devices that need another one. What is about one device
//! alone stands in [`crate::device`]; here is who asks what of whom, and who is looked at when something changes.

use std::collections::BTreeMap;

use crate::device::{Around, Device, Limited, Seen, by_turn};
use crate::engine::Engine;
use crate::event::{Event, LimitReason};
use crate::hours::HoursSeen;
use crate::problem::Problems;
use crate::state::State;
use crate::table::Keyed;
use crate::time::{Duration, Timestamp};
use crate::timer::Timer;
use crate::truth::Truth;

/// What a device has to do with others. One without limits that none needs has none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ties {
    /// Of each of its groups: how many run at a time, and all that name it.
    groups: Vec<(u8, Vec<u32>)>,
    /// One of these must carry it, for so long before it starts.
    needs: Vec<u32>,
    carried: Duration,
    needed_by: Vec<u32>,
    /// The hours that hold for it.
    pub(crate) hours: Vec<u32>,
    /// Who is looked at when something about it changes: the others of its groups, those that it needs, those that need it, and
    /// what those need.
    neighbours: Vec<u32>,
}

/// The ties of all devices that have any, by number.
pub(crate) type AllTies = BTreeMap<u32, Ties>;

impl State {
    /// Ties devices anew after a change of the registry. What has no limits any more, and what none needs, forgets them.
    ///
    /// # Errors
    /// A group or device is named that is not there, or a device needs itself.
    pub(crate) fn tie_devices(&mut self) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let mut ties = AllTies::new();
        let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let limited = || {
            let all = self.devices.iter();
            all.filter_map(|(ix, d)| Some((ix, d, d.spec.limits.as_deref()?)))
        };
        for (ix, device, limits) in limited() {
            let at = |field: &str| format!("devices.{}.limits.{field}", device.spec.id);
            let own = ties.entry(ix).or_default();
            for group in &limits.groups {
                if !self.farm.settings.groups.iter().any(|g| g.id == *group) {
                    let message = format!("there is no group {group}");
                    problems.add(at("groups"), "unknown", message);
                }
                groups.entry(group.as_str()).or_default().push(ix);
            }
            let Some(needs) = &limits.needs else {
                continue;
            };
            own.carried = needs.carried;
            for id in &needs.any {
                match self.devices.index(id.as_str()) {
                    Some(needed) => own.needs.push(needed),
                    None => {
                        problems.add(
                            at("needs.any"),
                            "unknown",
                            format!("there is no device {id}"),
                        );
                    }
                }
            }
        }
        for (ix, _, limits) in limited() {
            for group in &limits.groups {
                let known = { self.farm.settings.groups.iter() }.find(|g| g.id == *group);
                if let (Some(known), Some(own)) = (known, ties.get_mut(&ix)) {
                    let members = groups.get(group.as_str()).cloned().unwrap_or_default();
                    own.groups.push((known.at_most, members));
                }
            }
            for needed in ties.get(&ix).map(|t| t.needs.clone()).unwrap_or_default() {
                ties.entry(needed).or_default().needed_by.push(ix);
            }
        }
        for (ix, device, _) in limited() {
            if needs_itself(&ties, ix) {
                let at = format!("devices.{}.limits.needs.any", device.spec.id);
                problems.add(at, "circle", "it needs itself, if only over others");
            }
        }
        let all = ties.clone();
        for (ix, own) in &mut ties {
            let groups = own.groups.iter().flat_map(|(_, members)| members);
            let others = groups.chain(&own.needs).chain(&own.needed_by);
            let beside = { own.needed_by.iter() }.flat_map(|d| all.get(d).map(|t| &t.needs));
            let mut neighbours: Vec<u32> = others.chain(beside.flatten()).copied().collect();
            neighbours.sort_unstable();
            neighbours.dedup();
            neighbours.retain(|n| n != ix);
            own.neighbours = neighbours;
        }
        for ix in self.devices.indices() {
            if let Some(device) = self.devices.get_mut(ix) {
                match ties.contains_key(&ix) {
                    true => {
                        let last_on = device.last_sent.filter(|sent| sent.is_on());
                        let limited = { &mut device.limited }.get_or_insert_with(|| {
                            Box::new(Limited {
                                last_on,
                                ..Limited::default()
                            })
                        });
                        limited.look = true;
                    }
                    false => {
                        let was = device.limited.take();
                        device.needs_settle |= was.is_some_and(|l| l.held.is_some());
                    }
                }
            }
        }
        self.ties = ties;
        problems.into_result(())
    }

    /// The devices that need another, or are needed.
    pub(crate) fn tied_by_needs(&self) -> impl Iterator<Item = u32> + '_ {
        self.ties.keys().copied().filter(|ix| self.is_tied(*ix))
    }

    /// Whether a device needs another, or is needed.
    pub(crate) fn is_tied(&self, ix: u32) -> bool {
        let ties = self.ties.get(&ix);
        ties.is_some_and(|t| !t.needs.is_empty() || !t.needed_by.is_empty())
    }

    /// What a device's limits ask of others now.
    pub(crate) fn around(&self, ix: u32, now: Timestamp) -> Around {
        let Some(ties) = self.ties.get(&ix) else {
            return Around::NOTHING;
        };
        // What it does itself may change before the answer is used, and does not count for its own start.
        let runs = |other: &&u32| {
            let device = self.devices.get(**other);
            **other != ix && device.is_some_and(|d| d.runs(now))
        };
        let full = |(at_most, members): &(u8, Vec<u32>)| {
            members.iter().filter(runs).count() >= usize::from(*at_most)
        };
        let long_enough = |since: Timestamp| since + ties.carried <= now;
        let HoursSeen { allowed, lasts, .. } = self.hours_seen(ix, now);
        let since = self.devices.get(ix).and_then(|d| d.limited.as_ref());
        let since = since.and_then(|l| l.allowed_since).unwrap_or(now);
        let lasts = lasts.unwrap_or(Duration::ZERO);
        Around {
            group_full: ties.groups.iter().any(full),
            carried: ties.needs.is_empty() || self.carriers(ties).any(long_enough),
            need: self.need(ties),
            needed: ties.needed_by.iter().any(|d| self.is_needed(ix, *d, now)),
            allowed,
            may_start: allowed == Truth::True && since + lasts <= now,
        }
    }

    /// Since when those that a device needs carry it, of those that do.
    fn carriers<'a>(&'a self, ties: &'a Ties) -> impl Iterator<Item = Timestamp> + 'a {
        let since = |ix: &u32| self.devices.get(*ix)?.limited.as_ref()?.carries_since;
        ties.needs.iter().filter_map(since)
    }

    /// Whether what a device needs carries it; true where it needs nothing.
    fn need(&self, ties: &Ties) -> Truth {
        if ties.needs.is_empty() {
            return Truth::True;
        }
        Truth::any(ties.needs.iter().map(|ix| self.carries(*ix)))
    }

    /// The devices that another needs, and for how long one of them must carry it.
    pub(crate) fn needs_of(&self, ix: u32) -> (&[u32], Duration) {
        let ties = self.ties.get(&ix);
        ties.map_or((&[], Duration::ZERO), |t| (&t.needs, t.carried))
    }

    fn carries(&self, ix: u32) -> Truth {
        let device = self.devices.get(ix);
        device.map_or(Truth::Unknown, Device::carries)
    }

    /// Whether a device that needs others, and runs, is carried by this one alone.
    fn is_needed(&self, ix: u32, by: u32, now: Timestamp) -> bool {
        let Some((device, ties)) = self.devices.get(by).zip(self.ties.get(&by)) else {
            return false;
        };
        let goes = device.runs(now) || device.running == Some(true);
        let carriers = || { ties.needs.iter() }.filter(|n| self.carries(**n) == Truth::True);
        goes && device.online && carriers().count() == 1 && carriers().any(|n| *n == ix)
    }

    /// Counts what all devices used until now, by the documents as they stand; after an outage what ended meanwhile begins anew now.
    pub(crate) fn count_all(&mut self, now: Timestamp, resumed: bool) {
        for ix in self.ties.keys() {
            if let Some(device) = self.devices.get_mut(*ix) {
                device.count_until(now, &self.almanac, resumed);
            }
        }
    }

    /// Sees what has changed about a device, and when time alone changes something next.
    fn follow_limits(&mut self, ix: u32, now: Timestamp) -> Changed {
        let mut changed = Changed::default();
        let Some(device) = self.devices.get_mut(ix) else {
            return changed;
        };
        let seen = Seen {
            runs: device.runs(now),
            online: device.online,
            running: device.running,
            carries: device.carries(),
        };
        let Some(limited) = device.limited.as_mut() else {
            return changed;
        };
        changed.itself = limited.seen.replace(seen) != Some(seen);
        let carries = seen.carries == Truth::True;
        let runs = seen.runs;
        limited.carries_since = carries.then(|| limited.carries_since.unwrap_or(now));
        self.look_ahead_hours(ix, now);
        let hours = self.hours_seen(ix, now);
        if let Some(limited) = self.devices.get_mut(ix).and_then(|d| d.limited.as_mut()) {
            let allowed = hours.lasts.is_some() && hours.allowed == Truth::True;
            let shut = runs && hours.allowed != Truth::True;
            changed.hours = limited.allowed.replace(hours.allowed) != Some(hours.allowed);
            limited.allowed_since = allowed.then(|| limited.allowed_since.unwrap_or(now));
            limited.shut_since = shut.then(|| limited.shut_since.unwrap_or(now));
        }
        let by = self.ties.get(&ix).map(|t| t.needed_by.clone());
        for ix in by.into_iter().flatten().chain([ix]) {
            self.follow_need(ix, now);
        }
        let next = self.ties.get(&ix).and_then(|ties| {
            let device = self.devices.get(ix)?;
            device.next_look(now, self.need(ties), hours, self.carriers(ties))
        });
        if let Some(limited) = self.devices.get_mut(ix).and_then(|d| d.limited.as_mut()) {
            limited.due = next;
        }
        changed
    }

    /// Since when a device runs without what it needs.
    fn follow_need(&mut self, ix: u32, now: Timestamp) {
        let Some(need) = self.ties.get(&ix).map(|ties| self.need(ties)) else {
            return;
        };
        let Some(device) = self.devices.get_mut(ix) else {
            return;
        };
        let unmet = need != Truth::True && device.runs(now);
        if let Some(limited) = device.limited.as_mut() {
            limited.unmet_since = unmet.then(|| limited.unmet_since.unwrap_or(now));
        }
    }

    /// Sees how everything stands after a snapshot was read.
    pub(crate) fn follow_all_limits(&mut self) {
        let Some(now) = self.clock else {
            return;
        };
        let all: Vec<u32> = self.ties.keys().copied().collect();
        for ix in all {
            let since = |d: &mut Device| d.limited.as_mut().map(|l| l.allowed_since);
            let was = self.devices.get_mut(ix).and_then(since);
            self.follow_limits(ix, now);
            // A snapshot may be older than the first look.
            if let Some(limited) = self.devices.get_mut(ix).and_then(|d| d.limited.as_mut()) {
                limited.allowed_since = was.flatten();
            }
        }
    }

    /// When time alone may end what holds a device: for people.
    pub(crate) fn held_until(&self, ix: u32, now: Timestamp) -> Option<Timestamp> {
        let device = self.devices.get(ix)?;
        let until = match device.limited.as_ref()?.held.as_ref()?.0 {
            LimitReason::Hours => self.hours_begin(ix, now),
            _ => device.held_ends(now, self.carriers(self.ties.get(&ix)?)),
        };
        until.filter(|at| *at > now)
    }
}

/// What has changed about a device with limits since it was followed last.
#[derive(Debug, Clone, Copy, Default)]
struct Changed {
    /// What its neighbours look at.
    itself: bool,
    /// What its hours come to.
    hours: bool,
}

/// Whether a device needs itself over others.
fn needs_itself(ties: &AllTies, ix: u32) -> bool {
    let (mut next, mut known) = (vec![ix], Vec::new());
    while let Some(at) = next.pop() {
        for needed in ties.get(&at).into_iter().flat_map(|t| &t.needs) {
            if *needed == ix {
                return true;
            }
            if !known.contains(needed) {
                known.push(*needed);
                next.push(*needed);
            }
        }
    }
    false
}

impl Engine {
    /// Has a device looked at in this round, if it has limits or another needs it.
    pub(crate) fn look_at(&mut self, ix: u32) {
        let Some(device) = self.state.devices.get_mut(ix) else {
            return;
        };
        let Some(limited) = device.limited.as_mut() else {
            return;
        };
        limited.look = true;
        if !std::mem::replace(&mut device.in_round, true) {
            self.devices_in_round.push(ix);
        }
    }

    /// Sees to it that what was done to a device is seen by those that it has to do with.
    pub(crate) fn tell_neighbours(&mut self, ix: u32, now: Timestamp) {
        if self.resumes {
            return;
        }
        let changed = self.state.follow_limits(ix, now);
        if changed.hours {
            self.look_at(ix);
        }
        if !changed.itself {
            return;
        }
        let neighbours = self.state.ties.get(&ix).map(|t| t.neighbours.clone());
        for neighbour in neighbours.into_iter().flatten() {
            self.look_at(neighbour);
        }
    }

    /// Devices whose limits are due are looked at.
    pub(crate) fn look_at_due(&mut self, at: Timestamp) {
        let mut due = self.due(Timer::Limit, at);
        self.sort_devices(&mut due);
        for ix in due {
            self.look_at(ix);
            self.tell_neighbours(ix, at);
        }
    }

    /// Looks at all devices, after an outage.
    pub(crate) fn look_at_all(&mut self, now: Timestamp) {
        let all: Vec<u32> = self.state.ties.keys().copied().collect();
        for ix in all {
            self.look_at(ix);
            self.tell_neighbours(ix, now);
        }
    }

    /// The devices that are settled in this pass, in order: those that wait for their turn after all others.
    fn settling_order(&self, now: Timestamp) -> Vec<u32> {
        let device = |ix: &u32| self.state.devices.get(*ix);
        let is_in = |d: &Device| d.needs_settle || d.limited.as_ref().is_some_and(|l| l.look);
        let mut pass: Vec<u32> = self.devices_in_round.clone();
        pass.retain(|ix| device(ix).is_some_and(is_in));
        self.sort_devices(&mut pass);
        if !self.state.ties.is_empty() {
            let turn = |ix: &u32| device(ix).filter(|d| d.waits_for_its_turn(now));
            pass.sort_by(|a, b| match (turn(a), turn(b)) {
                (Some(a), Some(b)) => {
                    by_turn(a.claims.winner(), b.claims.winner()).then_with(|| a.key().cmp(b.key()))
                }
                (a, b) => a.is_some().cmp(&b.is_some()),
            });
        }
        pass
    }

    /// Settles the devices that need it, in passes, until none does.
    pub(crate) fn settle(&mut self, now: Timestamp, events: &mut Vec<Event>) {
        loop {
            let pass = self.settling_order(now);
            if pass.is_empty() {
                return;
            }
            for ix in pass {
                self.settle_device(ix, now, events);
            }
        }
    }
}
