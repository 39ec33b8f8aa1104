//! The profiles by which a farm's messages on topics of other systems are read.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use harit_engine::{DeviceId, FarmId};
use harit_profiles::{Announcements, Profile, Profiles};
use harit_protocol::Mac;
use tokio::sync::oneshot;

use super::{CLOSING, Hub, not_asked};
use crate::admit::AdmitError;
use crate::lease::{LeasedDevice, Proofs};
use crate::shard::Shard;

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
        drop(all);
        self.tell_leases(farm);
    }

    /// Says which of a farm's devices showed that they go off by themselves. Others are locked and never switched on.
    pub fn put_proofs(&self, farm: &FarmId, proofs: Proofs) {
        self.0.shared.leases.put(farm, proofs);
        self.tell_leases(farm);
    }

    fn tell_leases(&self, farm: &FarmId) {
        let Ok(shard) = self.shard_of(farm) else {
            return;
        };
        let farm = farm.clone();
        let changed = move |shard: &mut Shard| shard.leases_changed(&farm);
        self.0.shards[shard].queue.tell(Box::new(changed));
    }

    /// Switches a device of a profile on for the trial of its lease, for so many seconds, or off. Nothing of it is a command of the
    /// farm: its engine holds the device locked meanwhile.
    ///
    /// # Errors
    /// When no profile has the device, or its controller cannot be reached.
    pub async fn try_lease(
        &self,
        farm: &FarmId,
        device: LeasedDevice,
        seconds: Option<i64>,
    ) -> Result<(), AdmitError> {
        let shard = self.shard_of(farm)?;
        let (reply, answer) = oneshot::channel();
        let farm = farm.clone();
        let ask = move |shard: &mut Shard| {
            let (mac, own) = &device;
            // Whoever asked may have gone.
            let _ = reply.send(shard.try_lease(&farm, *mac, own, seconds));
        };
        let asked = self.0.shards[shard].queue.ask(Box::new(ask));
        asked.map_err(not_asked)?;
        answer.await.map_err(|_| CLOSING)?
    }

    /// Ends the trial of a lease; whether the device said meanwhile that it is set.
    #[must_use]
    pub fn end_trial(&self, farm: &FarmId, (mac, own): &LeasedDevice) -> bool {
        self.0.shared.leases.end(farm, *mac, own)
    }

    /// How a device is reached: its controller, and that one's own id of it.
    ///
    /// # Errors
    /// When the farm is unknown or has failed, or its shard does not answer.
    pub async fn device_target(
        &self,
        farm: &FarmId,
        device: &DeviceId,
    ) -> Result<Option<LeasedDevice>, AdmitError> {
        let view = self.view(farm).await?;
        let target = view.controllers().target(device);
        Ok(target.map(|(mac, own)| (mac, own.to_owned())))
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
