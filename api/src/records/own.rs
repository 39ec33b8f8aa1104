//! A change that somebody makes of themselves: what is written and the entries of the audit log are one transaction.

use super::audit::{AuditError, SERVER, append};
use super::{Records, now_ms};
use crate::audit::Entry;
use crate::records::sql;

/// A change that is under way. Dropped, it is undone; [`Self::commit`] needs the entry that tells of it.
#[must_use]
pub(crate) struct OwnWrite {
    tx: sql::Transaction,
    records: Records,
    user_id: String,
    ends_access: bool,
}

impl Records {
    /// Begins a change of what is a user's own. It holds the database's one writer, so nothing else is written until it ends.
    pub(crate) async fn write_own(&self, user_id: &str) -> Result<OwnWrite, sqlx::Error> {
        Ok(OwnWrite {
            tx: self.db.write().await?,
            records: self.clone(),
            user_id: user_id.to_owned(),
            ends_access: false,
        })
    }
}

impl OwnWrite {
    /// The user, whom every statement names, and the transaction to read and write in.
    pub(super) fn parts(&mut self) -> (&str, &mut sql::Connection) {
        (&self.user_id, &mut self.tx)
    }

    /// The cell that a farm belongs to which is made here.
    pub(super) fn cell(&self) -> &str {
        self.records.cell()
    }

    /// Has everybody's access looked at again once the change is durable: a sign-in ended.
    pub(super) const fn ends_access(&mut self) {
        self.ends_access = true;
    }

    /// Appends the entry to the audit logs of the user's farms, or to the server's own for somebody who has none, and makes
    /// all durable.
    ///
    /// # Errors
    /// When any of it could not be written; then nothing has changed.
    pub(crate) async fn commit(mut self, entry: &Entry) -> Result<(), AuditError> {
        const FARMS: &str = "SELECT farm_id FROM memberships WHERE user_id = $1 AND is_active ORDER BY created_at, farm_id";
        let mut farms: Vec<String> = sql::query_scalar(FARMS)
            .bind(&self.user_id)
            .fetch_all(&mut *self.tx)
            .await?;
        if farms.is_empty() {
            farms.push(SERVER.to_owned());
        }
        self.commit_in(farms, entry).await
    }

    /// The same for what is these farms' matter alone.
    pub(crate) async fn commit_in(
        self,
        farms: Vec<String>,
        entry: &Entry,
    ) -> Result<(), AuditError> {
        let Self {
            mut tx,
            records,
            ends_access,
            ..
        } = self;
        let (now, mut heads) = (now_ms(), Vec::with_capacity(farms.len()));
        for farm in farms {
            let head = append(&mut tx, &records.audit_key, &farm, now, entry).await?;
            heads.push((farm, head));
        }
        let farms: Vec<String> = heads.iter().map(|(farm, _)| farm.clone()).collect();
        records.seal(tx, heads).await?;
        for farm in &farms {
            records.changes.note_action(farm, entry.action);
        }
        if ends_access {
            records.access_changed();
        }
        Ok(())
    }
}
