//! The evening letter: a day or a week of the farm, and who is told of it.

use axum::Json;
use axum::http::StatusCode;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, Needs, ReadFarm};
use crate::error::{ApiError, Body, Params};
use crate::letter::{self, Letter, Week};
use crate::records::now_ms;

/// Which day.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LetterQuery {
    /// YYYY-MM-DD, in the farm's time; the latest that is ready by default.
    day: Option<String>,
}

/// Whether the caller wants to be told.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = LetterChoice)]
pub(super) struct Choice {
    is_told: bool,
}

/// The farm's time zone and the day that is asked for.
async fn asked<N: Needs>(
    access: &FarmAccess<N>,
    query: &LetterQuery,
) -> Result<(TimeZone, Date), ApiError> {
    let farm = access.records().farm_row().await?;
    let zone = letter::zone_of(&farm.ok_or_else(ApiError::not_found)?.timezone);
    let day = match &query.day {
        None => letter::latest(&zone, now_ms()),
        Some(text) => text.parse::<Date>().ok().filter(|d| d.to_string() == *text),
    };
    Ok((zone, day.ok_or_else(ApiError::bad_query)?))
}

/// A day's evening letter
///
/// What the day came to, told up to now while it goes on. What is not known is null or counted as not known, never zero. Money
/// is for who may see it. 404 of a day that has not begun.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/letter", tag = "farms", operation_id = "get_letter", summary = "Get the evening letter of a day",
    params(LetterQuery), responses((status = OK, body = Letter))
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Params(query): Params<LetterQuery>,
) -> Result<Json<Letter>, ApiError> {
    let (zone, day) = asked(&access, &query).await?;
    let letter = letter::of_day(&access, &zone, day).await?;
    Ok(Json(letter.ok_or_else(ApiError::not_found)?))
}

/// A week on one sheet
///
/// The week, from Monday on, in which the day lies: a table a house, a row a day.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/letter/week", tag = "farms", operation_id = "get_letter_week", summary = "Get the week of a day",
    params(LetterQuery), responses((status = OK, body = Week))
)]
pub(super) async fn week(
    access: FarmAccess<ReadFarm>,
    Params(query): Params<LetterQuery>,
) -> Result<Json<Week>, ApiError> {
    let (zone, day) = asked(&access, &query).await?;
    let week = letter::of_week(&access, &zone, day).await?;
    Ok(Json(week.ok_or_else(ApiError::not_found)?))
}

/// Chooses whether the caller is told
///
/// When a letter is ready, at 19:00 of the farm's time. Owners and farm managers are told unless they chose otherwise.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/letter/choice", tag = "farms", operation_id = "choose_letter",
    summary = "Choose whether to be told of letters", request_body = Choice, responses((status = NO_CONTENT))
)]
pub(super) async fn choose(
    access: FarmAccess<ReadFarm>,
    Body(choice): Body<Choice>,
) -> Result<StatusCode, ApiError> {
    let records = access.records();
    records
        .choose_letters(&access.user().id, choice.is_told)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
