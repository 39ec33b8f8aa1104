//! Where the server of a farm is.

use harit_engine::FarmId;
use sqlx::FromRow;

use super::{Cell, KEY_FILE, PEPPER, PUSH_KEY, Records, RecordsError, Unsound, Write, now_ms, sql};
use crate::secret::{Key, hex};

/// A farm, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct FarmOfCell {
    /// The farm.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The name of its cell; empty where there are none.
    pub cell: String,
}

/// Whose a farm is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FarmServer {
    /// Nobody's: there is none, or it is this server's own.
    Own,
    /// Another cell's, whose server takes what is passed on at that address; none where no server of it ever did.
    Other(Option<String>),
}

impl Records {
    /// Checks that this server has the keys of the others that share the records.
    ///
    /// # Errors
    /// When it has another one, or the records fail.
    pub(super) async fn check_keys(&self) -> Result<(), RecordsError> {
        const SET: &str =
            "INSERT INTO key_prints (name, print) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        const GET: &str = "SELECT print FROM key_prints WHERE name = $1";
        let of = |key: &Key| hex(&key.hmac(&[b"print"])[..8]);
        let prints = [
            (PEPPER, of(&self.pepper)),
            (KEY_FILE, of(&self.audit_key)),
            (PUSH_KEY, self.push_key.public()),
        ];
        for (file, print) in prints {
            let set = sql::query(SET).bind(file).bind(&print);
            set.execute(&self.db.writer).await?;
            let get = sql::query_scalar(GET).bind(file);
            let known: String = get.fetch_one(&self.db.writer).await?;
            if known != print {
                return Err(Unsound::OtherKey { file }.into());
            }
        }
        Ok(())
    }

    /// Whose a farm is.
    pub(crate) async fn server_of(&self, farm: &FarmId) -> Result<FarmServer, sqlx::Error> {
        const Q: &str = "SELECT f.cell, c.address FROM farms f LEFT JOIN cells c ON c.cell = f.cell WHERE f.id = $1";
        let row: Option<(String, Option<String>)> = sql::query_as(Q)
            .bind(farm.as_str())
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(match row {
            Some((cell, address)) if cell != self.cell() => FarmServer::Other(address),
            _ => FarmServer::Own,
        })
    }

    /// The farms of all cells.
    pub(crate) async fn farms_of_cells(&self) -> Result<Vec<FarmOfCell>, sqlx::Error> {
        const Q: &str = "SELECT id, name, cell FROM farms ORDER BY cell, id";
        sql::query_as(Q).fetch_all(&self.db.readers).await
    }

    /// Says at which address this server takes what others pass on, from now on.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn is_at(&self, address: &str) -> Result<(), RecordsError> {
        const Q: &str = "UPDATE cells SET address = $2 WHERE cell = $1";
        let at = sql::query(Q).bind(self.cell()).bind(address);
        at.execute(&self.db.writer).await?;
        Ok(())
    }

    /// Says what the cell's journals are called, where there is one, before they are opened.
    ///
    /// # Errors
    /// When another cell's are called so, or the records fail.
    pub async fn has_journals(&self, journal: &str) -> Result<(), RecordsError> {
        const OTHER: &str = "SELECT cell FROM cells WHERE journal = $1 AND cell <> $2";
        const SET: &str = "INSERT INTO cells (cell, journal) VALUES ($1, $2) \
            ON CONFLICT (cell) DO UPDATE SET journal = excluded.journal";
        if self.cell().is_empty() {
            return Ok(());
        }
        let mut tx = self.db.write().await?;
        let other = sql::query_scalar(OTHER).bind(journal).bind(self.cell());
        let other: Option<String> = other.fetch_optional(&mut *tx).await?;
        if let Some(other) = other {
            let journal = journal.to_owned();
            return Err(Unsound::JournalOf { journal, other }.into());
        }
        let set = sql::query(SET).bind(self.cell()).bind(journal);
        set.execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }

    /// Makes farms the cell's that were of none, where there is one: it has their journals.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn adopt(&self, farms: &[FarmId]) -> Result<(), RecordsError> {
        const Q: &str = "UPDATE farms SET cell = $2 WHERE id = $1 AND cell = ''";
        if self.cell().is_empty() {
            return Ok(());
        }
        let mut tx = self.db.write().await?;
        for farm in farms {
            let adopt = sql::query(Q).bind(farm.as_str()).bind(self.cell());
            adopt.execute(&mut *tx).await?;
        }
        Ok(tx.commit().await?)
    }
}

impl Write {
    /// Makes the farm another cell's, whose history has its events under other numbers. What was told of them is not told again: up to where is
    /// found by the instant.
    pub(crate) async fn give_to(&mut self, cell: &Cell) -> Result<(), sqlx::Error> {
        const FARM: &str = "UPDATE farms SET cell = $2 WHERE id = $1";
        const TOLD: &str =
            "UPDATE notification_states SET state = '0' WHERE farm_id = $1 AND subject = 'events'";
        // Of which nothing was told: what happened until now is in the past of its new cell, whose own beginning says nothing of it.
        const UNTOLD: &str = "INSERT INTO notification_states (farm_id, subject, state, at) VALUES ($1, 'events', '0', $2) \
            ON CONFLICT (farm_id, subject) DO NOTHING";
        let (farm, tx) = self.parts();
        let of_cell = sql::query(FARM).bind(farm).bind(cell.as_str());
        of_cell.execute(&mut *tx).await?;
        let told = sql::query(TOLD).bind(farm);
        told.execute(&mut *tx).await?;
        let untold = sql::query(UNTOLD).bind(farm).bind(now_ms());
        untold.execute(&mut *tx).await?;
        Ok(())
    }
}
