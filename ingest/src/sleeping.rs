//! What waits for devices that sleep: a network keeps it for them until they wake.
//!
//! It is sent once. The same again would wait beside it, and be done one wake after the other; another order is sent at once, and is to
//! replace what waits (a matter of the profile's templates). Once the device says something, nothing waits any more.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use harit_engine::{Duration, FarmId, Timestamp};
use harit_profiles::Order;
use harit_protocol::Mac;

/// What a command says that waits so.
pub const WHEN_IT_WAKES: &str = "when_it_wakes";
/// The most devices of which is known that something waits; past it all are forgotten, and what is sent again waits twice.
const MAX_WAITING: usize = 10_000;

/// A device: its farm, its controller, and its id in the profile.
type Sleeper = (FarmId, Mac, String);

/// What waits, by device.
#[derive(Debug, Default)]
pub(crate) struct Sleeping(Mutex<HashMap<Sleeper, (Order, Timestamp)>>);

impl Sleeping {
    fn with<R>(&self, act: impl FnOnce(&mut HashMap<Sleeper, (Order, Timestamp)>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether that order waits for the device already, which wakes every so many seconds.
    pub(crate) fn waits(
        &self,
        (farm, mac, own): (&FarmId, Mac, &str),
        order: Order,
        now: Timestamp,
        every: u32,
    ) -> bool {
        let patience = Duration::from_secs(i64::from(every).saturating_mul(2));
        let key = (farm.clone(), mac, own.to_owned());
        self.with(|all| {
            let waiting = all.get(&key);
            waiting.is_some_and(|(known, since)| *known == order && now < *since + patience)
        })
    }

    /// It was sent.
    pub(crate) fn sent(
        &self,
        (farm, mac, own): (&FarmId, Mac, &str),
        order: Order,
        now: Timestamp,
    ) {
        self.with(|all| {
            if all.len() >= MAX_WAITING {
                all.clear();
            }
            all.insert((farm.clone(), mac, own.to_owned()), (order, now));
        });
    }

    /// The device said something: it is awake.
    pub(crate) fn woke(&self, farm: &FarmId, mac: Mac, own: &str) {
        self.with(|all| all.remove(&(farm.clone(), mac, own.to_owned())));
    }
}
