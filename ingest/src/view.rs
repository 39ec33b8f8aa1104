//! A farm as others read it while its shard goes on: a copy of its state, made when somebody asks and shared by all who do.
//!
//! Whoever asks gets a copy that has everything that was applied before he asked. Copying a farm of 1,500 sensors and 700 rules
//! takes its shard less than a millisecond, and it is done once every [`COPY_EVERY`] at most: who asks in between waits for
//! the next copy, together with all others. A copy that nobody wants any more is dropped after [`KEPT`].

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harit_engine::verdict::{FarmVerdict, LeftRange};
use harit_engine::{Engine, Timestamp};
use harit_farm::{AuthoredEntry, CommandLife, ControllerStatus, Controllers};
use harit_protocol::Mac;

/// The shortest time between two copies of a farm.
const COPY_EVERY: Duration = Duration::from_millis(10);
/// How long the latest copy is kept at least: notifications look at every farm every few seconds, and are not to double what
/// all of them take.
const KEPT: Duration = Duration::from_secs(1);
/// How long a verdict is good while only readings come in. What else comes in ends it at once.
const VERDICT_GOOD_FOR: harit_engine::Duration = harit_engine::Duration::from_millis(200);

/// A copy of a farm's state.
pub(crate) struct FarmView {
    fold: harit_farm::Farm,
    future_timestamps: BTreeMap<Mac, u64>,
    /// What it has: everything up to this version of the farm.
    version: u64,
    made: Instant,
}

impl FarmView {
    pub(crate) fn engine(&self) -> &Engine {
        self.fold.engine()
    }

    pub(crate) fn controllers(&self) -> &Controllers {
        self.fold.controllers()
    }

    /// Whether the farm has failed: then its state says nothing.
    pub(crate) fn is_failed(&self) -> bool {
        self.fold.failed().is_some()
    }

    /// The state of a command, if it is the latest of its device.
    pub(crate) fn command(&self, id: &str) -> Option<&CommandLife> {
        self.fold.delivery().find(id)
    }

    /// The latest command of each device.
    pub(crate) fn latest_commands(&self) -> impl Iterator<Item = &CommandLife> {
        self.fold.delivery().latest()
    }

    /// What people changed last.
    pub(crate) fn authored(&self) -> impl Iterator<Item = &AuthoredEntry> {
        self.fold.authored().iter()
    }

    /// What its controllers last said of themselves.
    pub(crate) fn controller_status(&self) -> Vec<ControllerStatus> {
        let mut all = self.controllers().status(self.fold.id());
        for status in &mut all {
            let future = self.future_timestamps.get(&status.mac);
            status.future_timestamps = future.copied().unwrap_or(0);
        }
        all
    }
}

/// What a farm's shard shares with those who read the farm.
#[derive(Default)]
pub(crate) struct Published {
    /// How much was applied: grows with every record. Only the shard writes it.
    version: AtomicU64,
    /// The version with the latest record that was not only readings.
    decided: AtomicU64,
    latest: Mutex<Option<Arc<FarmView>>>,
    verdict: Mutex<Option<KeptVerdict>>,
    /// What its crops want and have not, as whoever knows the crops says.
    left_ranges: Mutex<Vec<LeftRange>>,
}

struct KeptVerdict {
    version: u64,
    at: Timestamp,
    verdict: Arc<FarmVerdict>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Published {
    /// Something is about to be applied: no copy that exists has it.
    pub(crate) fn advance(&self, only_readings: bool) {
        let next = self.version.load(Ordering::Relaxed) + 1;
        self.version.store(next, Ordering::Release);
        if !only_readings {
            self.decided.store(next, Ordering::Release);
        }
    }

    /// How much was applied.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The latest copy, if it has everything up to that version.
    pub(crate) fn since(&self, version: u64) -> Option<Arc<FarmView>> {
        let latest = lock(&self.latest);
        latest.as_ref().filter(|v| v.version >= version).cloned()
    }

    /// When the next copy may be made.
    pub(crate) fn next_copy(&self) -> Option<Instant> {
        lock(&self.latest).as_ref().map(|v| v.made + COPY_EVERY)
    }

    /// Makes a copy, for the shard only: nothing is applied meanwhile.
    pub(crate) fn copy(
        &self,
        fold: &harit_farm::Farm,
        future_timestamps: &BTreeMap<Mac, u64>,
    ) -> Arc<FarmView> {
        let view = Arc::new(FarmView {
            fold: fold.clone(),
            future_timestamps: future_timestamps.clone(),
            version: self.version(),
            made: Instant::now(),
        });
        *lock(&self.latest) = Some(view.clone());
        view
    }

    /// Drops a copy that nobody asked for lately.
    pub(crate) fn drop_old(&self) {
        let mut latest = lock(&self.latest);
        if latest.as_ref().is_some_and(|v| v.made.elapsed() > KEPT) {
            *latest = None;
        }
    }

    /// The latest verdict, if it still holds at that instant.
    pub(crate) fn verdict(&self, now: Timestamp) -> Option<Arc<FarmVerdict>> {
        let kept = lock(&self.verdict);
        let holds = |k: &&KeptVerdict| {
            k.version >= self.decided.load(Ordering::Acquire) && now < k.at + VERDICT_GOOD_FOR
        };
        kept.as_ref().filter(holds).map(|k| k.verdict.clone())
    }

    /// The ranges that were found left.
    pub(crate) fn left_ranges(&self) -> Vec<LeftRange> {
        lock(&self.left_ranges).clone()
    }

    /// Takes what is found left now in place of what was; the next verdict has it.
    pub(crate) fn put_left_ranges(&self, left: Vec<LeftRange>) {
        let mut known = lock(&self.left_ranges);
        if *known != left {
            *known = left;
            *lock(&self.verdict) = None;
        }
    }

    /// Keeps the verdict of a copy for those who ask next.
    pub(crate) fn keep_verdict(&self, of: &FarmView, at: Timestamp, verdict: Arc<FarmVerdict>) {
        *lock(&self.verdict) = Some(KeptVerdict {
            version: of.version,
            at,
            verdict,
        });
    }
}

#[cfg(test)]
mod tests {
    use harit_engine::FarmDocument;
    use serde_json::json;

    use super::*;

    fn fold() -> harit_farm::Farm {
        let document = json!({"farm": {"id": "f1", "name": "f1"}, "polyhouses": [], "sensors": [], "devices": [], "rules": [], "alerts": []});
        let document = FarmDocument::from_json(&document).unwrap();
        harit_farm::Farm::new(Engine::new(&document).unwrap())
    }

    #[test]
    fn a_copy_serves_until_something_is_applied() {
        let published = Published::default();
        published.advance(false);
        assert!(published.since(published.version()).is_none(), "none yet");
        let copy = published.copy(&fold(), &BTreeMap::new());
        let wanted = published.version();
        assert!(Arc::ptr_eq(&published.since(wanted).unwrap(), &copy));
        published.advance(true);
        assert!(published.since(published.version()).is_none());
        assert!(
            published.since(wanted).is_some(),
            "who asked before the reading may have it"
        );
        assert!(published.next_copy().unwrap() > Instant::now() - COPY_EVERY);
    }

    #[test]
    fn a_verdict_ends_with_what_is_more_than_a_reading() {
        let published = Published::default();
        published.advance(false);
        let copy = published.copy(&fold(), &BTreeMap::new());
        let at = Timestamp::from_millis(1_000);
        let what = harit_engine::verdict::What::NoAnswer;
        published.keep_verdict(&copy, at, Arc::new(FarmVerdict::unasked(what)));
        published.advance(true);
        assert!(published.verdict(at).is_some());
        assert!(published.verdict(at + VERDICT_GOOD_FOR).is_none());
        published.advance(false);
        assert!(published.verdict(at).is_none());
    }
}
