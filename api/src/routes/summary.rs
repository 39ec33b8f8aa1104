//! The dashboard's tiles: what exists is counted, what nothing is written down of is null, and no number is invented.

use std::collections::BTreeSet;

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{FarmAccess, ReadFarm, ReadMoney};
use crate::error::ApiError;
use crate::farm;
use crate::records::Paise;

/// A farm in numbers; null where nothing of the kind is written down.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FarmSummary)]
pub(super) struct Summary {
    polyhouses: usize,
    reservoirs: usize,
    zones: usize,
    /// Batches of seedlings that were not transplanted yet.
    nurseries: i64,
    /// Items of the inventory of which more is there than their lowest stock.
    #[schema(required)]
    inventory_available_percent: Option<i64>,
    /// Alert rules that are raised now.
    active_alerts: usize,
    /// Tasks that are not closed and whose due date lies before today, in the farm's time.
    overdue_tasks: i64,
    /// Zones in which something grows.
    #[schema(required)]
    utilization_percent: Option<i64>,
    /// Paise: what is still to be picked of what grows, at the expected prices. Null for who does not see prices, as all money.
    #[schema(required)]
    expected_harvest_revenue: Option<Paise>,
    /// Paise: what the stock cost.
    #[schema(required)]
    inventory_cost: Option<Paise>,
    /// Paise: what was sold since the financial year began, on the first of April.
    #[schema(required)]
    sales_revenue: Option<Paise>,
}

/// A farm in numbers
#[utoipa::path(
    get, path = "/api/farms/{farmId}/summary", tag = "farms",
    operation_id = "get_farm_summary", summary = "Get the summary of a farm",
    responses((status = OK, body = Summary))
)]
pub(super) async fn get(access: FarmAccess<ReadFarm>) -> Result<Json<Summary>, ApiError> {
    let records = access.records();
    let today = access.today().await?;
    let tasks = records.task_counts(&today).await?;
    let reservoirs = records.reservoirs().await?.len();
    let counts = |engine: &harit_engine::Engine| {
        let document = engine.document();
        let zones = document.polyhouses.iter().flat_map(|p| &p.zones);
        let zones: BTreeSet<String> = zones.map(|z| z.id.to_string()).collect();
        (
            document.polyhouses.len(),
            zones,
            engine.alerts().filter(|a| a.active).count(),
        )
    };
    let (polyhouses, zones, active_alerts) = access.hub().read(counts).await?;
    let figures = farm::figures(&records, &zones, &today).await?;
    let money = access.may::<ReadMoney>();
    Ok(Json(Summary {
        polyhouses,
        reservoirs,
        zones: zones.len(),
        nurseries: figures.nurseries,
        inventory_available_percent: figures.inventory_available_percent,
        active_alerts,
        overdue_tasks: tasks.overdue,
        utilization_percent: figures.utilization_percent,
        expected_harvest_revenue: figures.expected_harvest_revenue.filter(|_| money),
        inventory_cost: figures.inventory_cost.filter(|_| money),
        sales_revenue: figures.sales_revenue.filter(|_| money),
    }))
}
