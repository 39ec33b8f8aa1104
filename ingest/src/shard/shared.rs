//! What a shard is made with, what it shares with the others, and how it is.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};
use std::time::Duration;

use harit_engine::FarmId;
use harit_profiles::Profiles;
use tokio::sync::{broadcast, watch};

use crate::announced::Announced;
use crate::clock::TimeSource;
use crate::dead_letter::DeadLetters;
use crate::directory::ControllerDirectory;
use crate::history::positions::Positions;
use crate::lease::Leases;
use crate::live::LiveEvent;
use crate::mqtt::Downlink;
use crate::sleeping::Sleeping;
use crate::view::Published;

/// What all shards share.
pub(crate) struct Shared {
    pub(crate) source: Arc<dyn TimeSource>,
    pub(crate) directory: Arc<dyn ControllerDirectory>,
    pub(crate) letters: DeadLetters,
    pub(crate) announced: Announced,
    pub(crate) live: broadcast::Sender<Arc<LiveEvent>>,
    pub(crate) downlink: RwLock<Option<Downlink>>,
    pub(crate) positions: Arc<Positions>,
    /// What the farms' shards share with those who read them.
    pub(crate) published: RwLock<HashMap<FarmId, Arc<Published>>>,
    /// The farms' profiles; a farm that is not here has those that are shipped.
    pub(crate) profiles: RwLock<HashMap<FarmId, Arc<Profiles>>>,
    /// Which of the farms' devices showed that they go off by themselves.
    pub(crate) leases: Leases,
    /// What waits for devices that sleep.
    pub(crate) sleeping: Sleeping,
    /// Whether another server writes a journal of this one.
    pub(crate) taken_over: watch::Sender<bool>,
}

/// The profiles of a farm that has none of its own.
static SHIPPED: LazyLock<Arc<Profiles>> = LazyLock::new(|| Arc::new(Profiles::new(Vec::new())));

impl Shared {
    /// The profiles by which a farm's messages are read.
    pub(crate) fn profiles(&self, farm: &FarmId) -> Arc<Profiles> {
        let all = self.profiles.read().unwrap_or_else(PoisonError::into_inner);
        all.get(farm).unwrap_or(&SHIPPED).clone()
    }

    /// What a farm's shard shares with those who read the farm.
    pub(crate) fn published(&self, farm: &FarmId) -> Arc<Published> {
        let all = self
            .published
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(published) = all.get(farm) {
            return published.clone();
        }
        drop(all);
        let mut all = self
            .published
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        all.entry(farm.clone()).or_default().clone()
    }
}

/// How a shard is, for those who ask without waiting.
#[derive(Debug, Default)]
pub(crate) struct ShardHealth {
    /// Whether its thread is at work.
    pub(crate) up: AtomicBool,
    pub(crate) journal_failed: AtomicBool,
    /// Whether that is because it does not answer.
    pub(crate) journal_is_away: AtomicBool,
    pub(crate) error: Mutex<Option<String>>,
    pub(crate) failed_farms: Mutex<Vec<FarmId>>,
}

/// What a shard is made with.
#[derive(Clone)]
pub(crate) struct ShardConfig {
    pub(crate) number: usize,
    pub(crate) generation: u64,
    pub(crate) journal_days: u32,
    pub(crate) journal_max_bytes: u64,
    /// Whether another server may take the journal over.
    pub(crate) journal_is_elsewhere: bool,
    pub(crate) archived: Option<Arc<crate::Archived>>,
    pub(crate) snapshot_every: Duration,
    /// How often history is handed over while nobody reads it.
    pub(crate) history_every: Duration,
    pub(crate) presence_grace: Duration,
    /// How much goes into one batch.
    pub(crate) turn_units: usize,
}
