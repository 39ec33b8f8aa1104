//! A farm on its shard: the fold, and what its shard keeps of it beside that.

use std::collections::BTreeMap;
use std::sync::Arc;

use harit_engine::verdict::FarmVerdict;
use harit_engine::{FarmId, Timestamp};
use harit_farm::ControllerStatus;
use harit_farm::codec::Interned;
use harit_protocol::Mac;

use super::collect::Collected;

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
    /// How many messages of each controller bore a timestamp from the future, since the start.
    pub(crate) future_timestamps: BTreeMap<Mac, u64>,
    /// The farm's verdict as it was last asked for, and when.
    pub(crate) verdict: Option<(Timestamp, Arc<FarmVerdict>)>,
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
            future_timestamps: BTreeMap::new(),
            verdict: None,
        }
    }

    pub(crate) const fn id(&self) -> &FarmId {
        self.fold.id()
    }

    /// What there is to know of its controllers.
    pub(crate) fn controllers(&self) -> Vec<ControllerStatus> {
        let mut all = self.fold.controllers().status(self.id());
        for status in &mut all {
            let future = self.future_timestamps.get(&status.mac);
            status.future_timestamps = future.copied().unwrap_or(0);
        }
        all
    }
}

/// The latest instant that any of the farms knows.
pub(crate) fn latest_clock<'a>(farms: impl Iterator<Item = &'a Farm>) -> Option<Timestamp> {
    farms.filter_map(|f| f.fold.engine().clock()).max()
}
