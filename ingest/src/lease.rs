//! Which devices of profiles showed that they go off by themselves: only those are ever switched on.
//!
//! What is proven is kept in the records and put here. It holds for a device of a controller as long as its profile commands it in the
//! same way. Nothing here is part of a farm's log: a device that is not proven is locked by its controller's report, and what would go
//! on all the same is refused where commands become messages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use harit_engine::FarmId;
use harit_profiles::{Controlled, LeaseKind};
use harit_protocol::Mac;

/// The lock of a device that has no lease.
pub const NO_LEASE: &str = "no_lease";
/// The lock of a device whose lease is not proven.
pub const LEASE_UNPROVEN: &str = "lease_unproven";

/// A device of a controller, by its own id there.
pub type LeasedDevice = (Mac, String);

/// What was proven in a farm: by device, how it was commanded then.
pub type Proofs = HashMap<LeasedDevice, Arc<str>>;

/// A lease that is being tried.
#[derive(Debug, Clone, Copy)]
struct Trial {
    seconds: i64,
    shown: bool,
}

/// What is proven and what is tried.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    proven: RwLock<HashMap<FarmId, Arc<Proofs>>>,
    trials: Mutex<HashMap<(FarmId, Mac, String), Trial>>,
}

impl Leases {
    pub(crate) fn put(&self, farm: &FarmId, proofs: Proofs) {
        let mut all = self.proven.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(farm.clone(), Arc::new(proofs));
    }

    /// Why a device may not be switched on; none where it may.
    pub(crate) fn lock(
        &self,
        farm: &FarmId,
        mac: Mac,
        own: &str,
        device: &Controlled<'_>,
    ) -> Option<&'static str> {
        if device.lease() == LeaseKind::None {
            return Some(NO_LEASE);
        }
        let all = self.proven.read().unwrap_or_else(PoisonError::into_inner);
        let proven = all.get(farm).and_then(|p| p.get(&(mac, own.to_owned())));
        let is_proven = proven.is_some_and(|how| *how == device.identity());
        (!is_proven).then_some(LEASE_UNPROVEN)
    }

    fn trials<R>(&self, act: impl FnOnce(&mut HashMap<(FarmId, Mac, String), Trial>) -> R) -> R {
        act(&mut self.trials.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn begin(&self, farm: &FarmId, mac: Mac, own: &str, seconds: i64) {
        let trial = Trial {
            seconds,
            shown: false,
        };
        self.trials(|all| all.insert((farm.clone(), mac, own.to_owned()), trial));
    }

    /// Ends a trial; whether the device said meanwhile that its lease is set.
    pub(crate) fn end(&self, farm: &FarmId, mac: Mac, own: &str) -> bool {
        let ended = self.trials(|all| all.remove(&(farm.clone(), mac, own.to_owned())));
        ended.is_some_and(|trial| trial.shown)
    }

    /// The seconds with which a device's lease is being tried.
    pub(crate) fn tried(&self, farm: &FarmId, mac: Mac, own: &str) -> Option<i64> {
        self.trials(|all| Some(all.get(&(farm.clone(), mac, own.to_owned()))?.seconds))
    }

    pub(crate) fn shown(&self, farm: &FarmId, mac: Mac, own: &str) {
        self.trials(|all| {
            if let Some(trial) = all.get_mut(&(farm.clone(), mac, own.to_owned())) {
                trial.shown = true;
            }
        });
    }
}
