//! Senders: what decoding remembers of each controller, so that it looks little up. Nothing of it decides anything.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::ops::{Index, IndexMut};

use harit_engine::Timestamp;
use harit_farm::Key;
use harit_profiles::Aliases;
use harit_protocol::{Item, Mac, Reject};

use super::foreign::Mirror;
use crate::directory::ControllerKind;
use crate::shard::{Shard, Step};
use harit_farm::codec::InternedController;

/// How long a controller's record is believed before it is asked for again, in milliseconds.
const RECORD_MS: i64 = 5_000;
/// How many senders are remembered; past it all are forgotten before the next batch.
const MAX_SENDERS: usize = 100_000;
/// How many keys of a sender are remembered; past it all are forgotten before its next batch.
const MAX_KEYS: usize = 16_384;

/// A controller that sends to a farm.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) mac: Mac,
    /// Until when its record need not be asked for.
    allowed_until: Timestamp,
    pub(crate) interned: InternedController,
    /// What its entries say of which sensors they mean.
    pub(crate) keys: Vec<Key<'static>>,
    by_hash: HashMap<u64, u32>,
    hashed: RandomState,
    /// Which key stood at which place of the last message: messages look alike.
    order: Vec<u32>,
    /// Whether anything of it was taken since the start.
    pub(super) heard: bool,
    /// Whether it stands for many things, by its record.
    pub(super) is_gateway: bool,
    /// What births told of its Sparkplug metrics.
    pub(super) aliases: Aliases,
    /// Its devices, as far as profiles tell of them; none until something of it is asked.
    pub(crate) devices: Option<Mirror>,
    /// Those that said that their lease is not set.
    pub(super) disarmed: BTreeSet<String>,
    /// Whether it was lost since its devices were told last.
    pub(super) lost: bool,
}

impl Sender {
    fn new(mac: Mac) -> Self {
        Self {
            mac,
            allowed_until: Timestamp::from_millis(i64::MIN),
            interned: InternedController::default(),
            keys: Vec::new(),
            by_hash: HashMap::new(),
            hashed: RandomState::new(),
            order: Vec::new(),
            heard: false,
            is_gateway: false,
            aliases: Aliases::default(),
            devices: None,
            disarmed: BTreeSet::new(),
            lost: false,
        }
    }

    /// The number of an entry's key. `place` is where the entry stands in its message.
    pub(super) fn key(&mut self, place: usize, item: &Item<'_>) -> u32 {
        let known = |key: u32| self.keys[key as usize].is_of(item);
        if let Some(&key) = self.order.get(place)
            && known(key)
        {
            return key;
        }
        let hash = self
            .hashed
            .hash_one((&item.id, item.sensor_type, &item.unit));
        let found = self.by_hash.get(&hash).copied().filter(|k| known(*k));
        let key = found.unwrap_or_else(|| {
            let owned = |text: &std::borrow::Cow<'_, str>| text.clone().into_owned().into();
            self.keys.push(Key::new(
                item.id.as_ref().map(owned),
                item.sensor_type,
                item.unit.as_ref().map(owned),
            ));
            let key = u32::try_from(self.keys.len() - 1).unwrap_or(u32::MAX);
            self.by_hash.insert(hash, key);
            key
        });
        if let Some(known) = self.order.get_mut(place) {
            *known = key;
        } else if place == self.order.len() {
            self.order.push(key);
        }
        key
    }

    fn forget_keys(&mut self) {
        self.keys.clear();
        self.by_hash.clear();
        self.order.clear();
        self.interned = InternedController::default();
    }
}

/// All senders of a shard. Numbers hold for a batch.
#[derive(Debug, Default)]
pub(crate) struct Senders {
    all: Vec<Sender>,
    by_controller: HashMap<(u32, Mac), u32>,
    /// Those with too many keys.
    full: Vec<u32>,
}

impl Senders {
    /// Makes room before a batch.
    pub(crate) fn begin(&mut self) {
        if self.all.len() > MAX_SENDERS {
            *self = Self::default();
        }
        for full in std::mem::take(&mut self.full) {
            self.all[full as usize].forget_keys();
        }
    }

    /// The number of a controller of a farm; it is added where it is new.
    pub(crate) fn of(&mut self, farm: u32, mac: Mac) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let number = *self.by_controller.entry((farm, mac)).or_insert(next);
        if number == next {
            self.all.push(Sender::new(mac));
        }
        number
    }

    /// Whether anything of a controller was taken since the start.
    pub(super) fn heard(&self, farm: u32, mac: Mac) -> bool {
        let number = self.by_controller.get(&(farm, mac));
        number.is_some_and(|n| self.all[*n as usize].heard)
    }

    /// Its record is asked for again with its next message.
    pub(crate) fn forget(&mut self, mac: &Mac) {
        for sender in self.all.iter_mut().filter(|s| s.mac == *mac) {
            sender.allowed_until = Timestamp::from_millis(i64::MIN);
        }
    }
}

impl Index<u32> for Senders {
    type Output = Sender;
    fn index(&self, number: u32) -> &Sender {
        &self.all[number as usize]
    }
}

impl IndexMut<u32> for Senders {
    fn index_mut(&mut self, number: u32) -> &mut Sender {
        &mut self.all[number as usize]
    }
}

impl Shard {
    /// The sender that a controller is, if it is registered in that farm. The farm is told where it stands, when that is new.
    pub(super) fn sender(&mut self, farm: u32, farm_id: &str, mac: Mac) -> Result<u32, Reject> {
        let number = self.senders.of(farm, mac);
        let sender = &mut self.senders[number];
        if sender.keys.len() > MAX_KEYS && !self.senders.full.contains(&number) {
            self.senders.full.push(number);
        }
        let sender = &mut self.senders[number];
        if sender.allowed_until > self.now.at {
            return Ok(number);
        }
        sender.allowed_until = Timestamp::from_millis(i64::MIN);
        let record = self.shared.directory.lookup(&mac);
        let record = record
            .filter(|r| r.farm.as_str() == farm_id)
            .ok_or(Reject::UnknownController)?;
        if !record.enabled {
            return Err(Reject::Disabled);
        }
        sender.is_gateway = record.kind == ControllerKind::Gateway;
        sender.allowed_until = self.now.at + harit_engine::Duration::from_millis(RECORD_MS);
        let f = &self.farms[farm as usize];
        if f.fold.controllers().scope(mac) != Some(&record.scope) {
            let mut written = Ok(());
            self.encode(farm, number, |encoder, from| {
                written = encoder.controller(from, &record.scope);
            });
            match written {
                Ok(()) => self.steps.push(Step::Controller {
                    farm,
                    mac,
                    scope: record.scope,
                }),
                Err(error) => {
                    tracing::error!(%mac, %error, "a controller's place could not be journaled");
                }
            }
        }
        Ok(number)
    }
}
