//! What a worker was given in a farm: the houses that he sees, and the devices that he may switch.

use serde::Serialize;

use super::{FarmRecords, Write};
use crate::audit::{Action, Entry, Verb};
use crate::records::sql;
use crate::resource::Resource;

/// The most houses, and the most devices, that somebody is given.
pub(crate) const MAX_GRANTS: usize = 200;

/// What a worker was given, by id and in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Grants {
    pub polyhouses: Vec<String>,
    pub devices: Vec<String>,
}

impl Grants {
    pub(crate) const fn is_empty(&self) -> bool {
        self.polyhouses.is_empty() && self.devices.is_empty()
    }

    /// Of the two columns that [`GRANTS`] selects: JSON lists.
    pub(super) fn of(polyhouses: &str, devices: &str) -> Self {
        let read = |list: &str| serde_json::from_str(list).unwrap_or_default();
        Self {
            polyhouses: read(polyhouses),
            devices: read(devices),
        }
    }
}

/// The grants of a membership `m`, as the columns `polyhouses` and `devices`.
macro_rules! grants {
    () => {
        "(SELECT json_group_array(id) FROM (SELECT g.id FROM grants g WHERE g.user_id = m.user_id AND g.farm_id = m.farm_id \
         AND g.kind = 'POLYHOUSE' ORDER BY g.id) AS granted) AS polyhouses, \
         (SELECT json_group_array(id) FROM (SELECT g.id FROM grants g WHERE g.user_id = m.user_id AND g.farm_id = m.farm_id \
         AND g.kind = 'DEVICE' ORDER BY g.id) AS granted) AS devices"
    };
}
pub(super) use grants;

/// Takes away from everybody the house or the device that somebody removed from the farm, if the entry says so: who is given
/// the next of that id is for people to say.
pub(super) async fn take_removed(
    tx: &mut sql::Connection,
    farm: &str,
    entry: &Entry,
) -> Result<(), sqlx::Error> {
    const TAKE: &str = "DELETE FROM grants WHERE farm_id = $1 AND kind = $2 AND id = $3";
    let kind = match entry.action {
        Action::Of(Resource::Polyhouse, Verb::Deleted) => "POLYHOUSE",
        Action::DeviceRemoved => "DEVICE",
        _ => return Ok(()),
    };
    let take = sql::query(TAKE).bind(farm).bind(kind).bind(&entry.subject);
    take.execute(tx).await.map(drop)
}

impl FarmRecords {
    /// What somebody was given.
    pub(crate) async fn grants(&self, user_id: &str) -> Result<Grants, sqlx::Error> {
        const Q: &str = concat!(
            "SELECT ",
            grants!(),
            " FROM memberships m WHERE m.farm_id = $1 AND m.user_id = $2"
        );
        let row: Option<(String, String)> = sql::query_as(Q)
            .bind(self.farm())
            .bind(user_id)
            .fetch_optional(&self.db().readers)
            .await?;
        Ok(row.map_or_else(Grants::default, |(p, d)| Grants::of(&p, &d)))
    }
}

impl Write {
    /// Gives somebody who belongs to the farm this, in place of what they had.
    pub(crate) async fn set_grants(
        &mut self,
        user_id: &str,
        grants: &Grants,
    ) -> Result<(), sqlx::Error> {
        const CLEAR: &str = "DELETE FROM grants WHERE farm_id = $1 AND user_id = $2";
        const GIVE: &str =
            "INSERT INTO grants (farm_id, user_id, kind, id) VALUES ($1, $2, $3, $4)";
        let (farm, tx) = self.parts();
        let clear = sql::query(CLEAR).bind(farm).bind(user_id);
        clear.execute(&mut *tx).await?;
        for (kind, ids) in [
            ("POLYHOUSE", &grants.polyhouses),
            ("DEVICE", &grants.devices),
        ] {
            for id in ids {
                let give = sql::query(GIVE)
                    .bind(farm)
                    .bind(user_id)
                    .bind(kind)
                    .bind(id);
                give.execute(&mut *tx).await?;
            }
        }
        Ok(())
    }
}
