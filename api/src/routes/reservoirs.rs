//! Reservoirs: their names and sizes are recorded; what is in them is what the level sensors of their controllers say.

use std::collections::HashMap;

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{Mean, Quantity, SensorType};
use harit_protocol::Mac;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::polyhouses::place_name;
use super::wrong::Wrong;
use crate::access::{FarmAccess, Needs, ReadFarm, WritePlaces};
use crate::audit::{Action, Verb};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::{Reservoir, ReservoirError, ReservoirText, now_ms};
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, created, etag};

/// The largest reservoir, in litres.
const MAX_LITRES: f64 = 1e9;
/// So far may a clock that says when it was refilled be ahead of the server's.
const CLOCK_AHEAD_MS: i64 = 24 * 3_600 * 1_000;

/// A reservoir.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Reservoir)]
pub(super) struct ReservoirBody {
    id: String,
    name: String,
    /// The mean of its fresh level sensors, rounded to two decimals; null where none is fresh.
    #[schema(required, value_type = Option<f64>)]
    level_percent: Option<Quantity>,
    /// Litres; null where level or capacity is not known.
    #[schema(required)]
    current_level: Option<f64>,
    /// Litres.
    #[schema(required)]
    capacity: Option<f64>,
    #[schema(required)]
    last_refill: Option<i64>,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for ReservoirBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// A reservoir as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReservoirInput)]
pub(super) struct ReservoirInput {
    /// 1 to 120 characters, and no other reservoir's.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    /// Litres, more than 0; null where it is not known.
    capacity: Option<f64>,
    /// Null where it is not known.
    last_refill: Option<i64>,
}

/// The reservoirs
///
/// A reservoir's level is what the level sensors of its controllers say.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/reservoirs", tag = "places",
    operation_id = "list_reservoirs", summary = "List reservoirs",
    responses((status = OK, body = Vec<ReservoirBody>))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
) -> Result<Json<Vec<ReservoirBody>>, ApiError> {
    let levels = levels(&access).await?;
    let all = access.records().reservoirs().await?.into_iter();
    Ok(Json(all.map(|r| body(r, &levels)).collect()))
}

/// The mean level of each reservoir that has one.
async fn levels<N: Needs>(access: &FarmAccess<N>) -> Result<HashMap<String, Mean>, ApiError> {
    let served: HashMap<Mac, String> = access
        .records()
        .controllers()
        .into_iter()
        .filter_map(|c| Some((c.mac, c.reservoir_id?)))
        .collect();
    let question = move |engine: &harit_engine::Engine| {
        let mut levels: HashMap<String, Mean> = HashMap::new();
        for s in engine
            .sensors()
            .filter(|s| s.spec.sensor_type == SensorType::ReservoirLevel)
        {
            let mac = s.spec.controller.as_deref();
            let mac = mac.and_then(|c| Mac::parse(c).ok());
            if let (Some(value), Some(reservoir)) = (s.value, mac.and_then(|m| served.get(&m))) {
                let mean = levels
                    .entry(reservoir.clone())
                    .or_insert(Mean { sum: 0, count: 0 });
                *mean = Mean {
                    sum: mean.sum + value.as_micro(),
                    count: mean.count + 1,
                };
            }
        }
        levels
    };
    access.hub().read(question).await
}

fn body(r: Reservoir, levels: &HashMap<String, Mean>) -> ReservoirBody {
    let level = levels.get(&r.id).map(|m| m.shown());
    ReservoirBody {
        etag: etag(&(&r.name, r.capacity_litres, r.last_refill_at)),
        current_level: level
            .zip(r.capacity_litres)
            .map(|(l, c)| (l.to_f64() / 100.0 * c * 10.0).round() / 10.0),
        level_percent: level,
        id: r.id,
        name: r.name,
        capacity: r.capacity_litres,
        last_refill: r.last_refill_at,
    }
}

fn find(all: &[Reservoir], id: &str) -> Result<Reservoir, ApiError> {
    let one = all.iter().find(|r| r.id == id);
    one.cloned().ok_or_else(ApiError::not_found)
}

fn refused(error: ReservoirError) -> ApiError {
    match error {
        ReservoirError::Gone => ApiError::not_found(),
        ReservoirError::TooMany => ApiError::too_many_places(),
        ReservoirError::Records(e) => e.into(),
    }
}

/// What somebody wrote; `id` is the reservoir's own, if it exists.
fn read(
    all: &[Reservoir],
    request: &ReservoirInput,
    id: Option<&str>,
) -> Result<ReservoirText, ApiError> {
    let mut wrong = Wrong::default();
    let others = all.iter().filter(|r| Some(r.id.as_str()) != id);
    let others = others.map(|r| r.name.as_str());
    let name = place_name(&mut wrong, request.name.as_deref(), others);
    if request
        .capacity
        .is_some_and(|c| !(c > 0.0 && c <= MAX_LITRES))
    {
        wrong.say("capacity", "out_of_range", Text::CapacityOutOfRange);
    }
    let refill = 0..=now_ms() + CLOCK_AHEAD_MS;
    if request.last_refill.is_some_and(|at| !refill.contains(&at)) {
        wrong.say("lastRefill", "out_of_range", Text::RefillOutOfRange);
    }
    wrong.done()?;
    Ok(ReservoirText {
        name,
        capacity_litres: request.capacity,
        last_refill_at: request.last_refill,
    })
}

fn describe(text: &ReservoirText) -> Value {
    json!({"name": text.name, "capacity": text.capacity_litres, "lastRefill": text.last_refill_at})
}

/// Makes a reservoir
///
/// A farm has at most 500. One that no controller serves has no level.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/reservoirs", tag = "places",
    operation_id = "create_reservoir", summary = "Create a reservoir", request_body = ReservoirInput,
    responses(
        (status = CREATED, body = ReservoirBody),
        (status = CONFLICT, description = "The farm has too many", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WritePlaces>,
    Body(request): Body<ReservoirInput>,
) -> Result<(StatusCode, Tagged<ReservoirBody>), ApiError> {
    let levels = levels(&access).await?;
    let mut write = access.write().await?;
    let text = read(&write.reservoirs().await?, &request, None)?;
    let id = write.add_reservoir(&text).await.map_err(refused)?;
    let made = body(find(&write.reservoirs().await?, &id)?, &levels);
    let action = Action::Of(Resource::Reservoir, Verb::Created);
    write.commit(action, &id, describe(&text)).await?;
    Ok(created(made))
}

/// Changes a reservoir
#[utoipa::path(
    put, path = "/api/farms/{farmId}/reservoirs/{reservoirId}", tag = "places",
    operation_id = "replace_reservoir", summary = "Replace a reservoir", request_body = ReservoirInput,
    responses((status = OK, body = ReservoirBody))
)]
pub(super) async fn replace(
    access: FarmAccess<WritePlaces>,
    Item(id): Item,
    Body(request): Body<ReservoirInput>,
) -> Result<Tagged<ReservoirBody>, ApiError> {
    let levels = levels(&access).await?;
    let mut write = access.write().await?;
    let all = write.reservoirs().await?;
    access.expect(&id, &body(find(&all, &id)?, &levels)).await?;
    let text = read(&all, &request, Some(&id))?;
    let changed = write.change_reservoir(&id, &text).await;
    changed.map_err(refused)?;
    let after = body(find(&write.reservoirs().await?, &id)?, &levels);
    let action = Action::Of(Resource::Reservoir, Verb::Changed);
    write.commit(action, &id, describe(&text)).await?;
    Ok(Tagged(after))
}

/// Deletes a reservoir
///
/// As long as no controller serves it; else 409 names which.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/reservoirs/{reservoirId}", tag = "places",
    operation_id = "delete_reservoir", summary = "Delete a reservoir",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "A controller serves it", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WritePlaces>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    // no controller is registered for it meanwhile
    let _edit = access.editing().await;
    let levels = levels(&access).await?;
    let mut write = access.write().await?;
    let before = find(&write.reservoirs().await?, &id)?;
    access.expect(&id, &body(before.clone(), &levels)).await?;
    let controllers = access.records().controllers().into_iter();
    let serving = controllers.filter(|c| c.reservoir_id.as_deref() == Some(&*id));
    let uses: Vec<_> = serving
        .map(|c| {
            let path = format!("controllers.{}", c.mac.as_str());
            (path, Text::UsedByController, c.name)
        })
        .collect();
    if !uses.is_empty() {
        return Err(ApiError::in_use(uses));
    }
    write.delete_reservoir(&id).await.map_err(refused)?;
    let details = json!({"name": before.name});
    let action = Action::Of(Resource::Reservoir, Verb::Deleted);
    write.commit(action, &id, details).await?;
    Ok(StatusCode::NO_CONTENT)
}
