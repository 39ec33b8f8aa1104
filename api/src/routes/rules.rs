//! Automation rules: whole documents, admitted to the engine or refused with all their problems.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{Engine, InputKind, RuleId, RulePhase, RuleSpec, RuleStatus};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::access::{FarmAccess, Needs, ReadFarm, WriteRules};
use crate::document::{NewRuleDocument, RuleDocument, RulePhaseDocument};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::now_ms;

/// A rule and where it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Rule)]
pub(super) struct RuleBody {
    #[serde(flatten)]
    #[schema(value_type = RuleDocument)]
    spec: RuleSpec,
    #[schema(value_type = RulePhaseDocument)]
    status: RulePhase,
}

impl From<RuleStatus> for RuleBody {
    fn from(rule: RuleStatus) -> Self {
        Self {
            spec: rule.spec,
            status: rule.phase,
        }
    }
}

/// The rules
#[utoipa::path(
    get, path = "/api/farms/{farmId}/rules", tag = "automation", operation_id = "list_rules", params(("farmId" = String, Path)),
    responses(
        (status = OK, body = Vec<RuleBody>),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<RuleBody>>, ApiError> {
    let rules: Vec<RuleStatus> = access.hub().read(|engine| engine.rules().collect()).await?;
    Ok(Json(rules.into_iter().map(RuleBody::from).collect()))
}

/// A rule
#[utoipa::path(
    get, path = "/api/farms/{farmId}/rules/{ruleId}", tag = "automation", operation_id = "get_rule",
    params(("farmId" = String, Path), ("ruleId" = String, Path)),
    responses(
        (status = OK, body = RuleBody),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<Json<RuleBody>, ApiError> {
    Ok(Json(
        stored(&access, &id)
            .await?
            .ok_or_else(ApiError::not_found)?
            .into(),
    ))
}

/// Makes a rule
///
/// 422 lists everything that is wrong with the document, each with its path.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/rules", tag = "automation", operation_id = "create_rule", params(("farmId" = String, Path)),
    request_body = NewRuleDocument,
    responses(
        (status = CREATED, body = RuleBody),
        (status = BAD_REQUEST, body = ErrorBody),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = CONFLICT, description = "A rule of that id exists", body = ErrorBody),
        (status = UNPROCESSABLE_ENTITY, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteRules>,
    Body(mut document): Body<Value>,
) -> Result<(StatusCode, Json<RuleBody>), ApiError> {
    let ids: Vec<RuleId> = access
        .hub()
        .read(|engine| engine.rules().map(|r| r.spec.id).collect())
        .await?;
    let taken = |id: &str| ids.iter().any(|known| known.as_str() == id);
    set_new_id(&mut document, "rule", &taken)?;
    set(
        &mut document,
        "created_by",
        Value::String(access.user().name.clone()),
    );
    set(&mut document, "created_at", Value::from(now_ms()));
    let saved = save(&access, &document).await?;
    let id = saved.spec.id.as_str();
    access.audit("rule_created", id, document).await;
    Ok((StatusCode::CREATED, Json(saved)))
}

/// Replaces a rule
///
/// The whole document. An edit of a running rule stops it; one that changes nothing but labels disturbs nothing.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/rules/{ruleId}", tag = "automation", operation_id = "replace_rule",
    params(("farmId" = String, Path), ("ruleId" = String, Path)), request_body = NewRuleDocument,
    responses(
        (status = OK, body = RuleBody),
        (status = BAD_REQUEST, body = ErrorBody),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = UNPROCESSABLE_ENTITY, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn put(
    access: FarmAccess<WriteRules>,
    Item(id): Item,
    Body(mut document): Body<Value>,
) -> Result<Json<RuleBody>, ApiError> {
    let before = stored(&access, &id)
        .await?
        .ok_or_else(ApiError::not_found)?;
    set_known_id(&mut document, &id)?;
    set(&mut document, "created_by", before.spec.created_by);
    set(&mut document, "created_at", before.spec.created_at);
    let saved = save(&access, &document).await?;
    access.audit("rule_changed", &id, document).await;
    Ok(Json(saved))
}

/// Deletes a rule
///
/// If it is running it stops.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/rules/{ruleId}", tag = "automation", operation_id = "delete_rule",
    params(("farmId" = String, Path), ("ruleId" = String, Path)),
    responses(
        (status = NO_CONTENT),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = FORBIDDEN, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WriteRules>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    stored(&access, &id)
        .await?
        .ok_or_else(ApiError::not_found)?;
    access
        .hub()
        .admit(InputKind::RuleDelete(RuleId::new(id.clone())))
        .await?;
    access.audit("rule_deleted", &id, Value::Null).await;
    Ok(StatusCode::NO_CONTENT)
}

async fn stored<N: Needs>(
    access: &FarmAccess<N>,
    id: &str,
) -> Result<Option<RuleStatus>, ApiError> {
    let id = id.to_owned();
    access
        .hub()
        .read(move |engine: &Engine| engine.rule(&id))
        .await
}

async fn save(access: &FarmAccess<WriteRules>, document: &Value) -> Result<RuleBody, ApiError> {
    let spec = RuleSpec::from_json(document)?;
    let id = spec.id.to_string();
    access
        .hub()
        .admit(InputKind::RulePut(Box::new(spec)))
        .await?;
    // somebody may have deleted it in between
    Ok(stored(access, &id)
        .await?
        .ok_or_else(ApiError::not_found)?
        .into())
}

/// Sets a field of a document that is an object; what is none is refused when it is read.
pub(super) fn set(document: &mut Value, field: &str, value: Value) {
    if let Value::Object(object) = document {
        object.insert(field.to_owned(), value);
    }
}

/// Gives a new document an id of the form `{kind}-{timestamp}`, unless it brings one that nobody has.
pub(super) fn set_new_id(
    document: &mut Value,
    kind: &str,
    taken: &dyn Fn(&str) -> bool,
) -> Result<(), ApiError> {
    match document.get("id") {
        None | Some(Value::Null) => {
            let mut at = now_ms();
            while taken(&format!("{kind}-{at}")) {
                at += 1;
            }
            set(document, "id", Value::String(format!("{kind}-{at}")));
            Ok(())
        }
        Some(Value::String(id)) if taken(id) => Err(ApiError::already_exists()),
        Some(_) => Ok(()),
    }
}

/// Fills in the id that the address says; a document that says another one is a mistake.
pub(super) fn set_known_id(document: &mut Value, id: &str) -> Result<(), ApiError> {
    match document.get("id") {
        None | Some(Value::Null) => {
            set(document, "id", Value::String(id.to_owned()));
            Ok(())
        }
        Some(Value::String(said)) if said == id => Ok(()),
        Some(_) => Err(ApiError::field("id", "id_differs", Text::IdDiffers)),
    }
}
