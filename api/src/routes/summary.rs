//! The dashboard's tiles: what exists is counted, what has no source yet is null, and no number is invented.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use super::refusals::{OfFarm, WithSession};
use crate::access::{FarmAccess, ReadFarm};
use crate::error::ApiError;
use crate::routes::tasks::today_in;

/// A farm in numbers; null where there is no source for the number yet.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FarmSummary)]
pub(super) struct Summary {
    polyhouses: usize,
    reservoirs: usize,
    zones: usize,
    #[schema(required)]
    nurseries: Option<i64>,
    #[schema(required)]
    inventory_available_percent: Option<f64>,
    /// Alert rules that are raised now.
    active_alerts: usize,
    /// Tasks that are not closed and whose due date lies before today, in the farm's time.
    overdue_tasks: i64,
    #[schema(required)]
    utilization_percent: Option<f64>,
    /// Rupees.
    #[schema(required)]
    expected_harvest_revenue: Option<f64>,
    /// Rupees.
    #[schema(required)]
    inventory_cost: Option<f64>,
    /// Rupees.
    #[schema(required)]
    sales_revenue: Option<f64>,
}

/// A farm in numbers
#[utoipa::path(
    get, path = "/api/farms/{farmId}/summary", tag = "farms", params(("farmId" = String, Path)),
    responses((status = OK, body = Summary), WithSession, OfFarm)
)]
pub(super) async fn get(access: FarmAccess<ReadFarm>) -> Result<Json<Summary>, ApiError> {
    let records = access.records();
    let farm = records.farm_row().await?.ok_or_else(ApiError::not_found)?;
    let tasks = records.task_counts(&today_in(&farm.timezone)).await?;
    let reservoirs = records.reservoirs().await?.len();
    let counts = |engine: &harit_engine::Engine| {
        let document = engine.document();
        let zones = document.polyhouses.iter().map(|p| p.zones.len()).sum();
        (
            document.polyhouses.len(),
            zones,
            engine.alerts().filter(|a| a.active).count(),
        )
    };
    let (polyhouses, zones, active_alerts) = access.hub().read(counts).await?;
    Ok(Json(Summary {
        polyhouses,
        reservoirs,
        zones,
        nurseries: None,
        inventory_available_percent: None,
        active_alerts,
        overdue_tasks: tasks.overdue,
        utilization_percent: None,
        expected_harvest_revenue: None,
        inventory_cost: None,
        sales_revenue: None,
    }))
}
