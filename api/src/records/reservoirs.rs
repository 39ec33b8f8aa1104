//! Reservoirs: their names and sizes. What is in them is the sensors' to say.

use sqlx::FromRow;

use super::changes::Kind;
use super::{FarmRecords, new_id, now_ms};

/// The most reservoirs of a farm.
const MAX_RESERVOIRS: i64 = 500;

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

/// What people write of a reservoir.
#[derive(Debug, Clone)]
pub(crate) struct ReservoirText {
    pub name: String,
    pub capacity_litres: Option<f64>,
    pub last_refill_at: Option<i64>,
}

/// Why a reservoir was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReservoirError {
    #[error("no such reservoir")]
    Gone,
    #[error("the farm has {MAX_RESERVOIRS} reservoirs")]
    TooMany,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

impl FarmRecords {
    pub(crate) async fn reservoirs(&self) -> Result<Vec<Reservoir>, sqlx::Error> {
        const Q: &str = "SELECT id, name, capacity_litres, last_refill_at FROM reservoirs WHERE farm_id = $1 ORDER BY created_at, id";
        sqlx::query_as(Q)
            .bind(self.farm())
            .fetch_all(&self.db().readers)
            .await
    }

    pub(crate) async fn add_reservoir(&self, r: &ReservoirText) -> Result<String, ReservoirError> {
        const INSERT: &str = "INSERT INTO reservoirs (id, farm_id, name, capacity_litres, last_refill_at, created_at) \
            SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT COUNT(*) FROM reservoirs WHERE farm_id = $2) < $7";
        let id = new_id();
        let rows = sqlx::query(INSERT)
            .bind(&id)
            .bind(self.farm())
            .bind(&r.name)
            .bind(r.capacity_litres)
            .bind(r.last_refill_at)
            .bind(now_ms())
            .bind(MAX_RESERVOIRS)
            .execute(&self.db().writer)
            .await?
            .rows_affected();
        if rows == 0 {
            return Err(ReservoirError::TooMany);
        }
        self.note(Kind::Reservoirs);
        Ok(id)
    }

    pub(crate) async fn change_reservoir(
        &self,
        id: &str,
        r: &ReservoirText,
    ) -> Result<(), ReservoirError> {
        const Q: &str = "UPDATE reservoirs SET name = $3, capacity_litres = $4, last_refill_at = $5 WHERE farm_id = $1 AND id = $2";
        let rows = sqlx::query(Q)
            .bind(self.farm())
            .bind(id)
            .bind(&r.name)
            .bind(r.capacity_litres)
            .bind(r.last_refill_at)
            .execute(&self.db().writer)
            .await?
            .rows_affected();
        self.reservoir_written(rows)
    }

    pub(crate) async fn delete_reservoir(&self, id: &str) -> Result<(), ReservoirError> {
        const Q: &str = "DELETE FROM reservoirs WHERE farm_id = $1 AND id = $2";
        let rows = sqlx::query(Q)
            .bind(self.farm())
            .bind(id)
            .execute(&self.db().writer)
            .await?
            .rows_affected();
        self.reservoir_written(rows)
    }

    fn reservoir_written(&self, rows: u64) -> Result<(), ReservoirError> {
        if rows == 0 {
            return Err(ReservoirError::Gone);
        }
        self.note(Kind::Reservoirs);
        Ok(())
    }
}
