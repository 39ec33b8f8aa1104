//! Hands on what happens in the farms to the sockets in their rooms.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use harit_ingest::{LiveEvent, LiveKind};
use socketioxide::{BroadcastError, SocketIo};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::messages::{
    ControllerMessage, LogMessage, Message, RecordsMessage, RegistryMessage, ReloadMessage,
};
use super::{ROOM, WORK_ROOM};
use crate::records::Changes;
use crate::resource::Kind;
use crate::routes::CommandBody;

/// How often a farm is told that its log has something new, at most.
const LOG_EVERY: Duration = Duration::from_millis(500);
/// How often workers are told that what they have may be another, at most.
const WORK_EVERY: Duration = Duration::from_secs(1);
/// Changes of records that come together are told together.
const GATHER: Duration = Duration::from_millis(100);

pub(super) async fn run(mut live: Receiver<Arc<LiveEvent>>, io: SocketIo, stop: CancellationToken) {
    loop {
        let event = tokio::select! {
            () = stop.cancelled() => return,
            event = live.recv() => event,
        };
        match event {
            Ok(event) => hand_on(&io, &event).await,
            Err(RecvError::Lagged(lost)) => {
                metrics::counter!("harit_live_lost_total").increment(lost);
                tracing::warn!(lost, "the live connection lost events: clients load anew");
                if let Some(all) = io.of("/") {
                    count(all.emit(ReloadMessage::EVENT, &ReloadMessage {}).await);
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}

/// Tells the rooms which kinds of record changed.
pub(super) async fn tell_changes(changes: Changes, io: SocketIo, stop: CancellationToken) {
    loop {
        let changed = tokio::select! {
            () = stop.cancelled() => return,
            changed = changes.next() => changed,
        };
        for (farm, kinds) in changed {
            if kinds.contains(&Kind::Tasks) || kinds.contains(&Kind::Users) {
                tell_work(&io, &farm).await;
            }
            let room = format!("{ROOM}{farm}");
            let kinds = kinds.into_iter().collect();
            emit(&io, room, &RecordsMessage { kinds }).await;
        }
        tokio::time::sleep(GATHER).await;
    }
}

/// Tells workers that what they have may be another: devices, controllers or places. What is measured they ask for by the clock.
pub(super) async fn tell_workers(
    mut live: Receiver<Arc<LiveEvent>>,
    io: SocketIo,
    stop: CancellationToken,
) {
    let mut due = BTreeSet::new();
    let mut tick = interval(WORK_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            event = live.recv() => match event {
                Ok(event) if !matches!(event.kind, LiveKind::Telemetry(_) | LiveKind::Log) => {
                    due.insert(event.farm.to_string());
                }
                // who lost something is told to load everything anew
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            _ = tick.tick(), if !due.is_empty() => {
                for farm in std::mem::take(&mut due) {
                    tell_work(&io, &farm).await;
                }
            }
        }
    }
}

async fn tell_work(io: &SocketIo, farm: &str) {
    let kinds = vec![Kind::Work];
    emit(io, format!("{WORK_ROOM}{farm}"), &RecordsMessage { kinds }).await;
}

/// Tells the rooms that the log has something new: an entry, or a result that is known now.
pub(super) async fn tell_log(
    mut live: Receiver<Arc<LiveEvent>>,
    written: Changes,
    io: SocketIo,
    stop: CancellationToken,
) {
    let mut due = BTreeSet::new();
    let mut tick = interval(LOG_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            event = live.recv() => match event {
                Ok(event) if matches!(event.kind, LiveKind::Log | LiveKind::Command(_)) => {
                    due.insert(event.farm.to_string());
                }
                // who lost something is told to load everything anew
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            farms = written.next() => due.extend(farms.into_keys()),
            _ = tick.tick(), if !due.is_empty() => {
                for farm in std::mem::take(&mut due) {
                    emit(&io, format!("{ROOM}{farm}"), &LogMessage {}).await;
                }
            }
        }
    }
}

async fn hand_on(io: &SocketIo, event: &LiveEvent) {
    let room = format!("{ROOM}{}", event.farm);
    match &event.kind {
        LiveKind::Telemetry(telemetry) => emit(io, room, telemetry).await,
        LiveKind::Engine(event) => emit(io, room, event).await,
        LiveKind::Command(life) => emit(io, room, &CommandBody::from(&**life)).await,
        LiveKind::Controller { mac, online } => {
            let message = ControllerMessage {
                mac: mac.as_str().to_owned(),
                online: *online,
            };
            emit(io, room, &message).await;
        }
        LiveKind::Registry => emit(io, room, &RegistryMessage {}).await,
        // many in a moment are told once, by [`tell_log`]
        LiveKind::Log => {}
    }
}

pub(super) async fn emit<M: Message>(io: &SocketIo, room: String, message: &M) {
    // At shutdown the namespace goes while an event may still be in hand.
    let there = || Some(io.of("/")?.to(room.clone()));
    // Most farms are looked at by nobody most of the time: what nobody hears is not written out.
    let heard = there().is_some_and(|room| !room.sockets().is_empty());
    if heard && let Some(room) = there() {
        count(room.emit(M::EVENT, message).await);
    }
}

/// A socket that reads too slowly misses a message; its client loads everything again every 30 s.
fn count(sent: Result<(), BroadcastError>) {
    match sent {
        Ok(()) => {}
        Err(BroadcastError::Socket(missed)) => {
            metrics::counter!("harit_socket_messages_dropped_total").increment(missed.len() as u64);
        }
        Err(error) => tracing::error!(%error, "a live message could not be sent"),
    }
}
