//! What is asked of a farm: its state, from a copy that does not hold up its shard, and its history.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use harit_engine::verdict::{FarmVerdict, LeftRange, Store, What};
use harit_engine::{Engine, FarmId};
use harit_farm::{AuthoredEntry, CommandLife, ControllerStatus};
use harit_protocol::Mac;
use tokio::sync::oneshot;

use super::history::UpToNow;
use super::{CLOSING, Handle, Hub, not_asked};
use crate::admit::AdmitError;
use crate::command::CommandFilter;
use crate::dead_letter::DeadLetter;
use crate::history::seam::Reads;
use crate::history::told::Write;
use crate::history::{Found, History, HistoryError};
use crate::log::store::Imported;
use crate::log::{LogFilter, LogPage, NewLogEntry};
use crate::shard::Shard;
use crate::shard::hand_over::Wanted;
use crate::view::FarmView;

/// How long a page waits for its shard.
const FLUSH_WAIT: Duration = Duration::from_secs(5);
/// How long a shard may take to answer when it is asked how a farm stands; after that it is not known.
const VERDICT_WITHIN: Duration = Duration::from_secs(2);

/// How many turns of a shard are waited for at most until it is at rest.
const SETTLES: usize = 64;

impl Hub {
    /// Reads a farm's engine as it is after everything that was applied before, from a copy: its shard goes on meanwhile.
    ///
    /// # Errors
    /// When the farm is unknown or has failed, or its shard does not answer.
    pub async fn read<R: Send + 'static>(
        &self,
        farm: &FarmId,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, AdmitError> {
        let view = self.view(farm).await?;
        catch_unwind(AssertUnwindSafe(|| question(view.engine())))
            .map_err(|_| AdmitError::Unavailable("the question panicked"))
    }

    /// Waits until the farm's shard has done what it was handed before, and what came due meanwhile.
    ///
    /// # Errors
    /// When the farm is unknown, or its shard does not answer.
    pub async fn settled(&self, farm: &FarmId) -> Result<(), AdmitError> {
        let shard = &self.0.shards[self.shard_of(farm)?];
        // A question is answered at the beginning of a turn, when the turn before is done; what derived sensors say may follow a turn
        // later, and be due at once. What never comes to rest is not waited for.
        let mut at_rest = 0;
        for _ in 0..SETTLES {
            let is = ask(shard, Shard::is_at_rest)?.await.map_err(|_| CLOSING)?;
            at_rest = if is { at_rest + 1 } else { 0 };
            if at_rest == 3 {
                break;
            }
        }
        Ok(())
    }

    /// Waits until the farm's shard begins a turn: by a clock that is set by hand, what it hears from now on it does not hear before
    /// the present time of that.
    ///
    /// # Errors
    /// As [`Self::settled`].
    pub async fn begins_a_turn(&self, farm: &FarmId) -> Result<(), AdmitError> {
        let shard = &self.0.shards[self.shard_of(farm)?];
        ask(shard, |_| ())?.await.map_err(|_| CLOSING)
    }

    /// A copy of a farm that is at work, with everything that was applied before.
    pub(super) async fn view(&self, farm: &FarmId) -> Result<Arc<FarmView>, AdmitError> {
        let view = self.copy(farm).await?;
        if view.is_failed() {
            return Err(AdmitError::Unavailable("the farm's engine has failed"));
        }
        Ok(view)
    }

    /// A copy of a farm that has everything that was applied before.
    async fn copy(&self, farm: &FarmId) -> Result<Arc<FarmView>, AdmitError> {
        let shard = &self.0.shards[self.shard_of(farm)?];
        let published = self.0.shared.published(farm);
        let wanted = published.version();
        if shard.health.up.load(Ordering::Acquire) {
            if let Some(view) = published.since(wanted) {
                return Ok(view);
            }
            if let Some(next) = published.next_copy() {
                tokio::time::sleep_until(next.into()).await;
            }
            if let Some(view) = published.since(wanted) {
                return Ok(view);
            }
        }
        let id = farm.clone();
        let made = ask(shard, move |shard| shard.view(&id, wanted))?;
        made.await.map_err(|_| CLOSING)?
    }

    /// A command's life.
    ///
    /// # Errors
    /// When the history cannot be read, and it is not remembered without it.
    pub async fn command(
        &self,
        farm: &FarmId,
        command_id: &str,
    ) -> Result<Option<CommandLife>, HistoryError> {
        if let Ok(view) = self.view(farm).await
            && let Some(life) = view.command(command_id)
        {
            return Ok(Some(life.clone()));
        }
        self.hand_over(farm, Wanted::Decisions).await;
        self.0.history.command(farm, command_id).await
    }

    /// The latest command of each device, as far as they are remembered without the disk: by device.
    ///
    /// # Errors
    /// When the farm is unknown or has failed.
    pub async fn latest_commands(&self, farm: &FarmId) -> Result<Vec<CommandLife>, AdmitError> {
        let view = self.view(farm).await?;
        Ok(view.latest_commands().cloned().collect())
    }

    /// Commands, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn commands(
        &self,
        farm: &FarmId,
        filter: CommandFilter,
    ) -> Result<Found<CommandLife>, HistoryError> {
        let flushed = self.hand_over(farm, Wanted::Decisions).await;
        let mut found = self.0.history.commands(farm, filter).await?;
        found.incomplete |= !flushed;
        Ok(found)
    }

    /// A page of the farm's log; it has everything that was applied before.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn log(&self, farm: &FarmId, filter: LogFilter) -> Result<LogPage, HistoryError> {
        let flushed = self.hand_over(farm, Wanted::Decisions).await;
        let mut page = self.0.history.log(farm, filter).await?;
        page.incomplete |= !flushed;
        Ok(page)
    }

    /// How far a source of the farm's log was read: up to this number of its own.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn log_position(
        &self,
        farm: &FarmId,
        source: &'static str,
    ) -> Result<i64, HistoryError> {
        self.0.history.log_position(farm, source).await
    }

    /// Writes into the farm's log what was written down elsewhere, in order, each with its number there; `None` is read and
    /// has no entry. What was written from that source before is left out. What was applied before comes before it, also
    /// within a millisecond. False where the history takes nothing at present.
    pub async fn import_log(
        &self,
        farm: &FarmId,
        source: &'static str,
        entries: Vec<(i64, Option<NewLogEntry>)>,
    ) -> bool {
        let imported = Imported {
            farm: farm.clone(),
            source,
            entries,
        };
        self.hand_over(farm, Wanted::Decisions).await;
        let handle = self.0.history.handle();
        self.0.shared.positions.writable.load(Ordering::Acquire)
            && handle.send_soon(Write::Imported(imported)).await
    }

    /// What the farm's controllers last said of themselves: online, firmware, reported settings, what is gone.
    ///
    /// # Errors
    /// When the farm is unknown or has failed.
    pub async fn controllers(&self, farm: &FarmId) -> Result<Vec<ControllerStatus>, AdmitError> {
        Ok(self.view(farm).await?.controller_status())
    }

    /// The entries that came with what people changed last, at most [`harit_farm::KEPT_ENTRIES`], in order.
    ///
    /// # Errors
    /// When the farm is unknown, or its shard does not answer.
    pub async fn authored(&self, farm: &FarmId) -> Result<Vec<AuthoredEntry>, AdmitError> {
        Ok(self.copy(farm).await?.authored().cloned().collect())
    }

    /// How the farm and its houses stand. A farm that failed, a shard that is gone and one that does not answer have a
    /// verdict too: not known.
    ///
    /// # Errors
    /// When the farm is unknown.
    pub async fn verdict(&self, farm: &FarmId) -> Result<Arc<FarmVerdict>, AdmitError> {
        let shard = &self.0.shards[self.shard_of(farm)?];
        let journal = shard.health.journal_failed.load(Ordering::Acquire);
        let unasked = |what| Ok(Arc::new(FarmVerdict::unasked(what)));
        let published = self.0.shared.published(farm);
        let no_answer = || {
            unasked(if journal {
                What::CannotWrite(Store::Journal)
            } else {
                What::NoAnswer
            })
        };
        // Through the queue in any case: a shard that does not answer is to be seen.
        let id = farm.clone();
        let told = match ask(shard, move |shard| shard.time_of(&id)) {
            Ok(answer) => tokio::time::timeout(VERDICT_WITHIN, answer).await.ok(),
            Err(_) => None,
        };
        let Some(Ok(Some((now, failed)))) = told else {
            return no_answer();
        };
        if failed {
            return unasked(What::EngineFailed);
        }
        // A journal that fails stops the inputs that would end what is kept.
        if !journal && let Some(verdict) = published.verdict(now) {
            return Ok(verdict);
        }
        let copied = tokio::time::timeout(VERDICT_WITHIN, self.copy(farm)).await;
        let Ok(Ok(view)) = copied else {
            return no_answer();
        };
        if view.is_failed() {
            return unasked(What::EngineFailed);
        }
        // What was applied since the shard told its time is in the copy.
        let now = view.engine().clock().map_or(now, |clock| now.max(clock));
        let history = !self.0.shared.positions.writable.load(Ordering::Acquire);
        let directory = &self.0.shared.directory;
        let judged = catch_unwind(AssertUnwindSafe(|| {
            let is_ours = |mac: &Mac| directory.lookup(mac).is_some_and(|c| c.farm == *farm);
            let mut facts = view.controllers().facts(view.engine(), now, is_ours);
            facts.unwritable.extend(journal.then_some(Store::Journal));
            facts.unwritable.extend(history.then_some(Store::History));
            facts.left_ranges = published.left_ranges();
            view.engine().verdict(&facts)
        }));
        let Ok(verdict) = judged.map(Arc::new) else {
            tracing::error!(%farm, "the farm's verdict could not be worked out");
            return unasked(What::NoAnswer);
        };
        published.keep_verdict(&view, now, verdict.clone());
        Ok(verdict)
    }

    /// Takes the ranges that the crops of a farm want and that were found left, in place of those of before, for its verdict.
    /// They are not stored.
    pub fn put_left_ranges(&self, farm: &FarmId, left: Vec<LeftRange>) {
        self.0.shared.published(farm).put_left_ranges(left);
    }

    /// Rollups and events. What is asked of it sees everything applied before; [`History::events_after`] and
    /// [`History::last_event`] see what is stored.
    #[must_use]
    pub fn history(&self) -> Arc<dyn History> {
        Arc::new(UpToNow(self.clone()))
    }

    /// Writes to the history what it lacks; questions asked after this see everything applied before it.
    pub async fn flush_history(&self) {
        for shard in &self.0.shards {
            flush(shard, Shard::hand_over_history).await;
        }
        self.0.history.barrier().await;
    }

    /// Writes to the history what was decided until now; soon, where much is read.
    pub async fn flush_decisions(&self) {
        for shard in &self.0.shards {
            hand_over(shard, Wanted::Decisions).await;
        }
        self.0.history.barrier().await;
    }

    /// Has the farm's shard hand over what a reader wants to see; false where it does not in time. Every read of the history
    /// begins with it.
    async fn hand_over(&self, farm: &FarmId, wanted: Wanted) -> bool {
        let shard = self.0.generation.shard_of(farm.as_str());
        hand_over(&self.0.shards[shard], wanted).await
    }

    /// Has the history what a reader wants to see of a farm, as far as it can be written in time.
    pub(super) async fn up_to_now(&self, farm: &FarmId, wanted: Wanted) -> &dyn Reads {
        self.hand_over(farm, wanted).await;
        self.0.history.barrier().await;
        self.0.history.reads()
    }

    /// A farm's dead letters, the latest first. Those of nobody's are those of the empty id.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn dead_letters(
        &self,
        farm: &FarmId,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, HistoryError> {
        let letters = self.0.shared.letters.take();
        if !letters.is_empty() {
            // What finds no room is counted already, and the least of what the history has to tell.
            let handle = self.0.history.handle();
            handle.send_soon(Write::DeadLetters(letters)).await;
        }
        self.0.history.dead_letters(farm, limit).await
    }
}

/// Asks a shard something, between two batches.
fn ask<R: Send + 'static>(
    shard: &Handle,
    question: impl FnOnce(&mut Shard) -> R + Send + 'static,
) -> Result<oneshot::Receiver<R>, AdmitError> {
    let (reply, answer) = oneshot::channel();
    let asked = shard.queue.ask(Box::new(move |shard: &mut Shard| {
        // Whoever asked may have gone.
        let _ = reply.send(question(shard));
    }));
    asked.map_err(not_asked).map(|()| answer)
}

/// Has a shard hand over what it has; false where it does not in time.
pub(super) async fn flush(shard: &Handle, what: fn(&mut Shard)) -> bool {
    let Ok(done) = ask(shard, what) else {
        return false;
    };
    matches!(tokio::time::timeout(FLUSH_WAIT, done).await, Ok(Ok(())))
}

/// Has a shard hand over what a reader wants to see; false where it does not in time.
async fn hand_over(shard: &Handle, wanted: Wanted) -> bool {
    // One that is being started again may take long; what is stored can be read meanwhile.
    if !shard.health.up.load(Ordering::Acquire) {
        return false;
    }
    let (done, handed) = oneshot::channel();
    let asked = shard
        .queue
        .ask(Box::new(move |shard: &mut Shard| shard.reads(wanted, done)));
    asked.is_ok() && matches!(tokio::time::timeout(FLUSH_WAIT, handed).await, Ok(Ok(())))
}
