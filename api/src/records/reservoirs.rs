//! Reservoirs: their names and sizes. What is in them is the sensors' to say.

use sqlx::FromRow;

use super::FarmRecords;
use super::db::on;

/// A reservoir as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Reservoir {
    pub id: String,
    pub name: String,
    pub capacity_litres: Option<f64>,
    pub last_refill_at: Option<i64>,
}

/// A reservoir to be stored.
#[derive(Debug, Clone)]
pub(crate) struct NewReservoir {
    pub id: String,
    pub name: String,
    pub capacity_litres: Option<f64>,
    pub last_refill_at: Option<i64>,
}

impl FarmRecords {
    pub(crate) async fn reservoirs(&self) -> Result<Vec<Reservoir>, sqlx::Error> {
        const Q: &str = "SELECT id, name, capacity_litres, last_refill_at FROM reservoirs WHERE farm_id = $1 ORDER BY created_at, id";
        on!(self.db(), read p => sqlx::query_as(Q).bind(self.farm()).fetch_all(p).await)
    }
}
