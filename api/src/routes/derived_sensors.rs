//! Derived sensors as a resource: listed, made, replaced, deleted, and tried without being kept.

use std::collections::BTreeSet;

use axum::Json;
use axum::http::StatusCode;
use harit_derived::{Document, Problem, ProblemKind};
use harit_engine::{Engine, InputKind, RegistryChange};
use serde_json::{Value, json};

use super::derived_check::Checked;
use super::derived_fields::{DerivedBody, Input, body, read};
use super::scopes::Places;
use super::uses::{Going, refuse_used};
use crate::access::{FarmAccess, Needs, ReadFarm, WriteAssets};
use crate::audit::{Action, Verb};
use crate::derived_sensors::{Compiled, DerivedSensor, circle, compile, word};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::{Days, RowError, new_id, now_ms};
use crate::resource::Resource;
use crate::version::{Tagged, created};

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

/// What a row is in the farm, if it is sound, has a name of its own and goes in no circle with the others.
async fn compiled<N: Needs>(
    access: &FarmAccess<N>,
    row: &DerivedSensor,
    document: &Document,
) -> Result<Compiled, ApiError> {
    let mut rows: Vec<DerivedSensor> = access.records().rows(Days::default()).await?;
    rows.retain(|r| r.id != row.id);
    if rows.iter().any(|r| r.name == row.name) {
        return Err(RowError::Taken.into());
    }
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
    let mut row = new_row(&name, &document)?;
    row.id = new_id();
    let made = compiled(&access, &row, &document).await?;
    // Before the change of the records, for which other servers have to wait.
    put(&access, RegistryChange::PutSensor(made.sensor)).await?;
    let kept = async {
        let mut write = access.write().await?;
        write.insert_as(&row.id, &row).await?;
        let action = Action::Of(Resource::DerivedSensor, Verb::Created);
        let details = details(&name, &document);
        write.commit(action, &row.id, details).await
    };
    if let Err(error) = kept.await {
        // nobody would ever compute it
        put(&access, RegistryChange::DeleteSensor(row.sensor())).await?;
        return Err(error);
    }
    settle(&access).await?;
    Ok(created(one(&access, row).await?))
}

/// A row as it is in the records.
async fn found<N: Needs>(access: &FarmAccess<N>, id: &str) -> Result<DerivedSensor, ApiError> {
    let rows: Vec<DerivedSensor> = access.records().rows(Days::default()).await?;
    let row = rows.into_iter().find(|row| row.id == id);
    row.ok_or_else(ApiError::not_found)
}

/// Registers the sensor of a row again as it was, after a change of it that was not kept.
async fn restore<N: Needs>(access: &FarmAccess<N>, row: &DerivedSensor) -> Result<(), ApiError> {
    let document = row.document().ok_or_else(ApiError::internal)?;
    let made = compiled(access, row, &document).await?;
    put(access, RegistryChange::PutSensor(made.sensor)).await
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
    let before = found(&access, &id).await?;
    access
        .expect(&id, &one(&access, before.clone()).await?)
        .await?;
    let (name, document) = read(input, &places)?;
    let mut row = new_row(&name, &document)?;
    row.id.clone_from(&before.id);
    if row.document == before.document {
        row.edited_at = before.edited_at;
    }
    let made = compiled(&access, &row, &document).await?;
    let change = put(&access, RegistryChange::PutSensor(made.sensor));
    change.await.map_err(ApiError::or_in_use)?;
    let kept = async {
        let mut write = access.write().await?;
        write.update(&id, &row).await?;
        let action = Action::Of(Resource::DerivedSensor, Verb::Changed);
        write.commit(action, &id, details(&name, &document)).await
    };
    if let Err(error) = kept.await {
        restore(&access, &before).await?;
        return Err(error);
    }
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
    let row = found(&access, &id).await?;
    access
        .expect(&id, &one(&access, row.clone()).await?)
        .await?;
    let going = Going {
        sensors: BTreeSet::from([row.sensor()]),
        ..Going::default()
    };
    refuse_used(&access, going).await?;
    let change = put(&access, RegistryChange::DeleteSensor(row.sensor()));
    change.await.map_err(ApiError::or_in_use)?;
    let kept = async {
        let mut write = access.write().await?;
        write.delete::<DerivedSensor>(&id).await?;
        let action = Action::Of(Resource::DerivedSensor, Verb::Deleted);
        write.commit(action, &id, json!({"name": row.name})).await
    };
    if let Err(error) = kept.await {
        restore(&access, &row).await?;
        return Err(error);
    }
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
