//! A change of a farm's records: what is written and the entry of the audit log that says who did it are one transaction.

use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::FarmRecords;
use super::audit::{self, AuditError};
use super::changes::Kind;
use crate::audit::{Entry, Resource};

/// A change that is under way. Dropped, it is undone; [`Self::commit`] needs the entry that tells of it.
#[must_use]
pub(crate) struct Write {
    tx: Transaction<'static, Sqlite>,
    records: FarmRecords,
}

impl FarmRecords {
    /// Begins a change. It holds the database's one writer, so nothing else is written until it ends.
    pub(crate) async fn write(&self) -> Result<Write, sqlx::Error> {
        Ok(Write {
            tx: self.lock().await?,
            records: self.clone(),
        })
    }
}

impl Write {
    /// The farm, which every statement names, and the transaction to read and write in.
    pub(crate) fn parts(&mut self) -> (&str, &mut SqliteConnection) {
        (self.records.farm(), &mut self.tx)
    }

    /// Appends the entry to the farm's audit log and makes both durable; then whoever has that kind of record open is told.
    ///
    /// # Errors
    /// When either could not be written; then nothing has changed.
    pub(crate) async fn commit(self, entry: &Entry) -> Result<(), AuditError> {
        let Self { mut tx, records } = self;
        let all = &records.records;
        let head = audit::append(&mut tx, &all.audit_key, records.farm(), entry).await?;
        all.seal(tx, records.farm(), head).await?;
        records.note_resource(entry.action.resource());
        Ok(())
    }

    /// Makes durable what nobody asks about later, such as the order within a list.
    pub(crate) async fn commit_untold(self, resource: Resource) -> Result<(), sqlx::Error> {
        let Self { tx, records } = self;
        tx.commit().await?;
        records.note_resource(Some(resource));
        Ok(())
    }
}

impl FarmRecords {
    fn note_resource(&self, resource: Option<Resource>) {
        if let Some(kind) = resource.and_then(topic) {
            self.note(kind);
        }
    }
}

/// What the live connection calls it; none where the engine tells of it.
const fn topic(resource: Resource) -> Option<Kind> {
    match resource {
        Resource::Task => Some(Kind::Tasks),
        Resource::Reservoir => Some(Kind::Reservoirs),
        Resource::Rule | Resource::Alert | Resource::Polyhouse | Resource::Zone => None,
    }
}
