//! Ends sockets whose sign-in has ended, and takes those out of a room who no longer belong to its farm, or to another room of it.

use std::time::Duration;

use socketioxide::SocketIo;
use socketioxide::extract::SocketRef;
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;

use super::messages::{Message, ReloadMessage};
use super::{ROOM, WORK_ROOM, room_in};
use crate::access::Caller;

/// Sign-ins that simply expire, and what another process changed, are found in a round of this length.
const ROUND: Duration = Duration::from_secs(10);
/// Changes that come together are looked at together.
const GATHER: Duration = Duration::from_millis(100);

pub(super) async fn run(mut changes: Receiver<u64>, io: SocketIo, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = changes.changed() => match changed {
                Ok(()) => tokio::time::sleep(GATHER).await,
                Err(_) => return,
            },
            () = tokio::time::sleep(ROUND) => {}
        }
        // at shutdown the namespace goes while a round may be under way
        let sockets = io.of("/").map_or_else(Vec::new, |all| all.sockets());
        for socket in sockets {
            check(socket).await;
        }
    }
}

async fn check(socket: SocketRef) {
    let Some(caller) = socket.extensions.get::<Caller>() else {
        return;
    };
    let caller = match caller.again().await {
        Ok(caller) => caller,
        Err(error) => {
            // also when the records cannot be asked: who cannot be recognised is not told anything
            tracing::debug!(%error, "a live connection ends");
            let _ = socket.disconnect();
            return;
        }
    };
    for room in socket.rooms() {
        let farm = [ROOM, WORK_ROOM]
            .into_iter()
            .find_map(|kind| room.strip_prefix(kind));
        let Some(farm) = farm else {
            continue;
        };
        match room_in(caller.clone(), farm).await {
            Ok(theirs) if *theirs == *room => {}
            Ok(theirs) => {
                socket.leave(room);
                socket.join(theirs);
                // whatever is shown was another role's
                let _ = socket.emit(ReloadMessage::EVENT, &ReloadMessage {});
            }
            Err(_) => socket.leave(room),
        }
    }
}
