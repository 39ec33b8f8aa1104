//! What a server waits for before it is at work: the journals in NATS, the records in PostgreSQL, and another server that has them.
//!
//! Of two servers with the same journals and records one is at work: the one whose connection has the right to write the records. The
//! other waits here, and goes on as soon as that is free. What keeps two from deciding is not this but the journals, which take batches of
//! the later one alone.

use std::time::{Duration, Instant};

use harit_api::{Records, RecordsError, RecordsPlace};
use harit_cluster::JetStreamJournals;
use harit_engine::FarmId;
use harit_ingest::history::HistoryPlace;
use harit_ingest::{Hub, HubConfig};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::supervisor::Supervisor;
use super::{Failed, parts};
use crate::config::Config;
use crate::journals;

/// How long a server that another one may take over from can say nothing until that one may.
pub(super) const LEASE: Duration = Duration::from_secs(5);
/// How often a database that does not answer is tried.
const AGAIN: Duration = Duration::from_secs(2);
/// How often it is said that another server is at work.
const SAY_AGAIN: Duration = Duration::from_secs(20);
/// How often it is looked whether journals answer, and how soon they have to.
const LOOK: Duration = Duration::from_secs(1);
const ANSWER: Duration = Duration::from_secs(2);
/// For how long they have answered a server that stands by and says so. After a change of leaders the one at work finds them later.
const ANSWERED: Duration = Duration::from_secs(5);
/// For how long they have not answered the one at work that gives way: longer than NATS and its clients wait for each other.
const AWAY: Duration = Duration::from_secs(15);

/// Connects to the journals, where they are not in the data directory, and waits for a NATS that does not answer.
pub(super) async fn journals(config: &Config) -> Result<Option<JetStreamJournals>, Failed> {
    let Some(place) = journals::of(config).map_err(Failed::at("journal"))? else {
        return Ok(None);
    };
    journals::note(&config.server.data_dir, &place).map_err(Failed::at("journal"))?;
    let said = place.say();
    let opened = blocking(move || place.wait()).await?;
    let journals = opened.map_err(Failed::at("journal"))?;
    tracing::info!(nats = said, "the journals are in NATS");
    Ok(Some(journals))
}

/// Opens the records. A PostgreSQL that does not answer is waited for: after a power cut it may come later. So is a server that has them.
pub(super) async fn records(
    place: &RecordsPlace,
    able: &watch::Receiver<bool>,
    supervisor: Option<&Supervisor>,
) -> Result<Records, Failed> {
    let mut said: Option<Instant> = None;
    let mut stands_by = || {
        if said.is_some_and(|at| at.elapsed() < SAY_AGAIN) {
            return;
        }
        if said.is_none() {
            tracing::info!("stands by: another server is at work");
        }
        said = Some(Instant::now());
        if let Some(supervisor) = supervisor {
            supervisor.stands_by();
        }
    };
    loop {
        match open(place, able, &mut stands_by).await {
            Err(e) if e.is_away() && place.postgres().is_some() => {
                let why = std::error::Error::source(&e).map(ToString::to_string);
                tracing::warn!(records = %place, why, "the records do not answer, or another server writes them: the start waits for them");
                if let Some(supervisor) = supervisor {
                    supervisor.waits("waits for the records");
                }
            }
            opened => {
                let records = opened.map_err(Failed::at("records"))?;
                if let Some(lease) = place.lease() {
                    tokio::spawn(hold(records.clone(), lease / 5));
                }
                return Ok(records);
            }
        }
        sleep(AGAIN).await;
    }
}

async fn open(
    place: &RecordsPlace,
    able: &watch::Receiver<bool>,
    stands_by: &mut (dyn FnMut() + Send),
) -> Result<Records, RecordsError> {
    if place.lease().is_some() {
        Records::wait_for_turn(place, able, stands_by).await?;
    }
    Records::open(place).await
}

/// Whether the journals have answered for a while, as long as that is asked.
pub(super) fn able(journals: Option<JetStreamJournals>) -> watch::Receiver<bool> {
    let (say, able) = watch::channel(false);
    let Some(journals) = journals else {
        return able;
    };
    tokio::spawn(async move {
        let mut since = None;
        while !say.is_closed() {
            let asked = journals.clone();
            let answer = timeout(ANSWER, blocking(move || asked.answer())).await;
            let began = matches!(answer, Ok(Ok(true))).then(Instant::now);
            since = began.map(|now| since.unwrap_or(now));
            say.send_replace(since.is_some_and(|since: Instant| since.elapsed() >= ANSWERED));
            sleep(LOOK).await;
        }
    });
    able
}

/// Returns once the journals have not answered this server for long, and have answered one that stands by. While they answer neither, or answer
/// and take nothing, which they would from nobody, this one stays: what is connected to it can still be stopped.
pub(super) async fn given_way(hub: &Hub, able: &watch::Receiver<bool>, place: &RecordsPlace) {
    let mut since = None;
    loop {
        sleep(LOOK).await;
        let is_away = hub.is_journal_away() && !*able.borrow();
        since = is_away.then(|| since.unwrap_or_else(Instant::now));
        let is_long = since.is_some_and(|since| since.elapsed() >= AWAY);
        if is_long && place.lease().is_some() && place.is_any_able().await.unwrap_or(false) {
            return;
        }
    }
}

/// Keeps the right to write them, for as long as this process is not stopped or hung.
async fn hold(records: Records, every: Duration) {
    let mut tick = tokio::time::interval(every);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = records.hold().await {
            tracing::warn!(%error, "the records do not answer, or another server writes them");
        }
    }
}

/// What the hub is opened with, once this server is to be at work.
pub(super) async fn hub_config(
    config: &Config,
    farms: Vec<FarmId>,
    in_nats: Option<JetStreamJournals>,
) -> Result<HubConfig, Failed> {
    let mut hub = parts::hub_config(config, farms);
    let Some(in_nats) = in_nats else {
        return Ok(hub);
    };
    if let Some(HistoryPlace::Postgres(url)) = hub.history {
        let url = url.ending_transactions(LEASE);
        hub.history = Some(HistoryPlace::Postgres(url));
    }
    let chosen = config.storage.shards;
    let hub = blocking(move || journals::over(in_nats, chosen, hub)).await?;
    hub.map_err(Failed::at("journal"))
}

/// Does on a thread of its own what waits for NATS.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failed> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(Failed::at("journal"))
}
