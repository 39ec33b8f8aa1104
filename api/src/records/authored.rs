//! Taking over what a farm's own log says that people changed. It stands there together with the change, so nothing that is
//! changed lacks its author; the audit log gets it from there, each entry once, whenever it is next looked at.

use harit_engine::FarmId;
use harit_ingest::AuthoredEntry;

use super::Records;
use super::audit::{AuditError, append};
use super::grants::take_removed;
use crate::audit::Entry;
use crate::records::sql;

const HEAD: &str = "SELECT authored_at, authored FROM audit_heads WHERE farm_id = $1";

/// The order of the entries, also over a journal that was restored from a backup: then numbers begin again, instants do not.
type Place = (i64, i64);

fn place(entry: &AuthoredEntry) -> Place {
    let number = i64::try_from(entry.number).unwrap_or(i64::MAX);
    (entry.at.as_millis(), number)
}

impl Records {
    /// Appends those of the entries to the farm's audit log that it lacks, with the instants that they have. What they say was
    /// removed is given to nobody from then on.
    ///
    /// # Errors
    /// When they cannot be written; then none is.
    pub(crate) async fn take_authored(
        &self,
        farm: &FarmId,
        entries: &[AuthoredEntry],
    ) -> Result<(), AuditError> {
        const LOCK: &str =
            "UPDATE audit_heads SET seq = seq WHERE farm_id = $1 RETURNING authored_at, authored";
        const TAKEN: &str =
            "UPDATE audit_heads SET authored_at = $2, authored = $3 WHERE farm_id = $1";
        let farm = farm.as_str();
        let head: Option<Place> = sql::query_as(HEAD)
            .bind(farm)
            .fetch_optional(&self.db.readers)
            .await?;
        let Some(last) = entries.last().map(place) else {
            return Ok(());
        };
        if head.is_some_and(|head| head >= last) {
            return Ok(());
        }
        let mut tx = self.db.write().await?;
        // somebody else may have taken them meanwhile; a write, so that it waits for another one
        let head: Option<Place> = sql::query_as(LOCK)
            .bind(farm)
            .fetch_optional(&mut *tx)
            .await?;
        let head = head.unwrap_or_default();
        let mut end = None;
        for authored in entries.iter().filter(|entry| place(entry) > head) {
            let said: Vec<Entry> = match serde_json::from_str(&authored.text) {
                Ok(said) => said,
                Err(error) => {
                    // of a later version: it stays in the farm's log
                    metrics::counter!("harit_audit_errors_total").increment(1);
                    tracing::error!(%error, farm, ?authored, "an audit entry cannot be read");
                    continue;
                }
            };
            for entry in &said {
                let at = authored.at.as_millis();
                end = Some(append(&mut tx, &self.audit_key, farm, at, entry).await?);
                take_removed(&mut tx, farm, entry).await?;
            }
        }
        let Some(end) = end else { return Ok(()) };
        sql::query(TAKEN)
            .bind(farm)
            .bind(last.0)
            .bind(last.1)
            .execute(&mut *tx)
            .await?;
        self.seal(tx, vec![(farm.to_owned(), end)]).await
    }
}
