//! A shard without threads and on the caller's time: for `harit-sim`, behind the feature `simulation`.
//!
//! It is the server's own code from the receipt of a publish to the command that goes out: queue, decoding, journal,
//! fold, recovery. Only what drives it is another: the caller says when a turn is, what time it is, where commands
//! go, and at which point of a turn the server dies. The journal is a file or a disk in memory; the history store is
//! an archive in memory, which may lag behind.

mod log;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use harit_engine::{DeviceId, Engine, Event, FarmDocument, FarmId, InputKind, Timestamp};
use harit_journal::{Journal, JournalError, JournalFile, MemoryDisk, MemoryJournal, WriteError};
use harit_protocol::Mac;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::sync::{broadcast, oneshot};

pub use log::{Entry, Folded, entries, events_of, fold, fold_whole};

use crate::admit::AdmitError;
use crate::clock::TimeSource;
use crate::dead_letter::{DeadLetter, DeadLetters};
use crate::directory::ControllerDirectory;
use crate::history::positions::Positions;
use crate::history::store::HistoryHandle;
use crate::history::told::Write;
use crate::lease::Leases;
use crate::live::{LIVE_CAPACITY, LiveEvent};
use crate::mqtt::{Batch, Downlink, Receipt};
use crate::shard::queue::{Patience, Queue, Urgent, Work};
use crate::shard::receipt::PartReceipt;
use crate::shard::recovery;
use crate::shard::{Beginning, Shard, ShardConfig, ShardHealth, Shared, snapshot};
use harit_farm::CommandLife;
use harit_farm::ControllerStatus;

/// How many hand-overs to the archive wait at most; it is emptied whenever the caller says so.
const HAND_OVERS: usize = 4_096;

/// Where a journal is.
#[derive(Debug, Clone)]
pub enum Storage {
    /// In a folder that exists.
    File(PathBuf),
    /// In memory.
    Memory(MemoryDisk),
}

impl Storage {
    fn open(&self) -> Result<Box<dyn Journal>, JournalError> {
        match self {
            Self::File(folder) => {
                let path = journal_file(folder);
                let file = if path.exists() {
                    JournalFile::open(&path)
                } else {
                    JournalFile::create(&path)
                };
                Ok(Box::new(file?))
            }
            Self::Memory(disk) => Ok(Box::new(MemoryJournal::open(disk.clone())?)),
        }
    }
}

fn journal_file(folder: &Path) -> PathBuf {
    folder.join("shard-0.db")
}

/// Where in a turn the server dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// Everything is read, nothing is written.
    Gathered,
    /// The batch is durable, nothing is applied.
    Committed,
    /// Everything is applied and sent, nobody was told that it is safe.
    Applied,
    /// The senders were told.
    Acknowledged,
}

impl Cut {
    /// All of them, in the order in which they come.
    pub const ALL: [Self; 4] = [
        Self::Gathered,
        Self::Committed,
        Self::Applied,
        Self::Acknowledged,
    ];
}

/// What survives of the history: as much as was filed before the crash.
#[derive(Debug, Clone, Default)]
pub struct Archive(Arc<Mutex<Filed>>);

/// What an archive has.
#[derive(Debug, Clone, Default)]
pub struct Filed {
    /// The last batch of the journal that is in it.
    pub seq: u64,
    /// Farm, instant and body of every event.
    pub events: Vec<(FarmId, Timestamp, String)>,
    /// Every state of every command, in order.
    pub lives: Vec<CommandLife>,
    /// How many good readings the rollups have.
    pub readings: u64,
}

impl Archive {
    /// What is in it now.
    #[must_use]
    pub fn filed(&self) -> Filed {
        self.lock().clone()
    }

    /// Another archive with the same in it.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(self.filed())))
    }

    /// Takes out what is in it, so that it does not grow; it goes on at the same batch.
    pub fn take(&self) -> Filed {
        let mut filed = self.lock();
        let seq = filed.seq;
        let going_on = Filed {
            seq,
            ..Filed::default()
        };
        std::mem::replace(&mut filed, going_on)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Filed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a server is started with.
#[derive(Clone)]
pub struct ServerConfig {
    /// Where its journal is.
    pub storage: Storage,
    /// Where its history is.
    pub archive: Archive,
    /// What time it is.
    pub clock: Arc<dyn TimeSource>,
    /// Which controllers there are.
    pub directory: Arc<dyn ControllerDirectory>,
    /// Where commands go.
    pub downlink: Downlink,
    /// How long a controller may stay silent after the start.
    pub presence_grace: Duration,
    /// Above which size the journal keeps no more than a restart needs, in bytes.
    pub journal_max_bytes: u64,
}

/// A server between two turns.
pub struct Server {
    shard: Shard,
    queue: Arc<Queue>,
    shared: Arc<Shared>,
    live: broadcast::Receiver<Arc<LiveEvent>>,
    history: Receiver<Write>,
    archive: Archive,
    is_committing: bool,
}

/// An answer that comes with a later turn.
pub type Answer<T> = oneshot::Receiver<Result<T, AdmitError>>;

impl Server {
    /// Starts it: recovers what the journal has, and says `Resumed` to every farm.
    ///
    /// # Errors
    /// When the journal is damaged, or has lost what was acknowledged.
    pub fn start(config: &ServerConfig) -> Result<Self, JournalError> {
        let journal = config.storage.open()?;
        let in_history = config.archive.lock().seq;
        let recovered = recovery::recover(&*journal, in_history, journal.last())?;
        let (writer, history) = sync_channel(HAND_OVERS);
        let shared = Arc::new(Shared {
            source: config.clock.clone(),
            directory: config.directory.clone(),
            letters: DeadLetters::default(),
            live: broadcast::Sender::new(LIVE_CAPACITY),
            downlink: RwLock::new(Some(config.downlink.clone())),
            positions: Arc::new(Positions::simulated(in_history)),
            published: RwLock::default(),
            profiles: RwLock::default(),
            leases: Leases::default(),
            sleeping: crate::sleeping::Sleeping::default(),
            announced: crate::announced::Announced::default(),
            taken_over: tokio::sync::watch::Sender::new(false),
        });
        let queue = Arc::new(Queue::new(Patience(Duration::ZERO)));
        let shard = Shard::new(
            ShardConfig {
                number: 0,
                generation: 1,
                journal_days: 7,
                journal_max_bytes: config.journal_max_bytes,
                journal_is_elsewhere: false,
                archived: None,
                snapshot_every: Duration::MAX,
                history_every: Duration::MAX,
                presence_grace: config.presence_grace,
                turn_units: usize::MAX,
            },
            shared.clone(),
            queue.clone(),
            Arc::new(ShardHealth::default()),
            HistoryHandle::simulated(writer),
            Beginning {
                farms: recovered.farms,
                pending: recovered.pending,
                lives: recovered.lives,
                journal,
                in_history,
            },
        );
        let live = shared.live.subscribe();
        let mut server = Self {
            shard,
            queue,
            shared,
            live,
            history,
            archive: config.archive.clone(),
            is_committing: false,
        };
        server.shard.resume();
        Ok(server)
    }

    /// Puts a farm into the queue.
    pub fn add_farm(&mut self, document: FarmDocument) -> Answer<()> {
        let (reply, answer) = oneshot::channel();
        let farm = document.farm.id.clone();
        let document = Box::new(document);
        // Refused only where thousands wait; the answer says so.
        let _ = self
            .queue
            .put_first(farm, Work::AddFarm { document, reply });
        answer
    }

    /// Puts publishes into the queue. The receipt resolves when they are safe.
    pub fn receive(&mut self, batch: Batch) -> Receipt {
        let (mut parts, receipt) = PartReceipt::parts(1, 0);
        if let Some(part) = parts.pop() {
            let farm = batch
                .from
                .as_ref()
                .map_or_else(|| "".into(), |p| p.farm().clone());
            let work = Work::Batch {
                from: batch.from,
                publishes: batch.publishes,
                receipt: part,
                arrived: Instant::now(),
                only_readings: false,
                kept: false,
            };
            self.queue.put_now(farm, work);
        }
        receipt
    }

    /// Puts what must not wait into its lane. The second answer is which devices it was sent to before it is recorded.
    pub fn urge(
        &mut self,
        farm: &FarmId,
        kind: InputKind,
    ) -> (Answer<Vec<Event>>, oneshot::Receiver<Vec<DeviceId>>) {
        let (reply, answer) = oneshot::channel();
        let (sent, early) = oneshot::channel();
        self.queue.put_urgent(Urgent {
            farm: farm.clone(),
            kind: Box::new(kind),
            reply,
            sent: Some(sent),
        });
        (answer, early)
    }

    /// Puts a person's input into the queue.
    pub fn admit(&mut self, farm: &FarmId, kind: InputKind) -> Answer<Vec<Event>> {
        if matches!(kind, InputKind::Stop(_)) {
            return self.urge(farm, kind).0;
        }
        let (reply, answer) = oneshot::channel();
        let work = Work::Admit {
            farm: farm.clone(),
            kind: Box::new(kind),
            entry: None,
            reply,
        };
        let _ = self.queue.put_first(farm.clone(), work);
        answer
    }

    /// The transport says that a controller's connection is gone.
    pub fn gone(&mut self, farm: &FarmId, mac: Mac) {
        let gone = Work::Gone {
            farm: farm.clone(),
            mac,
        };
        self.queue.put_now(farm.clone(), gone);
    }

    /// One turn, as far as `cut`; after a cut the server is good for nothing but [`Self::crash`]. Returns how many entries
    /// the batch had; 0 where it could not be made durable, which the next turn begins with.
    pub fn turn(&mut self, cut: Option<Cut>) -> u64 {
        if self.is_committing {
            let taken = self.queue.take_questions(Duration::ZERO);
            self.shard.urgent(taken.urgent);
            if !self.commit() {
                return 0;
            }
            self.go_on(Cut::Committed, None);
        }
        let taken = self.queue.take(Duration::ZERO, usize::MAX);
        self.shard.gather(taken);
        let entries = self.shard.entries();
        if cut == Some(Cut::Gathered) {
            return entries;
        }
        if !self.commit() {
            return 0;
        }
        self.go_on(Cut::Committed, cut);
        entries
    }

    /// Goes on with a turn that stood still at a point, as far as `until`, or until its batch cannot be made durable.
    pub fn go_on(&mut self, from: Cut, until: Option<Cut>) {
        if from == Cut::Gathered && !self.commit() {
            return;
        }
        if from <= Cut::Committed && until != Some(Cut::Committed) {
            self.shard.act();
        }
        if from <= Cut::Applied && until.is_none_or(|until| until > Cut::Applied) {
            self.shard.acknowledge();
        }
    }

    /// Whether another server appended to its journal: it is good for nothing any more.
    #[must_use]
    pub fn is_taken_over(&self) -> bool {
        *self.shared.taken_over.borrow()
    }

    /// Makes the batch durable, if it has anything.
    fn commit(&mut self) -> bool {
        self.is_committing = self.shard.entries() > 0 && !self.shard.commit(true);
        !self.is_committing
    }

    /// Whether a batch waits until it can be made durable.
    #[must_use]
    pub const fn is_committing(&self) -> bool {
        self.is_committing
    }

    /// When it has something to do by itself: a timer of an engine, a resend, a renewal.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.shard.next_deadline()
    }

    /// The earliest deadline of any engine; that of a command that was just made may be the same instant.
    pub fn engine_deadline(&mut self) -> Option<Timestamp> {
        let farms = self.shard.farms.iter_mut();
        farms.filter_map(|f| f.fold.next_deadline()).min()
    }

    /// What is due when, for a report of what was not done.
    pub fn deadlines(&mut self) -> Vec<String> {
        let farms = self.shard.farms.iter_mut();
        farms
            .map(|f| {
                let due = f.fold.next_deadline();
                format!("{}: {due:?}", f.id())
            })
            .collect()
    }

    /// What time it is for the engines.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.shard.present()
    }

    /// A farm's engine.
    #[must_use]
    pub fn engine(&self, farm: &FarmId) -> Option<&Engine> {
        self.shard.farm(farm).map(|f| f.fold.engine())
    }

    /// Why a farm's engine failed, if it did.
    #[must_use]
    pub fn failure(&self, farm: &FarmId) -> Option<&str> {
        self.shard.farm(farm)?.fold.failed()
    }

    /// What a farm's controllers said of themselves.
    #[must_use]
    pub fn controllers(&self, farm: &FarmId) -> Vec<ControllerStatus> {
        let found = self.shard.farm(farm);
        found.map_or_else(Vec::new, |f| f.fold.controllers().status(farm))
    }

    /// When a device that does not do what it should is seen to next.
    #[must_use]
    pub fn remedied_at(&self, farm: &FarmId, device: &DeviceId) -> Option<Timestamp> {
        let fold = &self.shard.farm(farm)?.fold;
        fold.controllers().decided_at(fold.engine(), device)
    }

    /// The latest command of a device.
    #[must_use]
    pub fn command(&self, farm: &FarmId, command_id: &str) -> Option<&CommandLife> {
        self.shard.farm(farm)?.fold.delivery().find(command_id)
    }

    /// How many commands are remembered for a farm: at most one a device.
    #[must_use]
    pub fn remembered(&self, farm: &FarmId) -> usize {
        self.shard
            .farm(farm)
            .map_or(0, |f| f.fold.delivery().latest().count())
    }

    /// What happened since the last time.
    pub fn take_events(&mut self) -> Vec<Arc<LiveEvent>> {
        let mut all = Vec::new();
        loop {
            match self.live.try_recv() {
                Ok(event) => all.push(event),
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return all,
            }
        }
    }

    /// What was refused since the last time.
    pub fn take_letters(&mut self) -> Vec<DeadLetter> {
        self.shared.letters.take()
    }

    /// Hands what waits over to the archive, which files it.
    pub fn file(&mut self) {
        self.shard.hand_over_history();
        let mut filed = self.archive.lock();
        while let Ok(write) = self.history.try_recv() {
            match write {
                Write::Fold(fold) => {
                    filed.seq = filed.seq.max(fold.seq);
                    let rows = fold.events.into_iter();
                    filed
                        .events
                        .extend(rows.map(|row| (row.farm, row.at, row.body)));
                    let counts = fold.rollups.iter().map(|r| r.bucket.count.unsigned_abs());
                    filed.readings += counts.sum::<u64>();
                }
                Write::Lives(lives) => filed.lives.extend(lives),
                Write::DeadLetters(_)
                | Write::Imported(_)
                | Write::Barrier(_)
                | Write::Sync
                | Write::Begin(..)
                | Write::SetBack { .. }
                | Write::Stop => {}
            }
        }
        self.shared.positions.simulated_reached(filed.seq);
    }

    /// Stores a snapshot, so that a restart begins here.
    pub fn snapshot(&mut self) {
        self.shard.store_snapshot();
        self.file();
    }

    /// Removes all batches of the journal that the last snapshot found to be of no more use.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn trim(&mut self) -> Result<(), WriteError> {
        self.shard.trim()
    }

    /// The journal's size in bytes.
    #[must_use]
    pub fn journal_bytes(&self) -> u64 {
        self.shard.journal_bytes()
    }

    /// All that a snapshot would have.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn state(&self) -> serde_json::Result<Vec<u8>> {
        snapshot::store(&self.shard.farms)
    }

    /// What a snapshot would have of one farm; empty where there is none of that name.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn state_of(&self, farm: &FarmId) -> serde_json::Result<Vec<u8>> {
        snapshot::store(self.shard.farm(farm).map_or(&[], std::slice::from_ref))
    }

    /// The process is gone, and with it all that was only in memory. What is left is the storage; of a file it is a copy as
    /// of now in `folder`, because closing the file would tidy it up.
    ///
    /// # Errors
    /// When the copy cannot be made.
    pub fn crash(self, storage: &Storage, folder: &Path) -> std::io::Result<Storage> {
        match storage {
            Storage::Memory(disk) => Ok(Storage::Memory(disk.clone())),
            Storage::File(from) => {
                std::fs::create_dir_all(folder)?;
                for entry in std::fs::read_dir(from)? {
                    let entry = entry?;
                    // The index of a write-ahead log is made anew.
                    if !entry.file_name().to_string_lossy().ends_with("-shm") {
                        std::fs::copy(entry.path(), folder.join(entry.file_name()))?;
                    }
                }
                drop(self);
                std::fs::remove_dir_all(from)?;
                Ok(Storage::File(folder.to_owned()))
            }
        }
    }
}
