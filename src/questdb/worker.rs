//! The thread that follows the journals and tells QuestDB what they have.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use harit_engine::Timestamp;
use harit_ingest::past::{Follower, Said, ShardJournal, Stop, shard_journals};
use harit_journal::ReadJournals;
use tokio::runtime::Runtime;

use super::client::{QuestDb, Settings};
use super::{QuestDbError, line, position_file};
use crate::positions::{Position, Positions};
use crate::worker::{NO_LIMIT, Worker};

/// How often it is looked for what is new.
const EVERY: Duration = Duration::from_secs(1);
/// How often the position is stored.
const STORE_EVERY: Duration = Duration::from_secs(10);
/// How far the stored position stays behind where QuestDB does not sync.
const BEHIND: Duration = Duration::from_secs(600);
/// How many bytes are sent at once, about.
const AT_ONCE: usize = 4 << 20;
/// The first wait after a failure, and the longest.
const RETRY: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];
/// How long the end of the server waits for it: a database that does not answer holds nobody up.
const LAST_WORDS: Duration = Duration::from_millis(500);

type Key = (u64, usize);

/// Starts to follow everybody's readings as they are journaled. What was not acknowledged when it ends is sent again after the
/// next start.
///
/// # Errors
/// When there can be no client, or no thread.
pub(crate) fn follow(
    data_dir: PathBuf,
    journals: Arc<dyn ReadJournals>,
    settings: Settings,
) -> Result<Worker, Box<dyn std::error::Error + Send + Sync>> {
    let mut work = Work::new(data_dir, journals, settings)?;
    let work = move |stop, ended: Receiver<()>| {
        work.stop = stop;
        work.run(&ended);
    };
    Ok(Worker::start("harit-questdb", LAST_WORDS, work)?)
}

/// Sends everything that is journaled, and returns when it is acknowledged.
///
/// # Errors
/// When QuestDB does not take it, or the journals cannot be read.
pub(crate) fn catch_up(
    data_dir: PathBuf,
    journals: Arc<dyn ReadJournals>,
    settings: Settings,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Ok(Work::new(data_dir, journals, settings)?.work()?)
}

type Everybody = fn(&str) -> bool;

struct Work {
    /// Where the position is kept.
    data_dir: PathBuf,
    journals: Arc<dyn ReadJournals>,
    questdb: QuestDb,
    runtime: Runtime,
    stop: Stop,
    /// What is acknowledged.
    positions: Positions,
    followers: BTreeMap<Key, Follower<Everybody>>,
    /// How far the stored position is to stay behind; not known before QuestDB has answered.
    behind: Option<Duration>,
    /// What was acknowledged when, where that does not suffice.
    acknowledged: VecDeque<(Instant, Positions)>,
    stored_at: Instant,
}

impl Work {
    fn new(
        data_dir: PathBuf,
        journals: Arc<dyn ReadJournals>,
        settings: Settings,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Self {
            positions: Positions::load(&position_file(&data_dir))?,
            questdb: QuestDb::new(settings)?,
            data_dir,
            journals,
            runtime,
            stop: Stop::within(NO_LIMIT),
            followers: BTreeMap::new(),
            behind: None,
            acknowledged: VecDeque::new(),
            stored_at: Instant::now(),
        })
    }

    fn run(&mut self, ended: &Receiver<()>) {
        let mut wait = RETRY[0];
        loop {
            let next = match self.work() {
                Ok(()) => {
                    metrics::gauge!("harit_questdb_up").set(1.0);
                    wait = RETRY[0];
                    EVERY
                }
                Err(QuestDbError::Stopped) => return,
                Err(e) => {
                    metrics::gauge!("harit_questdb_up").set(0.0);
                    metrics::counter!("harit_questdb_failures_total").increment(1);
                    tracing::warn!(error = %e, "QuestDB lacks readings; trying again");
                    // What it did not acknowledge is told anew.
                    self.followers.clear();
                    let now = wait;
                    wait = (wait * 2).min(RETRY[1]);
                    now
                }
            };
            if ended.recv_timeout(next) != Err(RecvTimeoutError::Timeout) {
                // At an end in order, what is acknowledged is stored as far as it may be.
                let _ = self.store();
                return;
            }
        }
    }

    /// Sends whatever is new.
    fn work(&mut self) -> Result<(), QuestDbError> {
        if self.behind.is_none() {
            self.runtime.block_on(self.questdb.prepare())?;
            let syncs = self.runtime.block_on(self.questdb.syncs())?;
            self.behind = Some(if syncs { Duration::ZERO } else { BEHIND });
            tracing::info!(syncs, "QuestDB takes readings");
        }
        let journals = shard_journals(&self.journals)?;
        let current = journals.last().map(|j| j.generation);
        for journal in &journals {
            let key = (journal.generation, journal.shard);
            // What an older generation has, it has.
            let is_over = current != Some(journal.generation);
            if is_over && self.followers.contains_key(&key) {
                continue;
            }
            self.follow(journal, key)?;
        }
        if self.stored_at.elapsed() >= STORE_EVERY {
            self.store()?;
        }
        Ok(())
    }

    fn follow(&mut self, journal: &ShardJournal, key: Key) -> Result<(), QuestDbError> {
        let mut follower = match self.followers.remove(&key) {
            Some(follower) => follower,
            None => {
                let after = self.positions.of(key.0, key.1).batch;
                let follower = Follower::open(journal, after, (|_| true) as Everybody)?;
                let missing = follower.read_to().missing;
                if missing > 0 {
                    metrics::counter!("harit_questdb_missing_batches_total").increment(missing);
                    tracing::error!(
                        batches = missing,
                        "the journal was trimmed of what QuestDB has not: the archive has it"
                    );
                }
                follower
            }
        };
        let mut lines = Lines {
            questdb: &self.questdb,
            runtime: &self.runtime,
            generation: key.0,
            batch: 0,
            place: 0,
            text: String::new(),
            readings: 0,
        };
        loop {
            let end = Timestamp::from_millis(i64::MAX);
            let more = follower
                .advance(end, &self.stop, &mut |said| lines.add(&said))
                .map_err(|e| self.stopped_or(e))?;
            lines.send()?;
            let position = Position {
                batch: follower.read_to().batch,
                before_ms: 0,
            };
            self.positions.set(key.0, key.1, position);
            if !more {
                break;
            }
        }
        self.followers.insert(key, follower);
        Ok(())
    }

    fn stopped_or(&self, e: QuestDbError) -> QuestDbError {
        match self.stop.check() {
            Err(_) => QuestDbError::Stopped,
            Ok(()) => e,
        }
    }

    /// Stores the position, as far as what is before it survives a power cut.
    fn store(&mut self) -> Result<(), QuestDbError> {
        let Some(behind) = self.behind else {
            return Ok(());
        };
        let now = Instant::now();
        self.stored_at = now;
        self.acknowledged.push_back((now, self.positions.clone()));
        let mut safe = None;
        while let Some((at, _)) = self.acknowledged.front()
            && now.duration_since(*at) >= behind
        {
            safe = self.acknowledged.pop_front();
        }
        if let Some((_, positions)) = safe {
            positions.store(&position_file(&self.data_dir))?;
        }
        Ok(())
    }
}

/// Lines on their way.
struct Lines<'a> {
    questdb: &'a QuestDb,
    runtime: &'a Runtime,
    generation: u64,
    batch: u64,
    /// The next reading's place in its batch.
    place: u64,
    text: String,
    readings: u64,
}

impl Lines<'_> {
    fn add(&mut self, said: &Said<'_>) -> Result<(), QuestDbError> {
        if self.batch != said.batch {
            (self.batch, self.place) = (said.batch, 0);
        }
        let position = line::position(self.generation, said.batch, self.place);
        self.place += 1;
        self.readings += 1;
        line::push(&mut self.text, self.questdb.table(), said, position);
        if self.text.len() < AT_ONCE {
            return Ok(());
        }
        self.send()
    }

    fn send(&mut self) -> Result<(), QuestDbError> {
        if self.text.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.text);
        self.runtime.block_on(self.questdb.write(text))?;
        metrics::counter!("harit_questdb_readings_total").increment(self.readings);
        self.readings = 0;
        Ok(())
    }
}
