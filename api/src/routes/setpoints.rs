//! Setpoints: named targets with a course over the day, with which rules compare. They stand in the farm's settings.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{
    CourseCorner, CoursePoint, Engine, FarmSettings, InputKind, LocalDate, Quantity,
    RegistryChange, ScopeSpec, SensorType, SetpointSight, SetpointSpec, StageSpec, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::polyhouses::place_name;
use super::scopes::Places;
use super::uses::{Going, Uses, refuse_used};
use super::wrong::Wrong;
use crate::access::{FarmAccess, ReadFarm, WriteRules};
use crate::audit::{Action, Verb};
use crate::document::{
    CoursePointDocument, ScopeDocument, SensorTypeDocument, SetpointStageDocument,
};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::{new_id, now_ms};
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, created, etag};

/// The most setpoints of a farm, as the engine has it.
const MAX_SETPOINTS: usize = 64;

/// A named target, and where it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = FarmSetpoint)]
pub(super) struct SetpointBody {
    id: String,
    name: String,
    /// What it is a target of.
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    unit: &'static str,
    /// Where it belongs, with the names of now.
    #[schema(value_type = ScopeDocument)]
    scope: ScopeSpec,
    /// The day, before the first stage begins.
    #[schema(value_type = Vec<CoursePointDocument>)]
    course: Vec<CoursePoint>,
    /// The days from a date on.
    #[schema(value_type = Vec<SetpointStageDocument>)]
    stages: Vec<StageSpec>,
    /// Which of the stages has begun last by today's date, from 0; null before the first, and where the day is not known.
    #[schema(required)]
    stage: Option<usize>,
    /// What it is now; null where the farm's day is not known.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// When it is another next, in epoch milliseconds, as far as that is known.
    #[schema(required)]
    next_change: Option<i64>,
    /// The corners of its course over today, ascending; two of one instant are a step.
    today: Vec<CornerBody>,
    /// The rules that name it: what changing it moves.
    rules: Vec<UseBody>,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

/// A corner of a setpoint's course.
#[derive(Serialize, ToSchema)]
#[schema(as = CourseCorner)]
struct CornerBody {
    /// When, in epoch milliseconds.
    at: i64,
    /// Null where it is not known.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
}

/// A rule that names a setpoint.
#[derive(Serialize, ToSchema)]
#[schema(as = SetpointUse)]
struct UseBody {
    id: String,
    name: String,
    /// Whether it steers: its mode is auto and it is deployed.
    active: bool,
    /// Whether a condition of it compares with the setpoint.
    compares: bool,
    /// Whether a curve of it follows a signal less the setpoint.
    follows: bool,
}

impl Versioned for SetpointBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// A setpoint as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FarmSetpointInput)]
pub(super) struct SetpointInput {
    /// 1 to 120 characters, and no other setpoint's.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    /// What it is a target of; it stays what it is while rules name it.
    #[serde(default)]
    #[schema(required, value_type = SensorTypeDocument)]
    sensor_type: Value,
    /// Where it belongs; the farm by default.
    #[schema(value_type = Option<ScopeDocument>)]
    scope: Option<Value>,
    /// The day, before the first stage begins.
    #[serde(default)]
    #[schema(required, value_type = Vec<CoursePointDocument>, min_items = 1, max_items = 24)]
    course: Value,
    /// The days from a date on, ascending; none by default.
    #[schema(value_type = Option<Vec<SetpointStageDocument>>, max_items = 16)]
    stages: Option<Value>,
}

/// The farm's settings, its setpoints as they stand, and its places.
struct Known {
    settings: FarmSettings,
    setpoints: Vec<SetpointSight>,
    places: Places,
    /// The farm's date, where its day is known.
    today: Option<LocalDate>,
}

impl Known {
    async fn of<N>(access: &FarmAccess<N>) -> Result<Self, ApiError> {
        let at = Timestamp::from_millis(now_ms());
        let question = move |engine: &Engine| Self {
            settings: engine.document().farm.settings,
            setpoints: engine.setpoints_at(at),
            places: Places::of(engine),
            today: { engine.almanac() }
                .find(|day| day.from <= at && at < day.to)
                .map(|day| day.date),
        };
        access.hub().read(question).await
    }

    fn find(&self, id: &str) -> Result<&SetpointSight, ApiError> {
        let setpoint = { self.setpoints.iter() }.find(|s| s.spec.id.as_str() == id);
        setpoint.ok_or_else(ApiError::not_found)
    }

    fn body(&self, sight: &SetpointSight) -> SetpointBody {
        let spec = &sight.spec;
        let everywhere = ScopeSpec::farm();
        let corner = |c: &CourseCorner| CornerBody {
            at: c.at.as_millis(),
            value: c.value,
        };
        let named = sight.rules.iter().map(|named| UseBody {
            id: named.rule.id.to_string(),
            name: named.rule.name.clone(),
            active: named.rule.is_active(),
            compares: named.compares,
            follows: named.follows,
        });
        SetpointBody {
            id: spec.id.to_string(),
            name: spec.name.clone(),
            sensor_type: spec.sensor_type,
            unit: spec.sensor_type.unit(),
            scope: (self.places).labelled(spec.scope.as_ref().unwrap_or(&everywhere)),
            course: spec.course.clone(),
            stages: spec.stages.clone(),
            stage: self.today.and_then(|today| {
                let begun = spec.stages.iter().filter(|stage| stage.from <= today);
                begun.count().checked_sub(1)
            }),
            value: sight.value,
            next_change: sight.next_change.map(Timestamp::as_millis),
            today: sight.course.iter().map(corner).collect(),
            rules: named.collect(),
            etag: etag(spec),
        }
    }

    /// What somebody wrote, as the setpoint of that id.
    fn read(&self, request: &SetpointInput, id: &str) -> Result<SetpointSpec, ApiError> {
        let others = { self.setpoints.iter() }.filter(|s| s.spec.id.as_str() != id);
        let mut wrong = Wrong::default();
        let others = others.map(|s| s.spec.name.as_str());
        let name = place_name(&mut wrong, request.name.as_deref(), others);
        wrong.done()?;
        let mut written = json!({
            "id": id, "name": name, "sensor_type": request.sensor_type, "course": request.course,
        });
        if let Some(stages) = &request.stages {
            written["stages"] = stages.clone();
        }
        // the engine says what a course may be
        let read = FarmSettings::from_json(&json!({"setpoints": [written]}));
        let mut read = { read.map_err(ApiError::from) }
            .map_err(|e| e.within("setpoints[0]."))?
            .setpoints;
        let mut setpoint = read.pop().ok_or_else(ApiError::internal)?;
        if let Some(scope) = &request.scope {
            setpoint.scope = Some(self.places.read(scope)?).filter(|s| *s != ScopeSpec::farm());
        }
        Ok(setpoint)
    }
}

/// The rules that name a setpoint, as a refusal says them.
fn uses(sight: &SetpointSight) -> Uses {
    let rules = sight.rules.iter().map(|named| &named.rule);
    rules
        .map(|r| (format!("rules.{}", r.id), Text::UsedByRule, r.name.clone()))
        .collect()
}

/// The setpoints
///
/// Named targets with a course over the day, with which rules compare.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/setpoints", tag = "automation",
    operation_id = "list_setpoints", summary = "List setpoints",
    responses((status = OK, body = Vec<SetpointBody>))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
) -> Result<Json<Vec<SetpointBody>>, ApiError> {
    let known = Known::of(&access).await?;
    let bodies = known.setpoints.iter().map(|s| known.body(s));
    Ok(Json(bodies.collect()))
}

/// Makes a setpoint
///
/// A farm has at most 64.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/setpoints", tag = "automation",
    operation_id = "create_setpoint", summary = "Create a setpoint", request_body = SetpointInput,
    responses(
        (status = CREATED, body = SetpointBody),
        (status = CONFLICT, description = "The farm has too many", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteRules>,
    Body(request): Body<SetpointInput>,
) -> Result<(StatusCode, Tagged<SetpointBody>), ApiError> {
    let _edit = access.editing().await;
    let known = Known::of(&access).await?;
    let made = known.read(&request, &new_id())?;
    let mut settings = known.settings;
    if settings.setpoints.len() >= MAX_SETPOINTS {
        return Err(ApiError::too_many_places());
    }
    settings.setpoints.push(made.clone());
    put(&access, settings, Verb::Created, &made).await?;
    let known = Known::of(&access).await?;
    Ok(created(known.body(known.find(made.id.as_str())?)))
}

/// Changes a setpoint
///
/// All rules that name it compare with what it is from then on; their holds go on where they are true still. The answer names them.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/setpoints/{setpointId}", tag = "automation",
    operation_id = "replace_setpoint", summary = "Replace a setpoint", request_body = SetpointInput,
    responses(
        (status = OK, body = SetpointBody),
        (status = CONFLICT, description = "It is to be of another sensor type, and rules name it", body = ErrorBody),
    )
)]
pub(super) async fn replace(
    access: FarmAccess<WriteRules>,
    Item(id): Item,
    Body(request): Body<SetpointInput>,
) -> Result<Tagged<SetpointBody>, ApiError> {
    let _edit = access.editing().await;
    let known = Known::of(&access).await?;
    let before = known.find(&id)?;
    access.expect(&id, &known.body(before)).await?;
    let written = known.read(&request, &id)?;
    if written.sensor_type != before.spec.sensor_type && !before.rules.is_empty() {
        return Err(ApiError::in_use(uses(before)));
    }
    if written != before.spec {
        let mut settings = known.settings;
        let setpoint = { settings.setpoints.iter_mut() }.find(|s| s.id == written.id);
        *setpoint.ok_or_else(ApiError::not_found)? = written.clone();
        put(&access, settings, Verb::Changed, &written).await?;
    }
    let known = Known::of(&access).await?;
    Ok(Tagged(known.body(known.find(&id)?)))
}

/// Deletes a setpoint
///
/// As long as no rule or alert names it; else 409 names which.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/setpoints/{setpointId}", tag = "automation",
    operation_id = "delete_setpoint", summary = "Delete a setpoint",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Something goes by it", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WriteRules>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let known = Known::of(&access).await?;
    let gone = known.find(&id)?;
    access.expect(&id, &known.body(gone)).await?;
    let gone = gone.spec.clone();
    let going = Going {
        setpoint: Some(gone.id.clone()),
        ..Going::default()
    };
    refuse_used(&access, going).await?;
    let mut settings = known.settings;
    settings.setpoints.retain(|s| s.id != gone.id);
    let put = put(&access, settings, Verb::Deleted, &gone).await;
    // a rule that names it was saved just now
    put.map_err(ApiError::or_in_use)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn put(
    access: &FarmAccess<WriteRules>,
    settings: FarmSettings,
    verb: Verb,
    setpoint: &SetpointSpec,
) -> Result<(), ApiError> {
    let change = InputKind::Registry(vec![RegistryChange::Settings(settings)]);
    let action = Action::Of(Resource::Setpoint, verb);
    let mut details = json!(setpoint);
    if let Some(details) = details.as_object_mut() {
        details.remove("id");
    }
    access
        .admit(change, action, setpoint.id.as_str(), details)
        .await?;
    Ok(())
}
