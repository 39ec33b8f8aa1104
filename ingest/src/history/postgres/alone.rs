//! A database that has a history for a while.

use sqlx::PgConnection;

use super::{PostgresUrl, WRITE_WAIT, is_there, runtime, within, write};
use crate::history::seam::StoreError;

impl PostgresUrl {
    /// Whether it has a history.
    pub(in crate::history) fn is_used(&self) -> Result<bool, StoreError> {
        self.ask(async |c| Ok(is_there(c).await?))
    }

    /// How many bytes its history has.
    pub(in crate::history) fn bytes(&self) -> Result<u64, StoreError> {
        self.ask(async |c| Ok(write::bytes(c).await?))
    }

    /// Removes its history, whole.
    pub(in crate::history) fn clear(&self) -> Result<(), StoreError> {
        self.ask(async |c| {
            sqlx::query("DROP SCHEMA IF EXISTS harit_history CASCADE")
                .execute(c)
                .await?;
            Ok(())
        })
    }

    fn ask<T>(
        &self,
        question: impl AsyncFnOnce(&mut PgConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        runtime()?.block_on(async {
            let mut c = self.connect().await?;
            within(WRITE_WAIT, question(&mut c)).await
        })
    }
}
