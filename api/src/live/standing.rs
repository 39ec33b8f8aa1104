//! Tells the rooms how their farms stand and what their means are, when that changes.
//!
//! What a verdict depends on changes with readings, inputs, controllers and time, and most of it changes no verdict; a mean changes with every reading. So the
//! farms that are looked at, and in which something happened, are looked at anew once a second, and all that are looked at
//! once in a while, because silence and disobedience are matters of time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use harit_engine::FarmId;
use socketioxide::SocketIo;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::ROOM;
use super::pump::emit;
use crate::access::AppState;
use crate::routes::{Means, VerdictBody, means};

/// How often a farm in which something happened is judged anew, at most.
const EVERY: Duration = Duration::from_secs(1);
/// Every so many times all farms are that are looked at.
const ALL_EVERY: u32 = 10;

pub(super) async fn tell(state: AppState, io: SocketIo, stop: CancellationToken) {
    let mut live = state.live();
    let mut happened: BTreeSet<FarmId> = BTreeSet::new();
    let mut told: BTreeMap<FarmId, Told> = BTreeMap::new();
    let mut round: u32 = 0;
    let mut tick = interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            event = live.recv() => match event {
                Ok(event) if !happened.contains(&event.farm) => {
                    happened.insert(event.farm.clone());
                }
                // who lost something is told to load everything anew
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            _ = tick.tick() => {
                round = (round + 1) % ALL_EVERY;
                let happened = std::mem::take(&mut happened);
                let watched = watched(&io);
                told.retain(|farm, _| watched.contains(farm));
                let due = watched.into_iter().filter(|farm| {
                    round == 0 || happened.contains(farm) || !told.contains_key(farm)
                });
                // Together: a shard that does not answer holds up no other farm for longer than itself.
                let seen = due.map(async |farm| (see(&state, &farm).await, farm));
                for (now, farm) in join_all(seen).await {
                    let before = told.entry(farm.clone()).or_default();
                    tell_news(&io, &farm, before, now).await;
                }
            }
        }
    }
}

/// What a room was told last, or is to be told; none of what could not be asked.
#[derive(Default)]
struct Told {
    verdict: Option<VerdictBody>,
    means: Option<Means>,
}

async fn see(state: &AppState, farm: &FarmId) -> Told {
    let verdict = state.verdict(farm).await.ok();
    let means = state.look(farm, means).await;
    Told {
        verdict: verdict.map(|v| VerdictBody::from(&*v)),
        means: means.ok(),
    }
}

async fn tell_news(io: &SocketIo, farm: &FarmId, before: &mut Told, now: Told) {
    let room = format!("{ROOM}{farm}");
    if let Some(verdict) = now
        .verdict
        .filter(|now| before.verdict.as_ref() != Some(now))
    {
        emit(io, room.clone(), &verdict).await;
        before.verdict = Some(verdict);
    }
    if let Some(means) = now.means.filter(|now| before.means.as_ref() != Some(now)) {
        emit(io, room, &means).await;
        before.means = Some(means);
    }
}

/// The farms that somebody looks at.
fn watched(io: &SocketIo) -> BTreeSet<FarmId> {
    // at shutdown the namespace goes while a round may be under way
    let sockets = io.of("/").map_or_else(Vec::new, |all| all.sockets());
    let rooms = sockets.iter().flat_map(|s| s.rooms());
    rooms
        .filter_map(|room| Some(FarmId::from(room.strip_prefix(ROOM)?)))
        .collect()
}
