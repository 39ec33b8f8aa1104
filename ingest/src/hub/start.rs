//! Recovering what was, and starting the threads.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use harit_engine::FarmId;
use harit_journal::{Generation, Journal, JournalError, Journals, ReadJournals};

use super::{Anew, Handle, HubConfig, Inner, OpenError};
use crate::history::opening::{self, Lacking, Opened};
use crate::history::pending::Pending;
use crate::history::store::HistoryStore;
use crate::history::told::Write;
use crate::shard::farm::{Farm, latest_clock};
use crate::shard::hand_over::take_fold;
use crate::shard::keeper::Keeper;
use crate::shard::queue::{Patience, Queue};
use crate::shard::recovery::{self, Recovered};
use crate::shard::{Beginning, ShardConfig, ShardHealth, TURN_UNITS, snapshot};

/// How often dead letters go to the store.
const LETTERS_EVERY: Duration = Duration::from_secs(1);

impl Inner {
    pub(super) fn start(
        &mut self,
        config: &HubConfig,
        number: usize,
        beginning: Beginning,
    ) -> Result<(), OpenError> {
        let (queue, health) = (
            Arc::new(Queue::new(Patience(config.telemetry_wait))),
            Arc::new(ShardHealth::default()),
        );
        let shard_config = ShardConfig {
            number,
            generation: self.generation.generation,
            journal_days: config.journal_days,
            journal_max_bytes: config.journal_max_bytes,
            journal_is_elsewhere: config.journals.is_some(),
            archived: config.archived.clone(),
            snapshot_every: config.snapshot_every,
            history_every: config.history_every,
            presence_grace: config.presence_grace,
            turn_units: TURN_UNITS,
        };
        let farms = self.farms.get_mut().unwrap_or_else(PoisonError::into_inner);
        farms.extend(beginning.farms.iter().map(|f| (f.id().clone(), number)));
        let keeper = Keeper {
            config: shard_config,
            shared: self.shared.clone(),
            queue: queue.clone(),
            health: health.clone(),
            history: self.history.handle(),
            journals: self.journals.clone(),
            generation: self.generation,
        };
        let shard = keeper.make(beginning);
        let (ready, resumed) = std::sync::mpsc::channel();
        let closing = queue.clone();
        let thread = std::thread::Builder::new()
            .name(format!("harit-shard-{number}"))
            .spawn(move || {
                let keep = std::panic::AssertUnwindSafe(move || keeper.keep(shard, ready));
                if std::panic::catch_unwind(keep).is_err() {
                    tracing::error!(shard = number, "what keeps a shard at work failed");
                }
                // Whatever ends this thread, nobody may wait for it for ever.
                closing.close();
            })
            .map_err(|source| OpenError::Io {
                path: config.data_dir.clone(),
                source,
            })?;
        self.threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .push(thread);
        self.shards.push(Handle { queue, health });
        resumed
            .recv()
            .map_err(|_| OpenError::Panicked(format!("shard {number} did not start")))
    }

    /// Dead letters go to the store once a second.
    pub(super) fn start_letters(&mut self) -> Result<(), OpenError> {
        let (shared, handle, stopped) = (
            self.shared.clone(),
            self.history.handle(),
            self.stopped.clone(),
        );
        let thread = std::thread::Builder::new()
            .name("harit-letters".into())
            .spawn(move || {
                let mut last = Instant::now();
                loop {
                    let stopping = stopped.load(Ordering::Acquire);
                    if stopping || last.elapsed() >= LETTERS_EVERY {
                        last = Instant::now();
                        let letters = shared.letters.take();
                        if !letters.is_empty() {
                            // They are counted already: a history that takes nothing loses them.
                            handle.send_within(Write::DeadLetters(letters), LETTERS_EVERY);
                        }
                    }
                    if stopping {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
            })
            .map_err(|source| OpenError::Io {
                path: Path::new("harit-letters").to_owned(),
                source,
            })?;
        self.threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .push(thread);
        Ok(())
    }

    pub(super) fn stop_shards(&self) {
        for shard in &self.shards {
            shard.queue.stop();
        }
        self.stopped.store(true, Ordering::Release);
        self.shared.positions.closing.store(true, Ordering::Release);
        for thread in
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner))
        {
            let _ = thread.join();
        }
    }

    pub(super) fn stop_history(&self) {
        self.history.stop();
        *self.data.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Recovers all farms, and moves them to another number of shards where that is asked for.
pub(super) fn recover(
    journals: &Arc<dyn Journals>,
    history: Opened,
    shards: usize,
    config: &HubConfig,
) -> Result<(Arc<HistoryStore>, Generation, Vec<Beginning>), OpenError> {
    let Some(old) = journals.current()? else {
        let from = config.moved_from.as_deref();
        let old = from.map(|from| from.current()).transpose()?.flatten();
        let history = history.now().map_err(OpenError::History)?;
        return beside(history, |history| match from.zip(old) {
            Some((from, old)) => {
                let recovered = recover_beside(from, history, old, config)?;
                migrate(&**journals, history, old, shards, recovered, &Anew::All)
            }
            None => first(&**journals, history, shards, config),
        });
    };
    let history = match config.anew {
        Some(_) => Opened::There(history.now().map_err(OpenError::History)?),
        None => history,
    };
    match history {
        Opened::There(history) => beside(history, |history| {
            let recovered = recover_beside(&**journals, history, old, config)?;
            if old.shards == shards && config.anew.is_none() {
                let in_history = |shard| history.positions().of(shard);
                return Ok((old, beginnings(recovered, in_history)));
            }
            let anew = config.anew.as_ref().unwrap_or(&Anew::All);
            migrate(&**journals, history, old, shards, recovered, anew)
        }),
        Opened::Away(away) => {
            let recovered = recover_all(&**journals, old, config, |_| u64::MAX)?;
            let ends: Vec<u64> = recovered.iter().map(|(_, r)| r.seq).collect();
            if old.shards != shards {
                tracing::warn!(
                    shards = old.shards,
                    "the number of shards stays as it is until a start has the history"
                );
            }
            let history = away.later(lacking(journals, old, ends.clone()));
            let beginnings = beginnings(recovered, |shard| ends[shard]);
            Ok((Arc::new(history), old, beginnings))
        }
    }
}

/// Does something with a history that is stopped where that fails.
fn beside<T>(
    history: HistoryStore,
    work: impl FnOnce(&Arc<HistoryStore>) -> Result<(Generation, T), OpenError>,
) -> Result<(Arc<HistoryStore>, Generation, T), OpenError> {
    let history = Arc::new(history);
    match work(&history) {
        Ok((generation, done)) => Ok((history, generation, done)),
        Err(e) => {
            history.stop();
            Err(e)
        }
    }
}

/// Makes the journals where there are none.
fn first(
    journals: &dyn Journals,
    history: &Arc<HistoryStore>,
    shards: usize,
    config: &HubConfig,
) -> Result<(Generation, Vec<Beginning>), OpenError> {
    if let Some(farm) = config.farms.first() {
        return Err(OpenError::FarmMissing(farm.clone()));
    }
    let first = Generation {
        generation: 1,
        shards,
    };
    let new = journals.prepare(first)?;
    journals.switch(first)?;
    history
        .begin(first.generation)
        .map_err(OpenError::History)?;
    set_back(history, 1, std::iter::repeat_n(0, shards));
    let empty = |journal| Beginning {
        farms: Vec::new(),
        pending: Pending::default(),
        lives: Vec::new(),
        journal,
        in_history: 0,
    };
    Ok((first, new.into_iter().map(empty).collect()))
}

/// Recovers every shard of a generation beside a history that is there, and sees to it that this is not ahead of them.
fn recover_beside(
    journals: &dyn Journals,
    history: &Arc<HistoryStore>,
    generation: Generation,
    config: &HubConfig,
) -> Result<Vec<OfJournal>, OpenError> {
    let number = generation.generation;
    history.begin(number).map_err(OpenError::History)?;
    let in_history = |shard| history.positions().of(shard);
    let recovered = recover_all(journals, generation, config, in_history)?;
    set_back(history, number, recovered.iter().map(|(_, r)| r.seq));
    Ok(recovered)
}

/// A journal, and what was recovered of it.
type OfJournal = (Box<dyn Journal>, Recovered);

/// Recovers every shard of a generation. `in_history` is the last batch of each that the history has, or any after its end.
fn recover_all(
    journals: &dyn Journals,
    generation: Generation,
    config: &HubConfig,
    in_history: impl Fn(usize) -> u64 + Sync,
) -> Result<Vec<OfJournal>, OpenError> {
    let began = Instant::now();
    let one = |shard: usize| -> Result<OfJournal, JournalError> {
        let journal = journals.open(generation, shard)?;
        let last = journal.last();
        let recovered = recovery::recover(&*journal, in_history(shard).min(last), last)?;
        Ok((journal, recovered))
    };
    let recovered = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..generation.shards)
            .map(|shard| {
                scope.spawn({
                    let one = &one;
                    move || one(shard)
                })
            })
            .collect();
        let join = |t: std::thread::ScopedJoinHandle<'_, _>| {
            t.join().unwrap_or_else(|_| Err(JournalError::Panicked))
        };
        threads.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    })?;
    let there = |farm: &FarmId| {
        recovered
            .iter()
            .any(|(_, r)| r.farms.iter().any(|f| f.id() == farm))
    };
    if let Some(farm) = config.farms.iter().find(|farm| !there(farm)) {
        return Err(OpenError::FarmMissing(farm.clone()));
    }
    let readings: u64 = recovered.iter().map(|(_, r)| r.tally.readings).sum();
    let farms: usize = recovered.iter().map(|(_, r)| r.farms.len()).sum();
    tracing::info!(
        farms,
        readings,
        ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(0),
        "recovered"
    );
    Ok(recovered)
}

/// With what the shards begin.
fn beginnings(recovered: Vec<OfJournal>, in_history: impl Fn(usize) -> u64) -> Vec<Beginning> {
    let begin = |(shard, (journal, r)): (usize, OfJournal)| Beginning {
        farms: r.farms,
        pending: r.pending,
        lives: r.lives,
        journal,
        in_history: in_history(shard),
    };
    recovered.into_iter().enumerate().map(begin).collect()
}

/// What the history is to have of what happened before this start, which went on without it.
fn lacking(journals: &Arc<dyn Journals>, generation: Generation, ends: Vec<u64>) -> Lacking {
    let (journals, through) = (journals.clone(), ends.clone());
    Lacking {
        generation: generation.generation,
        ends,
        missing: Box::new(move |shard, after| {
            let journal = journals.reader(generation.generation, shard)?;
            let journal = journal.ok_or_else(|| JournalError::Missing {
                name: format!("of shard {shard}"),
                otherwise: String::new(),
            })?;
            let mut r = recovery::recover(&*journal, after, through[shard])?;
            let lives = Write::Lives(std::mem::take(&mut r.lives));
            let (mut farms, seq) = (r.farms, r.seq);
            let fold = take_fold(
                &mut r.pending,
                &mut farms,
                generation.generation,
                shard,
                seq,
            );
            Ok(vec![lives, Write::Fold(fold)])
        }),
    }
}

/// Has the history know where the journals end that end before what it has of them.
fn set_back(history: &Arc<HistoryStore>, generation: u64, ends: impl Iterator<Item = u64>) {
    let mut any = false;
    for (shard, seq) in ends.enumerate() {
        let stored = history.positions().of(shard);
        if stored > seq {
            any = true;
            let write = opening::set_back(generation, shard, seq, stored);
            history.handle().send(write);
        }
    }
    if any {
        history.barrier_blocking();
    }
}

/// A farm as it is at the end of journals that its server has left.
fn at_the_end(farm: &FarmId, journals: &dyn ReadJournals) -> Result<Farm, OpenError> {
    let missing = || OpenError::FarmMissing(farm.clone());
    let current = journals.generations()?.pop().ok_or_else(missing)?;
    let shard = current.shard_of(farm.as_str());
    let reader = journals.reader(current.generation, shard)?;
    let reader = reader.ok_or_else(missing)?;
    let farms = recovery::recover(&*reader, u64::MAX, u64::MAX)?.farms;
    let found = farms.into_iter().find(|there| there.id() == farm);
    found.ok_or_else(missing)
}

/// Writes the farms' states to the journals of a new generation, and switches to it.
fn migrate(
    journals: &dyn Journals,
    history: &Arc<HistoryStore>,
    old: Generation,
    shards: usize,
    recovered: Vec<OfJournal>,
    anew: &Anew,
) -> Result<(Generation, Vec<Beginning>), OpenError> {
    let new = Generation {
        generation: old.generation + 1,
        shards,
    };
    tracing::info!(
        from = old.shards,
        to = shards,
        "the farms are moved to other journals"
    );
    let handle = history.handle();
    let mut moved: Vec<Vec<_>> = (0..shards).map(|_| Vec::new()).collect();
    for (shard, (_, mut r)) in recovered.into_iter().enumerate() {
        handle.send(Write::Lives(std::mem::take(&mut r.lives)));
        handle.send(Write::Fold(take_fold(
            &mut r.pending,
            &mut r.farms,
            old.generation,
            shard,
            r.seq,
        )));
        let stays = |farm: &Farm| match anew {
            Anew::All => true,
            Anew::Without(other) | Anew::With(other, _) => farm.id() != other,
        };
        for farm in r.farms.into_iter().filter(stays) {
            moved[new.shard_of(farm.id().as_str())].push(farm);
        }
    }
    if let Anew::With(farm, from) = anew {
        moved[new.shard_of(farm.as_str())].push(at_the_end(farm, &**from)?);
    }
    history.barrier_blocking();
    let mut beginnings = Vec::new();
    for (mut journal, farms) in journals.prepare(new)?.into_iter().zip(moved) {
        let body = snapshot::store(&farms).map_err(|e| JournalError::Damaged {
            name: journal.name().to_owned(),
            what: e.to_string(),
        })?;
        let at = latest_clock(farms.iter()).unwrap_or(harit_engine::Timestamp::from_millis(0));
        journal
            .put_snapshot(1, at, &body)
            .map_err(|e| JournalError::Storage {
                name: journal.name().to_owned(),
                source: e.into(),
            })?;
        beginnings.push(Beginning {
            farms,
            pending: Pending::default(),
            lives: Vec::new(),
            journal,
            in_history: 0,
        });
    }
    journals.switch(new)?;
    history.begin(new.generation).map_err(OpenError::History)?;
    set_back(history, new.generation, std::iter::repeat_n(0, shards));
    Ok((new, beginnings))
}
