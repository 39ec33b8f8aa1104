//! Ids of stops, by which a request that is sent again stops nothing twice.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// The most ids that are remembered; the oldest go first.
const MAX_KNOWN: usize = 4_096;

/// The ids of stops that were done, by farm and person. A restart forgets them: then a repetition stops again, which is the
/// safe mistake.
#[derive(Debug, Default)]
pub(crate) struct KnownStops(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl KnownStops {
    /// Whether that one was done.
    pub(crate) fn has(&self, id: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.ids.contains(id)
    }

    /// Remembers one; false where it is known.
    pub(crate) fn add(&self, id: String) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.ids.insert(id.clone()) {
            return false;
        }
        known.order.push_back(id);
        if known.order.len() > MAX_KNOWN
            && let Some(oldest) = known.order.pop_front()
        {
            known.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_ids_are_forgotten() {
        let known = KnownStops::default();
        for n in 0..=MAX_KNOWN {
            assert!(known.add(n.to_string()));
        }
        assert!(!known.add("1".to_owned()));
        assert!(!known.has("0"), "the first one made room");
        assert!(known.has(&MAX_KNOWN.to_string()));
        assert_eq!(known.0.lock().expect("unpoisoned").ids.len(), MAX_KNOWN);
    }
}
