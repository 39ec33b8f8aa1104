//! Deadlines of many owners, at no cost while a deadline only moves later.
//!
//! Every owner (a sensor's expiry, a rule's hold, a device's on period) has at most one deadline. Most deadlines are never
//! reached: each reading renews its sensor's expiry. A plain heap would take an entry a renewal, and a sorted map a removal
//! and an insertion. Here an owner has at most one entry, whose instant is a *lower bound* of its deadline: renewing and
//! cancelling touch nothing, and only when the entry comes up is the owner asked for its true deadline and queued again.

use crate::table::{make_room, make_room_for};
use crate::time::Timestamp;

/// A binary min-heap of (instant, owner) with at most one entry an owner.
#[derive(Debug, Default, Clone)]
pub(crate) struct Deadlines {
    instants: Vec<Timestamp>,
    /// Beside it, so that an entry is twelve bytes and not sixteen.
    owners: Vec<u32>,
    /// Where each owner's entry is in the heap; `NONE` without one.
    at: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// Where more than this part of all entries is taken out, that is one sweep.
const MANY: usize = 32;

impl Deadlines {
    /// Makes sure that the owner's entry is no later than its deadline.
    pub(crate) fn set(&mut self, owner: u32, deadline: Timestamp) {
        let o = owner as usize;
        if o >= self.at.len() {
            make_room_for(&mut self.at, o + 1);
            self.at.resize(o + 1, NONE);
        }
        let mut i = self.at[o] as usize;
        if self.at[o] == NONE {
            i = self.owners.len();
            make_room(&mut self.instants);
            self.instants.push(deadline);
            make_room(&mut self.owners);
            self.owners.push(owner);
            self.at[o] = index(i);
        } else if self.instants[i] <= deadline {
            return;
        } else {
            self.instants[i] = deadline;
        }
        self.up(i);
    }

    /// The earliest true deadline that is no later than `until`, after queueing again what has moved. `deadline_of` tells an
    /// owner's true deadline; who has none before `until` is not asked.
    pub(crate) fn earliest(
        &mut self,
        until: Timestamp,
        deadline_of: impl Fn(u32) -> Option<Timestamp>,
    ) -> Option<Timestamp> {
        while let Some((at, owner)) = self.first().filter(|(at, _)| *at <= until) {
            match deadline_of(owner) {
                Some(true_at) if true_at <= at => return Some(at),
                Some(later) => self.replace_first((later, owner)),
                None => self.pop(),
            }
        }
        None
    }

    /// The earliest true deadline that is no later than `until`, without queueing anything again: it looks at every entry.
    pub(crate) fn seek(
        &self,
        until: Timestamp,
        deadline_of: impl Fn(u32) -> Option<Timestamp>,
    ) -> Option<Timestamp> {
        let entries = self.instants.iter().zip(&self.owners);
        { entries.filter(|(at, _)| **at <= until) }
            .filter_map(|(_, owner)| deadline_of(*owner))
            .filter(|at| *at <= until)
            .min()
    }

    /// Takes out all entries at or before `now`, in any order, into `owners`: whose deadline is later has to be set again.
    pub(crate) fn take_until(&mut self, now: Timestamp, owners: &mut Vec<u32>) {
        let many = self.owners.len() / MANY;
        while let Some((_, owner)) = self.first().filter(|(at, _)| *at <= now) {
            if owners.len() > many {
                return self.sweep_until(now, owners);
            }
            self.pop();
            owners.push(owner);
        }
    }

    /// The same in one sweep over all entries.
    fn sweep_until(&mut self, now: Timestamp, owners: &mut Vec<u32>) {
        let mut kept = 0;
        for i in 0..self.owners.len() {
            let (at, owner) = self.entry(i);
            if at <= now {
                self.at[owner as usize] = NONE;
                owners.push(owner);
            } else {
                (self.instants[kept], self.owners[kept]) = (at, owner);
                self.at[owner as usize] = index(kept);
                kept += 1;
            }
        }
        self.instants.truncate(kept);
        self.owners.truncate(kept);
        for i in (0..kept / 2).rev() {
            self.down(i);
        }
    }

    /// No deadline is before this.
    pub(crate) fn bound(&self) -> Option<Timestamp> {
        self.instants.first().copied()
    }

    fn entry(&self, i: usize) -> (Timestamp, u32) {
        (self.instants[i], self.owners[i])
    }

    fn first(&self) -> Option<(Timestamp, u32)> {
        (!self.owners.is_empty()).then(|| self.entry(0))
    }

    fn pop(&mut self) {
        let Some((_, owner)) = self.first() else {
            return;
        };
        self.at[owner as usize] = NONE;
        let Some(last) = self.instants.pop().zip(self.owners.pop()) else {
            return;
        };
        if !self.owners.is_empty() {
            self.replace_first(last);
        }
    }

    fn replace_first(&mut self, entry: (Timestamp, u32)) {
        (self.instants[0], self.owners[0]) = entry;
        self.at[entry.1 as usize] = 0;
        self.down(0);
    }

    fn up(&mut self, mut i: usize) {
        while i > 0 {
            let parent = (i - 1) / 2;
            if self.entry(parent) <= self.entry(i) {
                break;
            }
            self.swap(i, parent);
            i = parent;
        }
    }

    fn down(&mut self, mut i: usize) {
        loop {
            let (left, right) = (2 * i + 1, 2 * i + 2);
            let mut least = i;
            if left < self.owners.len() && self.entry(left) < self.entry(least) {
                least = left;
            }
            if right < self.owners.len() && self.entry(right) < self.entry(least) {
                least = right;
            }
            if least == i {
                return;
            }
            self.swap(i, least);
            i = least;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.instants.swap(a, b);
        self.owners.swap(a, b);
        self.at[self.owners[a] as usize] = index(a);
        self.at[self.owners[b] as usize] = index(b);
    }
}

/// Owners are counted in 32 bits, so an index into the heap fits.
#[allow(
    clippy::cast_possible_truncation,
    reason = "at most one entry an owner, and owners are counted in 32 bits"
)]
const fn index(i: usize) -> u32 {
    i as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn a_renewed_deadline_keeps_one_entry_and_comes_up_at_its_true_instant() {
        let mut d = Deadlines::default();
        d.set(3, at(10));
        for t in 11..1_000 {
            d.set(3, at(t));
        }
        assert_eq!((&*d.instants, &*d.owners), (&[at(10)][..], &[3][..]));
        let truth = |o| (o == 3).then(|| at(999));
        assert_eq!(d.earliest(at(998), truth), None);
        assert_eq!(d.earliest(at(5_000), truth), Some(at(999)));
        let mut taken = vec![];
        d.take_until(at(998), &mut taken);
        assert!(taken.is_empty());
        d.take_until(at(999), &mut taken);
        assert_eq!((taken, d.bound()), (vec![3], None));
    }

    #[test]
    fn an_earlier_deadline_moves_the_entry_up_and_a_cancelled_one_is_dropped() {
        let mut d = Deadlines::default();
        for o in 0..100 {
            d.set(o, at(1_000 + i64::from(o)));
        }
        d.set(70, at(5));
        let truth = |o: u32| match o {
            70 => Some(at(5)),
            o if o % 2 == 0 => Some(at(1_000 + i64::from(o))),
            _ => None,
        };
        assert_eq!(d.earliest(at(5_000), truth), Some(at(5)));
        let mut taken = vec![];
        d.take_until(at(1_050), &mut taken);
        taken.sort_unstable();
        assert_eq!(taken, (0..=50).chain([70]).collect::<Vec<_>>());
        assert_eq!(d.owners.len(), 48);
        let mut left = vec![];
        while let Some((_, owner)) = d.first() {
            assert_eq!(d.at[owner as usize], 0);
            left.push(owner);
            d.pop();
        }
        assert_eq!(left, (51..100).filter(|o| *o != 70).collect::<Vec<_>>());
    }
}
