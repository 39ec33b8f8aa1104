//! A farm on its shard: the fold, and what its shard keeps of it beside that.

use std::collections::BTreeMap;
use std::sync::Arc;

use harit_derived::Derivations;
use harit_engine::{FarmId, Timestamp};
use harit_farm::codec::Interned;
use harit_protocol::Mac;

use super::Shared;
use super::collect::Collected;
use crate::view::Published;

/// A farm.
pub(crate) struct Farm {
    pub(crate) fold: harit_farm::Farm,
    /// Whether not even its messages are read any more.
    pub(crate) quarantined: bool,
    pub(crate) interned: Interned,
    /// Under which instant it stands in the shard's schedule.
    pub(crate) scheduled: Option<Timestamp>,
    /// Whether it is on the list of farms that the present batch touched.
    pub(crate) touched: bool,
    /// The last batch that has something of it besides telemetry.
    pub(crate) pending: u64,
    pub(crate) collected: Collected,
    /// What is derived of its signals. Never in recovery: what was derived stands in the log.
    pub(crate) derivations: Derivations,
    /// How many messages of each controller bore a timestamp from the future, since the start.
    pub(crate) future_timestamps: BTreeMap<Mac, u64>,
    /// What those see who read the farm.
    pub(crate) published: Arc<Published>,
}

impl Farm {
    pub(crate) fn new(fold: harit_farm::Farm) -> Self {
        Self {
            fold,
            quarantined: false,
            interned: Interned::default(),
            scheduled: None,
            touched: false,
            pending: 0,
            collected: Collected::default(),
            derivations: Derivations::default(),
            future_timestamps: BTreeMap::new(),
            published: Arc::default(),
        }
    }

    pub(crate) const fn id(&self) -> &FarmId {
        self.fold.id()
    }

    /// Shares its state with those who read it from now on.
    pub(crate) fn publish(&mut self, shared: &Shared) {
        self.published = shared.published(self.id());
        self.published.advance(false);
    }
}

/// The latest instant that any of the farms knows.
pub(crate) fn latest_clock<'a>(farms: impl Iterator<Item = &'a Farm>) -> Option<Timestamp> {
    farms.filter_map(|f| f.fold.engine().clock()).max()
}
