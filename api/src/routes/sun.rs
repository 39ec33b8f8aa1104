//! Where the farm is, and when the sun rises and sets there.

use axum::Json;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm, WritePlaces};
use crate::audit::Action;
use crate::error::{ApiError, Body, Params};
use crate::language::Text;
use crate::letter::{day_at, zone_of};
use crate::records::now_ms;
use crate::sun::{self, Position};

/// The most days of one answer.
const MAX_DAYS: usize = 62;

/// A place on earth, in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Position)]
pub(super) struct PositionBody {
    #[schema(minimum = -90, maximum = 90)]
    pub(super) lat: f64,
    #[schema(minimum = -180, maximum = 180)]
    pub(super) lng: f64,
}

/// Where the farm is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FarmPosition)]
pub(super) struct FarmPosition {
    /// Null where it is not known.
    #[schema(required)]
    position: Option<PositionBody>,
}

/// Which days.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SunQuery {
    /// From the farm's day of this instant on; by default today.
    from: Option<i64>,
    /// Up to the farm's day of this instant, which is part of it; by default the same day. At most 62 days.
    to: Option<i64>,
}

/// The sun over the farm.
#[derive(Serialize, ToSchema)]
#[schema(as = Sun)]
pub(super) struct SunBody {
    /// Whether it is known where the farm is; without that there are no days.
    known: bool,
    days: Vec<SunDayBody>,
}

/// The sun on a day of the farm.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SunDay)]
pub(super) struct SunDayBody {
    /// YYYY-MM-DD
    day: String,
    /// Null where it does not rise on that day.
    #[schema(required)]
    sunrise: Option<i64>,
    /// Null where it does not set on that day.
    #[schema(required)]
    sunset: Option<i64>,
    /// `polar_day` or `polar_night` where it neither rises nor sets.
    #[schema(required)]
    all_day: Option<&'static str>,
}

impl From<sun::SunDay> for SunDayBody {
    fn from(day: sun::SunDay) -> Self {
        let all_day = match (day.rise, day.set, day.up_at_start) {
            (None, None, true) => Some("polar_day"),
            (None, None, false) => Some("polar_night"),
            _ => None,
        };
        Self {
            day: day.date.to_string(),
            sunrise: day.rise,
            sunset: day.set,
            all_day,
        }
    }
}

/// Sunrise and sunset
///
/// By the sun's upper edge at a horizon without hills, for each of the farm's days. Without the farm's position there are none.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/sun", tag = "farms", operation_id = "get_sun", summary = "Get sunrise and sunset",
    params(SunQuery), responses((status = OK, body = SunBody))
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Params(query): Params<SunQuery>,
) -> Result<Json<SunBody>, ApiError> {
    let farm = access.records().farm_row().await?;
    let farm = farm.ok_or_else(ApiError::not_found)?;
    let zone = zone_of(&farm.timezone);
    let from = query.from.unwrap_or_else(now_ms);
    let (first, last) = (day_at(&zone, from), day_at(&zone, query.to.unwrap_or(from)));
    let refused = || ApiError::field("from", "out_of_range", Text::StepOutOfRange);
    let days: Vec<Date> = first
        .series(jiff::Span::new().days(1))
        .take_while(|d| *d <= last)
        .take(MAX_DAYS + 1)
        .collect();
    if days.is_empty() || days.len() > MAX_DAYS {
        return Err(refused());
    }
    let place = farm.lat.zip(farm.lng);
    let Some(place) = place.and_then(|(lat, lng)| Position::new(lat, lng)) else {
        return Ok(Json(SunBody {
            known: false,
            days: Vec::new(),
        }));
    };
    let days = days.into_iter().filter_map(|d| sun::day(place, d, &zone));
    Ok(Json(SunBody {
        known: true,
        days: days.map(SunDayBody::from).collect(),
    }))
}

/// Says where the farm is
///
/// In place of what was known. It is needed for sunrise, sunset and the weather outside.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/position", tag = "farms", operation_id = "put_farm_position",
    summary = "Set the position of a farm", request_body = FarmPosition, responses((status = OK, body = FarmPosition))
)]
pub(super) async fn put(
    access: FarmAccess<WritePlaces>,
    Body(request): Body<FarmPosition>,
) -> Result<Json<FarmPosition>, ApiError> {
    let position = request.position.map(|p| (p.lat, p.lng));
    if position.is_some_and(|(lat, lng)| Position::new(lat, lng).is_none()) {
        return Err(ApiError::field(
            "position",
            "invalid",
            Text::LocationInvalid,
        ));
    }
    let mut write = access.write().await?;
    write.move_farm(position).await?;
    let farm = access.farm().as_str().to_owned();
    let details = json!({"lat": position.map(|p| p.0), "lng": position.map(|p| p.1)});
    write.commit(Action::FarmMoved, &farm, details).await?;
    Ok(Json(request))
}
