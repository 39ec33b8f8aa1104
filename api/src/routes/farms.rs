//! The caller's farms.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use super::sun::PositionBody;
use crate::access::{Caller, Permission};
use crate::error::ApiError;
use crate::role::Role;

/// A farm of the caller's.
#[derive(Serialize, ToSchema)]
#[schema(as = Farm)]
pub(super) struct FarmBody {
    #[schema(example = "demo-farm-1")]
    id: String,
    name: String,
    /// Where it is, in words.
    #[schema(required)]
    location: Option<String>,
    /// Where it is, in degrees.
    #[schema(required)]
    position: Option<PositionBody>,
    /// Its IANA time zone: people see this time.
    #[schema(example = "Asia/Kolkata")]
    timezone: String,
    /// The caller's role in it.
    role: Role,
    /// What the caller may do in it.
    permissions: Vec<Permission>,
    /// The roles of the people whom the caller may add, change and remove.
    manages: Vec<Role>,
    /// Those of them whose people see and switch only what they are given.
    gives: Vec<Role>,
}

/// The caller's farms
///
/// Those that the caller belongs to, with the role in each; the oldest membership first.
#[utoipa::path(
    get, path = "/api/farms", tag = "farms", operation_id = "list_farms", summary = "List farms",
    responses((status = OK, body = Vec<FarmBody>))
)]
pub(super) async fn list(caller: Caller) -> Result<Json<Vec<FarmBody>>, ApiError> {
    let people = |roles: Vec<Role>| {
        if caller.is_program() {
            Vec::new()
        } else {
            roles
        }
    };
    let body = |(farm, role): (crate::records::FarmRow, Role)| FarmBody {
        id: farm.id,
        name: farm.name,
        location: farm.location,
        position: farm
            .lat
            .zip(farm.lng)
            .map(|(lat, lng)| PositionBody { lat, lng }),
        timezone: farm.timezone,
        role,
        permissions: caller.permissions(role),
        manages: people(role.manages()),
        gives: people(role.gives()),
    };
    Ok(Json(caller.farms().await?.into_iter().map(body).collect()))
}
