//! A change of a farm's records: what is written and the entries of the audit log that say who did it are one transaction.

use super::audit::{self, AuditError};
use super::{FarmRecords, Records, now_ms};
use crate::audit::Entry;
use crate::records::sql;
use crate::resource::Resource;

/// What follows once a change is durable.
type After = Box<dyn FnOnce(&Records) + Send>;

/// A change that is under way. Dropped, it is undone; [`Self::commit`] needs the entry that tells of it.
#[must_use]
pub(crate) struct Write {
    tx: sql::Transaction,
    records: FarmRecords,
    entries: Vec<Entry>,
    after: Vec<After>,
}

impl FarmRecords {
    /// Begins a change. It holds the database's one writer, so nothing else is written until it ends.
    pub(crate) async fn write(&self) -> Result<Write, sqlx::Error> {
        Ok(Write {
            tx: self.lock().await?,
            records: self.clone(),
            entries: Vec::new(),
            after: Vec::new(),
        })
    }
}

impl Write {
    /// The farm, which every statement names, and the transaction to read and write in.
    pub(crate) fn parts(&mut self) -> (&str, &mut sql::Connection) {
        (self.records.farm(), &mut self.tx)
    }

    /// The farm's records as they are without the change.
    pub(super) const fn records(&self) -> &FarmRecords {
        &self.records
    }

    /// Does something once the change is durable.
    pub(super) fn after(&mut self, then: impl FnOnce(&Records) + Send + 'static) {
        self.after.push(Box::new(then));
    }

    /// An entry beside the one that [`Self::commit`] writes, before it.
    pub(crate) fn also(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Appends the entry to the farm's audit log and makes both durable; then whoever has that kind of record open is told.
    ///
    /// # Errors
    /// When either could not be written; then nothing has changed.
    pub(crate) async fn commit(self, entry: Entry) -> Result<(), AuditError> {
        let Self {
            mut tx,
            records,
            entries,
            after,
        } = self;
        let (all, now) = (&records.records, now_ms());
        for before in &entries {
            audit::append(&mut tx, &all.audit_key, records.farm(), now, before).await?;
        }
        let head = audit::append(&mut tx, &all.audit_key, records.farm(), now, &entry).await?;
        let farm = records.farm().to_owned();
        all.seal(tx, vec![(farm, head)]).await?;
        after.into_iter().for_each(|then| then(all));
        let entries = entries.iter().chain([&entry]);
        for entry in entries {
            all.changes.note_action(records.farm(), entry.action);
        }
        Ok(())
    }

    /// Makes durable what nobody asks about later, such as the order within a list.
    pub(crate) async fn commit_untold(self, resource: Resource) -> Result<(), sqlx::Error> {
        let Self {
            tx, records, after, ..
        } = self;
        tx.commit().await?;
        after.into_iter().for_each(|then| then(&records.records));
        if let Some(kind) = resource.about().live {
            records.note(kind);
        }
        Ok(())
    }
}
