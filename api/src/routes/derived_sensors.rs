//! Derived sensors as a resource: listed, made, replaced, deleted, and tried without being kept.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::http::StatusCode;
use harit_derived::{Definition, Document, Kind, Present, Problem, ProblemKind, Source};
use harit_engine::{Engine, InputKind, Quantity, RegistryChange, ScopeSpec, SensorId, SensorType};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::scopes::Places;
use super::uses::{Going, refuse_used};
use super::wrong::{TextField, Wrong};
use crate::access::{FarmAccess, Needs, ReadFarm, WriteAssets};
use crate::audit::{Action, Resource, Verb};
use crate::derived_sensors::{Compiled, DerivedSensor, circle, compile, word};
use crate::document::{DerivedKindDocument, ScopeDocument, SensorTypeDocument};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::{Days, now_ms};
use crate::version::{Tagged, Versioned, created, etag};

/// What an input is: a sensor, or the mean of a place and a type.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DerivedInput)]
pub(super) struct SourceBody {
    /// The id of a sensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sensor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScopeDocument>)]
    scope: Option<Value>,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
}

/// A derived sensor as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = DerivedSensorInput)]
pub(super) struct Input {
    /// Unique among the farm's derived sensors.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    #[schema(value_type = DerivedKindDocument)]
    kind: Kind,
    /// What a formula measures; `number` where nothing is said.
    #[serde(rename = "type")]
    #[schema(value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
    /// Where it is.
    #[schema(value_type = ScopeDocument)]
    scope: Value,
    /// By name; what is left out is measured at its own place, where the kind says what.
    #[serde(default)]
    #[schema(required = false)]
    inputs: BTreeMap<String, SourceBody>,
    /// By name.
    #[serde(default)]
    #[schema(required = false)]
    constants: BTreeMap<String, f64>,
    /// Of the kind `formula`: an expression over the names.
    #[schema(max_length = 2_000)]
    formula: Option<String>,
    /// How many seconds lie between two values at least; 10 where nothing is said.
    #[schema(minimum = 1, maximum = 3_600)]
    interval_sec: Option<i64>,
}

/// A derived sensor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DerivedSensor)]
pub(super) struct DerivedBody {
    id: String,
    /// The id of the sensor that has its values.
    sensor_id: String,
    name: String,
    #[schema(value_type = DerivedKindDocument)]
    kind: Kind,
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    unit: &'static str,
    #[schema(value_type = ScopeDocument)]
    scope: Value,
    /// As they were written: one that is left out is measured at its own place.
    inputs: BTreeMap<String, SourceBody>,
    constants: BTreeMap<String, f64>,
    #[schema(required)]
    formula: Option<String>,
    #[schema(required)]
    interval_sec: Option<i64>,
    /// Its value, while it is known.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// When the newest reading was taken from which it followed last.
    #[schema(required)]
    at: Option<i64>,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for DerivedBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// What an input is now.
#[derive(Serialize, ToSchema)]
#[schema(as = DerivedInputNow)]
pub(super) struct InputNow {
    name: String,
    /// Null while it is not known.
    #[schema(required)]
    value: Option<f64>,
    #[schema(required)]
    unit: Option<&'static str>,
    /// When the newest of its readings was taken.
    #[schema(required)]
    at: Option<i64>,
}

/// What is wrong, and where.
#[derive(Serialize, ToSchema)]
#[schema(as = DerivedProblem)]
pub(super) struct ProblemNow {
    /// Where, as `inputs.temperature`.
    path: String,
    /// What, as a stable word: `required`, `unknown`, `out_of_range`, `other_type`, `no_sensor`, `formula`, `circle`.
    code: &'static str,
    /// What, in English: the words of formulas are.
    message: String,
    /// Where in the formula, from 1.
    #[schema(required)]
    line: Option<usize>,
    #[schema(required)]
    column: Option<usize>,
}

/// What a derived sensor would be.
#[derive(Serialize, ToSchema)]
#[schema(as = DerivedSensorCheck)]
pub(super) struct Checked {
    /// Its value now; null where it is not known, and of a kind that goes by what was.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    unit: &'static str,
    /// Whether it goes by what was, and so has a value only once it is saved.
    later: bool,
    inputs: Vec<InputNow>,
    problems: Vec<ProblemNow>,
}

const NAME: TextField = TextField {
    name: "name",
    max_chars: 120,
    too_long: Text::NameTooLong,
    lines: false,
};

/// What somebody wrote, with its places as the farm knows them.
fn read(input: Input, places: &Places) -> Result<(String, Document), ApiError> {
    let mut wrong = Wrong::default();
    let name = wrong.required_text(&NAME, input.name.as_deref(), Text::NameRequired);
    wrong.done()?;
    let mut inputs = BTreeMap::new();
    for (name, source) in input.inputs {
        let source = match (source.sensor, source.scope, source.sensor_type) {
            (Some(sensor), None, None) => Source::Sensor {
                sensor: SensorId::new(sensor),
            },
            (None, Some(scope), Some(sensor_type)) => Source::Signal {
                scope: places.read(&scope)?,
                sensor_type,
            },
            _ => {
                let path = format!("inputs.{name}");
                return Err(ApiError::field(&path, "required", Text::FieldRequired));
            }
        };
        inputs.insert(name, source);
    }
    let document = Document {
        kind: input.kind,
        sensor_type: input.sensor_type,
        scope: places.read(&input.scope)?,
        inputs,
        constants: input.constants,
        formula: input.formula,
        interval_sec: input.interval_sec,
    };
    Ok((name, document))
}

fn body(engine: &Engine, places: &Places, row: DerivedSensor) -> Option<DerivedBody> {
    let document = row.document()?;
    let labelled =
        |scope: &ScopeSpec| serde_json::to_value(places.labelled(scope)).unwrap_or_default();
    let status = engine.sensor(row.sensor().as_str());
    let sensor_type = document.sensor_type.unwrap_or(document.kind.output());
    let inputs = document.inputs.into_iter().map(|(name, source)| {
        let body = match source {
            Source::Sensor { sensor } => SourceBody {
                sensor: Some(sensor.to_string()),
                scope: None,
                sensor_type: None,
            },
            Source::Signal { scope, sensor_type } => SourceBody {
                sensor: None,
                scope: Some(labelled(&scope)),
                sensor_type: Some(sensor_type),
            },
        };
        (name, body)
    });
    Some(DerivedBody {
        sensor_id: row.sensor().to_string(),
        kind: document.kind,
        sensor_type,
        unit: sensor_type.unit(),
        scope: labelled(&document.scope),
        inputs: inputs.collect(),
        constants: document.constants,
        formula: document.formula,
        interval_sec: document.interval_sec,
        value: status.as_ref().and_then(|s| s.value),
        at: status.and_then(|s| s.read_at).map(|at| at.as_millis()),
        etag: etag(&(&row.name, &row.document)),
        id: row.id,
        name: row.name,
    })
}

async fn shown<N: Needs>(
    access: &FarmAccess<N>,
    rows: Vec<DerivedSensor>,
) -> Result<Vec<DerivedBody>, ApiError> {
    let question = move |engine: &Engine| {
        let places = Places::of(engine);
        let all = rows.into_iter();
        all.filter_map(|row| body(engine, &places, row)).collect()
    };
    access.hub().read(question).await
}

async fn one<N: Needs>(
    access: &FarmAccess<N>,
    row: DerivedSensor,
) -> Result<DerivedBody, ApiError> {
    let all = shown(access, vec![row]).await?;
    all.into_iter().next().ok_or_else(ApiError::not_found)
}

/// The derived sensors
///
/// In the order in which they were made, each with its value now.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/derived-sensors", tag = "farms",
    operation_id = "list_derived_sensors", summary = "List derived sensors",
    responses((status = OK, body = Vec<DerivedBody>))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<DerivedBody>>, ApiError> {
    let rows = access.records().rows(Days::default()).await?;
    Ok(Json(shown(&access, rows).await?))
}

fn refused(problems: Vec<Problem>) -> ApiError {
    let text = |kind| match kind {
        ProblemKind::Required => Text::FieldRequired,
        ProblemKind::UnknownName => Text::DerivedUnknownName,
        ProblemKind::OutOfRange => Text::FieldOutOfRange,
        ProblemKind::WrongType => Text::DerivedOtherType,
        ProblemKind::UnknownSource => Text::DerivedNoSensor,
        ProblemKind::Formula => Text::FormulaUnsound,
    };
    let all = problems.into_iter();
    ApiError::fields(all.map(|p| (p.path, word(p.kind), text(p.kind))).collect())
}

/// What a row is in the farm, if it is sound and goes in no circle with the others.
async fn compiled<N: Needs>(
    access: &FarmAccess<N>,
    row: &DerivedSensor,
    document: &Document,
) -> Result<Compiled, ApiError> {
    let mut rows: Vec<DerivedSensor> = access.records().rows(Days::default()).await?;
    rows.retain(|r| r.id != row.id);
    rows.push(row.clone());
    let (row, document) = (row.clone(), document.clone());
    let question = move |engine: &Engine| {
        let made = compile(engine, row.sensor(), &row.name, &document).map_err(refused)?;
        circle(engine, &rows).map_or(Ok(made), |names| Err(ApiError::circle(names)))
    };
    access.hub().read(question).await?
}

/// Has the farm's derived sensors computed as they stand now.
async fn settle<N: Needs>(access: &FarmAccess<N>) -> Result<(), ApiError> {
    let rows = access.records().rows(Days::default()).await?;
    access.hub().settle_derived(rows).await
}

fn details(name: &str, document: &Document) -> Value {
    let mut details = serde_json::to_value(document).unwrap_or_default();
    details["name"] = json!(name);
    details
}

/// Makes a derived sensor
///
/// Its sensor is registered at once, and has a value as soon as its inputs have. A farm has at most 256. For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/derived-sensors", tag = "farms",
    operation_id = "create_derived_sensor", summary = "Create a derived sensor", request_body = Input,
    responses(
        (status = CREATED, body = DerivedBody),
        (status = CONFLICT, description = "The farm has too many", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteAssets>,
    Body(input): Body<Input>,
) -> Result<(StatusCode, Tagged<DerivedBody>), ApiError> {
    let _edit = access.editing().await;
    let places = access.hub().read(Places::of).await?;
    let (name, document) = read(input, &places)?;
    let mut write = access.write().await?;
    let id = write.insert(&new_row(&name, &document)?).await?;
    let row: DerivedSensor = write.row(&id).await?;
    let made = compiled(&access, &row, &document).await?;
    put(&access, RegistryChange::PutSensor(made.sensor)).await?;
    let action = Action::Of(Resource::DerivedSensor, Verb::Created);
    if let Err(error) = write.commit(action, &id, details(&name, &document)).await {
        // nobody would ever compute it
        put(&access, RegistryChange::DeleteSensor(row.sensor())).await?;
        return Err(error);
    }
    settle(&access).await?;
    Ok(created(one(&access, row).await?))
}

fn new_row(name: &str, document: &Document) -> Result<DerivedSensor, ApiError> {
    Ok(DerivedSensor {
        name: name.to_owned(),
        document: serde_json::to_string(document).map_err(|_| ApiError::internal())?,
        edited_at: now_ms(),
        ..DerivedSensor::default()
    })
}

async fn put<N: Needs>(access: &FarmAccess<N>, change: RegistryChange) -> Result<(), ApiError> {
    let input = InputKind::Registry(vec![change]);
    access.hub().admit(input).await.map(|_| ())
}

/// Replaces a derived sensor
///
/// What counts over the day begins anew, unless it is only its name that changes. Of another type than before it loses its value.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/derived-sensors/{derivedId}", tag = "farms",
    operation_id = "replace_derived_sensor", summary = "Replace a derived sensor", request_body = Input,
    responses(
        (status = OK, body = DerivedBody),
        (status = CONFLICT, description = "Rules or alerts go by its type or place", body = ErrorBody),
    )
)]
pub(super) async fn replace(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
    Body(input): Body<Input>,
) -> Result<Tagged<DerivedBody>, ApiError> {
    let _edit = access.editing().await;
    let places = access.hub().read(Places::of).await?;
    let mut write = access.write().await?;
    let before: DerivedSensor = write.row(&id).await?;
    access
        .expect(&id, &one(&access, before.clone()).await?)
        .await?;
    let (name, document) = read(input, &places)?;
    let mut row = new_row(&name, &document)?;
    row.id.clone_from(&before.id);
    if row.document == before.document {
        row.edited_at = before.edited_at;
    }
    write.update(&id, &row).await?;
    let made = compiled(&access, &row, &document).await?;
    let change = put(&access, RegistryChange::PutSensor(made.sensor));
    change.await.map_err(ApiError::or_in_use)?;
    let action = Action::Of(Resource::DerivedSensor, Verb::Changed);
    write.commit(action, &id, details(&name, &document)).await?;
    settle(&access).await?;
    Ok(Tagged(one(&access, row).await?))
}

/// Deletes a derived sensor
///
/// Its sensor goes with it; its history stays. 409 names the rules, alerts and other derived sensors that go by it alone.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/derived-sensors/{derivedId}", tag = "farms",
    operation_id = "delete_derived_sensor", summary = "Delete a derived sensor",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Something goes by it", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let mut write = access.write().await?;
    let row: DerivedSensor = write.row(&id).await?;
    access
        .expect(&id, &one(&access, row.clone()).await?)
        .await?;
    let going = Going {
        sensors: BTreeSet::from([row.sensor()]),
        ..Going::default()
    };
    refuse_used(&access, going).await?;
    write.delete::<DerivedSensor>(&id).await?;
    let change = put(&access, RegistryChange::DeleteSensor(row.sensor()));
    change.await.map_err(ApiError::or_in_use)?;
    let action = Action::Of(Resource::DerivedSensor, Verb::Deleted);
    write.commit(action, &id, json!({"name": row.name})).await?;
    settle(&access).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Tries a derived sensor
///
/// What it would be now, or all that is wrong with it: nothing is kept. One that has the name of another takes its place. For OWNER and
/// ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/derived-sensors/check", tag = "farms",
    operation_id = "check_derived_sensor", summary = "Try a derived sensor", request_body = Input,
    responses((status = OK, body = Checked))
)]
pub(super) async fn check(
    access: FarmAccess<WriteAssets>,
    Body(mut input): Body<Input>,
) -> Result<Json<Checked>, ApiError> {
    let places = access.hub().read(Places::of).await?;
    // it may have none yet
    if input.name.as_deref().is_none_or(|n| n.trim().is_empty()) {
        input.name = Some("?".to_owned());
    }
    let (name, document) = read(input, &places)?;
    let mut rows: Vec<DerivedSensor> = access.records().rows(Days::default()).await?;
    let id = rows.iter().find(|r| r.name == name).map(|r| r.id.clone());
    rows.retain(|r| r.name != name);
    let mut row = new_row(&name, &document)?;
    row.id = id.unwrap_or_default();
    rows.push(row.clone());
    let question = move |engine: &Engine| {
        let made = compile(engine, row.sensor(), &row.name, &document);
        let circle = circle(engine, &rows).filter(|_| made.is_ok());
        match made {
            Err(problems) => Checked::wrong(&document, problems),
            Ok(made) => Checked::of(engine, &made.definition, circle),
        }
    };
    Ok(Json(access.hub().read(question).await?))
}

impl From<Problem> for ProblemNow {
    fn from(problem: Problem) -> Self {
        Self {
            code: word(problem.kind),
            path: problem.path,
            message: problem.message,
            line: problem.at.map(|(line, _)| line),
            column: problem.at.map(|(_, column)| column),
        }
    }
}

impl Checked {
    fn wrong(document: &Document, problems: Vec<Problem>) -> Self {
        let sensor_type = document.sensor_type.unwrap_or(document.kind.output());
        Self {
            value: None,
            unit: sensor_type.unit(),
            later: false,
            inputs: Vec::new(),
            problems: problems.into_iter().map(ProblemNow::from).collect(),
        }
    }

    fn of(engine: &Engine, definition: &Definition, circle: Option<String>) -> Self {
        let seen: Vec<_> = definition
            .sources()
            .map(|(name, source)| (name, source.sensor_type(engine), engine.seen(source)))
            .collect();
        let values: Option<Vec<f64>> = seen.iter().map(|(_, _, s)| s.map(|s| s.value)).collect();
        let value = values.map_or(Ok(None), |values| definition.value(&values));
        let mut problems = Vec::new();
        if let Err(error) = &value {
            problems.push(ProblemNow {
                path: "formula".to_owned(),
                code: word(ProblemKind::Formula),
                message: error.message.clone(),
                line: error.line,
                column: error.column,
            });
        }
        problems.extend(circle.map(|names| ProblemNow {
            path: "inputs".to_owned(),
            code: "circle",
            message: names,
            line: None,
            column: None,
        }));
        let inputs = seen.into_iter().map(|(name, sensor_type, seen)| InputNow {
            name: name.to_owned(),
            value: seen.map(|s| s.value),
            unit: sensor_type.map(SensorType::unit),
            at: seen.map(|s| s.at.as_millis()),
        });
        Self {
            value: value.ok().flatten(),
            unit: definition.sensor_type().unit(),
            later: !definition.is_instant(),
            inputs: inputs.collect(),
            problems,
        }
    }
}
