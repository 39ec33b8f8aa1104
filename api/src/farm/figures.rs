//! What the records come to: the dashboard's tiles, and the report of a period by month and by crop cycle.

use crate::records::sql;
use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::cycles::{CropCycle, State as CycleState};
use super::expenses::Expense;
use super::harvests::{Grade, Harvest};
use super::operations::{Period, Seen};
use super::sales::Sale;
use super::stock::{Kind, StockMovement};
use crate::access::{FarmAccess, ReadMoney};
use crate::error::{ApiError, Params};
use crate::records::{Days, Decimal, FarmRecords, Paise};

/// The month in which the financial year begins in India.
const APRIL: i8 = 4;

/// The tiles that come from the records; none where there is nothing of the kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Batches of seedlings that were not transplanted yet.
    pub(crate) nurseries: i64,
    /// Items that are not low, of all items, in whole percent.
    pub(crate) inventory_available_percent: Option<i64>,
    /// Zones in which something grows, of all zones, in whole percent.
    pub(crate) utilization_percent: Option<i64>,
    /// What is still expected of what grows, at the expected prices; none where nothing is expected of anything.
    pub(crate) expected_harvest_revenue: Option<Paise>,
    /// What the stock cost.
    pub(crate) inventory_cost: Option<Paise>,
    /// What was sold in the financial year.
    pub(crate) sales_revenue: Option<Paise>,
}

/// The tiles of a farm with these zones on that day.
pub(crate) async fn figures(
    records: &FarmRecords,
    zones: &BTreeSet<String>,
    today: &str,
) -> Result<Figures, ApiError> {
    const NURSERIES: &str = "SELECT COUNT(*) FROM nurseries WHERE farm_id = $1 AND (transplanted_on IS NULL OR transplanted_on > $2)";
    const INVENTORY: &str = "SELECT COUNT(*), COUNT(CASE WHEN stock > COALESCE(lowest_stock, 0) THEN 1 END), \
                             CAST(COALESCE(SUM(value), 0) AS BIGINT) FROM inventory_items WHERE farm_id = $1";
    const SALES: &str = "SELECT CAST(SUM(total) AS BIGINT) FROM sales WHERE farm_id = $1 AND sold_on >= $2 AND sold_on <= $3";
    let read = records.reader();
    let (nurseries,): (i64,) = sql::query_as(NURSERIES)
        .bind(records.farm())
        .bind(today)
        .fetch_one(read)
        .await?;
    let (items, available, value): (i64, i64, Paise) = sql::query_as(INVENTORY)
        .bind(records.farm())
        .fetch_one(read)
        .await?;
    let (sold,): (Option<Paise>,) = sql::query_as(SALES)
        .bind(records.farm())
        .bind(year_began(today))
        .bind(today)
        .fetch_one(read)
        .await?;
    let cycles = records.rows::<CropCycle>(Days::default()).await?;
    let growing: Vec<_> = cycles
        .iter()
        .filter(|c| c.state_on(today) == CycleState::Growing)
        .collect();
    let used: BTreeSet<_> = growing.iter().map(|c| c.zone_id()).collect();
    let used = zones.iter().filter(|z| used.contains(z.as_str())).count();
    let expected: Vec<Paise> = growing.iter().filter_map(|c| c.still_expected()).collect();
    Ok(Figures {
        nurseries,
        inventory_available_percent: percent(available, items),
        utilization_percent: percent(whole(used), whole(zones.len())),
        expected_harvest_revenue: (!expected.is_empty()).then(|| sum(expected)),
        inventory_cost: (items > 0).then_some(value),
        sales_revenue: sold,
    })
}

fn percent(part: i64, whole: i64) -> Option<i64> {
    (whole > 0).then(|| part * 100 / whole)
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn sum(paise: impl IntoIterator<Item = Paise>) -> Paise {
    Paise(paise.into_iter().fold(0, |sum, p| p.0.saturating_add(sum)))
}

/// The first day of the financial year of a day.
fn year_began(today: &str) -> String {
    let day = today.parse::<Date>().unwrap_or_default();
    let year = day.year() - i16::from(day.month() < APRIL);
    format!("{year:04}-04-01")
}

/// What a period came to.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// In the order of time; months in which nothing was written down are left out.
    months: Vec<MonthReport>,
    /// In the order in which the cycles were made; those of which nothing is in the period are left out.
    cycles: Vec<CycleReport>,
}

/// A month.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MonthReport {
    /// YYYY-MM
    month: String,
    /// Kilograms by grade.
    harvested_kg: GradesKg,
    sold_paise: Paise,
    /// Of what was sold in the month, whenever it was paid.
    paid_paise: Paise,
    /// Expenses, without what was bought for the store.
    spent_paise: Paise,
    /// What was bought for the store.
    bought_paise: Paise,
    /// What was sold less what was spent and bought.
    profit_paise: Paise,
}

/// A crop cycle.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CycleReport {
    cycle_id: String,
    cycle: String,
    #[schema(required)]
    zone: Option<String>,
    harvested_kg: GradesKg,
    /// The lines of sales that name it.
    sold_paise: Paise,
    /// The expenses that name it.
    spent_paise: Paise,
}

/// Kilograms, by grade.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GradesKg {
    a: Decimal,
    b: Decimal,
    c: Decimal,
    waste: Decimal,
}

impl GradesKg {
    fn add(&mut self, harvest: &Harvest) {
        let sum = match harvest.grade {
            Grade::A => &mut self.a,
            Grade::B => &mut self.b,
            Grade::C => &mut self.c,
            Grade::Waste => &mut self.waste,
        };
        sum.0 = sum.0.saturating_add(harvest.weight_kg.0);
    }
}

/// Report a period
///
/// By month and by crop cycle, from harvests, sales, expenses and what was bought for the store.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/report", tag = "records",
    operation_id = "get_report", summary = "Get the report of a period", params(Period),
    responses((status = OK, body = Report))
)]
pub(super) async fn report(
    access: FarmAccess<ReadMoney>,
    Params(period): Params<Period>,
) -> Result<Json<Report>, ApiError> {
    let seen = Seen::by(&access).await?;
    let (records, days) = (access.records(), period.days()?);
    let cycles = records.rows::<CropCycle>(Days::default()).await?;
    let mut sums = Sums::default();
    records
        .rows(days)
        .await?
        .iter()
        .for_each(|h| sums.harvest(h));
    records.rows(days).await?.iter().for_each(|s| sums.sale(s));
    records
        .rows(days)
        .await?
        .iter()
        .for_each(|e| sums.expense(e));
    records
        .rows(days)
        .await?
        .iter()
        .for_each(|m| sums.movement(m));
    Ok(Json(sums.report(cycles, &seen)))
}

#[derive(Default)]
struct Sums {
    months: BTreeMap<String, MonthReport>,
    cycles: BTreeMap<String, CycleReport>,
}

impl Sums {
    fn month(&mut self, day: &str) -> &mut MonthReport {
        let month = day.get(..7).unwrap_or(day);
        self.months.entry(month.to_owned()).or_default()
    }

    fn cycle(&mut self, id: &str) -> &mut CycleReport {
        self.cycles.entry(id.to_owned()).or_default()
    }

    fn harvest(&mut self, harvest: &Harvest) {
        self.month(&harvest.harvested_on).harvested_kg.add(harvest);
        self.cycle(&harvest.cycle_id).harvested_kg.add(harvest);
    }

    fn sale(&mut self, sale: &Sale) {
        let month = self.month(&sale.sold_on);
        month.sold_paise = sum([month.sold_paise, sale.total_paise]);
        month.paid_paise = sum([month.paid_paise, sale.paid_paise]);
        for line in sale.lines.iter() {
            if let Some(id) = &line.cycle_id {
                let cycle = self.cycle(id);
                cycle.sold_paise = sum([cycle.sold_paise, line.amount()]);
            }
        }
    }

    fn expense(&mut self, expense: &Expense) {
        let month = self.month(&expense.spent_on);
        month.spent_paise = sum([month.spent_paise, expense.amount_paise]);
        if let Some(id) = &expense.cycle_id {
            let cycle = self.cycle(id);
            cycle.spent_paise = sum([cycle.spent_paise, expense.amount_paise]);
        }
    }

    fn movement(&mut self, movement: &StockMovement) {
        if let (Kind::In, Some(cost)) = (movement.kind, movement.cost_paise) {
            let month = self.month(&movement.moved_on);
            month.bought_paise = sum([month.bought_paise, cost]);
        }
    }

    fn report(mut self, cycles: Vec<CropCycle>, seen: &Seen) -> Report {
        let months = self.months.into_iter().map(|(month, sums)| MonthReport {
            month,
            profit_paise: Paise(sums.sold_paise.0 - sums.spent_paise.0 - sums.bought_paise.0),
            ..sums
        });
        let cycles = cycles.into_iter().filter_map(|cycle| {
            let sums = self.cycles.remove(cycle.id())?;
            Some(CycleReport {
                cycle_id: cycle.id().to_owned(),
                cycle: cycle.label(),
                zone: seen.zones.get(cycle.zone_id()).cloned(),
                ..sums
            })
        });
        Report {
            months: months.collect(),
            cycles: cycles.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_financial_year_begins_in_april() {
        for (today, began) in [
            ("2026-03-31", "2025-04-01"),
            ("2026-04-01", "2026-04-01"),
            ("2026-12-31", "2026-04-01"),
        ] {
            assert_eq!(year_began(today), began);
        }
    }

    #[test]
    fn nothing_is_a_part_of_nothing() {
        assert_eq!(percent(0, 0), None);
        assert_eq!(percent(2, 3), Some(66));
    }
}
