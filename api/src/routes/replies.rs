//! Where people's answers to messages come in by SMS and WhatsApp, and Twilio's and MSG91's receipts. Nobody signs in here: what
//! is not shown to come from the gateway is refused, and an answer counts only from the verified contact that was told.

use axum::body::Bytes;
use axum::extract::{OriginalUri, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::answer_words::{Said, label, read};
use super::answers::{all_shown, carry, language};
use crate::access::{Answering, AppState};
use crate::delivery::receipts::NotTaken;
use crate::delivery::replies::{self, FromTwilio, Reply};
use crate::delivery::{Channel, escaped};
use crate::error::{ApiError, ErrorBody, Params};
use crate::records::now_ms;
use crate::routes::answer_words::Asked;

/// So many alerts are named in what is said back to a reply; of the others their number.
const MAX_NAMED: usize = 5;

/// By which word MSG91 is known.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Word {
    /// HMAC-SHA256 of `harit receipts` under the auth key, in hex.
    token: Option<String>,
}

fn counted(channel: Channel, result: &'static str) {
    metrics::counter!("harit_receipts_total", "channel" => channel.as_str(), "result" => result)
        .increment(1);
}

fn answered(channel: Channel, result: &'static str) {
    metrics::counter!("harit_answers_total", "way" => channel.as_str(), "result" => result)
        .increment(1);
}

fn not_taken(why: NotTaken) -> ApiError {
    match why {
        NotTaken::Forged => {
            counted(Channel::Sms, "forged");
            ApiError::not_found()
        }
        NotTaken::Unreadable => {
            counted(Channel::Sms, "unreadable");
            ApiError::bad_json()
        }
    }
}

/// What is answered in words to a reply.
fn words(
    answering: &Answering,
    asked: &Asked,
    said: Result<Said, ApiError>,
) -> Result<String, ApiError> {
    let language = language(answering);
    let said = match said {
        Ok(said) => said,
        Err(error) => match error.code() {
            "incident_over" => Said::Over,
            "not_permitted" => Said::NotYours,
            _ => return Err(error),
        },
    };
    Ok(match (said, asked) {
        (Said::Answered, Asked::Answer(kind)) => label(language, *kind).to_owned(),
        (said, Asked::Off(device)) => format!("{device}: {}", said.say(language)),
        (said, Asked::Answer(_)) => said.say(language).to_owned(),
    })
}

/// Does what somebody answered, or has the server of their farm do it, once; what is said to them, if it is known who they are.
pub(super) async fn take_reply(
    state: &AppState,
    channel: Channel,
    reply: &Reply,
) -> Result<Option<String>, ApiError> {
    let Some(answering) = answering(state, channel, reply).await? else {
        return Ok(None);
    };
    let farm = answering.access.farm();
    match state.elsewhere(farm) {
        Some(elsewhere) => elsewhere.reply(farm, channel, reply).await,
        None => carried(state, channel, reply, &answering).await.map(Some),
    }
}

/// The same of what another server passed on.
pub(crate) async fn take_passed_reply(
    state: &AppState,
    channel: Channel,
    reply: &Reply,
) -> Result<Option<String>, ApiError> {
    match answering(state, channel, reply).await? {
        Some(answering) if state.has(answering.access.farm()) => {
            carried(state, channel, reply, &answering).await.map(Some)
        }
        Some(_) => Err(ApiError::unavailable()),
        None => Ok(None),
    }
}

/// Who answered, if that is known and was not done before.
async fn answering(
    state: &AppState,
    channel: Channel,
    reply: &Reply,
) -> Result<Option<Answering>, ApiError> {
    if state.is_known_reply(channel, &reply.id).await? {
        answered(channel, "replayed");
        return Ok(None);
    }
    let to = reply.to.as_deref();
    match state.answering_by_reply(channel, &reply.from, to).await {
        Ok(Some(answering)) => Ok(Some(answering)),
        Ok(None) => {
            answered(channel, "unknown");
            Ok(None)
        }
        Err(error) if error.code() == "not_found" => {
            answered(channel, "gone");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Does it; what is said to who answered.
async fn carried(
    state: &AppState,
    channel: Channel,
    reply: &Reply,
    answering: &Answering,
) -> Result<String, ApiError> {
    let text = match read(&reply.text) {
        Some(asked) => {
            let said = carry(answering, &asked, None).await;
            words(answering, &asked, said)?
        }
        None => {
            answered(channel, "unread");
            Said::WhichWords.say(language(answering)).to_owned()
        }
    };
    state.know_reply(channel, &reply.id, now_ms()).await?;
    let names = names(answering).await?;
    Ok(format!("{names}: {text}"))
}

/// What the alerts are called that were answered, so that nobody believes to have answered another.
async fn names(answering: &Answering) -> Result<String, ApiError> {
    let all = all_shown(answering).await?;
    let open: Vec<&str> = { all.iter() }
        .filter(|s| !s.is_over || all.len() == 1)
        .map(|s| s.watch.name.as_str())
        .collect();
    let (first, more) = open.split_at(open.len().min(MAX_NAMED));
    let mut text = first.join(", ");
    if !more.is_empty() {
        text.push_str(&format!(" +{}", more.len()));
    }
    Ok(text)
}

fn twiml(text: Option<&str>) -> Response {
    let message = text.map_or_else(String::new, |text| {
        format!("<Message>{}</Message>", escaped(text))
    });
    let body = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response>{message}</Response>");
    let kind = HeaderValue::from_static("text/xml; charset=utf-8");
    (StatusCode::OK, [(CONTENT_TYPE, kind)], body).into_response()
}

/// Takes Twilio's receipts and what people answer by SMS
///
/// What is not signed with the auth token is refused. An answer is one of the words of a message: 1 on it, 2 seen, 3 later, 4 false
/// alarm, `off` and a device's name. It counts for the alert that its number was told last, and what was done is said back.
#[utoipa::path(
    post, path = "/hooks/twilio", tag = "operation", operation_id = "take_twilio", summary = "Take what Twilio sends", security(()),
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = OK, body = String, content_type = "text/xml"),
        (status = NOT_FOUND, description = "Twilio is not set, or it is not signed by it", body = ErrorBody),
    )
)]
pub(super) async fn twilio(
    State(state): State<AppState>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let config = state.config().delivery.sms.as_ref();
    let config = config.ok_or_else(ApiError::not_found)?;
    let home = state.config().public_url.as_deref().unwrap_or_default();
    let path = uri.path_and_query().map_or("", |p| p.as_str());
    let url = format!("{}{path}", home.trim_end_matches('/'));
    let signature = headers.get("x-twilio-signature");
    let signature = signature.and_then(|h| h.to_str().ok()).unwrap_or("");
    let body = std::str::from_utf8(&body).map_err(|_| ApiError::bad_json())?;
    match replies::twilio(config, &url, signature, body).map_err(not_taken)? {
        FromTwilio::Receipt(receipt) => {
            let is_news = state.take_receipt(Channel::Sms, &receipt, now_ms()).await?;
            counted(Channel::Sms, if is_news { "taken" } else { "replayed" });
            Ok(twiml(None))
        }
        FromTwilio::Reply(reply) => {
            let text = take_reply(&state, Channel::Sms, &reply).await?;
            Ok(twiml(text.as_deref()))
        }
        FromTwilio::Nothing => Ok(twiml(None)),
    }
}

/// Takes MSG91's receipts
///
/// MSG91 signs nothing: its address carries a word that follows from the auth key, and without it nothing is read.
#[utoipa::path(
    post, path = "/hooks/msg91", tag = "operation", operation_id = "take_sms_receipts", summary = "Take MSG91's receipts", security(()),
    params(Word),
    request_body(content = String, content_type = "application/json"),
    responses(
        (status = NO_CONTENT),
        (status = NOT_FOUND, description = "MSG91 is not set, or the word is wrong", body = ErrorBody),
    )
)]
pub(super) async fn msg91(
    State(state): State<AppState>,
    Params(word): Params<Word>,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let config = state.config().delivery.sms.as_ref();
    let config = config.ok_or_else(ApiError::not_found)?;
    let body = std::str::from_utf8(&body).map_err(|_| ApiError::bad_json())?;
    let word = word.token.unwrap_or_default();
    for receipt in replies::msg91(config, &word, body).map_err(not_taken)? {
        let is_news = state.take_receipt(Channel::Sms, &receipt, now_ms()).await?;
        counted(Channel::Sms, if is_news { "taken" } else { "replayed" });
    }
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_said_back_is_no_markup() {
        let response = twiml(Some("<Hot> & dry: seen"));
        let bytes = axum::body::to_bytes(response.into_body(), 1_000).await;
        let text = String::from_utf8(bytes.expect("a body").to_vec()).expect("text");
        assert!(
            text.contains("<Message>&lt;Hot&gt; &amp; dry: seen</Message>"),
            "{text}"
        );
    }
}
