//! What people wrote down of a day, and what the crops wanted on it: for the evening letter.

use crate::records::sql;
use harit_engine::SensorType;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::cycles::{self, CropCycle};
use super::inventory::Unit;
use crate::error::ApiError;
use crate::records::{Days, Decimal, FarmRecords, Paise};

/// What a crop wanted in a zone on a day.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) zone: String,
    pub(crate) crop: String,
    pub(crate) sensor_type: SensorType,
    pub(crate) min: Decimal,
    pub(crate) max: Decimal,
}

/// What was picked of a crop on a day.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterHarvest)]
pub(crate) struct Harvested {
    crop: String,
    #[serde(skip)]
    pub(crate) zone: String,
    /// Kilograms, without what is not for sale.
    pub(crate) kg: Decimal,
    /// Kilograms that are not for sale.
    waste_kg: Decimal,
}

/// How many were written down, and what they come to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterMoney)]
pub(crate) struct Spent {
    count: i64,
    paise: Paise,
}

/// What came into the store and went of an item.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterStock)]
pub(crate) struct Stocked {
    item: String,
    unit: Unit,
    came: Decimal,
    went: Decimal,
}

/// What people wrote down of a day.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterWritten)]
pub(crate) struct Written {
    pub(crate) harvests: Vec<Harvested>,
    stock: Vec<Stocked>,
    /// Null for who does not see prices, as the expenses.
    #[schema(required)]
    sales: Option<Spent>,
    #[schema(required)]
    expenses: Option<Spent>,
}

/// What the growing crops wanted on a day, YYYY-MM-DD.
pub(crate) async fn wanted(records: &FarmRecords, day: &str) -> Result<Vec<Wanted>, ApiError> {
    let cycles = records.rows::<CropCycle>(Days::default()).await?;
    let wanted = cycles.iter().flat_map(|cycle| {
        let setpoints = cycle.wants_on(day).into_iter();
        setpoints.map(|s| Wanted {
            zone: cycle.zone_id().to_owned(),
            crop: cycle.label(),
            sensor_type: s.sensor_type,
            min: s.min,
            max: s.max,
        })
    });
    Ok(wanted.collect())
}

/// What was written down of a day, YYYY-MM-DD; of what was sold and spent only where `money` may be seen.
pub(crate) async fn written(
    records: &FarmRecords,
    day: &str,
    money: bool,
) -> Result<Written, ApiError> {
    const HARVESTS: &str = "SELECT c.crop, c.variety, c.zone_id, \
        CAST(SUM(CASE WHEN h.grade = 'WASTE' THEN 0 ELSE h.weight END) AS BIGINT), \
        CAST(SUM(CASE WHEN h.grade = 'WASTE' THEN h.weight ELSE 0 END) AS BIGINT) \
        FROM harvests h JOIN crop_cycles c ON c.id = h.cycle_id WHERE h.farm_id = $1 AND h.harvested_on = $2 \
        GROUP BY c.id ORDER BY c.created_at, c.id";
    const STOCK: &str = "SELECT i.name AS item, i.unit, CAST(SUM(CASE WHEN m.kind = 'IN' THEN m.quantity ELSE 0 END) AS BIGINT) AS came, \
        CAST(SUM(CASE WHEN m.kind = 'OUT' THEN m.quantity ELSE 0 END) AS BIGINT) AS went FROM stock_movements m \
        JOIN inventory_items i ON i.id = m.item_id WHERE m.farm_id = $1 AND m.moved_on = $2 AND m.kind <> 'COUNT' \
        GROUP BY i.id ORDER BY i.name";
    const SALES: &str = "SELECT COUNT(*) AS count, CAST(COALESCE(SUM(total), 0) AS BIGINT) AS paise FROM sales WHERE farm_id = $1 AND sold_on = $2";
    const EXPENSES: &str = "SELECT COUNT(*) AS count, CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS paise FROM expenses WHERE farm_id = $1 AND spent_on = $2";
    type Row = (String, Option<String>, String, Decimal, Decimal);
    let read = records.reader();
    let harvests: Vec<Row> = sql::query_as(HARVESTS)
        .bind(records.farm())
        .bind(day)
        .fetch_all(read)
        .await?;
    let harvested = |(crop, variety, zone, kg, waste_kg): Row| Harvested {
        crop: cycles::label(&crop, variety.as_deref()),
        zone,
        kg,
        waste_kg,
    };
    let stock = sql::query_as(STOCK)
        .bind(records.farm())
        .bind(day)
        .fetch_all(read)
        .await?;
    let spent = async |query: &'static str| -> Result<Option<Spent>, ApiError> {
        if !money {
            return Ok(None);
        }
        let query = sql::query_as(query).bind(records.farm()).bind(day);
        Ok(Some(query.fetch_one(read).await?))
    };
    Ok(Written {
        harvests: harvests.into_iter().map(harvested).collect(),
        stock,
        sales: spent(SALES).await?,
        expenses: spent(EXPENSES).await?,
    })
}
