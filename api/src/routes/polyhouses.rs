//! Polyhouses with their zones. They live in the engine's document, a polyhouse always as a whole; so edits of a farm's places
//! follow one another ([`FarmAccess::editing`]).

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{Engine, InputKind, PolyhouseSpec, RegistryChange, ZoneSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::scopes::in_use;
use super::wrong::{TextField, Wrong};
use crate::access::{FarmAccess, Needs, ReadFarm, WritePlaces};
use crate::audit::{Action, Verb};
use crate::error::{ApiError, Body, ErrorBody, Item, Pair};
use crate::language::Text;
use crate::records::new_id;
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, created, etag};

/// The most polyhouses of a farm.
const MAX_POLYHOUSES: usize = 500;
/// The most zones of a polyhouse.
const MAX_ZONES: usize = 200;
const CAPACITY: TextField = TextField {
    name: "capacity",
    max_chars: 60,
    too_long: Text::CapacityTooLong,
    lines: false,
};

/// A polyhouse.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Polyhouse)]
pub(super) struct PolyhouseBody {
    id: String,
    name: String,
    zones_count: usize,
    /// In the farm's own words; null where it is not known.
    #[schema(required)]
    capacity: Option<String>,
    is_active: bool,
    zones: Vec<ZoneBody>,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for PolyhouseBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// A zone.
#[derive(Serialize, ToSchema)]
#[schema(as = Zone)]
pub(super) struct ZoneBody {
    id: String,
    name: String,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for ZoneBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// The polyhouses
#[utoipa::path(
    get, path = "/api/farms/{farmId}/polyhouses", tag = "places",
    operation_id = "list_polyhouses", summary = "List polyhouses",
    responses((status = OK, body = Vec<PolyhouseBody>))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
) -> Result<Json<Vec<PolyhouseBody>>, ApiError> {
    let document = access.hub().read(Engine::document).await?;
    let mut polyhouses: Vec<PolyhouseBody> = document.polyhouses.into_iter().map(body).collect();
    polyhouses.sort_by_cached_key(|p| (by_number(&p.name), p.id.clone()));
    Ok(Json(polyhouses))
}

fn body(p: PolyhouseSpec) -> PolyhouseBody {
    PolyhouseBody {
        etag: etag(&(&p.name, &p.capacity, p.is_active)),
        id: p.id.to_string(),
        name: p.name,
        zones_count: p.zones.len(),
        capacity: match p.capacity {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        },
        is_active: p.is_active,
        zones: p.zones.into_iter().map(ZoneBody::from).collect(),
    }
}

impl From<ZoneSpec> for ZoneBody {
    fn from(z: ZoneSpec) -> Self {
        Self {
            etag: etag(&z.name),
            id: z.id.to_string(),
            name: z.name,
        }
    }
}

/// A polyhouse to be made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewPolyhouse)]
pub(super) struct NewPolyhouse {
    /// 1 to 120 characters, and no other polyhouse's.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    /// In the farm's own words, up to 60 characters.
    #[schema(max_length = 60)]
    capacity: Option<String>,
}

/// A polyhouse as it is to be.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PolyhouseInput)]
pub(super) struct PolyhouseInput {
    /// 1 to 120 characters, and no other polyhouse's.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    /// In the farm's own words, up to 60 characters.
    #[schema(max_length = 60)]
    capacity: Option<String>,
    /// As it is, where that is not said.
    is_active: Option<bool>,
}

/// A zone as it is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ZoneInput)]
pub(super) struct ZoneInput {
    /// 1 to 120 characters, and no other zone's of the polyhouse.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
}

/// A place's name, which nothing beside it may have.
pub(super) fn place_name<'a>(
    wrong: &mut Wrong,
    typed: Option<&str>,
    mut others: impl Iterator<Item = &'a str>,
) -> String {
    const NAME: TextField = TextField {
        name: "name",
        max_chars: 120,
        too_long: Text::NameTooLong,
        lines: false,
    };
    let name = wrong.required_text(&NAME, typed, Text::PlaceNameRequired);
    if others.any(|other| other.to_lowercase() == name.to_lowercase()) {
        wrong.say("name", "taken", Text::NameTaken);
    }
    name
}

async fn polyhouses<N: Needs>(access: &FarmAccess<N>) -> Result<Vec<PolyhouseSpec>, ApiError> {
    Ok(access.hub().read(Engine::document).await?.polyhouses)
}

/// A polyhouse of the farm, taken out of the list of all.
fn take(all: &mut Vec<PolyhouseSpec>, id: &str) -> Result<PolyhouseSpec, ApiError> {
    let at = all.iter().position(|p| p.id.as_str() == id);
    Ok(all.swap_remove(at.ok_or_else(ApiError::not_found)?))
}

fn capacity(wrong: &mut Wrong, typed: Option<&str>) -> Value {
    wrong
        .text(&CAPACITY, typed)
        .map_or(Value::Null, Value::String)
}

/// Stores a polyhouse, of which that was done.
async fn put(
    access: &FarmAccess<WritePlaces>,
    polyhouse: PolyhouseSpec,
    deed: (Resource, Verb),
    subject: &str,
    details: Value,
) -> Result<(), ApiError> {
    let change = InputKind::Registry(vec![RegistryChange::PutPolyhouse(polyhouse)]);
    let action = Action::Of(deed.0, deed.1);
    access.admit(change, action, subject, details).await?;
    Ok(())
}

/// Makes a polyhouse
///
/// Without zones. A farm has at most 500.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/polyhouses", tag = "places",
    operation_id = "create_polyhouse", summary = "Create a polyhouse", request_body = NewPolyhouse,
    responses(
        (status = CREATED, body = PolyhouseBody),
        (status = CONFLICT, description = "The farm has too many", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WritePlaces>,
    Body(request): Body<NewPolyhouse>,
) -> Result<(StatusCode, Tagged<PolyhouseBody>), ApiError> {
    let _edit = access.editing().await;
    let all = polyhouses(&access).await?;
    let mut wrong = Wrong::default();
    let others = all.iter().map(|p| p.name.as_str());
    let polyhouse = PolyhouseSpec {
        id: new_id().as_str().into(),
        name: place_name(&mut wrong, request.name.as_deref(), others),
        capacity: capacity(&mut wrong, request.capacity.as_deref()),
        is_active: true,
        zones: Vec::new(),
    };
    wrong.done()?;
    if all.len() >= MAX_POLYHOUSES {
        return Err(ApiError::too_many_places());
    }
    let details = json!({"name": polyhouse.name, "capacity": polyhouse.capacity});
    let deed = (Resource::Polyhouse, Verb::Created);
    let id = polyhouse.id.as_str();
    put(&access, polyhouse.clone(), deed, id, details).await?;
    Ok(created(body(polyhouse)))
}

/// Changes a polyhouse
///
/// Its zones stay.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/polyhouses/{polyhouseId}", tag = "places",
    operation_id = "replace_polyhouse", summary = "Replace a polyhouse", request_body = PolyhouseInput,
    responses((status = OK, body = PolyhouseBody))
)]
pub(super) async fn replace(
    access: FarmAccess<WritePlaces>,
    Item(id): Item,
    Body(request): Body<PolyhouseInput>,
) -> Result<Tagged<PolyhouseBody>, ApiError> {
    let _edit = access.editing().await;
    let mut all = polyhouses(&access).await?;
    let before = take(&mut all, &id)?;
    access.expect(&id, &body(before.clone())).await?;
    let mut wrong = Wrong::default();
    let others = all.iter().map(|p| p.name.as_str());
    let polyhouse = PolyhouseSpec {
        name: place_name(&mut wrong, request.name.as_deref(), others),
        capacity: capacity(&mut wrong, request.capacity.as_deref()),
        is_active: request.is_active.unwrap_or(before.is_active),
        ..before
    };
    wrong.done()?;
    let details = json!({"name": polyhouse.name, "capacity": polyhouse.capacity, "isActive": polyhouse.is_active});
    let deed = (Resource::Polyhouse, Verb::Changed);
    put(&access, polyhouse.clone(), deed, &id, details).await?;
    Ok(Tagged(body(polyhouse)))
}

/// Deletes a polyhouse
///
/// With its zones, as long as nothing is in it and nothing refers to it; else 409 names what does.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/polyhouses/{polyhouseId}", tag = "places",
    operation_id = "delete_polyhouse", summary = "Delete a polyhouse",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Something is in it or refers to it", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WritePlaces>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let polyhouse = take(&mut polyhouses(&access).await?, &id)?;
    access.expect(&id, &body(polyhouse.clone())).await?;
    let mut uses = in_use(&access, &polyhouse, None).await?;
    for c in access.records().controllers() {
        if c.polyhouse_id.as_deref() == Some(&*id) {
            let path = format!("controllers.{}", c.mac.as_str());
            uses.push((path, Text::UsedByController, c.name));
        }
    }
    if !uses.is_empty() {
        return Err(ApiError::in_use(uses));
    }
    let change = InputKind::Registry(vec![RegistryChange::DeletePolyhouse(polyhouse.id)]);
    let action = Action::Of(Resource::Polyhouse, Verb::Deleted);
    let details = json!({"name": polyhouse.name});
    let deleted = access.admit(change, action, &id, details).await;
    // a controller announced something there just now
    deleted.map_err(ApiError::or_in_use)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a zone
///
/// In a polyhouse, which has at most 200.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones", tag = "places",
    operation_id = "create_zone", summary = "Create a zone", request_body = ZoneInput,
    responses(
        (status = CREATED, body = ZoneBody),
        (status = CONFLICT, description = "The polyhouse has too many", body = ErrorBody),
    )
)]
pub(super) async fn create_zone(
    access: FarmAccess<WritePlaces>,
    Item(id): Item,
    Body(request): Body<ZoneInput>,
) -> Result<(StatusCode, Tagged<ZoneBody>), ApiError> {
    let _edit = access.editing().await;
    let mut polyhouse = take(&mut polyhouses(&access).await?, &id)?;
    let mut wrong = Wrong::default();
    let others = polyhouse.zones.iter().map(|z| z.name.as_str());
    let zone = ZoneSpec {
        id: new_id().as_str().into(),
        name: place_name(&mut wrong, request.name.as_deref(), others),
    };
    wrong.done()?;
    if polyhouse.zones.len() >= MAX_ZONES {
        return Err(ApiError::too_many_places());
    }
    polyhouse.zones.push(zone.clone());
    let details = json!({"name": zone.name, "polyhouseId": id});
    let deed = (Resource::Zone, Verb::Created);
    put(&access, polyhouse, deed, zone.id.as_str(), details).await?;
    Ok(created(ZoneBody::from(zone)))
}

/// Changes a zone
#[utoipa::path(
    put, path = "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}", tag = "places",
    operation_id = "replace_zone", summary = "Replace a zone", request_body = ZoneInput,
    responses((status = OK, body = ZoneBody))
)]
pub(super) async fn replace_zone(
    access: FarmAccess<WritePlaces>,
    Pair(id, zone_id): Pair,
    Body(request): Body<ZoneInput>,
) -> Result<Tagged<ZoneBody>, ApiError> {
    let _edit = access.editing().await;
    let mut polyhouse = take(&mut polyhouses(&access).await?, &id)?;
    let at = polyhouse
        .zones
        .iter()
        .position(|z| z.id.as_str() == zone_id);
    let at = at.ok_or_else(ApiError::not_found)?;
    let before = ZoneBody::from(polyhouse.zones[at].clone());
    access.expect(&zone_id, &before).await?;
    let mut wrong = Wrong::default();
    let others = polyhouse.zones.iter().enumerate().filter(|(n, _)| *n != at);
    let others = others.map(|(_, z)| z.name.as_str());
    let name = place_name(&mut wrong, request.name.as_deref(), others);
    wrong.done()?;
    polyhouse.zones[at].name = name;
    let zone = polyhouse.zones[at].clone();
    let details = json!({"name": zone.name, "polyhouseId": id});
    let deed = (Resource::Zone, Verb::Changed);
    put(&access, polyhouse, deed, &zone_id, details).await?;
    Ok(Tagged(zone.into()))
}

/// Deletes a zone
///
/// As long as nothing is in it and nothing refers to it; else 409 names what does.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}", tag = "places",
    operation_id = "delete_zone", summary = "Delete a zone",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Something is in it or refers to it", body = ErrorBody),
    )
)]
pub(super) async fn delete_zone(
    access: FarmAccess<WritePlaces>,
    Pair(id, zone_id): Pair,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let mut polyhouse = take(&mut polyhouses(&access).await?, &id)?;
    let at = polyhouse
        .zones
        .iter()
        .position(|z| z.id.as_str() == zone_id);
    let at = at.ok_or_else(ApiError::not_found)?;
    let before = ZoneBody::from(polyhouse.zones[at].clone());
    access.expect(&zone_id, &before).await?;
    let uses = in_use(&access, &polyhouse, Some(&zone_id)).await?;
    if !uses.is_empty() {
        return Err(ApiError::in_use(uses));
    }
    let zone = polyhouse.zones.remove(at);
    let details = json!({"name": zone.name, "polyhouseId": id});
    let deed = (Resource::Zone, Verb::Deleted);
    let put = put(&access, polyhouse, deed, &zone_id, details).await;
    // something came into it just now
    put.map_err(ApiError::or_in_use)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Orders "Polyhouse 2" before "Polyhouse 10": text and numbers in turn.
fn by_number(name: &str) -> Vec<(String, u64)> {
    let mut key = vec![(String::new(), 0_u64)];
    let mut in_number = false;
    for c in name.chars() {
        if in_number && !c.is_ascii_digit() {
            key.push((String::new(), 0));
        }
        in_number = c.is_ascii_digit();
        if let Some((text, number)) = key.last_mut() {
            match c.to_digit(10) {
                Some(digit) => *number = number.saturating_mul(10).saturating_add(digit.into()),
                None => text.extend(c.to_lowercase()),
            }
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers_are_in_the_order_of_the_numbers() {
        let mut names = [
            "Polyhouse 10",
            "polyhouse 2",
            "Polyhouse 1b",
            "North",
            "Polyhouse 1",
            "12",
        ];
        names.sort_by_cached_key(|n| by_number(n));
        assert_eq!(
            names,
            [
                "12",
                "North",
                "Polyhouse 1",
                "Polyhouse 1b",
                "polyhouse 2",
                "Polyhouse 10"
            ]
        );
    }
}
