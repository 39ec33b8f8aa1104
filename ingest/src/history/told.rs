//! What the history's writer is told.

use std::sync::mpsc::Sender;

use harit_engine::{DeviceId, FarmId, Quantity, Timestamp};
use harit_farm::CommandLife;
use tokio::sync::oneshot;

use super::rollup::RollupRow;
use super::seam::StoreError;
use crate::dead_letter::DeadLetter;
use crate::log::store::{Imported, LogRow};

/// The most events kept.
pub(super) const MAX_EVENTS: i64 = 5_000_000;
/// The most commands kept.
pub(super) const MAX_COMMANDS: i64 = 1_000_000;
/// The most reports of devices kept.
pub(super) const MAX_REPORTED: i64 = 5_000_000;
/// How many series the writer remembers the numbers of.
pub(super) const MAX_SERIES_CACHED: usize = 200_000;

/// An event on its way to the store.
#[derive(Debug, Clone)]
pub(crate) struct EventRow {
    pub(crate) farm: FarmId,
    pub(crate) at: Timestamp,
    pub(crate) name: &'static str,
    pub(crate) body: String,
}

/// What a device reported, or that it can no longer be asked, on its way to the store.
#[derive(Debug, Clone)]
pub(crate) struct ReportedRow {
    pub(crate) farm: FarmId,
    pub(crate) device: DeviceId,
    pub(crate) at: Timestamp,
    pub(crate) state: Option<(bool, Option<Quantity>)>,
}

/// What follows from a journal up to a batch.
#[derive(Debug, Default)]
pub(crate) struct Fold {
    pub(crate) generation: u64,
    pub(crate) shard: usize,
    /// The last batch that is in it.
    pub(crate) seq: u64,
    pub(crate) rollups: Vec<RollupRow>,
    pub(crate) events: Vec<EventRow>,
    pub(crate) log: Vec<LogRow>,
    pub(crate) reported: Vec<ReportedRow>,
}

/// What the writer is told.
pub(crate) enum Write {
    Fold(Fold),
    Lives(Vec<CommandLife>),
    /// Log entries from elsewhere.
    Imported(Imported),
    DeadLetters(Vec<DeadLetter>),
    /// Everything before this is to be written first.
    Barrier(oneshot::Sender<()>),
    /// Everything before this is to be safe from a power cut, so that the journal can be trimmed.
    Sync,
    Stop,
    /// Positions are those of this generation of journals from now on.
    Begin(u64, Sender<Result<(), StoreError>>),
    /// A journal ends before what is stored of it, as where it was put back to an older state: what comes next is new all the same.
    SetBack {
        generation: u64,
        shard: usize,
        /// The journal's last batch.
        seq: u64,
    },
}

impl Write {
    /// Whether it changes what is stored.
    pub(super) const fn is_stored(&self) -> bool {
        !matches!(
            self,
            Self::Begin(..) | Self::Barrier(_) | Self::Sync | Self::Stop
        )
    }
}

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    pub(crate) days: u32,
    /// For how many days hours and days are kept, longer than their minutes.
    pub(crate) hour_days: u32,
    pub(crate) bytes: u64,
}

/// A count as a database stores it.
pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
