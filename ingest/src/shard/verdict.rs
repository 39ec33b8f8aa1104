//! A farm's verdict, between two inputs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use harit_engine::verdict::{FarmVerdict, Store, What};
use harit_engine::{Duration, FarmId};
use harit_protocol::Mac;

use super::Shard;

/// How long a verdict is good while only readings come in. What else comes in ends it at once.
const GOOD_FOR: Duration = Duration::from_millis(200);

impl Shard {
    /// How a farm stands; not known where it cannot be asked.
    pub(crate) fn verdict(&mut self, farm: &FarmId) -> Arc<FarmVerdict> {
        self.tell_time();
        let now = self.now.at;
        let Some(ix) = self.by_id.get(farm).copied() else {
            return Arc::new(FarmVerdict::unasked(What::NoAnswer));
        };
        let journal = self.health.journal_failed.load(Ordering::Acquire);
        let history = !self.shared.positions.writable.load(Ordering::Acquire);
        let directory = &self.shared.directory;
        let f = &mut self.farms[ix as usize];
        if f.fold.failed().is_some() {
            return Arc::new(FarmVerdict::unasked(What::EngineFailed));
        }
        // A journal that fails stops the inputs that would end what is kept.
        if let Some((at, verdict)) = &f.verdict
            && now < *at + GOOD_FOR
            && !journal
        {
            return verdict.clone();
        }
        let judged = catch_unwind(AssertUnwindSafe(|| {
            let is_ours = |mac: &Mac| directory.lookup(mac).is_some_and(|c| c.farm == *farm);
            let (engine, controllers) = (f.fold.engine(), f.fold.controllers());
            let mut facts = controllers.facts(engine, now, is_ours);
            facts.unwritable.extend(journal.then_some(Store::Journal));
            facts.unwritable.extend(history.then_some(Store::History));
            engine.verdict(&facts)
        }));
        let Ok(verdict) = judged else {
            tracing::error!(%farm, "the farm's verdict could not be worked out");
            return Arc::new(FarmVerdict::unasked(What::NoAnswer));
        };
        let verdict = Arc::new(verdict);
        f.verdict = Some((now, verdict.clone()));
        verdict
    }
}
