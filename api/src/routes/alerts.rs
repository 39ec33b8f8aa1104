//! Alert rules: whole documents, admitted to the engine or refused with all their problems.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{
    AlertEvidence, AlertId, AlertSpec, AlertStatus, AwaitedSensor, Engine, HoldStatus, InputKind,
    Problems, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::alert_document;
use super::incident_brief::{Brief, briefs};
use super::resource::{self, Change, Document, set, set_absent};
use crate::access::{FarmAccess, ReadFarm, WriteAlerts};
use crate::audit::Action;
use crate::document::{AlertDocument, NewAlertDocument};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::log::masked;
use crate::records::now_ms;
use crate::resource::Resource;
use crate::role::Role;
use crate::version::{Tagged, Versioned, etag};

/// An alert rule and where it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Alert)]
pub(super) struct AlertBody {
    #[serde(flatten)]
    #[schema(value_type = AlertDocument)]
    spec: AlertSpec,
    status: AlertStatusBody,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for AlertBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// Where an alert rule stands.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertStatus)]
struct AlertStatusBody {
    /// Whether it is raised.
    raised: bool,
    /// Since when it is raised.
    #[schema(required)]
    raised_since: Option<i64>,
    /// Since when it is not known any more whether it is as bad still, while it is raised.
    #[schema(required)]
    unknown_since: Option<i64>,
    /// The sensors on whose values it is raised and that are silent: it is over only when they are heard again, or removed.
    waits_for: Vec<AwaitedBody>,
    /// Whether its joined condition is met just now; null while its data is missing, or it is not watched.
    #[schema(required)]
    condition: Option<bool>,
    /// Since when what will raise it (or resolve it while it is raised) is so, and when that will have lasted long enough.
    #[schema(required)]
    holding: Option<HoldingBody>,
    /// When subscribers are told again.
    #[schema(required)]
    next_notification: Option<i64>,
    /// What people answered to it, while it is raised.
    #[schema(required)]
    incident: Option<Brief>,
}

/// A sensor that an alert waits for.
#[derive(Serialize, ToSchema)]
#[schema(as = AwaitedSensor)]
struct AwaitedBody {
    id: String,
    /// Its name; its id where it has none.
    name: String,
}

impl From<AwaitedSensor> for AwaitedBody {
    fn from(AwaitedSensor { id, name }: AwaitedSensor) -> Self {
        let id = id.to_string();
        let name = name.filter(|n| !n.is_empty());
        Self {
            name: name.unwrap_or_else(|| id.clone()),
            id,
        }
    }
}

/// A condition that has to last.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertHolding)]
struct HoldingBody {
    /// Since when it is so.
    since: i64,
    /// When it will have lasted long enough; later if readings are still missing.
    due: i64,
}

impl From<HoldStatus> for HoldingBody {
    fn from(hold: HoldStatus) -> Self {
        Self {
            since: hold.hold_since.as_millis(),
            due: (hold.hold_since + hold.length).as_millis(),
        }
    }
}

impl From<AlertStatus> for AlertBody {
    fn from(alert: AlertStatus) -> Self {
        let next_notification = alert.next_notification.map(Timestamp::as_millis);
        Self {
            // when it was raised last is no edit
            etag: etag(&AlertSpec {
                last_triggered: None,
                ..alert.spec.clone()
            }),
            spec: alert.spec,
            status: AlertStatusBody {
                raised: alert.active,
                raised_since: alert.raised_since.map(Timestamp::as_millis),
                unknown_since: alert.unknown_since.map(Timestamp::as_millis),
                waits_for: alert.waits_for.into_iter().map(AwaitedBody::from).collect(),
                condition: alert.condition,
                holding: alert.hold.map(HoldingBody::from),
                next_notification,
                incident: None,
            },
        }
    }
}

impl AlertBody {
    /// With what people answered to it.
    fn answered(mut self, raised: &mut BTreeMap<String, Brief>) -> Self {
        self.status.incident = raised.remove(self.spec.id.as_str());
        self
    }

    /// Viewers learn how many are told, not who.
    fn seen_by(mut self, role: Role) -> Self {
        if role == Role::Viewer {
            self.spec.subscribers = masked(self.spec.subscribers, role);
        }
        self
    }
}

/// Alert rules, as [`resource`] sees them.
enum Alerts {}

impl Document for Alerts {
    type Spec = AlertSpec;
    type Status = AlertStatus;
    type Body = AlertBody;
    type Write = WriteAlerts;
    type With = ();

    const KIND: &'static str = "alert";
    const RESOURCE: Resource = Resource::Alert;

    fn all(engine: &Engine) -> Vec<AlertStatus> {
        engine.alerts().collect()
    }

    fn one(engine: &Engine, id: &str) -> Option<AlertStatus> {
        engine.alert(id)
    }

    fn spec(status: &AlertStatus) -> &AlertSpec {
        &status.spec
    }

    fn id(spec: &AlertSpec) -> &str {
        spec.id.as_str()
    }

    fn read(document: &Value) -> Result<AlertSpec, Problems> {
        alert_document::read(document)
    }

    fn put(spec: AlertSpec) -> InputKind {
        InputKind::AlertPut(Box::new(spec))
    }

    fn delete(id: &str) -> InputKind {
        InputKind::AlertDelete(AlertId::new(id))
    }

    fn born(document: &mut Value, _author: &str) {
        set(document, "createdAt", Value::from(now_ms()));
        set(document, "lastTriggered", Value::Null);
        set_absent(document, "evidence", || json!(AlertEvidence::Worst));
    }

    fn keep(document: &mut Value, before: &AlertSpec) {
        let told = before.last_triggered.map(Timestamp::as_millis);
        set(document, "createdAt", before.created_at.clone());
        set(document, "lastTriggered", json!(told));
        set_absent(document, "evidence", || json!(before.evidence));
        set_absent(document, "severity", || json!(before.severity));
    }
}

/// What is to be changed of an alert rule.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = AlertChange)]
pub(super) struct AlertChange {
    /// Whether it is watched.
    is_active: Option<bool>,
}

impl AlertChange {
    /// Makes the change, and says what it was.
    fn make(&self, alert: &mut AlertSpec) -> Vec<Change> {
        let Some(active) = self.is_active.filter(|a| *a != alert.is_active) else {
            return Vec::new();
        };
        alert.is_active = active;
        vec![Change {
            action: if active {
                Action::AlertEnabled
            } else {
                Action::AlertDisabled
            },
            field: "isActive",
            value: json!(active),
        }]
    }
}

/// An alert rule with what people answered to it.
async fn answered<N>(
    access: &FarmAccess<N>,
    Tagged(alert): Tagged<AlertBody>,
) -> Result<Tagged<AlertBody>, ApiError> {
    let mut raised = briefs(access).await?;
    Ok(Tagged(alert.answered(&mut raised)))
}

/// The alert rules
#[utoipa::path(
    get, path = "/api/farms/{farmId}/alerts", tag = "automation",
    operation_id = "list_alerts", summary = "List alert rules",
    responses((status = OK, body = Vec<AlertBody>))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<AlertBody>>, ApiError> {
    let Json(alerts) = resource::list::<Alerts>(&access).await?;
    let mut raised = briefs(&access).await?;
    let seen = |alert: AlertBody| alert.answered(&mut raised).seen_by(access.role());
    Ok(Json(alerts.into_iter().map(seen).collect()))
}

/// An alert rule
#[utoipa::path(
    get, path = "/api/farms/{farmId}/alerts/{alertId}", tag = "automation",
    operation_id = "get_alert", summary = "Get an alert rule",
    responses((status = OK, body = AlertBody))
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<Tagged<AlertBody>, ApiError> {
    let alert = resource::get::<Alerts>(&access, &id).await?;
    let Tagged(alert) = answered(&access, alert).await?;
    Ok(Tagged(alert.seen_by(access.role())))
}

/// Makes an alert rule
///
/// 422 lists everything that is wrong with the document, each with its path.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/alerts", tag = "automation",
    operation_id = "create_alert", summary = "Create an alert rule", request_body = NewAlertDocument,
    responses(
        (status = CREATED, body = AlertBody),
        (status = CONFLICT, description = "An alert of that id exists", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteAlerts>,
    Body(document): Body<Value>,
) -> Result<(StatusCode, Tagged<AlertBody>), ApiError> {
    resource::create::<Alerts>(&access, document, &()).await
}

/// Replaces an alert rule
///
/// The whole document; createdAt and lastTriggered stay as they were, and so do evidence and severity where it leaves them out.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/alerts/{alertId}", tag = "automation",
    operation_id = "replace_alert", summary = "Replace an alert rule", request_body = NewAlertDocument,
    responses((status = OK, body = AlertBody))
)]
pub(super) async fn put(
    access: FarmAccess<WriteAlerts>,
    Item(id): Item,
    Body(document): Body<Value>,
) -> Result<Tagged<AlertBody>, ApiError> {
    let alert = resource::replace::<Alerts>(&access, &id, document, &()).await?;
    answered(&access, alert).await
}

/// Changes an alert rule
///
/// Switches it on or off. Only `isActive`; the rest of the document stays as it is. One that is raised and switched off is resolved.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/alerts/{alertId}", tag = "automation",
    operation_id = "change_alert", summary = "Change an alert rule", request_body = AlertChange,
    responses((status = OK, body = AlertBody))
)]
pub(super) async fn change(
    access: FarmAccess<WriteAlerts>,
    Item(id): Item,
    Body(change): Body<AlertChange>,
) -> Result<Tagged<AlertBody>, ApiError> {
    if change.is_active.is_none() {
        return Err(ApiError::field(
            "isActive",
            "required",
            Text::NothingToChange,
        ));
    }
    let alert = resource::change::<Alerts>(&access, &id, |alert| change.make(alert), &()).await?;
    answered(&access, alert).await
}

/// Deletes an alert rule
///
/// If it is raised it is resolved.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/alerts/{alertId}", tag = "automation",
    operation_id = "delete_alert", summary = "Delete an alert rule",
    responses((status = NO_CONTENT))
)]
pub(super) async fn delete(
    access: FarmAccess<WriteAlerts>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    resource::delete::<Alerts>(&access, &id).await
}
