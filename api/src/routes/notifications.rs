//! What the caller is told of a farm: everybody's own.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::incident_brief::{Brief, briefs};
use crate::access::{FarmAccess, ReadFarm};
use crate::error::{ApiError, Item, Params};
use crate::language::Language;
use crate::notifications::{Notice, Severity, Watch, Words};
use crate::records::{MAX_NOTIFICATIONS, Notification};

/// How many are listed where nobody says.
const DEFAULT_LIMIT: i64 = 50;

/// The caller's notifications.
#[derive(Serialize, ToSchema)]
#[schema(as = Notifications)]
pub(super) struct NotificationsBody {
    /// How many are unread, listed or not.
    unread: i64,
    /// Critical alerts that are unread first, then the latest first.
    items: Vec<NotificationBody>,
}

/// A notification, in the caller's language.
#[derive(Serialize, ToSchema)]
#[schema(as = Notification)]
pub(super) struct NotificationBody {
    id: String,
    #[serde(rename = "type")]
    kind: Severity,
    title: String,
    message: String,
    /// When it happened, or last happened: ISO 8601, UTC.
    #[schema(example = "2026-01-31T08:15:00Z")]
    timestamp: String,
    read: bool,
    /// Where in the console there is more.
    #[schema(required)]
    link: Option<String>,
    /// Of an alert, where its incident stands now.
    #[schema(required)]
    incident: Option<Brief>,
}

/// How much to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Limit {
    /// At most so many: 1 to 200, 50 by default.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<i64>,
}

fn body(
    row: Notification,
    language: Language,
    raised: &BTreeMap<String, Brief>,
) -> Option<NotificationBody> {
    // what another version wrote and this one does not know is not shown
    let notice: Notice = serde_json::from_str(&row.body).ok()?;
    let Words { title, message } = notice.say(language, row.times);
    let incident = notice.watch().and_then(Watch::incident).map(|id| {
        let raised = raised.get(&id.alert).filter(|b| b.is(&id));
        raised.cloned().unwrap_or_else(|| Brief::over(&id))
    });
    Some(NotificationBody {
        incident,
        kind: notice.severity(),
        title,
        message,
        timestamp: jiff::Timestamp::from_millisecond(row.at).ok()?.to_string(),
        read: row.is_read,
        link: Some(notice.link()),
        id: row.id,
    })
}

/// Whether it is a critical alert that was not read.
fn stands_first(row: &Notification) -> bool {
    !row.is_read && serde_json::from_str(&row.body).is_ok_and(|notice: Notice| notice.is_critical())
}

/// What the caller is told
///
/// In the language of `Accept-Language`. What happens again within an hour and was not read stays one notification. The
/// latest 200 are kept.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/notifications", tag = "notifications",
    operation_id = "list_notifications", summary = "List notifications", params(Limit),
    responses((status = OK, body = NotificationsBody))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
    Params(Limit { limit }): Params<Limit>,
    headers: HeaderMap,
) -> Result<Json<NotificationsBody>, ApiError> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_NOTIFICATIONS);
    let records = access.records();
    let (rows, unread) = records
        .notifications(&access.user().id, MAX_NOTIFICATIONS)
        .await?;
    let language = Language::of(&headers);
    let mut rows: Vec<(bool, Notification)> =
        rows.into_iter().map(|r| (stands_first(&r), r)).collect();
    rows.sort_by_key(|(first, _)| !first);
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let raised = briefs(&access).await?;
    Ok(Json(NotificationsBody {
        unread,
        items: rows
            .into_iter()
            .filter_map(|(_, r)| body(r, language, &raised))
            .collect(),
    }))
}

/// Marks a notification read
#[utoipa::path(
    post, path = "/api/farms/{farmId}/notifications/{notificationId}/read", tag = "notifications",
    operation_id = "read_notification", summary = "Mark a notification as read",
    responses((status = NO_CONTENT))
)]
pub(super) async fn read(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let records = access.records();
    if records.read_notification(&access.user().id, &id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found())
    }
}

/// Marks all notifications read
#[utoipa::path(
    post, path = "/api/farms/{farmId}/notifications/read-all", tag = "notifications",
    operation_id = "read_notifications", summary = "Mark all notifications as read",
    responses((status = NO_CONTENT))
)]
pub(super) async fn read_all(access: FarmAccess<ReadFarm>) -> Result<StatusCode, ApiError> {
    let records = access.records();
    records.read_notifications(&access.user().id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes all notifications
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/notifications", tag = "notifications",
    operation_id = "clear_notifications", summary = "Clear notifications",
    responses((status = NO_CONTENT))
)]
pub(super) async fn clear(access: FarmAccess<ReadFarm>) -> Result<StatusCode, ApiError> {
    let records = access.records();
    records.clear_notifications(&access.user().id).await?;
    Ok(StatusCode::NO_CONTENT)
}
