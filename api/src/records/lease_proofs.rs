//! Which devices of other systems showed that they go off by themselves.

use std::collections::HashMap;

use harit_ingest::Hub;
use harit_ingest::lease::{LeasedDevice, Proofs};
use harit_protocol::Mac;

use super::{FarmRecords, Records, RecordsError, Write, now_ms};
use crate::records::sql;

impl FarmRecords {
    /// What was proven in the farm.
    pub(crate) async fn lease_proofs(&self) -> Result<Proofs, sqlx::Error> {
        const Q: &str = "SELECT controller, device, control FROM lease_proofs WHERE farm_id = $1";
        let rows: Vec<(String, String, String)> = sql::query_as(Q)
            .bind(self.farm())
            .fetch_all(&self.db().readers)
            .await?;
        let read = |(mac, device, control): (String, String, String)| {
            Some(((Mac::parse(&mac).ok()?, device), control.into()))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }
}

impl Write {
    /// The device went off by itself, commanded like this.
    pub(crate) async fn put_lease_proof(
        &mut self,
        (mac, device): &LeasedDevice,
        control: &str,
        by: &str,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "INSERT INTO lease_proofs (farm_id, controller, device, control, proven_at, proven_by) \
                         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (farm_id, controller, device) DO UPDATE SET \
                         control = excluded.control, proven_at = excluded.proven_at, proven_by = excluded.proven_by";
        let (farm, tx): (&str, &mut sql::Connection) = self.parts();
        let put = sql::query(Q).bind(farm).bind(mac.as_str()).bind(device);
        let put = put.bind(control).bind(now_ms()).bind(by);
        put.execute(tx).await.map(drop)
    }

    /// It is no longer known to go off by itself.
    pub(crate) async fn take_lease_proof(
        &mut self,
        (mac, device): &LeasedDevice,
    ) -> Result<(), sqlx::Error> {
        const Q: &str =
            "DELETE FROM lease_proofs WHERE farm_id = $1 AND controller = $2 AND device = $3";
        let (farm, tx) = self.parts();
        let take = sql::query(Q).bind(farm).bind(mac.as_str()).bind(device);
        take.execute(tx).await.map(drop)
    }
}

/// Tells the pipeline which devices are proven: at the start, before controllers are let in.
///
/// # Errors
/// When they cannot be read.
pub async fn load_lease_proofs(records: &Records, hub: &Hub) -> Result<(), RecordsError> {
    const Q: &str = "SELECT l.farm_id, l.controller, l.device, l.control FROM lease_proofs l JOIN farms f ON f.id = l.farm_id WHERE f.cell = $1";
    let rows: Vec<(String, String, String, String)> = sql::query_as(Q)
        .bind(records.cell())
        .fetch_all(records.reader())
        .await?;
    let mut all: HashMap<String, Proofs> = HashMap::new();
    for (farm, mac, device, control) in rows {
        if let Ok(mac) = Mac::parse(&mac) {
            let proofs = all.entry(farm).or_default();
            proofs.insert((mac, device), control.into());
        }
    }
    for (farm, proofs) in all {
        hub.put_proofs(&farm.as_str().into(), proofs);
    }
    Ok(())
}
