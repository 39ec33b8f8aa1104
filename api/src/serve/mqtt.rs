//! MQTT over WebSocket, for clients that have no plain connection: pages, and networks that let nothing but HTTP through. A
//! WebSocket's binary frames are the bytes of one connection to the endpoint, wherever frames begin and end.

use std::future::ready;
use std::io;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::{Extension, http::StatusCode};
use futures_util::{SinkExt as _, StreamExt as _};
use harit_ingest::mqtt::{Client, MAX_PAYLOAD_BYTES};
use tokio_util::io::{CopyToBytes, SinkWriter, StreamReader};

use crate::access::AppState;
use crate::address::ClientAddress;
use crate::error::{ApiError, say};

/// What MQTT calls itself among the protocols of a WebSocket.
const PROTOCOL: &str = "mqtt";
/// The largest frame, in bytes: a packet with the largest payload, and room for its topic and properties.
const MAX_FRAME_BYTES: usize = MAX_PAYLOAD_BYTES + 8_192;

/// Opens a connection to the endpoint. Who does not ask for the protocol by its name is refused, as MQTT wants it.
pub(super) async fn open(
    State(state): State<AppState>,
    client: Option<Extension<ClientAddress>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(visitors) = state.visitors().cloned() else {
        return say(&ApiError::not_found(), &headers);
    };
    let Some(Extension(client)) = client else {
        return say(&ApiError::unavailable(), &headers);
    };
    let upgrade = upgrade.protocols([PROTOCOL]);
    if upgrade.selected_protocol().is_none() {
        return (StatusCode::BAD_REQUEST, "the protocol is mqtt").into_response();
    }
    let upgrade = upgrade
        .max_message_size(MAX_FRAME_BYTES)
        .max_frame_size(MAX_FRAME_BYTES);
    upgrade.on_upgrade(async move |socket| {
        metrics::counter!("harit_mqtt_websockets_total").increment(1);
        let io = std::pin::pin!(bytes_of(socket));
        let client = Client {
            address: client.ip,
            certificate: None,
        };
        visitors.serve(io, client).await;
    })
}

/// A WebSocket as one stream of bytes.
fn bytes_of(socket: WebSocket) -> impl tokio::io::AsyncRead + tokio::io::AsyncWrite {
    let (to, from) = socket.split();
    let read = from.filter_map(|message| {
        ready(match message {
            Ok(Message::Binary(bytes)) => Some(Ok(bytes)),
            // Answered below; a close ends the stream by itself.
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_)) => None,
            Ok(Message::Text(_)) => Some(Err(io::Error::from(io::ErrorKind::InvalidData))),
            Err(error) => Some(Err(io::Error::other(error))),
        })
    });
    let write = to
        .with(|bytes: Bytes| ready(Ok::<_, axum::Error>(Message::Binary(bytes))))
        .sink_map_err(io::Error::other);
    tokio::io::join(
        StreamReader::new(read),
        SinkWriter::new(CopyToBytes::new(write)),
    )
}
