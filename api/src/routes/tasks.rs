//! How many tasks there are.

use axum::Json;
use harit_engine::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{FarmAccess, ReadFarm};
use crate::error::{ApiError, ErrorBody};
use crate::records::now_ms;

/// Tasks, counted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TaskSummary)]
pub(super) struct TaskSummary {
    open: i64,
    in_progress: i64,
    in_review: i64,
    closed: i64,
    total: i64,
    /// Not closed, and due before today in the farm's time; counted in their status too.
    overdue: i64,
}

/// Today in a time zone, as YYYY-MM-DD; in UTC where the zone is unknown.
pub(super) fn today_in(timezone: &str) -> String {
    day_in(timezone, Timestamp::from_millis(now_ms()))
}

fn day_in(timezone: &str, at: Timestamp) -> String {
    let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
    let instant =
        jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    instant.to_zoned(zone).date().to_string()
}

/// How many tasks there are
#[utoipa::path(
    get, path = "/api/farms/{farmId}/tasks/summary", tag = "farms", params(("farmId" = String, Path)),
    responses(
        (status = OK, body = TaskSummary),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
    )
)]
pub(super) async fn summary(access: FarmAccess<ReadFarm>) -> Result<Json<TaskSummary>, ApiError> {
    let records = access.records();
    let farm = records.farm_row().await?.ok_or_else(ApiError::not_found)?;
    let n = records.task_counts(&today_in(&farm.timezone)).await?;
    Ok(Json(TaskSummary {
        open: n.open,
        in_progress: n.in_progress,
        in_review: n.in_review,
        closed: n.closed,
        total: n.open + n.in_progress + n.in_review + n.closed,
        overdue: n.overdue,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_the_farms_midnight() {
        // 2026-11-20 18:29:59.999 and 18:30 UTC: midnight in India
        let before = Timestamp::from_millis(1_795_199_399_999);
        let after = Timestamp::from_millis(1_795_199_400_000);
        assert_eq!(day_in("Asia/Kolkata", before), "2026-11-20");
        assert_eq!(day_in("Asia/Kolkata", after), "2026-11-21");
        assert_eq!(day_in("no such zone", after), "2026-11-20");
    }
}
