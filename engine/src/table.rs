//! Things with ids, kept under small dense numbers that stay the same as long as the thing exists.

use std::borrow::Borrow;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub(crate) struct Table<K, T> {
    by_id: BTreeMap<K, u32>,
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<K: Ord, T> Default for Table<K, T> {
    fn default() -> Self {
        Self {
            by_id: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<K: Ord, T> Table<K, T> {
    pub(crate) fn index<Q: Ord + ?Sized>(&self, id: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
    {
        self.by_id.get(id).copied()
    }

    pub(crate) fn get(&self, ix: u32) -> Option<&T> {
        self.slots.get(ix as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, ix: u32) -> Option<&mut T> {
        self.slots.get_mut(ix as usize)?.as_mut()
    }

    /// Adds the thing, or replaces the one of that id; the number stays.
    pub(crate) fn put(&mut self, id: K, thing: T) -> u32 {
        if let Some(&ix) = self.by_id.get(&id) {
            self.slots[ix as usize] = Some(thing);
            return ix;
        }
        let ix = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        });
        self.slots[ix as usize] = Some(thing);
        self.by_id.insert(id, ix);
        ix
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, id: &Q) -> Option<T>
    where
        K: Borrow<Q>,
    {
        let ix = self.by_id.remove(id)?;
        self.free.push(ix);
        self.slots[ix as usize].take()
    }

    /// Ids with their numbers, in order of id.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (&K, u32)> {
        self.by_id.iter().map(|(k, ix)| (k, *ix))
    }

    /// Numbers, in order of id.
    pub(crate) fn indices(&self) -> Vec<u32> {
        self.by_id.values().copied().collect()
    }

    /// Things, in order of id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.by_id
            .values()
            .filter_map(|ix| Some((*ix, self.get(*ix)?)))
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }
}
