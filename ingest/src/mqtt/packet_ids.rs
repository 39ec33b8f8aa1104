//! A set of packet ids.

/// How many words hold a bit for each packet id.
const WORDS: usize = 1 << 10;

/// Packet ids, at most all 65,535 of them: no bytes while it is empty, and 8 KiB otherwise, however many they are.
#[derive(Debug, Default)]
pub(super) struct PacketIds {
    bits: Option<Box<[u64; WORDS]>>,
    len: usize,
}

impl PacketIds {
    /// Adds an id. False when it was there.
    pub(super) fn insert(&mut self, id: u16) -> bool {
        let bits = self.bits.get_or_insert_with(|| Box::new([0; WORDS]));
        let (word, bit) = place(id);
        let new = bits[word] & bit == 0;
        bits[word] |= bit;
        self.len += usize::from(new);
        new
    }

    /// Takes an id out. False when it was not there.
    pub(super) fn remove(&mut self, id: u16) -> bool {
        let Some(bits) = &mut self.bits else {
            return false;
        };
        let (word, bit) = place(id);
        let known = bits[word] & bit != 0;
        bits[word] &= !bit;
        self.len -= usize::from(known);
        if self.len == 0 {
            self.bits = None;
        }
        known
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn place(id: u16) -> (usize, u64) {
    (usize::from(id >> 6), 1 << (id & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_place_of_its_own() {
        let mut ids = PacketIds::default();
        assert!((1..=u16::MAX).all(|id| ids.insert(id)));
        assert!((1..=u16::MAX).all(|id| !ids.insert(id)));
        assert_eq!(ids.len, 65_535);
        assert!((1..=u16::MAX).rev().all(|id| ids.remove(id)));
        assert!(!ids.remove(7));
        assert!(ids.bits.is_none(), "an empty set keeps nothing");
    }
}
