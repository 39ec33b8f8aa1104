//! Things with ids, kept under small dense numbers that stay the same as long as the thing exists.
//!
//! A thing bears its own id, so that no index repeats it: the order is a list of numbers, four bytes a thing, cut into blocks
//! that are short enough to insert into. Vectors grow by an eighth and not to twice their size: a farm grows seldom.

/// A thing that bears its id.
pub(crate) trait Keyed {
    type Key: Ord + ?Sized;
    fn key(&self) -> &Self::Key;
}

/// The most numbers in a block.
const BLOCK: usize = 512;
/// By how many a block grows.
const BLOCK_STEP: usize = 32;

/// Makes room for one more, and little beyond that.
pub(crate) fn make_room<T>(vec: &mut Vec<T>) {
    make_room_for(vec, vec.len() + 1);
}

/// Makes room for so many in all, and little beyond that.
pub(crate) fn make_room_for<T>(vec: &mut Vec<T>, length: usize) {
    if length > vec.capacity() {
        vec.reserve_exact(length - vec.len() + vec.len() / 8);
    }
}

/// Numbers, sorted by a key that each leads to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    /// None is empty.
    blocks: Vec<Vec<u32>>,
}

/// Where a number is in the order, or belongs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Position {
    block: usize,
    at: usize,
}

impl Order {
    /// Where the number of that key is (`Ok`) or belongs (`Err`).
    pub(crate) fn find<K: Ord>(
        &self,
        key: &K,
        key_of: impl Fn(u32) -> K,
    ) -> Result<Position, Position> {
        let later = self.blocks.partition_point(|b| key_of(b[0]) <= *key);
        let block = later.saturating_sub(1);
        let Some(numbers) = self.blocks.get(block) else {
            return Err(Position { block, at: 0 });
        };
        numbers
            .binary_search_by(|n| key_of(*n).cmp(key))
            .map(|at| Position { block, at })
            .map_err(|at| Position { block, at })
    }

    pub(crate) fn at(&self, position: Position) -> u32 {
        self.blocks[position.block][position.at]
    }

    pub(crate) fn insert(&mut self, Position { mut block, mut at }: Position, number: u32) {
        if self.blocks.get(block).is_none_or(|b| b.len() == BLOCK) {
            let last = block + 1 >= self.blocks.len();
            if self.blocks.is_empty() || (last && at == BLOCK) {
                self.blocks.push(vec![number]);
                return;
            }
            let tail = self.blocks[block].split_off(BLOCK / 2);
            self.blocks[block].shrink_to_fit();
            self.blocks.insert(block + 1, tail);
            if at > BLOCK / 2 {
                (block, at) = (block + 1, at - BLOCK / 2);
            }
        }
        let numbers = &mut self.blocks[block];
        if numbers.len() == numbers.capacity() {
            numbers.reserve_exact(BLOCK_STEP);
        }
        numbers.insert(at, number);
    }

    fn remove(&mut self, Position { block, at }: Position) -> u32 {
        let number = self.blocks[block].remove(at);
        if self.blocks[block].is_empty() {
            self.blocks.remove(block);
        }
        number
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().flatten().copied()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Table<T> {
    order: Order,
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            order: Order::default(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Table<T> {
    pub(crate) fn get(&self, ix: u32) -> Option<&T> {
        self.slots.get(ix as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, ix: u32) -> Option<&mut T> {
        self.slots.get_mut(ix as usize)?.as_mut()
    }

    /// Numbers, in order of id.
    pub(crate) fn indices(&self) -> Vec<u32> {
        self.order.iter().collect()
    }

    /// Things, in order of id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.order.iter().filter_map(|ix| Some((ix, self.get(ix)?)))
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Makes room for as many more.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.slots
            .reserve_exact(more.saturating_sub(self.free.len()));
    }
}

impl<T: Keyed> Table<T> {
    fn find(&self, key: &T::Key) -> Result<Position, Position> {
        self.order.find(&Some(key), |ix| self.get(ix).map(T::key))
    }

    pub(crate) fn index_of(&self, key: &T::Key) -> Option<u32> {
        self.find(key).ok().map(|p| self.order.at(p))
    }

    /// Adds the thing, or replaces the one of its id, which is returned; the number stays.
    pub(crate) fn put(&mut self, thing: T) -> (u32, Option<T>) {
        match self.find(thing.key()) {
            Ok(position) => {
                let ix = self.order.at(position);
                (ix, self.slots[ix as usize].replace(thing))
            }
            Err(position) => {
                let ix = self.free.pop().unwrap_or_else(|| {
                    make_room(&mut self.slots);
                    self.slots.push(None);
                    u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
                });
                self.slots[ix as usize] = Some(thing);
                self.order.insert(position, ix);
                (ix, None)
            }
        }
    }

    pub(crate) fn remove_key(&mut self, key: &T::Key) -> Option<T> {
        let position = self.find(key).ok()?;
        let ix = self.order.remove(position);
        self.free.push(ix);
        self.slots[ix as usize].take()
    }
}

/// Ids are ordered by their bytes.
impl<T: Keyed<Key = [u8]>> Table<T> {
    pub(crate) fn index(&self, id: &str) -> Option<u32> {
        self.index_of(id.as_bytes())
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<T> {
        self.remove_key(id.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Clone)]
    struct Thing(String, u64);

    impl Keyed for Thing {
        type Key = [u8];
        fn key(&self) -> &[u8] {
            self.0.as_bytes()
        }
    }

    /// As a sorted map, whatever comes and goes in whatever order.
    #[test]
    fn is_a_sorted_map_with_numbers_that_stay() {
        let mut table: Table<Thing> = Table::default();
        let mut map: BTreeMap<String, (u32, u64)> = BTreeMap::new();
        let mut state: u64 = 3;
        for step in 0..40_000_u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let id = format!("{:x}", (state >> 33) % 5_000);
            if state >> 60 < 11 {
                let (ix, old) = table.put(Thing(id.clone(), step));
                let before = map.insert(id, (ix, step));
                assert_eq!(old.map(|t| t.1), before.map(|b| b.1));
                assert!(before.is_none_or(|b| b.0 == ix));
            } else {
                assert_eq!(table.remove(&id).map(|t| t.1), map.remove(&id).map(|b| b.1));
            }
        }
        assert!(map.len() > 2 * BLOCK);
        assert_eq!(table.len(), map.len());
        let all: Vec<_> = table
            .iter()
            .map(|(ix, t)| (t.0.clone(), (ix, t.1)))
            .collect();
        assert_eq!(all, map.clone().into_iter().collect::<Vec<_>>());
        for (id, (ix, _)) in map {
            assert_eq!(table.index(&id), Some(ix));
        }
    }

    /// A farm's document comes sorted, or nearly: its blocks are full.
    #[test]
    fn what_comes_sorted_leaves_no_gaps() {
        let mut table: Table<Thing> = Table::default();
        for i in 0..10_000 {
            table.put(Thing(format!("{i:05}"), i));
        }
        assert_eq!(table.order.blocks.len(), 10_000_usize.div_ceil(BLOCK));
    }
}
