//! Manual control: a person's command, and the life of every command.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use harit_engine::{
    DeviceId, DeviceSpec, Engine, Event, EventKind, Manual, ManualKind, Owner, Quantity,
    RefuseReason, Timestamp,
};
use harit_ingest::sleeping::WHEN_IT_WAKES;
use harit_ingest::{CommandFilter, CommandLife, CommandState, Urged};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};

use super::command_request::{CommandRequest, manual};
use crate::access::{Asked, FarmAccess, Needs, ReadFarm, SendCommands};
use crate::audit::Action;
use crate::error::{ApiError, ErrorBody, Item, Params};
use crate::language::{Language, Text, given_back, lease_text};

/// How long a request waits for the controller's ack; what takes longer is answered as pending.
const ACK_WAIT: Duration = Duration::from_secs(3);
/// The most commands of one listing.
const MAX_LISTED: usize = 500;
/// The longest pulse, in seconds.
const MAX_PULSE_SEC: i64 = 60;

/// What became of a command at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CommandResultStatus)]
pub(super) enum ResultStatus {
    /// The controller accepted it.
    Ack,
    /// It was refused, by the server or the controller.
    Failure,
    /// The controller has not answered yet; GET the command to see how it goes on.
    Pending,
}

/// What became of a command at once.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CommandResult)]
pub(super) struct CommandResult {
    pub(super) status: ResultStatus,
    /// In the caller's language where the server says it.
    #[schema(required)]
    message: Option<String>,
    /// Null when no command was made.
    #[schema(required)]
    command_id: Option<String>,
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CommandState)]
pub(crate) enum StateBody {
    /// Decided, and not yet with the controller.
    Queued,
    /// Published to the controller.
    Sent,
    /// The controller accepted it.
    Acked,
    /// The reported state matches it.
    Confirmed,
    /// The controller refused it.
    Failed,
    /// No ack came in time.
    TimedOut,
    /// A newer command for the device went out first.
    Superseded,
}

impl From<CommandState> for StateBody {
    fn from(state: CommandState) -> Self {
        match state {
            CommandState::Queued => Self::Queued,
            CommandState::Sent => Self::Sent,
            CommandState::Acked => Self::Acked,
            CommandState::Confirmed => Self::Confirmed,
            CommandState::Failed => Self::Failed,
            CommandState::TimedOut => Self::TimedOut,
            CommandState::Superseded => Self::Superseded,
        }
    }
}

impl From<StateBody> for CommandState {
    fn from(state: StateBody) -> Self {
        match state {
            StateBody::Queued => Self::Queued,
            StateBody::Sent => Self::Sent,
            StateBody::Acked => Self::Acked,
            StateBody::Confirmed => Self::Confirmed,
            StateBody::Failed => Self::Failed,
            StateBody::TimedOut => Self::TimedOut,
            StateBody::Superseded => Self::Superseded,
        }
    }
}

/// A command and what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Command)]
pub(crate) struct CommandBody {
    command_id: String,
    device_id: String,
    /// on, off, set_speed, set_position, set_flow_rate, pulse or release.
    action: String,
    /// The setting's value, or a pulse's seconds.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// A rule's id, or rest, manual, lock, safety, max_on, limit, stop, corrected.
    cause: String,
    /// The person behind it.
    #[schema(required)]
    owner: Option<OwnerBody>,
    /// When it was decided.
    at: i64,
    /// Until when the manual mode lasts that it belongs to.
    #[schema(required)]
    until: Option<i64>,
    state: StateBody,
    changed_at: i64,
    /// How often it was published.
    attempts: u32,
    /// What the controller said, or why it was given up.
    #[schema(required)]
    message: Option<String>,
}

/// Who gave a command.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CommandOwner)]
struct OwnerBody {
    user_id: String,
    name: String,
    #[schema(required)]
    reason: Option<String>,
}

impl From<&CommandLife> for CommandBody {
    fn from(life: &CommandLife) -> Self {
        let owner = |o: &Owner| OwnerBody {
            user_id: o.user_id.to_string(),
            name: o.name.to_string(),
            reason: o.reason.as_deref().map(str::to_owned),
        };
        Self {
            command_id: life.command_id.clone(),
            device_id: life.device.to_string(),
            action: life.action.clone(),
            value: life.value,
            cause: life.cause.clone(),
            owner: life.owner.as_ref().map(owner),
            at: life.at.as_millis(),
            until: life.until.map(Timestamp::as_millis),
            state: life.state.into(),
            changed_at: life.changed_at.as_millis(),
            attempts: life.attempts,
            message: life.message.clone(),
        }
    }
}

/// Which commands to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CommandQuery {
    /// Of this device only.
    device: Option<String>,
    /// In this state only.
    #[param(inline)]
    state: Option<StateBody>,
    /// Decided at or after this instant.
    from: Option<i64>,
    /// Decided before this instant.
    to: Option<i64>,
    /// At most so many: 1 to 500, 100 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
}

/// Commands a device
///
/// Answers when the controller has answered, or after 3 s with `pending`. What the engine refuses (the device is offline,
/// locked, in safety mode; the command makes no sense) is a `failure` with the reason, not an HTTP error. At most 30 a minute
/// for a device; `off` and `release` are not limited.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/commands", tag = "automation",
    operation_id = "send_command", summary = "Send a command", request_body = CommandRequest,
    responses(
        (status = OK, body = CommandResult),
        (status = NOT_FOUND, description = "No such farm or device", body = ErrorBody),
    )
)]
pub(super) async fn send(
    headers: HeaderMap,
    Asked { access, body }: Asked<SendCommands, CommandRequest>,
) -> Result<Json<CommandResult>, ApiError> {
    carry_out(&access, &headers, body).await
}

/// Gives a device a person's command, and waits a while for its controller's answer.
pub(super) async fn carry_out<N: Needs>(
    access: &FarmAccess<N>,
    headers: &HeaderMap,
    request: CommandRequest,
) -> Result<Json<CommandResult>, ApiError> {
    let stops = request.stops();
    let hub = access.hub();
    let device_id = request.device_id.clone();
    let spec = hub
        .read(move |engine: &Engine| engine.device(&device_id).map(|d| d.spec))
        .await?;
    let spec = spec.ok_or_else(ApiError::not_found)?;
    let manual = manual(access, request, spec.device_type)?;
    let device = manual.device.clone();
    let language = Language::of(headers);
    if let Some(text) = no_pulse(&manual, &spec) {
        return Ok(Json(CommandResult {
            status: ResultStatus::Failure,
            message: Some(text.say(language).to_owned()),
            command_id: None,
        }));
    }
    // whoever stops a device is never told to wait
    if !stops {
        access.count_command(&device)?;
    }
    let asked = json!({"type": manual.kind, "action": manual.action, "value": manual.value, "durationSec": manual.duration_sec,
        "reason": manual.owner.as_ref().and_then(|o| o.reason.clone())});
    let released = manual.kind == ManualKind::Release;
    // before the command is given, so that a quick ack is not missed
    let mut live = hub.live();
    let events = match hub.command_by_hand(manual).await? {
        Urged::Recorded(events) => events,
        // off was sent, and what follows from it waits until it can be written down
        Urged::Sent(_) => {
            return Ok(Json(CommandResult {
                status: ResultStatus::Pending,
                message: None,
                command_id: None,
            }));
        }
    };
    access.audit(Action::Command, device.as_str(), asked).await;
    let id = match outcome(&events, &device) {
        Outcome::Command(id) => id,
        Outcome::Refused(reason) => {
            let asked = device.to_string();
            let locks = hub.read(move |engine| engine.device(&asked).map(|d| d.locks));
            let locks = locks.await?.unwrap_or_default();
            let lease = locks.iter().find_map(|l| lease_text(&l.reason));
            let lease = lease.filter(|_| reason == RefuseReason::Locked);
            let text = lease.unwrap_or_else(|| refusal(reason));
            return Ok(Json(CommandResult {
                status: ResultStatus::Failure,
                message: Some(text.say(language).to_owned()),
                command_id: None,
            }));
        }
        // the engine obeyed without having to send anything
        Outcome::Nothing => {
            return Ok(Json(CommandResult {
                status: ResultStatus::Ack,
                message: None,
                command_id: None,
            }));
        }
    };
    let answered = async {
        if let Ok(Some(life)) = hub.command(&id).await
            && !life.state.is_open()
        {
            return Some(life);
        }
        while let Some(life) = live.next_command().await {
            if life.command_id == id && !life.state.is_open() {
                return Some(life);
            }
        }
        None
    };
    let life = timeout(ACK_WAIT, answered).await.ok().flatten();
    let mut result = result(life, id, language);
    if released && result.status == ResultStatus::Ack {
        let asked = device.to_string();
        let wanted = hub.read(move |engine| engine.device(&asked).map(|d| d.desired));
        result.message = wanted.await?.map(|wanted| given_back(language, wanted));
    }
    Ok(Json(result))
}

/// Why a pulse makes no sense, and what does instead.
fn no_pulse(manual: &Manual, spec: &DeviceSpec) -> Option<Text> {
    if manual.kind != ManualKind::Pulse {
        return None;
    }
    // a controller that does not say what its device can do may know pulses
    let known = spec.supported_actions.as_array().filter(|a| !a.is_empty());
    if known.is_some_and(|all| all.iter().all(|a| a["action"] != "pulse")) {
        return Some(Text::PulseUnsupported);
    }
    let longest = Quantity::from_units(MAX_PULSE_SEC);
    let fits = |secs: Quantity| secs > Quantity::default() && secs <= longest;
    (!manual.value.is_some_and(fits)).then_some(Text::PulseLength)
}

enum Outcome {
    Command(String),
    Refused(RefuseReason),
    Nothing,
}

/// What the engine made of a manual command: the first thing that it said of the device by the person's cause.
fn outcome(events: &[Event], device: &DeviceId) -> Outcome {
    for event in events {
        match &event.kind {
            EventKind::Command(c) if c.device() == device && c.cause().as_str() == "manual" => {
                return Outcome::Command(c.id().to_string());
            }
            EventKind::CommandRefused { device: d, reason } if d == device => {
                return Outcome::Refused(*reason);
            }
            _ => {}
        }
    }
    Outcome::Nothing
}

const fn refusal(reason: RefuseReason) -> Text {
    match reason {
        RefuseReason::Invalid => Text::CommandInvalid,
        RefuseReason::Offline => Text::DeviceOffline,
        RefuseReason::Locked => Text::DeviceLocked,
        RefuseReason::Safety => Text::SafetyMode,
        RefuseReason::MaxOn => Text::PulseLimit,
        RefuseReason::MinOff => Text::LimitMinOff,
        RefuseReason::Starts => Text::LimitStarts,
        RefuseReason::Group => Text::LimitGroup,
        RefuseReason::Needs => Text::LimitNeeds,
        RefuseReason::Budget => Text::LimitBudget,
        RefuseReason::Hours => Text::LimitHours,
    }
}

fn result(life: Option<CommandLife>, id: String, language: Language) -> CommandResult {
    let Some(life) = life else {
        return CommandResult {
            status: ResultStatus::Pending,
            message: None,
            command_id: Some(id),
        };
    };
    let (status, message) = match life.state {
        CommandState::Acked | CommandState::Confirmed => {
            let waits = life.message.as_deref() == Some(WHEN_IT_WAKES);
            let waits = waits.then(|| Text::SentWhenItWakes.say(language).to_owned());
            (ResultStatus::Ack, waits.or(life.message))
        }
        CommandState::TimedOut => (
            ResultStatus::Failure,
            Some(Text::CommandTimedOut.say(language).to_owned()),
        ),
        CommandState::Failed => {
            let lease = life.message.as_deref().and_then(lease_text);
            let lease = lease.map(|text| text.say(language).to_owned());
            let said = lease.or_else(|| life.message.filter(|m| !m.is_empty()));
            (
                ResultStatus::Failure,
                Some(said.unwrap_or_else(|| Text::CommandFailed.say(language).to_owned())),
            )
        }
        CommandState::Superseded | CommandState::Queued | CommandState::Sent => {
            (ResultStatus::Pending, life.message)
        }
    };
    CommandResult {
        status,
        message,
        command_id: Some(id),
    }
}

/// Says that the latest may be missing from a listing, and why.
const INCOMPLETE: HeaderName = HeaderName::from_static("harit-incomplete");

/// The commands
///
/// Newest first.
/// While the history cannot be written the latest may be missing; then the answer has the header `harit-incomplete: history`.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/commands", tag = "automation",
    operation_id = "list_commands", summary = "List commands", params(CommandQuery),
    responses((status = OK, body = Vec<CommandBody>))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
    Params(query): Params<CommandQuery>,
) -> Result<(HeaderMap, Json<Vec<CommandBody>>), ApiError> {
    let filter = CommandFilter {
        device: query.device.map(DeviceId::new),
        state: query.state.map(CommandState::from),
        from: query.from.map(Timestamp::from_millis),
        to: query.to.map(Timestamp::from_millis),
        limit: query.limit.unwrap_or(100).clamp(1, MAX_LISTED),
    };
    let found = access.hub().commands(filter).await?;
    let mut headers = HeaderMap::new();
    if found.incomplete {
        headers.insert(INCOMPLETE, HeaderValue::from_static("history"));
    }
    let bodies = found.items.iter().map(CommandBody::from).collect();
    Ok((headers, Json(bodies)))
}

/// A command
///
/// With what became of it.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/commands/{commandId}", tag = "automation",
    operation_id = "get_command", summary = "Get a command",
    responses((status = OK, body = CommandBody))
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<Json<CommandBody>, ApiError> {
    let life = access
        .hub()
        .command(&id)
        .await?
        .ok_or_else(ApiError::not_found)?;
    Ok(Json(CommandBody::from(&life)))
}
