//! What devices and their servers send by HTTP: a request is a message of a controller, read as if it had come by MQTT. Who sends
//! shows the controller's account (its MAC and password); it says nothing of whether the controller can be reached.

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::access::AppState;
use crate::error::{ApiError, ErrorBody, Params};
use crate::language::Text;

/// The longest topic, in bytes; longer ones have no profile anyway.
const MAX_TOPIC_BYTES: usize = 256;
/// Where what comes in the line protocol belongs, for profiles.
const LINES_TOPIC: &str = "telegraf/http/write";
/// Where what weather stations send as Weather Underground takes it belongs.
const STATION_TOPIC: &str = "webhook/wunderground";
/// What Weather Underground answers; some stations look for it.
const TAKEN: &str = "success\n";

/// Which message it is.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Message {
    /// The topic that the message would have by MQTT: it says which device profile reads it.
    #[param(max_length = 256)]
    topic: Option<String>,
    /// The controller's MAC, of who cannot send `Authorization`.
    id: Option<String>,
    /// Its password, likewise.
    password: Option<String>,
}

/// What weather stations send in the address.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(
    dead_code,
    reason = "read from the whole query, with the fields that are not listed"
)]
pub(super) struct Observation {
    /// The topic that the message would have by MQTT; without it `webhook/wunderground`.
    #[param(max_length = 256)]
    topic: Option<String>,
    /// The station's id: the controller's MAC.
    #[serde(rename = "ID")]
    id: Option<String>,
    /// The station's key: the controller's password.
    #[serde(rename = "PASSWORD")]
    password: Option<String>,
    /// When it was measured, in UTC, or `now`. Other fields are the values.
    dateutc: Option<String>,
}

/// What clients of the line protocol say beside it.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Lines {
    /// The unit of the instants: nanoseconds.
    precision: Option<String>,
}

/// Sends a message
///
/// As a controller does by MQTT: readings by the farm's device profiles and the shipped ones, or Harit's own messages on the
/// controller's topics. `Authorization` is Basic with the controller's MAC and password, or `Token` with both and a colon between
/// them; who cannot send it gives `id` and `password` in the address. The body may be JSON, a form, or whatever else the profile
/// reads, also compressed (gzip). It is answered once the message is durable. What no profile reads is among the farm's dead letters.
#[utoipa::path(
    post, path = "/intake", tag = "operation",
    operation_id = "send_message", summary = "Send a message", security(()), params(Message),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = NO_CONTENT, description = "It is durable, or a dead letter that harms nobody"),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, description = "The topic is somebody else's", body = ErrorBody),
        (status = UNPROCESSABLE_ENTITY, description = "It could not be read", body = ErrorBody),
    )
)]
pub(super) async fn send(
    State(state): State<AppState>,
    Params(message): Params<Message>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let from = match message.id.zip(message.password) {
        Some(both) if !headers.contains_key(AUTHORIZATION) => both,
        _ => sender(&headers)?,
    };
    let topic = topic_of(message.topic.as_deref().unwrap_or_default())?;
    take(&state, from, topic, body).await
}

/// Sends a weather station's observation
///
/// As Weather Underground takes it: the fields of the address are a form, which the profile of the topic reads. Answered by
/// `success` once it is durable, or kept as a dead letter.
#[utoipa::path(
    get, path = "/weatherstation/updateweatherstation.php", tag = "operation",
    operation_id = "send_observation", summary = "Send a weather station's observation", security(()), params(Observation),
    responses(
        (status = OK, description = "It is durable, or a dead letter that harms nobody", body = String, content_type = "text/plain"),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, description = "The topic is somebody else's", body = ErrorBody),
        (status = UNPROCESSABLE_ENTITY, description = "It could not be read", body = ErrorBody),
    )
)]
pub(super) async fn observe(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<&'static str, ApiError> {
    let said = Said::of(query.as_deref().unwrap_or_default());
    let from = said.from.ok_or_else(ApiError::unauthenticated)?;
    let topic = topic_of(said.topic.as_deref().unwrap_or(STATION_TOPIC))?;
    take(&state, from, topic, said.form.into()).await?;
    Ok(TAKEN)
}

/// What stands in the address of an observation.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    from: Option<(String, String)>,
    topic: Option<String>,
    /// Everything else, as a form: nobody's password goes on from here.
    form: String,
}

impl Said {
    fn of(query: &str) -> Self {
        let (mut id, mut password, mut topic) = (None, None, None);
        let mut form = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.to_ascii_lowercase().as_str() {
                "id" => id = Some(value.into_owned()),
                "password" => password = Some(value.into_owned()),
                "topic" => topic = Some(value.into_owned()),
                _ => {
                    form.append_pair(&name, &value);
                }
            }
        }
        Self {
            from: id.zip(password),
            topic,
            form: form.finish(),
        }
    }
}

fn topic_of(topic: &str) -> Result<&str, ApiError> {
    let is_topic =
        (1..=MAX_TOPIC_BYTES).contains(&topic.len()) && !topic.contains(['+', '#', '\0']);
    is_topic
        .then_some(topic)
        .ok_or_else(|| ApiError::field("topic", "topic", Text::IntakeTopic))
}

/// Writes lines
///
/// InfluxDB's line protocol, as Telegraf and many devices speak it; organisation and bucket are passed over. It is a message on
/// `telegraf/http/write`.
#[utoipa::path(
    post, path = "/api/v2/write", tag = "operation",
    operation_id = "write_lines", summary = "Write lines", security(()), params(Lines),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = NO_CONTENT, description = "They are durable, or a dead letter that harms nobody"),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, body = ErrorBody),
        (status = UNPROCESSABLE_ENTITY, description = "They could not be read", body = ErrorBody),
    )
)]
pub(super) async fn write(
    State(state): State<AppState>,
    Params(lines): Params<Lines>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let from = sender(&headers)?;
    if lines.precision.is_some_and(|p| p != "ns") {
        return Err(ApiError::field(
            "precision",
            "precision",
            Text::IntakePrecision,
        ));
    }
    take(&state, from, LINES_TOPIC, body).await
}

fn sender(headers: &HeaderMap) -> Result<(String, String), ApiError> {
    let header = headers.get(AUTHORIZATION).and_then(|h| h.to_str().ok());
    { header.and_then(credentials) }.ok_or_else(ApiError::unauthenticated)
}

async fn take(
    state: &AppState,
    (name, secret): (String, String),
    topic: &str,
    payload: Bytes,
) -> Result<StatusCode, ApiError> {
    let unread = state.take_message(&name, secret.as_bytes(), topic, payload);
    match unread.await? {
        0 => Ok(StatusCode::NO_CONTENT),
        _ => Err(ApiError::field("", "unread", Text::IntakeUnread)),
    }
}

/// Who a message says that it is from, in its header or its address.
pub(crate) fn sender_of(header: Option<&str>, query: Option<&str>) -> Option<String> {
    let (name, _) = match header {
        Some(header) => credentials(header)?,
        None => Said::of(query?).from?,
    };
    Some(name)
}

/// Name and secret, as they are sent.
fn credentials(header: &str) -> Option<(String, String)> {
    let (scheme, said) = header.split_once(' ')?;
    let said = match scheme.to_ascii_lowercase().as_str() {
        "basic" => String::from_utf8(STANDARD.decode(said.trim()).ok()?).ok()?,
        "token" | "bearer" => said.trim().to_owned(),
        _ => return None,
    };
    // A MAC may be written with colons: the last one parts it from the secret, which has none.
    let (name, secret) = said.rsplit_once(':')?;
    Some((name.to_owned(), secret.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobodys_password_is_in_the_form() {
        let said =
            Said::of("ID=A0&PASSWORD=s%261&tempf=70.5&dateutc=2000-01-01+10%3A32%3A35&Password=s1");
        assert_eq!(said.from, Some(("A0".to_owned(), "s1".to_owned())));
        assert_eq!(said.form, "tempf=70.5&dateutc=2000-01-01+10%3A32%3A35");
        assert_eq!(Said::of("ID=A0&tempf=1").from, None);
    }

    #[test]
    fn credentials_come_in_three_ways() {
        let of = |text: &str| credentials(text);
        let both = |name: &str, secret: &str| Some((name.to_owned(), secret.to_owned()));
        assert_eq!(of("Basic QTA6czE="), both("A0", "s1"));
        assert_eq!(
            of("Token A4:CF:12:00:00:01:s1"),
            both("A4:CF:12:00:00:01", "s1")
        );
        assert_eq!(of("bearer A0:s1"), both("A0", "s1"));
        for none in ["", "Basic", "Basic ???", "Token A0", "Digest A0:s1"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
