//! Answering from a message: the small page of its link, without a sign-in and without a script. Looking at it changes nothing,
//! so that what mail programs and chats fetch by themselves answers nothing.

use axum::Form;
use axum::extract::State;
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use harit_engine::{Engine, ScopeSpec, Setting};
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer_page::{Device, Page, notice, page as write_page};
use super::answer_words::{Asked, SNOOZE_MIN, Said};
use super::client::Client;
use super::command_request::{Ask, CommandRequest};
use super::commands::{ResultStatus, carry_out};
use super::incident_answer::AnswerRequest;
use super::incident_remedy::Houses;
use super::incidents::{Shown, give, shown};
use crate::access::{Answering, AppState, NoAnswer, QuietAlerts, SendCommands};
use crate::error::{ApiError, Item};
use crate::incidents::AnswerKind;
use crate::language::Language;
use crate::records::BadLink;

/// How long a device stays off that is switched off from a message, in seconds.
const OFF_SEC: i64 = 3_600;
/// The most devices that a page offers.
const MAX_DEVICES: usize = 8;

/// What a page sends.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = MessageAnswer)]
pub(super) struct AnswerForm {
    /// on_it, acknowledge, snooze, false_alarm, or off for a device.
    what: String,
    /// Which device.
    #[serde(default)]
    device: String,
    /// How many answers there were when the page was shown: a page that is older answers nothing.
    seen: usize,
}

fn counted(way: &str, result: &'static str) {
    metrics::counter!("harit_answers_total", "way" => way.to_owned(), "result" => result)
        .increment(1);
}

/// The language of whoever answers.
pub(super) fn language(answering: &Answering) -> Language {
    let user = answering.access.user();
    Language::parse(&user.language).unwrap_or_default()
}

/// Headers by which what is said of a command is said in a language.
fn in_language(language: Language) -> HeaderMap {
    let language = HeaderValue::from_static(language.as_str());
    HeaderMap::from_iter([(ACCEPT_LANGUAGE, language)])
}

/// The devices of the alerts' places that are on and that the person may switch off.
async fn devices(answering: &Answering, shown: &[Shown]) -> Result<Vec<Device>, ApiError> {
    let access = &answering.access;
    let given = if access.may::<SendCommands>() {
        None
    } else {
        Some(access.records().grants(&access.user().id).await?.devices)
    };
    let open = shown.iter().filter(|s| !s.is_over);
    let scopes: Vec<Option<ScopeSpec>> = open.map(|s| s.watch.scope.clone()).collect();
    if scopes.is_empty() {
        return Ok(Vec::new());
    }
    let question = move |engine: &Engine| {
        let houses = Houses::of(engine);
        let house = |s: &Option<ScopeSpec>| s.as_ref().and_then(|s| houses.of_scope(s));
        let wanted: Vec<_> = scopes.iter().map(house).collect();
        let is_there = |d: &harit_engine::DeviceStatus| {
            let its = houses.of_scope(&d.spec.scope);
            wanted.iter().any(|house| house.is_none() || *house == its)
        };
        let is_on =
            |d: &harit_engine::DeviceStatus| d.online && d.last_sent.is_some_and(Setting::is_on);
        let all = engine.devices().filter(|d| is_there(d) && is_on(d));
        let device = |d: harit_engine::DeviceStatus| Device {
            name: super::devices::name(&d.spec),
            id: d.spec.id.to_string(),
        };
        all.map(device).collect::<Vec<_>>()
    };
    let mut all = access.hub().read(question).await?;
    all.retain(|d| given.as_ref().is_none_or(|ids| ids.contains(&d.id)));
    all.truncate(MAX_DEVICES);
    Ok(all)
}

/// Gives an answer, or switches a device off; what is said of it.
pub(super) async fn carry(
    answering: &Answering,
    asked: &Asked,
    seen: Option<usize>,
) -> Result<Said, ApiError> {
    let way = answering.told.channel.as_str();
    let result = match asked {
        Asked::Answer(kind) => give_all(answering, *kind, seen).await,
        Asked::Off(device) => off(answering, device).await,
    };
    match &result {
        Ok(_) => counted(way, "taken"),
        Err(error) => counted(
            way,
            match error.code() {
                "answered_meanwhile" => "replayed",
                "incident_over" => "over",
                _ => "refused",
            },
        ),
    }
    result
}

/// The incidents that a message told, in its order.
pub(super) async fn all_shown(answering: &Answering) -> Result<Vec<Shown>, ApiError> {
    let mut all = Vec::new();
    for incident in &answering.told.incidents {
        all.push(shown(&answering.access, incident).await?);
    }
    Ok(all)
}

/// How many answers there are to what a message told.
fn answers(shown: &[Shown]) -> usize {
    shown.iter().map(|s| s.answers.len()).sum()
}

/// Answers every incident that a message told and that is not over; where somebody saw so many answers to them before, only if
/// there are no more.
async fn give_all(
    answering: &Answering,
    kind: AnswerKind,
    seen: Option<usize>,
) -> Result<Said, ApiError> {
    let Answering { access, told } = answering;
    let all = all_shown(answering).await?;
    if seen.is_some_and(|seen| seen != answers(&all)) {
        return Err(ApiError::answered_meanwhile());
    }
    let minutes = (kind == AnswerKind::Snooze).then_some(SNOOZE_MIN);
    let request = AnswerRequest::of(kind, minutes);
    let open = all.iter().zip(&told.incidents).filter(|(s, _)| !s.is_over);
    let mut result = None;
    for (shown, incident) in open {
        // what a page showed is held to each: nobody answers what was answered since
        let seen = seen.map(|_| shown.answers.len());
        let way = Some(told.channel);
        match give(access, &incident.to_string(), &request, way, seen).await {
            Ok(_) => result = Some(Ok(Said::Answered)),
            // it was over, or answered, a moment ago: the others are not
            Err(error) if result.is_none() => result = Some(Err(error)),
            Err(_) => {}
        }
    }
    match (result, told.incidents.first()) {
        (Some(result), _) => result,
        // all is over: it is said how
        (None, Some(first)) => {
            let given = give(
                access,
                &first.to_string(),
                &request,
                Some(told.channel),
                None,
            )
            .await;
            given.map(|_| Said::Answered)
        }
        (None, None) => Err(ApiError::not_found()),
    }
}

/// Switches off what stands by that id or name in the place of the incident, if it is on.
async fn off(answering: &Answering, wanted: &str) -> Result<Said, ApiError> {
    let all = devices(answering, &all_shown(answering).await?).await?;
    let wanted = wanted.to_lowercase();
    let is = |d: &&Device| d.id == wanted || d.name.to_lowercase() == wanted;
    let mut found = all.iter().filter(is);
    // of two of a name neither
    let (Some(device), None) = (found.next(), found.next()) else {
        return Ok(Said::NoSuchDevice);
    };
    let command = CommandRequest::of(device.id.clone(), Ask::Off, Some(OFF_SEC));
    let headers = in_language(language(answering));
    let result = carry_out(&answering.access, &headers, command).await?;
    Ok(match result.0.status {
        ResultStatus::Ack => Said::Off,
        ResultStatus::Pending => Said::Waits,
        ResultStatus::Failure => Said::Refused,
    })
}

fn html(status: StatusCode, text: String) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(CONTENT_TYPE, kind)], text).into_response()
}

/// The page of a link that leads nowhere; it says nothing of any farm.
fn refused(state: &AppState, why: NoAnswer, headers: &HeaderMap) -> Result<Response, ApiError> {
    let language = Language::of(headers);
    let home = state.config().public_url.as_deref();
    let (status, said, result) = match why {
        NoAnswer::Link(bad @ BadLink::Expired) => (StatusCode::GONE, Said::Expired, bad.as_str()),
        NoAnswer::Link(bad) => (StatusCode::NOT_FOUND, Said::BadLink, bad.as_str()),
        // who was told belongs to the farm no more
        NoAnswer::Failed(e) if e.code() == "not_found" => {
            (StatusCode::NOT_FOUND, Said::BadLink, "gone")
        }
        NoAnswer::Failed(error) => return Err(error),
    };
    counted("LINK", result);
    Ok(html(status, notice(language, said, home)))
}

async fn show(
    state: &AppState,
    answering: &Answering,
    said: Option<Said>,
) -> Result<String, ApiError> {
    let access = &answering.access;
    let shown = all_shown(answering).await?;
    let devices = devices(answering, &shown).await?;
    let home = state.config().public_url.as_deref();
    Ok(write_page(&Page {
        language: language(answering),
        incidents: &answering.told.incidents,
        shown: &shown,
        seen: answers(&shown),
        may_quiet: access.may::<QuietAlerts>(),
        devices: &devices,
        said,
        home,
    }))
}

/// The page of a message's link
///
/// Shows the alerts that the message told, in the language of whom it was sent to, and what can be answered. It changes nothing.
/// 404 for a link that this server did not make, whose message is gone, or whose contact or membership is the person's no
/// longer; 410 once its day is over.
#[utoipa::path(
    get, path = "/a/{token}", tag = "notifications", operation_id = "get_message_page", summary = "Show a message's page",
    security(()),
    responses(
        (status = OK, body = String, content_type = "text/html"),
        (status = NOT_FOUND, body = String, content_type = "text/html"),
        (status = GONE, body = String, content_type = "text/html"),
    )
)]
pub(super) async fn page(
    State(state): State<AppState>,
    Item(token): Item,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let address = client.origin().address.map(str::to_owned);
    let answering = state.answering_by_link(&token, &Method::GET, address).await;
    match answering {
        Ok(answering) => Ok(html(StatusCode::OK, show(&state, &answering, None).await?)),
        Err(why) => refused(&state, why, &headers),
    }
}

/// Answers from a message's page
///
/// An answer is to every alert that the message told and that is not over.
/// `on_it` for whoever was told; `acknowledge`, `snooze` (1 h) and `false_alarm` by role, as in the console; `off` switches a
/// device of the place off for 1 h. Nothing can be switched on. 409 where somebody answered since the page was shown.
#[utoipa::path(
    post, path = "/a/{token}", tag = "notifications", operation_id = "answer_message", summary = "Answer from a message's page",
    security(()),
    request_body(content = AnswerForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = SEE_OTHER, description = "Done: the page shows how it stands"),
        (status = OK, body = String, content_type = "text/html"),
        (status = FORBIDDEN, body = String, content_type = "text/html"),
        (status = NOT_FOUND, body = String, content_type = "text/html"),
        (status = CONFLICT, body = String, content_type = "text/html"),
        (status = GONE, body = String, content_type = "text/html"),
    )
)]
pub(super) async fn answer(
    State(state): State<AppState>,
    Item(token): Item,
    client: Client,
    headers: HeaderMap,
    Form(form): Form<AnswerForm>,
) -> Result<Response, ApiError> {
    let address = client.origin().address.map(str::to_owned);
    let answering = state
        .answering_by_link(&token, &Method::POST, address)
        .await;
    let answering = match answering {
        Ok(answering) => answering,
        Err(why) => return refused(&state, why, &headers),
    };
    let asked = match form.what.as_str() {
        "on_it" => Asked::Answer(AnswerKind::OnIt),
        "acknowledge" => Asked::Answer(AnswerKind::Acknowledge),
        "snooze" => Asked::Answer(AnswerKind::Snooze),
        "false_alarm" => Asked::Answer(AnswerKind::FalseAlarm),
        "off" => Asked::Off(form.device),
        _ => return Err(ApiError::bad_json()),
    };
    match carry(&answering, &asked, Some(form.seen)).await {
        // so that going back and loading again sends nothing a second time
        Ok(Said::Answered) => {
            let there = HeaderValue::try_from(format!("/a/{token}"));
            let there = there.map_err(|_| ApiError::internal())?;
            Ok((StatusCode::SEE_OTHER, [(LOCATION, there)]).into_response())
        }
        Ok(said) => {
            let text = show(&state, &answering, Some(said)).await?;
            Ok(html(StatusCode::OK, text))
        }
        Err(error) => {
            let (status, said) = match error.code() {
                "answered_meanwhile" => (StatusCode::CONFLICT, Said::Meanwhile),
                "incident_over" => (StatusCode::CONFLICT, Said::Over),
                "not_permitted" => (StatusCode::FORBIDDEN, Said::NotYours),
                _ => return Err(error),
            };
            let text = show(&state, &answering, Some(said)).await?;
            Ok(html(status, text))
        }
    }
}
