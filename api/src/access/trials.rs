//! Trials of rules that are being computed, so that their askers can be told how far they have come.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use harit_engine::FarmId;
use harit_ingest::past::Stop;

/// The most that are known at a time; further ones are computed all the same, and nobody is told how far they are.
const MAX_KNOWN: usize = 256;

type Known = HashMap<(FarmId, String), Stop>;

/// The trials by farm and by the name that their askers gave them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Trials(Arc<Mutex<Known>>);

impl Trials {
    /// Knows one until what is returned is dropped; nothing where there is one of that name, or there are too many.
    pub(crate) fn begin(&self, farm: &FarmId, name: String, stop: &Stop) -> Option<Running> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (farm.clone(), name);
        if known.len() >= MAX_KNOWN || known.contains_key(&key) {
            return None;
        }
        known.insert(key.clone(), stop.clone());
        let trials = self.clone();
        Some(Running { trials, key })
    }

    /// How much of one is done, in thousandths.
    pub(crate) fn done(&self, farm: &FarmId, name: &str) -> Option<u32> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(farm.clone(), name.to_owned())).map(Stop::done)
    }
}

/// A trial that is being computed.
#[derive(Debug)]
pub(crate) struct Running {
    trials: Trials,
    key: (FarmId, String),
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut known = self.trials.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_trial_is_known_by_its_name_in_its_farm_until_it_ends() {
        let (trials, stop) = (Trials::default(), Stop::within(Duration::from_secs(1)));
        let (a, b) = (FarmId::new("a"), FarmId::new("b"));
        let running = trials.begin(&a, "1".to_owned(), &stop);
        assert_eq!(trials.done(&a, "1"), Some(0));
        assert_eq!((trials.done(&b, "1"), trials.done(&a, "2")), (None, None));
        assert!(
            trials.begin(&a, "1".to_owned(), &stop).is_none(),
            "it is taken"
        );
        drop(running);
        assert_eq!(trials.done(&a, "1"), None);
    }

    #[test]
    fn so_many_are_known() {
        let (trials, stop) = (Trials::default(), Stop::within(Duration::from_secs(1)));
        let begin = |n: usize| trials.begin(&FarmId::new("a"), n.to_string(), &stop);
        let all: Vec<_> = (0..MAX_KNOWN).map(begin).collect();
        assert!(all.iter().all(Option::is_some));
        assert!(begin(MAX_KNOWN).is_none());
    }
}
