//! Alert rules: whole documents, admitted to the engine or refused with all their problems.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{AlertId, AlertSpec, AlertStatus, Engine, InputKind, Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::rules::{set, set_known_id, set_new_id};
use crate::access::{FarmAccess, Needs, ReadFarm, WriteAlerts};
use crate::document::{AlertDocument, NewAlertDocument};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::records::now_ms;

/// An alert rule and where it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Alert)]
pub(super) struct AlertBody {
    #[serde(flatten)]
    #[schema(value_type = AlertDocument)]
    spec: AlertSpec,
    status: AlertStatusBody,
}

/// Where an alert rule stands.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertStatus)]
struct AlertStatusBody {
    /// Whether it is raised.
    raised: bool,
    /// When subscribers are told again.
    #[schema(required)]
    next_notification: Option<i64>,
}

impl From<AlertStatus> for AlertBody {
    fn from(alert: AlertStatus) -> Self {
        let next_notification = alert.next_notification.map(Timestamp::as_millis);
        Self {
            spec: alert.spec,
            status: AlertStatusBody {
                raised: alert.active,
                next_notification,
            },
        }
    }
}

/// The alert rules
#[utoipa::path(
    get, path = "/api/farms/{farmId}/alerts", tag = "automation", operation_id = "list_alerts", params(("farmId" = String, Path)),
    responses(
        (status = OK, body = Vec<AlertBody>),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<AlertBody>>, ApiError> {
    let alerts: Vec<AlertStatus> = access
        .hub()
        .read(|engine| engine.alerts().collect())
        .await?;
    Ok(Json(alerts.into_iter().map(AlertBody::from).collect()))
}

/// An alert rule
#[utoipa::path(
    get, path = "/api/farms/{farmId}/alerts/{alertId}", tag = "automation", operation_id = "get_alert",
    params(("farmId" = String, Path), ("alertId" = String, Path)),
    responses(
        (status = OK, body = AlertBody),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<Json<AlertBody>, ApiError> {
    Ok(Json(
        stored(&access, &id)
            .await?
            .ok_or_else(ApiError::not_found)?
            .into(),
    ))
}

/// Makes an alert rule
///
/// 422 lists everything that is wrong with the document, each with its path.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/alerts", tag = "automation", operation_id = "create_alert", params(("farmId" = String, Path)),
    request_body = NewAlertDocument,
    responses(
        (status = CREATED, body = AlertBody),
        (status = BAD_REQUEST, body = ErrorBody),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = CONFLICT, description = "An alert of that id exists", body = ErrorBody),
        (status = UNPROCESSABLE_ENTITY, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteAlerts>,
    Body(mut document): Body<Value>,
) -> Result<(StatusCode, Json<AlertBody>), ApiError> {
    let ids: Vec<AlertId> = access
        .hub()
        .read(|engine| engine.alerts().map(|a| a.spec.id).collect())
        .await?;
    let taken = |id: &str| ids.iter().any(|known| known.as_str() == id);
    set_new_id(&mut document, "alert", &taken)?;
    set(&mut document, "createdAt", Value::from(now_ms()));
    set(&mut document, "lastTriggered", Value::Null);
    let saved = save(&access, &document).await?;
    let id = saved.spec.id.as_str();
    access.audit("alert_created", id, document).await;
    Ok((StatusCode::CREATED, Json(saved)))
}

/// Replaces an alert rule
///
/// The whole document; createdAt and lastTriggered stay as they were.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/alerts/{alertId}", tag = "automation", operation_id = "replace_alert",
    params(("farmId" = String, Path), ("alertId" = String, Path)), request_body = NewAlertDocument,
    responses(
        (status = OK, body = AlertBody),
        (status = BAD_REQUEST, body = ErrorBody),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = UNPROCESSABLE_ENTITY, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn put(
    access: FarmAccess<WriteAlerts>,
    Item(id): Item,
    Body(mut document): Body<Value>,
) -> Result<Json<AlertBody>, ApiError> {
    let before = stored(&access, &id)
        .await?
        .ok_or_else(ApiError::not_found)?
        .spec;
    set_known_id(&mut document, &id)?;
    set(&mut document, "createdAt", before.created_at);
    set(
        &mut document,
        "lastTriggered",
        before
            .last_triggered
            .map_or(Value::Null, |t| Value::from(t.as_millis())),
    );
    let saved = save(&access, &document).await?;
    access.audit("alert_changed", &id, document).await;
    Ok(Json(saved))
}

/// Deletes an alert rule
///
/// If it is raised it is resolved.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/alerts/{alertId}", tag = "automation", operation_id = "delete_alert",
    params(("farmId" = String, Path), ("alertId" = String, Path)),
    responses(
        (status = NO_CONTENT),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WriteAlerts>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    stored(&access, &id)
        .await?
        .ok_or_else(ApiError::not_found)?;
    access
        .hub()
        .admit(InputKind::AlertDelete(AlertId::new(id.clone())))
        .await?;
    access.audit("alert_deleted", &id, Value::Null).await;
    Ok(StatusCode::NO_CONTENT)
}

async fn stored<N: Needs>(
    access: &FarmAccess<N>,
    id: &str,
) -> Result<Option<AlertStatus>, ApiError> {
    let id = id.to_owned();
    access
        .hub()
        .read(move |engine: &Engine| engine.alert(&id))
        .await
}

async fn save(access: &FarmAccess<WriteAlerts>, document: &Value) -> Result<AlertBody, ApiError> {
    let spec = AlertSpec::from_json(document)?;
    let id = spec.id.to_string();
    access
        .hub()
        .admit(InputKind::AlertPut(Box::new(spec)))
        .await?;
    // somebody may have deleted it in between
    Ok(stored(access, &id)
        .await?
        .ok_or_else(ApiError::not_found)?
        .into())
}
