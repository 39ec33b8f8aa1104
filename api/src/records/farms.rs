//! Farms' rows, and who belongs to them.

use harit_engine::FarmId;
use sqlx::FromRow;

use super::{FarmRecords, Records, Write};
use crate::records::sql;
use crate::role::Role;

/// A farm as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct FarmRow {
    pub id: String,
    pub name: String,
    pub location: Option<String>,
    pub lat: Option<f64>,
    pub lng: Option<f64>,
    pub timezone: String,
}

#[derive(FromRow)]
struct Membership {
    role: String,
    #[sqlx(flatten)]
    farm: FarmRow,
}

impl Records {
    /// The farms of a user with the role in each, oldest membership first.
    pub(crate) async fn farms_of(
        &self,
        user_id: &str,
    ) -> Result<Vec<(FarmRow, Role)>, sqlx::Error> {
        const Q: &str = "SELECT m.role, f.id, f.name, f.location, f.lat, f.lng, f.timezone \
                         FROM memberships m JOIN farms f ON f.id = m.farm_id \
                         WHERE m.user_id = $1 AND m.is_active ORDER BY m.created_at, f.id";
        let rows: Vec<Membership> = sql::query_as(Q)
            .bind(user_id)
            .fetch_all(&self.db.readers)
            .await?;
        Ok(rows
            .into_iter()
            .filter_map(|m| Some((m.farm, Role::parse(&m.role)?)))
            .collect())
    }

    /// All farms that are this server's.
    pub(crate) async fn farm_rows(&self) -> Result<Vec<FarmRow>, sqlx::Error> {
        const Q: &str =
            "SELECT id, name, location, lat, lng, timezone FROM farms WHERE cell = $1 ORDER BY id";
        sql::query_as(Q)
            .bind(self.cell())
            .fetch_all(&self.db.readers)
            .await
    }

    /// Those of this server's farms in which something grows, or did at that day or later, YYYY-MM-DD.
    pub(crate) async fn farms_with_crops(&self, since: &str) -> Result<Vec<FarmRow>, sqlx::Error> {
        const Q: &str = "SELECT f.id, f.name, f.location, f.lat, f.lng, f.timezone FROM farms f \
                         WHERE f.cell = $2 AND EXISTS (SELECT 1 FROM crop_cycles c WHERE c.farm_id = f.id AND \
                         (c.ended_on IS NULL OR c.ended_on > $1)) ORDER BY f.id";
        sql::query_as(Q)
            .bind(since)
            .bind(self.cell())
            .fetch_all(&self.db.readers)
            .await
    }

    /// A user's role in a farm, if the farm exists and the user belongs to it.
    pub(crate) async fn role_in(
        &self,
        user_id: &str,
        farm: &FarmId,
    ) -> Result<Option<Role>, sqlx::Error> {
        const Q: &str =
            "SELECT role FROM memberships WHERE user_id = $1 AND farm_id = $2 AND is_active";
        let role: Option<(String,)> = sql::query_as(Q)
            .bind(user_id)
            .bind(farm.as_str())
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(role.and_then(|(r,)| Role::parse(&r)))
    }
}

impl FarmRecords {
    pub(crate) async fn farm_row(&self) -> Result<Option<FarmRow>, sqlx::Error> {
        const Q: &str = "SELECT id, name, location, lat, lng, timezone FROM farms WHERE id = $1";
        sql::query_as(Q)
            .bind(self.farm())
            .fetch_optional(&self.db().readers)
            .await
    }
}

impl Write {
    /// Says where the farm is: latitude and longitude in degrees.
    pub(crate) async fn move_farm(
        &mut self,
        position: Option<(f64, f64)>,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE farms SET lat = $2, lng = $3 WHERE id = $1";
        let (farm, tx) = self.parts();
        sql::query(Q)
            .bind(farm)
            .bind(position.map(|p| p.0))
            .bind(position.map(|p| p.1))
            .execute(tx)
            .await
            .map(drop)
    }
}
