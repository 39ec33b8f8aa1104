//! Places that can be taken by key, so many for each: connections and sockets of an address, sockets of a user. A place is
//! given back when it is dropped.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// How many places of each key are taken. Keys without a place are not remembered.
#[derive(Debug)]
pub(crate) struct Places<K>(Arc<Mutex<HashMap<K, usize>>>);

impl<K> Clone for Places<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> Default for Places<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Hash + Eq + Clone> Places<K> {
    /// Takes a place, if fewer than that many of the key are taken.
    pub(crate) fn take(&self, key: K, most: usize) -> Option<Place<K>> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let n = taken.entry(key.clone()).or_default();
        if *n >= most {
            if *n == 0 {
                taken.remove(&key);
            }
            return None;
        }
        *n += 1;
        drop(taken);
        Some(Place {
            places: self.clone(),
            key,
        })
    }
}

/// A place that is taken.
#[derive(Debug)]
pub(crate) struct Place<K: Hash + Eq> {
    places: Places<K>,
    key: K,
}

impl<K: Hash + Eq> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(n) = taken.get_mut(&self.key) {
            *n -= 1;
            if *n == 0 {
                taken.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_back() {
        let places = Places::default();
        let (a, b) = (places.take("a", 2), places.take("a", 2));
        assert!(a.is_some() && b.is_some());
        assert!(places.take("a", 2).is_none());
        assert!(places.take("b", 1).is_some());
        drop(a);
        assert!(places.take("a", 2).is_some());
        drop(b);
        assert!(places.take("c", 0).is_none());
        assert!(places.0.lock().expect("unpoisoned").is_empty());
    }
}
