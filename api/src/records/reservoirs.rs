//! Reservoirs: their names and sizes. What is in them is the sensors' to say.

use sqlx::FromRow;

use super::FarmRecords;
use super::db::on;

/// A reservoir as stored, with the controller that serves it.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Reservoir {
    pub id: String,
    pub name: String,
    pub capacity_litres: Option<f64>,
    pub last_refill_at: Option<i64>,
    pub controller_mac: Option<String>,
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
        // one row a reservoir, whichever controllers serve it
        const Q: &str = "SELECT r.id, r.name, r.capacity_litres, r.last_refill_at, \
                         (SELECT MIN(c.mac) FROM controllers c WHERE c.reservoir_id = r.id AND c.farm_id = r.farm_id) AS controller_mac \
                         FROM reservoirs r WHERE r.farm_id = $1 ORDER BY r.created_at, r.id";
        on!(self.db(), read p => sqlx::query_as(Q).bind(self.farm()).fetch_all(p).await)
    }
}
