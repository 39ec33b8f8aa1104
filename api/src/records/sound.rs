//! Whether the records are those that this server left. SQLite takes a file that is missing for a new one, and a write-ahead
//! log that is damaged or missing for one that was never written: both would start a server without its people, whose
//! accounts, farms and controllers anybody could then register anew.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use harit_engine::FarmId;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use super::{PEPPER, Records, RecordsError};
use crate::audit::{ANCHOR_FILE, Anchor, KEY_FILE};

/// Farms that are named where all would be too many.
const NAMED: usize = 3;

/// Why the records are not what this server left.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unsound {
    /// The file is missing or empty, and other files say that it was not always.
    #[error(
        "{} is missing or empty, but {beside} is there: restore it from a backup together with codes.key, audit.key and \
         audit.heads; to begin anew, move the whole data directory away",
        file.display()
    )]
    Lost {
        /// The database.
        file: PathBuf,
        /// What is beside it.
        beside: &'static str,
    },
    /// SQLite's own check found something, or could not be done.
    #[error("{} is damaged ({what}): restore it from a backup; the file was left as it is", file.display())]
    Damaged {
        /// The database.
        file: PathBuf,
        /// What SQLite says.
        what: String,
    },
    /// The end of an audit chain is further on than the database: what was last written is gone.
    #[error(
        "{} ends before what audit.heads says was written ({chain}: entry {stored} of {written}): its write-ahead log \
         (records.db-wal) is damaged or missing. Put the log back, or restore records.db and audit.heads of one backup; the \
         files were left as they are",
        file.display()
    )]
    Behind {
        /// The database.
        file: PathBuf,
        /// Whose chain.
        chain: String,
        /// The last entry that is there.
        stored: i64,
        /// The last entry that was written.
        written: i64,
    },
    /// The journal has farms, and the records have none.
    #[error(
        "the journal has {farms}, and the records know no farm: restore records.db from a backup together with codes.key, \
         audit.key and audit.heads; to begin anew, move the whole data directory away"
    )]
    NoFarms {
        /// The journal's farms.
        farms: String,
    },
}

/// Checks the file before anything opens it to write.
pub(super) async fn check(file: &Path, keys: &Path) -> Result<(), RecordsError> {
    let empty = match std::fs::metadata(file) {
        Ok(metadata) => metadata.len() == 0,
        Err(e) if e.kind() == io::ErrorKind::NotFound => true,
        Err(e) => return Err(e.into()),
    };
    if empty {
        let traces = [PEPPER, KEY_FILE, ANCHOR_FILE];
        return match traces.into_iter().find(|name| keys.join(name).exists()) {
            Some(beside) => Err(Unsound::Lost {
                file: file.to_owned(),
                beside,
            }
            .into()),
            None => Ok(()),
        };
    }
    let damaged = |what: String| Unsound::Damaged {
        file: file.to_owned(),
        what,
    };
    // read-only, because the last writer to close a damaged log would remove it
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let mut connection = options
        .connect()
        .await
        .map_err(|e| damaged(e.to_string()))?;
    // the ends first, because another server may be writing, which is refused elsewhere
    let ends = Anchor::ends(&keys.join(ANCHOR_FILE))?;
    let stored = look(&mut connection).await.map_err(damaged)?;
    connection.close().await?;
    for (chain, written) in ends {
        let stored = stored.get(&chain).copied().unwrap_or(0);
        if stored < written {
            let chain = match chain.as_str() {
                "" => "the server's chain".to_owned(),
                farm => format!("farm {farm}"),
            };
            return Err(Unsound::Behind {
                file: file.to_owned(),
                chain,
                stored,
                written,
            }
            .into());
        }
    }
    Ok(())
}

/// Checks the file's form, and reads how far its audit chains go.
async fn look(connection: &mut SqliteConnection) -> Result<BTreeMap<String, i64>, String> {
    const CHAINS: &str =
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_heads'";
    let text = |e: sqlx::Error| e.to_string();
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(&mut *connection)
        .await
        .map_err(text)?;
    if found != "ok" {
        return Err(found);
    }
    let chains = sqlx::query(CHAINS).fetch_optional(&mut *connection).await;
    if chains.map_err(text)?.is_none() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(String, i64)> = sqlx::query_as("SELECT farm_id, seq FROM audit_heads")
        .fetch_all(&mut *connection)
        .await
        .map_err(text)?;
    Ok(rows.into_iter().collect())
}

impl Records {
    /// Whether there is any farm.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_farms(&self) -> Result<bool, RecordsError> {
        const ANY: &str = "SELECT 1 FROM farms LIMIT 1";
        let any = sqlx::query(ANY)
            .fetch_optional(&self.db.readers)
            .await
            .map(|row| row.is_some());
        Ok(any?)
    }

    /// Checks that these are the records of the journal's farms.
    ///
    /// # Errors
    /// When the journal has farms and the records have none, or the database fails.
    pub async fn belong_to(&self, farms: &[FarmId]) -> Result<(), RecordsError> {
        if farms.is_empty() || self.has_farms().await? {
            return Ok(());
        }
        let named: Vec<&str> = farms.iter().take(NAMED).map(FarmId::as_str).collect();
        let more = if farms.len() > NAMED { " and more" } else { "" };
        let farms = format!(
            "{} {} ({}{more})",
            farms.len(),
            if farms.len() == 1 { "farm" } else { "farms" },
            named.join(", ")
        );
        Err(Unsound::NoFarms { farms }.into())
    }
}
