//! What raised alerts remember.

use std::collections::{BTreeMap, BTreeSet};

/// The remembered sensors, by alert; an alert that remembers is in it exactly while it is raised.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(BTreeMap<u32, BTreeSet<u32>>);

impl Memory {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn put(&mut self, alert: u32, sensors: BTreeSet<u32>) {
        self.0.insert(alert, sensors);
    }

    pub(crate) fn forget(&mut self, alert: u32) {
        self.0.remove(&alert);
    }

    pub(crate) fn of(&self, alert: u32) -> impl Iterator<Item = u32> {
        self.0.get(&alert).into_iter().flatten().copied()
    }

    pub(crate) fn has(&self, alert: u32) -> bool {
        self.0.contains_key(&alert)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&u32, &BTreeSet<u32>)> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&u32, &mut BTreeSet<u32>)> {
        self.0.iter_mut()
    }
}
