//! Automation rules: whole documents, admitted to the engine or refused with all their problems.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{
    Engine, InputKind, Problems, RuleId, RuleMode, RulePhase, RuleSpec, RuleStatus, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::hazards::{Over, OverQuery, weigh};
use super::resource::{self, Change, Document, set};
use super::uses::{Going, refuse_used};
use crate::access::{FarmAccess, ReadFarm, WriteRules};
use crate::audit::Action;
use crate::document::{NewRuleDocument, RuleDocument, RuleModeDocument, RulePhaseDocument};
use crate::error::{ApiError, Body, ErrorBody, Item, Params};
use crate::language::Text;
use crate::records::now_ms;
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, etag};

/// A rule and where it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Rule)]
pub(super) struct RuleBody {
    #[serde(flatten)]
    #[schema(value_type = RuleDocument)]
    spec: RuleSpec,
    #[schema(value_type = RulePhaseDocument)]
    status: RulePhase,
    /// When its run is over, in epoch milliseconds, while it runs and has `run_sec`.
    run_until: Option<i64>,
    /// When it starts next by its schedule, as far as that is known.
    next_start: Option<i64>,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for RuleBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

impl From<RuleStatus> for RuleBody {
    fn from(rule: RuleStatus) -> Self {
        Self {
            etag: etag(&rule.spec),
            spec: rule.spec,
            status: rule.phase,
            run_until: rule.run_until.map(Timestamp::as_millis),
            next_start: rule.next_start.map(Timestamp::as_millis),
        }
    }
}

/// Rules, as [`resource`] sees them.
enum Rules {}

impl Document for Rules {
    type Spec = RuleSpec;
    type Status = RuleStatus;
    type Body = RuleBody;
    type Write = WriteRules;
    type With = Over;

    const KIND: &'static str = "rule";
    const RESOURCE: Resource = Resource::Rule;

    fn all(engine: &Engine) -> Vec<RuleStatus> {
        engine.rules().collect()
    }

    fn one(engine: &Engine, id: &str) -> Option<RuleStatus> {
        engine.rule(id)
    }

    fn spec(status: &RuleStatus) -> &RuleSpec {
        &status.spec
    }

    fn id(spec: &RuleSpec) -> &str {
        spec.id.as_str()
    }

    fn read(document: &Value) -> Result<RuleSpec, Problems> {
        let (read, mut problems) = match RuleSpec::from_json(document) {
            Ok(spec) => (Some(spec), Problems::default()),
            Err(problems) => (None, problems),
        };
        check_values(document, &mut problems);
        match read {
            Some(spec) if problems.0.is_empty() => Ok(spec),
            _ => Err(problems),
        }
    }

    fn put(spec: RuleSpec) -> InputKind {
        InputKind::RulePut(Box::new(spec))
    }

    fn delete(id: &str) -> InputKind {
        InputKind::RuleDelete(RuleId::new(id))
    }

    fn born(document: &mut Value, author: &str) {
        set(document, "created_by", Value::from(author));
        set(document, "created_at", Value::from(now_ms()));
    }

    fn keep(document: &mut Value, before: &RuleSpec) {
        set(document, "created_by", before.created_by.clone());
        set(document, "created_at", before.created_at.clone());
    }

    async fn weigh(
        access: &FarmAccess<WriteRules>,
        before: Option<&RuleSpec>,
        rule: &RuleSpec,
        over: &Over,
    ) -> Result<Option<(Action, Value)>, ApiError> {
        weigh(access, before, rule, over).await
    }
}

/// On and off have no value. The engine does not look at one, and its journal may have rules that do have it; people who send
/// one mean something that will not happen.
fn check_values(document: &Value, problems: &mut Problems) {
    let actions = document["actions"].as_array();
    for (i, action) in actions.into_iter().flatten().enumerate() {
        let command = &action["command"];
        if let Some(word @ ("on" | "off")) = command["action"].as_str()
            && !command["value"].is_null()
        {
            let path = format!("actions[{i}].command.value");
            problems.add(path, "no_value", format!("{word} has no value"));
        }
    }
}

/// What is to be changed of a rule; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RuleChange)]
pub(super) struct RuleChange {
    /// Whether it may run.
    #[schema(value_type = Option<RuleModeDocument>)]
    mode: Option<RuleMode>,
    /// Whether it is more than a draft.
    deployed: Option<bool>,
}

impl RuleChange {
    /// Makes the change, and says what it was.
    fn make(&self, rule: &mut RuleSpec) -> Vec<Change> {
        let mut changes = Vec::new();
        if let Some(mode) = self.mode
            && mode != rule.mode
        {
            rule.mode = mode;
            changes.push(Change {
                action: match mode {
                    RuleMode::Auto => Action::RuleEnabled,
                    RuleMode::Disabled => Action::RuleDisabled,
                },
                field: "mode",
                value: json!(mode),
            });
        }
        if let Some(deployed) = self.deployed
            && deployed != rule.deployed
        {
            rule.deployed = deployed;
            changes.push(Change {
                action: if deployed {
                    Action::RuleDeployed
                } else {
                    Action::RuleWithdrawn
                },
                field: "deployed",
                value: json!(deployed),
            });
        }
        changes
    }
}

/// The rules
#[utoipa::path(
    get, path = "/api/farms/{farmId}/rules", tag = "automation", operation_id = "list_rules", summary = "List rules",
    responses((status = OK, body = Vec<RuleBody>))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<RuleBody>>, ApiError> {
    resource::list::<Rules>(&access).await
}

/// A rule
#[utoipa::path(
    get, path = "/api/farms/{farmId}/rules/{ruleId}", tag = "automation",
    operation_id = "get_rule", summary = "Get a rule",
    responses((status = OK, body = RuleBody))
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<Tagged<RuleBody>, ApiError> {
    resource::get::<Rules>(&access, &id).await
}

/// Makes a rule
///
/// 422 lists everything that is wrong with the document, each with its path. One that is deployed with a hazard that is blocking is
/// refused, unless an owner names it in `overHazards`.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/rules", tag = "automation",
    operation_id = "create_rule", summary = "Create a rule", request_body = NewRuleDocument, params(OverQuery),
    responses(
        (status = CREATED, body = RuleBody),
        (status = CONFLICT, description = "A rule of that id exists, or this one has a hazard that is blocking", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteRules>,
    Params(over): Params<OverQuery>,
    Body(document): Body<Value>,
) -> Result<(StatusCode, Tagged<RuleBody>), ApiError> {
    let over = over.kinds(&access)?;
    resource::create::<Rules>(&access, document, &over).await
}

/// Replaces a rule
///
/// The whole document. An edit of a running rule stops it; one that changes nothing but labels disturbs nothing.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/rules/{ruleId}", tag = "automation",
    operation_id = "replace_rule", summary = "Replace a rule", request_body = NewRuleDocument, params(OverQuery),
    responses(
        (status = OK, body = RuleBody),
        (status = CONFLICT, description = "It has a hazard that is blocking", body = ErrorBody),
    )
)]
pub(super) async fn put(
    access: FarmAccess<WriteRules>,
    Item(id): Item,
    Params(over): Params<OverQuery>,
    Body(document): Body<Value>,
) -> Result<Tagged<RuleBody>, ApiError> {
    let over = over.kinds(&access)?;
    resource::replace::<Rules>(&access, &id, document, &over).await
}

/// Changes a rule
///
/// Enables, disables or deploys it. Only `mode` and `deployed`; the rest of the document stays as it is. A running rule that is no longer active stops. What
/// is so already disturbs nothing.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/rules/{ruleId}", tag = "automation",
    operation_id = "change_rule", summary = "Change a rule", request_body = RuleChange, params(OverQuery),
    responses(
        (status = OK, body = RuleBody),
        (status = CONFLICT, description = "It has a hazard that is blocking", body = ErrorBody),
    )
)]
pub(super) async fn change(
    access: FarmAccess<WriteRules>,
    Item(id): Item,
    Params(over): Params<OverQuery>,
    Body(change): Body<RuleChange>,
) -> Result<Tagged<RuleBody>, ApiError> {
    if change.mode.is_none() && change.deployed.is_none() {
        return Err(ApiError::field("mode", "required", Text::NothingToChange));
    }
    let over = over.kinds(&access)?;
    resource::change::<Rules>(&access, &id, |rule| change.make(rule), &over).await
}

/// Deletes a rule
///
/// If it is running it stops. 409 names the rules and alerts that ask whether it runs.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/rules/{ruleId}", tag = "automation",
    operation_id = "delete_rule", summary = "Delete a rule",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Something goes by it", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WriteRules>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let going = Going {
        rule: Some(RuleId::new(id.as_str())),
        ..Going::default()
    };
    refuse_used(&access, going).await?;
    // a rule that asks for it was saved just now
    let deleted = resource::delete::<Rules>(&access, &id).await;
    deleted.map_err(ApiError::or_in_use)
}
