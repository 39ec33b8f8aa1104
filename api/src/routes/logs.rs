//! The automation log: what happened, page by page.

use axum::Json;
use axum::http::HeaderMap;
use harit_engine::{Quantity, ScopeSpec, Timestamp};
use harit_ingest::log::{LogEntry, LogFilter, LogResult, LogType, Named, OrderState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::commands::StateBody;
use super::page::Page;
use crate::access::{FarmAccess, ReadFarm};
use crate::document::ScopeDocument;
use crate::error::{ApiError, ErrorBody, Params};
use crate::language::{Language, Text};
use crate::log::{failure, masked, masked_text, sentence};
use crate::role::Role;

/// The most entries of a page.
const MAX_PAGE_SIZE: u32 = 500;
/// The most characters of a text that is looked for.
const MAX_TEXT_CHARS: usize = 200;

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LogType)]
pub(super) enum TypeBody {
    /// A person's command, obeyed or refused; the end of a manual mode.
    ManualCommand,
    /// A rule fired, was blocked or stopped, and what a rule had sent.
    RuleTrigger,
    /// A rule was made, changed, deployed, switched or deleted.
    RuleDeploy,
    /// Locks and safety mode, engaged and cleared.
    SafetyOverride,
    /// A controller or a device went or came.
    DeviceOffline,
    /// All the rest: alerts, sensors, sign-ins, people, tasks, places.
    Other,
}

impl From<TypeBody> for LogType {
    fn from(t: TypeBody) -> Self {
        match t {
            TypeBody::ManualCommand => Self::ManualCommand,
            TypeBody::RuleTrigger => Self::RuleTrigger,
            TypeBody::RuleDeploy => Self::RuleDeploy,
            TypeBody::SafetyOverride => Self::SafetyOverride,
            TypeBody::DeviceOffline => Self::DeviceOffline,
            TypeBody::Other => Self::Other,
        }
    }
}

impl From<LogType> for TypeBody {
    fn from(t: LogType) -> Self {
        match t {
            LogType::ManualCommand => Self::ManualCommand,
            LogType::RuleTrigger => Self::RuleTrigger,
            LogType::RuleDeploy => Self::RuleDeploy,
            LogType::SafetyOverride => Self::SafetyOverride,
            LogType::DeviceOffline => Self::DeviceOffline,
            LogType::Other => Self::Other,
        }
    }
}

/// How it came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LogResult)]
pub(super) enum ResultBody {
    /// It was done.
    Success,
    /// It was not; `errorMessage` says why.
    Failure,
    /// The controllers have not answered yet; the entry changes when they have.
    Pending,
}

impl From<ResultBody> for LogResult {
    fn from(r: ResultBody) -> Self {
        match r {
            ResultBody::Success => Self::Success,
            ResultBody::Failure => Self::Failure,
            ResultBody::Pending => Self::Pending,
        }
    }
}

impl From<LogResult> for ResultBody {
    fn from(r: LogResult) -> Self {
        match r {
            LogResult::Success => Self::Success,
            LogResult::Failure => Self::Failure,
            LogResult::Pending => Self::Pending,
        }
    }
}

/// Which entries, and which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct LogQuery {
    /// About this only.
    #[serde(rename = "type")]
    #[param(inline)]
    log_type: Option<TypeBody>,
    /// That came out so only.
    #[param(inline)]
    result: Option<ResultBody>,
    /// With this in the name of the device, the controller or the rule, whatever the case.
    device: Option<String>,
    /// With this in the name of the user, whatever the case.
    user: Option<String>,
    /// At or after this instant.
    from: Option<i64>,
    /// At or before this instant.
    to: Option<i64>,
    /// From 1 on; 1 by default.
    #[param(minimum = 1)]
    page: Option<u32>,
    /// 1 to 500; 20 by default.
    #[param(minimum = 1, maximum = 500)]
    page_size: Option<u32>,
}

/// A page of the log.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LogPage)]
pub(super) struct LogPageBody {
    /// How many entries there are.
    total: u64,
    /// How many of them the filters find.
    matching: u64,
    page: u32,
    page_size: u32,
    /// Newest first.
    items: Vec<LogEntryBody>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// Something that happened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LogEntry)]
pub(super) struct LogEntryBody {
    id: String,
    /// Epoch milliseconds.
    timestamp: i64,
    #[serde(rename = "type")]
    log_type: TypeBody,
    /// Who did it, where it was a person.
    #[schema(required)]
    user_id: Option<String>,
    #[schema(required)]
    user_name: Option<String>,
    #[schema(required)]
    rule_id: Option<String>,
    /// The rule's name at the time.
    #[schema(required)]
    rule_name: Option<String>,
    /// The device, or the controller's MAC. Of a rule with several devices it is the first.
    #[schema(required)]
    device_id: Option<String>,
    /// The device's name at the time; a controller's of now.
    #[schema(required)]
    device_name: Option<String>,
    /// What happened, in the caller's language.
    action: String,
    /// More of it: always `kind`, a stable word for what happened, and `commands`, those that it led to with their states;
    /// besides, by kind, `reason`, `durationSec` and others.
    #[schema(value_type = DetailsBody)]
    details: Map<String, Value>,
    result: ResultBody,
    /// Why it failed, in the caller's language.
    #[schema(required)]
    error_message: Option<String>,
    /// Where, with the names of then: `path` is for people.
    #[schema(required, value_type = Option<ScopeDocument>)]
    scope: Option<ScopeSpec>,
}

/// What else there is to tell of an entry. Other fields depend on its kind.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LogDetails)]
#[allow(dead_code, reason = "the shape of a map, for clients")]
pub(super) struct DetailsBody {
    /// What happened, as a stable word: `rule_fired`, `override`, `locked`, `record`...
    kind: String,
    /// The commands that followed in the same instant.
    commands: Vec<LogCommandBody>,
    /// Why, as a word or in a person's words.
    #[schema(required = false)]
    reason: Option<String>,
    #[serde(flatten)]
    more: std::collections::BTreeMap<String, Value>,
}

/// A command that followed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LogCommand)]
pub(super) struct LogCommandBody {
    command_id: String,
    device_id: String,
    device_name: String,
    /// on, off, set_speed, set_position, set_flow_rate, pulse or release.
    action: String,
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    state: StateBody,
    /// What the controller said, or why it was given up.
    #[schema(required)]
    message: Option<String>,
}

/// The log
///
/// Newest first.
/// Device, user and rule are called by their names of then, controllers by those of now. An entry whose commands are not yet
/// answered is pending and changes later. Contacts are for OWNER and ADMIN.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/logs", tag = "automation", operation_id = "list_logs", summary = "List log entries",
    params(LogQuery),
    responses(
        (status = OK, body = LogPageBody),
        (status = UNPROCESSABLE_ENTITY, description = "No such page, or no time at all", body = ErrorBody),
    )
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
    headers: HeaderMap,
    Params(query): Params<LogQuery>,
) -> Result<Json<LogPageBody>, ApiError> {
    let page = Page::read(query.page, query.page_size, MAX_PAGE_SIZE)?;
    if query.from.zip(query.to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::field("from", "out_of_range", Text::TimeReversed));
    }
    let text = |t: Option<String>| {
        t.map(|t| t.trim().chars().take(MAX_TEXT_CHARS).collect::<String>())
            .filter(|t| !t.is_empty())
    };
    let filter = LogFilter {
        log_type: query.log_type.map(LogType::from),
        result: query.result.map(LogResult::from),
        device: text(query.device),
        controllers: Vec::new(),
        user: text(query.user),
        from: query.from.map(Timestamp::from_millis),
        to: query.to.map(Timestamp::from_millis),
        skip: page.skip(),
        take: page.size as usize,
    };
    let found = access.log(filter).await?;
    let language = Language::of(&headers);
    let reader = access.role();
    let item = |entry| body(entry, language, reader);
    Ok(Json(LogPageBody {
        total: found.total,
        matching: found.matching,
        page: page.number,
        page_size: page.size,
        items: found.entries.into_iter().map(item).collect(),
        incomplete: found.incomplete,
    }))
}

/// An entry as it is told.
pub(super) fn body(mut entry: LogEntry, language: Language, reader: Role) -> LogEntryBody {
    hide(&mut entry, reader);
    let action = sentence(&entry.body, language);
    let error_message = failure(&entry, language);
    let states = entry.states;
    let told = entry.body;
    let commands: Vec<LogCommandBody> = told
        .orders
        .into_iter()
        .map(|order| {
            let became = states.iter().find(|s| s.command_id == order.command_id);
            LogCommandBody {
                state: became.map_or(StateBody::Queued, |s: &OrderState| s.state.into()),
                message: became.and_then(|s| s.message.clone()),
                command_id: order.command_id,
                device_id: order.device.id,
                device_name: order.device.name,
                action: order.action,
                value: order.value,
            }
        })
        .collect();
    let mut details = told.facts;
    details.insert("kind".to_owned(), json!(told.kind));
    details.insert("commands".to_owned(), json!(commands));
    let parts = |named: Option<Named>| named.map_or((None, None), |n| (Some(n.id), Some(n.name)));
    let (user_id, user_name) = parts(told.user);
    let (rule_id, rule_name) = parts(told.rule);
    let (device_id, device_name) = parts(told.device);
    LogEntryBody {
        id: entry.id.to_string(),
        timestamp: entry.at.as_millis(),
        log_type: entry.log_type.into(),
        user_id,
        user_name,
        rule_id,
        rule_name,
        device_id,
        device_name,
        action,
        details,
        result: entry.result.into(),
        error_message,
        scope: told.scope,
    }
}

/// Hides contacts in everything that a person may have written, as far as the reader may not see them.
fn hide(entry: &mut LogEntry, reader: Role) {
    let body = &mut entry.body;
    if let Value::Object(facts) = masked(Value::Object(std::mem::take(&mut body.facts)), reader) {
        body.facts = facts;
    }
    for named in [&mut body.user, &mut body.rule, &mut body.device]
        .into_iter()
        .flatten()
    {
        named.name = masked_text(&named.name, reader);
    }
    for state in &mut entry.states {
        if let Some(message) = &mut state.message {
            *message = masked_text(message, reader);
        }
    }
}
