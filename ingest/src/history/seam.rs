//! What the store of a history does, for its writer and for who reads: one seam for the file beside the journal and for a server.
//!
//! What each of them promises is in [`super::conformance`], which runs over all of them.

use futures_util::future::BoxFuture;
use harit_engine::FarmId;
use harit_farm::CommandLife;

use super::told::Write;
use super::{History, HistoryError};
use crate::command::CommandFilter;
use crate::dead_letter::DeadLetter;
use crate::log::{LogFilter, LogPage};

/// The store refused, or does not answer.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// Why a store is not open.
#[derive(Debug)]
pub(super) struct NotOpen {
    pub(super) why: StoreError,
    /// Whether it is worth waiting for: it does not answer.
    pub(super) may_come: bool,
}

/// The writer's side: on its thread, one call after the other.
pub(super) trait Store {
    /// The last batch of each shard's journal of a generation that is in it.
    fn watermarks(&mut self, generation: u64) -> Result<Vec<(usize, u64)>, StoreError>;

    /// Writes everything in one transaction. A fold that ends at its journal's watermark, or before, is there already and changes nothing.
    fn write(&mut self, batch: &[Write]) -> Result<(), StoreError>;

    /// Sees to it that a power cut takes nothing back of what was written; false where that cannot be said any more.
    fn sync(&mut self) -> Result<bool, StoreError>;

    /// Makes some of the hours and days that are over by `now`, an hour's number; true where all of them are there.
    fn roll_up(&mut self, now: i64) -> Result<bool, StoreError>;

    /// How many bytes are in use.
    fn bytes(&mut self) -> Result<u64, StoreError>;

    /// Removes some of the oldest of the farms that have the most, and says how many rows; `None` where its size is somebody else's
    /// business.
    fn trim(&mut self) -> Result<Option<usize>, StoreError>;

    /// Removes minutes and everything else from before an instant, and hours and days from before another, in milliseconds.
    fn sweep(&mut self, before: i64, hours_before: i64) -> Result<(), StoreError>;

    /// Forgets what it remembers of what it wrote: something failed half-way.
    fn forget(&mut self);
}

/// The readers' side, besides what [`History`] has for everybody. What they ask is answered from what is stored.
pub(crate) trait Reads: History {
    /// A command's life.
    fn command<'a>(
        &'a self,
        farm: &'a FarmId,
        command_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<CommandLife>, HistoryError>>;

    /// Commands, newest first.
    fn commands<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: CommandFilter,
    ) -> BoxFuture<'a, Result<Vec<CommandLife>, HistoryError>>;

    /// A page of a farm's log with its exact counts, all of one moment.
    fn log<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: LogFilter,
    ) -> BoxFuture<'a, Result<LogPage, HistoryError>>;

    /// How far a source of a farm's log was read.
    fn log_position<'a>(
        &'a self,
        farm: &'a FarmId,
        source: &'static str,
    ) -> BoxFuture<'a, Result<i64, HistoryError>>;

    /// Dead letters, the latest first.
    fn dead_letters<'a>(
        &'a self,
        farm: &'a FarmId,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<DeadLetter>, HistoryError>>;
}
