//! A history under test: on a clock that is set, with what it is told made by hand.

use std::cell::{Cell, Ref, RefCell};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use harit_engine::Timestamp;
use harit_farm::{CommandLife, CommandState};
use harit_testkit::Dice;
use tokio::runtime::Runtime;

use crate::clock::TimeSource;
use crate::history::HistoryPlace;
use crate::history::rollup::{Bucket, RollupRow};
use crate::history::store::HistoryStore;
use crate::history::told::{EventRow, Fold, Kept, ReportedRow, Write};
use crate::log::store::LogRow;
use crate::log::{LogBody, LogKind, LogOrder, LogResult, LogType, Named, NewLogEntry};

pub(super) const DAY_MS: i64 = 86_400_000;
/// When the clock of each case begins: a day's beginning.
pub(super) const START: i64 = 19_676 * DAY_MS;

pub(super) fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

struct Clock(AtomicI64);

impl TimeSource for Clock {
    fn wall(&self) -> Timestamp {
        at(self.0.load(Ordering::Acquire))
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.wall().as_millis().unsigned_abs())
    }
}

/// See the module.
pub(super) struct Rig {
    place: HistoryPlace,
    clock: Arc<Clock>,
    runtime: Runtime,
    store: RefCell<Option<HistoryStore>>,
    /// The journal's last batch.
    pub(super) seq: Cell<u64>,
}

impl Rig {
    pub(super) fn new(place: HistoryPlace) -> Self {
        let rig = Self {
            place,
            clock: Arc::new(Clock(AtomicI64::new(START))),
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap(),
            store: RefCell::default(),
            seq: Cell::new(0),
        };
        rig.store.replace(Some(rig.opened()));
        rig
    }

    /// A history on the place, beside the one that is open.
    pub(super) fn opened(&self) -> HistoryStore {
        let kept = Kept {
            days: 30,
            hour_days: 300,
            bytes: u64::MAX,
        };
        let _context = self.runtime.enter();
        let store = HistoryStore::open(&self.place, kept, self.clock.clone())
            .unwrap()
            .now()
            .unwrap();
        store.begin(1).unwrap();
        store
    }

    pub(super) fn store(&self) -> Ref<'_, HistoryStore> {
        Ref::map(self.store.borrow(), |s| s.as_ref().unwrap())
    }

    /// Ends it and opens it again, at a later time.
    pub(super) fn reopen_after(&self, ms: i64) {
        self.store().stop();
        self.clock.0.fetch_add(ms, Ordering::AcqRel);
        self.store.replace(None);
        self.store.replace(Some(self.opened()));
        // Whatever is due at a start is done after the first thing that it is told, hours a day at a time.
        for _ in 0..ms / DAY_MS * 2 + 20 {
            self.told(Write::Sync);
        }
    }

    /// Ends it in the middle: as where the process died, nothing is waited for.
    pub(super) fn abandon(&self) {
        self.store.replace(None);
        self.store.replace(Some(self.opened()));
    }

    /// Tells it something, and waits until that is written.
    pub(super) fn told(&self, write: Write) {
        let store = self.store();
        store.handle().send(write);
        store.barrier_blocking();
    }

    /// The next batch of the journal.
    pub(super) fn next(&self) -> Fold {
        self.seq.set(self.seq.get() + 1);
        Fold {
            generation: 1,
            shard: 0,
            seq: self.seq.get(),
            ..Fold::default()
        }
    }

    pub(super) fn fold(&self, fill: impl FnOnce(&mut Fold)) {
        let mut fold = self.next();
        fill(&mut fold);
        self.told(Write::Fold(fold));
    }

    /// Asks it something.
    pub(super) fn ask<T>(&self, question: impl Future<Output = T>) -> T {
        self.runtime.block_on(question)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if let Some(store) = self.store.take() {
            store.stop();
        }
    }
}

/// Dice of a seed that is told: `HARIT_SEED` throws them again.
pub(super) fn dice() -> Dice {
    let given = std::env::var("HARIT_SEED").ok();
    let seed = given.map_or_else(
        || {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            u64::from(now.unwrap().subsec_nanos())
        },
        |seed| seed.parse().unwrap(),
    );
    eprintln!("HARIT_SEED={seed}");
    Dice::new(seed)
}

pub(super) fn reading(farm: &str, sensor: &str, ms: i64, micro: i64) -> RollupRow {
    let mut bucket = Bucket::default();
    assert_eq!(bucket.add(at(ms), micro), None);
    RollupRow {
        farm: farm.into(),
        sensor: sensor.into(),
        bucket,
    }
}

pub(super) fn event(farm: &str, ms: i64, name: &'static str, n: i64) -> EventRow {
    EventRow {
        farm: farm.into(),
        at: at(ms),
        name,
        body: format!(r#"{{"n":{n}}}"#),
    }
}

pub(super) fn report(farm: &str, device: &str, ms: i64, on: Option<bool>) -> ReportedRow {
    ReportedRow {
        farm: farm.into(),
        device: device.into(),
        at: at(ms),
        state: on.map(|on| (on, None)),
    }
}

/// An entry of a device, a rule and a user of these names, with commands that followed.
pub(super) fn entry(ms: i64, names: [&str; 3], orders: &[&str]) -> NewLogEntry {
    let mut body = LogBody::new(LogKind::Override);
    let named = |name: &str| Some(Named::new(name, name));
    (body.device, body.rule, body.user) = (named(names[0]), named(names[1]), named(names[2]));
    body.orders = orders
        .iter()
        .map(|id| LogOrder {
            command_id: (*id).to_owned(),
            device: Named::new("d", "d"),
            action: "on".to_owned(),
            value: None,
        })
        .collect();
    NewLogEntry {
        at: at(ms),
        log_type: LogType::ManualCommand,
        result: LogResult::Success,
        body,
        also: Vec::new(),
    }
}

pub(super) fn logged(farm: &str, entry: NewLogEntry) -> LogRow {
    LogRow {
        farm: farm.into(),
        entry,
        recovered: false,
    }
}

pub(super) fn life(farm: &str, id: &str, ms: i64, state: CommandState) -> CommandLife {
    CommandLife {
        farm: farm.into(),
        command_id: id.to_owned(),
        device: "fan".into(),
        action: "on".to_owned(),
        value: None,
        cause: "manual".to_owned(),
        owner: None,
        at: at(ms),
        until: None,
        state,
        changed_at: at(ms),
        attempts: 1,
        message: None,
    }
}
