//! What controllers' devices announced of themselves: kept in memory, because they say it again whenever they connect.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use harit_engine::FarmId;
use harit_profiles::Announcements;
use harit_protocol::Mac;

/// The most controllers of a farm whose devices' announcements are kept; others' are counted.
const MAX_CONTROLLERS: usize = 256;

/// The announcements of each farm, by controller.
#[derive(Debug, Default)]
pub(crate) struct Announced(Mutex<HashMap<FarmId, BTreeMap<Mac, Announcements>>>);

impl Announced {
    /// Takes in what a message announces, if it does.
    pub(crate) fn hear(&self, farm: &FarmId, mac: Mac, topic: &str, payload: &[u8]) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(farm) {
            all.insert(farm.clone(), BTreeMap::new());
        }
        let Some(of_farm) = all.get_mut(farm) else {
            return;
        };
        if of_farm.len() >= MAX_CONTROLLERS && !of_farm.contains_key(&mac) {
            metrics::counter!("harit_announcements_dropped_total").increment(1);
            return;
        }
        let heard = of_farm.entry(mac).or_default();
        let before = heard.overflow();
        heard.hear(topic, payload);
        metrics::counter!("harit_announcements_dropped_total").increment(heard.overflow() - before);
    }

    /// Those of a farm, by controller.
    pub(crate) fn of(&self, farm: &FarmId) -> BTreeMap<Mac, Announcements> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(farm).cloned().unwrap_or_default()
    }
}
