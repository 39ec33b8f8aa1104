//! Reservoirs: their names and sizes. What is in them is the sensors' to say.

use std::collections::HashMap;

use harit_protocol::Mac;
use serde::Serialize;
use sqlx::FromRow;

use super::{FarmRecords, Write, new_id, now_ms};
use crate::records::sql;

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
#[derive(Debug, Clone, Serialize)]
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

/// The reservoirs' names by the MAC of their controllers.
pub(crate) type ReservoirNames = HashMap<Mac, String>;

const ALL: &str = "SELECT id, name, capacity_litres, last_refill_at FROM reservoirs WHERE farm_id = $1 ORDER BY created_at, id";

impl FarmRecords {
    pub(crate) async fn reservoirs(&self) -> Result<Vec<Reservoir>, sqlx::Error> {
        sql::query_as(ALL)
            .bind(self.farm())
            .fetch_all(&self.db().readers)
            .await
    }

    /// What the reservoirs are called.
    pub(crate) async fn reservoir_names(&self) -> Result<ReservoirNames, sqlx::Error> {
        let all = self.reservoirs().await?.into_iter();
        let names: HashMap<String, String> = all.map(|r| (r.id, r.name)).collect();
        let controllers = self.controllers().into_iter();
        let named = controllers
            .filter_map(|c| Some((c.mac, names.get(c.reservoir_id.as_deref()?)?.clone())));
        Ok(named.collect())
    }
}

impl Write {
    /// The reservoirs as they are in this change.
    pub(crate) async fn reservoirs(&mut self) -> Result<Vec<Reservoir>, sqlx::Error> {
        let (farm, tx) = self.parts();
        sql::query_as(ALL).bind(farm).fetch_all(tx).await
    }

    pub(crate) async fn add_reservoir(
        &mut self,
        r: &ReservoirText,
    ) -> Result<String, ReservoirError> {
        const INSERT: &str = "INSERT INTO reservoirs (id, farm_id, name, capacity_litres, last_refill_at, created_at) \
            SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT COUNT(*) FROM reservoirs WHERE farm_id = $2) < $7";
        let id = new_id();
        let (farm, tx) = self.parts();
        let rows = sql::query(INSERT)
            .bind(&id)
            .bind(farm)
            .bind(&r.name)
            .bind(r.capacity_litres)
            .bind(r.last_refill_at)
            .bind(now_ms())
            .bind(MAX_RESERVOIRS)
            .execute(tx)
            .await?
            .rows_affected();
        if rows == 0 {
            return Err(ReservoirError::TooMany);
        }
        Ok(id)
    }

    pub(crate) async fn change_reservoir(
        &mut self,
        id: &str,
        r: &ReservoirText,
    ) -> Result<(), ReservoirError> {
        const Q: &str = "UPDATE reservoirs SET name = $3, capacity_litres = $4, last_refill_at = $5 WHERE farm_id = $1 AND id = $2";
        let (farm, tx) = self.parts();
        let rows = sql::query(Q)
            .bind(farm)
            .bind(id)
            .bind(&r.name)
            .bind(r.capacity_litres)
            .bind(r.last_refill_at)
            .execute(tx)
            .await?
            .rows_affected();
        if rows == 0 {
            Err(ReservoirError::Gone)
        } else {
            Ok(())
        }
    }

    pub(crate) async fn delete_reservoir(&mut self, id: &str) -> Result<(), ReservoirError> {
        const Q: &str = "DELETE FROM reservoirs WHERE farm_id = $1 AND id = $2";
        let (farm, tx) = self.parts();
        let rows = sql::query(Q)
            .bind(farm)
            .bind(id)
            .execute(tx)
            .await?
            .rows_affected();
        if rows == 0 {
            Err(ReservoirError::Gone)
        } else {
            Ok(())
        }
    }
}
