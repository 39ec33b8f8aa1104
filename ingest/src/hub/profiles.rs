//! The profiles by which a farm's messages on topics of other systems are read.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use harit_engine::FarmId;
use harit_profiles::{Announcements, Profile, Profiles};
use harit_protocol::Mac;

use super::Hub;

impl Hub {
    /// Has a farm's messages read by these profiles of its own and the shipped ones, from the next message on.
    pub fn put_profiles(&self, farm: &FarmId, own: Vec<Profile>) {
        let profiles = &self.0.shared.profiles;
        let mut all = profiles.write().unwrap_or_else(PoisonError::into_inner);
        if own.is_empty() {
            all.remove(farm);
        } else {
            all.insert(farm.clone(), Arc::new(Profiles::new(own)));
        }
    }

    /// What a farm's devices announced of themselves, by controller.
    #[must_use]
    pub fn announced(&self, farm: &FarmId) -> BTreeMap<Mac, Announcements> {
        self.0.shared.announced.of(farm)
    }

    /// The profiles by which a farm's messages are read.
    #[must_use]
    pub fn profiles(&self, farm: &FarmId) -> Arc<Profiles> {
        self.0.shared.profiles(farm)
    }
}
