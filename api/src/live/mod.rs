//! The live connection: Socket.IO at the root. A client signs in with its token in the handshake, asks for a farm with
//! `subscribe {farmId}`, and is told what happens there as it happens.
//!
//! What it is told is in [`messages`].
//!
//! A room per farm, and one for its workers, who are told that what they have may be another and nothing else of the farm; a
//! socket is in one room at a time. What ends a sign-in or a membership ends the socket or its room
//! within a second, because whoever takes access away says so ([`AppState::access_changes`]); a slow round finds the rest
//! (sign-ins that expire). All is bounded: sockets, packets that wait for a slow one, and the size of what clients send.

mod handshake;
mod messages;
mod pump;
mod standing;
mod watch;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use socketioxide::SocketIo;
use socketioxide::extract::{AckSender, SocketRef, TryData};
use socketioxide::handler::ConnectHandler;
use socketioxide::layer::SocketIoLayer;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::{AppState, Caller, FarmAccess, OwnWork, ReadFarm, StopDevices};
use crate::error::ApiError;
use crate::language::Language;
use crate::places::Places;

pub(crate) use handshake::{Handshakes, admit};
pub(crate) use messages::describe;
use messages::{Message, Refusal, Subscribe, Subscribed, Taken};

/// Packets that wait for a slow socket; further ones are dropped for it and counted.
const MAX_WAITING: usize = 128;
/// The largest message of a client.
const MAX_MESSAGE_BYTES: usize = 16 * 1_024;
/// A client that connected and did not sign in by then is cut off.
const SIGN_IN_WITHIN: Duration = Duration::from_secs(5);
const ROOM: &str = "farm:";
/// The room of those who have but their own work in the farm.
const WORK_ROOM: &str = "work:";

/// The token, in the handshake's `auth`. Never in the address, where it would be logged.
#[derive(Debug, Default, Deserialize)]
struct Auth {
    #[serde(default)]
    token: String,
}

/// Why a socket was not taken, in the client's language.
struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The sockets and the tasks that serve them until `stop`.
pub(crate) fn start(
    state: &AppState,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> (SocketIoLayer, SocketIo) {
    let (layer, io) = SocketIo::builder()
        .max_buffer_size(MAX_WAITING)
        .max_payload(MAX_MESSAGE_BYTES as u64)
        .ws_max_message_size(MAX_MESSAGE_BYTES)
        .ws_max_frame_size(MAX_MESSAGE_BYTES)
        .connect_timeout(SIGN_IN_WITHIN)
        .build_layer();
    let (for_auth, for_subscribe) = (state.clone(), state.clone());
    let by_user = Places::default();
    let authenticate = async move |socket: SocketRef, TryData(auth): TryData<Auth>| {
        sign_in(&for_auth, &socket, auth.unwrap_or_default(), &by_user).await?;
        // before the client learns that it is connected: its first message may come at once
        let state = for_subscribe.clone();
        socket.on(
            "subscribe",
            async move |socket: SocketRef, TryData(wish): TryData<Subscribe>, ack: AckSender| {
                subscribe(&state, &socket, wish.ok(), ack).await;
            },
        );
        Ok::<(), Refused>(())
    };
    let connected = async |socket: SocketRef| {
        metrics::gauge!("harit_sockets").increment(1.0);
        socket.on_disconnect(async || metrics::gauge!("harit_sockets").decrement(1.0));
    };
    io.ns("/", connected.with(authenticate));
    tasks.spawn(pump::run(state.live(), io.clone(), stop.clone()));
    tasks.spawn(pump::tell_changes(
        state.record_changes(),
        io.clone(),
        stop.clone(),
    ));
    tasks.spawn(pump::tell_workers(state.live(), io.clone(), stop.clone()));
    tasks.spawn(pump::tell_log(
        state.live(),
        state.log_changes(),
        io.clone(),
        stop.clone(),
    ));
    tasks.spawn(standing::tell(state.clone(), io.clone(), stop.clone()));
    tasks.spawn(watch::run(state.access_changes(), io.clone(), stop.clone()));
    (layer, io)
}

async fn sign_in(
    state: &AppState,
    socket: &SocketRef,
    auth: Auth,
    by_user: &Places<String>,
) -> Result<(), Refused> {
    let language = Language::of(&socket.req_parts().headers);
    let refused = |error: ApiError| Refused(error.say(language).to_owned());
    let caller = Caller::of_token(state, &auth.token)
        .await
        .map_err(refused)?;
    let most = state.config().sockets_per_user;
    let Some(place) = by_user.take(caller.payer().to_owned(), most) else {
        metrics::counter!("harit_sockets_refused_total").increment(1);
        return Err(refused(ApiError::busy()));
    };
    // it is given back with the socket
    socket.extensions.insert(Arc::new(place));
    socket.extensions.insert(caller);
    Ok(())
}

async fn subscribe(state: &AppState, socket: &SocketRef, wish: Option<Subscribe>, ack: AckSender) {
    let language = Language::of(&socket.req_parts().headers);
    match room_of(state, socket, wish).await {
        Ok((room, farm_id)) => {
            // One farm at a time: a client that switches farms would otherwise hear them all. Joined first, because who asks
            // for the same farm again is to miss nothing.
            socket.join(room.clone());
            for other in socket.rooms().into_iter().filter(|r| *r != room) {
                socket.leave(other);
            }
            let _ = ack.send(&Subscribed::Taken(Taken { ok: true, farm_id }));
        }
        Err(error) => {
            metrics::counter!("harit_subscriptions_refused_total").increment(1);
            let refusal = Refusal {
                ok: false,
                error: error.say(language).to_owned(),
                code: error.code().to_owned(),
            };
            // for clients that ask for no acknowledgement
            let _ = socket.emit(Refusal::EVENT, &refusal);
            let _ = ack.send(&Subscribed::Refused(refusal));
        }
    }
}

/// The room of a farm that is the socket's user's, and the farm.
async fn room_of(
    state: &AppState,
    socket: &SocketRef,
    wish: Option<Subscribe>,
) -> Result<(String, String), ApiError> {
    let caller = socket
        .extensions
        .get::<Caller>()
        .ok_or_else(ApiError::unauthenticated)?;
    state
        .subscriptions()
        .take(caller.payer(), Instant::now())
        .map_err(ApiError::too_many_attempts)?;
    let farm = wish.ok_or_else(ApiError::not_found)?.farm_id;
    let room = room_in(caller.again().await?, &farm).await?;
    if !state.has(&farm.as_str().into()) {
        // Another server has it, and its address did not name it: `?farm=`.
        return Err(ApiError::unavailable());
    }
    Ok((room, farm))
}

/// In which room of a farm its people are told what is theirs to know.
async fn room_in(caller: Caller, farm: &str) -> Result<String, ApiError> {
    // what everybody may who belongs to it
    let access: FarmAccess<StopDevices> = caller.in_farm(farm.into()).await?;
    if access.may::<ReadFarm>() {
        Ok(format!("{ROOM}{farm}"))
    } else if access.may::<OwnWork>() {
        Ok(format!("{WORK_ROOM}{farm}"))
    } else {
        Err(ApiError::not_permitted())
    }
}
