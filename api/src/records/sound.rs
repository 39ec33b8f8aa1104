//! Whether the records are those that this server left. SQLite takes a file that is missing for a new one, and a write-ahead
//! log that is damaged or missing for one that was never written: both would start a server without its people, whose
//! accounts, farms and controllers anybody could then register anew.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use harit_engine::FarmId;
use harit_ingest::history::PostgresUrl;
use sqlx::error::DatabaseError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use super::db::SCHEMA;
use super::{PEPPER, PUSH_KEY, Records, RecordsError, RecordsPlace, sql};
use crate::audit::{ANCHOR_FILE, Anchor, KEY_FILE};

/// How far the audit chains go.
const HEADS: &str = "SELECT farm_id, seq FROM audit_heads";
/// Whether there is somebody, and a browser that gets messages.
const IN_USE: &str = "SELECT EXISTS (SELECT FROM users), EXISTS (SELECT FROM push_subscriptions)";
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
    /// They were in a PostgreSQL, and nobody said so.
    #[error(
        "the records are in {0}: say so with records.url of the settings, or --records-url; to have them in a file again: harit records copy --back"
    )]
    InPostgres(String),
    /// They are to be in a PostgreSQL, and a file has some.
    #[error(
        "{} is there, and the records are to be in {url}: bring them there (harit records copy); where they are there already, move the \
         file away",
        file.display()
    )]
    Both {
        /// The file.
        file: PathBuf,
        /// The database.
        url: String,
    },
    /// The database has no records, and files of the data directory say that there were some.
    #[error(
        "{url} has no records, but {beside} is there: restore the database as it was when {beside} was in use, or bring the records of a \
         file there (harit records copy); to begin anew, move the whole data directory away"
    )]
    Elsewhere {
        /// The database.
        url: String,
        /// What is in the data directory.
        beside: &'static str,
    },
    /// The end of an audit chain is further on than the database: what was last written is gone.
    #[error(
        "{url} ends before what audit.heads says was written ({chain}: entry {stored} of {written}): it was put back, or a replica took \
         over that was behind. Restore a later state of it, or with this one the files of the data directory as they were then"
    )]
    PutBack {
        /// The database.
        url: String,
        /// Whose chain.
        chain: String,
        /// The last entry that is there.
        stored: i64,
        /// The last entry that was written.
        written: i64,
    },
    /// A key is missing without which nothing of the records is of use.
    #[error(
        "{} is missing, and the records in {url} were written with it: a server that takes over from another one needs its codes.key, audit.key, push.key and audit.heads. Copy them from there, or from a backup",
        file.display()
    )]
    KeyMissing {
        /// The key's file.
        file: PathBuf,
        /// The database.
        url: String,
    },
    /// Another server that shares the records has another key.
    #[error(
        "{file} is another one than that of the servers which share these records: copy it from one of them, or what one of them writes cannot be read \
         by another one"
    )]
    OtherKey {
        /// The key's file.
        file: &'static str,
    },
    /// Another cell has those journals.
    #[error(
        "journal.cluster {journal:?} is that of cell {other:?}: each cell has journals of its own"
    )]
    JournalOf {
        /// What they are called.
        journal: String,
        /// Whose they are.
        other: String,
    },
    /// A farm of the journal is another cell's.
    #[error(
        "the journal has farm {farm}, which is one of cell {cell:?}: cell.name or journal.cluster is another one's, or a `harit farm move` was cut off: run \
         it again"
    )]
    FarmOf {
        /// The farm.
        farm: FarmId,
        /// Whose it is.
        cell: String,
    },
    /// The journal has farms, and the records have none.
    #[error(
        "the journal has {farms}, and the records know no farm: restore the records (records.db, where they are in a file) from a backup together with codes.key, \
         audit.key and audit.heads; to begin anew, move the whole data directory away"
    )]
    NoFarms {
        /// The journal's farms.
        farms: String,
    },
}

/// Checks the records before anything opens them to write.
pub(super) async fn check(place: &RecordsPlace) -> Result<(), RecordsError> {
    match place.postgres() {
        Some(url) => {
            let file = place.file();
            if file.exists() {
                let url = url.to_string();
                return Err(Unsound::Both { file, url }.into());
            }
            check_database(url, place).await
        }
        None => match RecordsPlace::elsewhere(place.keys()) {
            Some(url) => Err(Unsound::InPostgres(url).into()),
            None => check_file(&place.file(), place.keys()).await,
        },
    }
}

/// What says that there were records already.
fn trace(keys: &Path) -> Option<&'static str> {
    let traces = [PEPPER, KEY_FILE, ANCHOR_FILE];
    traces.into_iter().find(|name| keys.join(name).exists())
}

/// A chain whose end is further on than what is stored of it, by what it is called: the last entry that is there, and the last that was
/// written.
fn behind(
    ends: impl IntoIterator<Item = (String, i64)>,
    stored: &BTreeMap<String, i64>,
) -> Option<(String, i64, i64)> {
    ends.into_iter().find_map(|(chain, written)| {
        let stored = stored.get(&chain).copied().unwrap_or(0);
        let chain = match chain.as_str() {
            "" => "the server's chain".to_owned(),
            farm => format!("farm {farm}"),
        };
        (stored < written).then_some((chain, stored, written))
    })
}

async fn check_database(url: &PostgresUrl, place: &RecordsPlace) -> Result<(), RecordsError> {
    let keys = place.keys();
    const CHAINS: &str = "SELECT to_regclass('audit_heads') IS NOT NULL";
    let mut connection = sql::within(url.options(SCHEMA).connect()).await?;
    let is_there: bool = sqlx::query_scalar(CHAINS)
        .fetch_one(&mut connection)
        .await?;
    if !is_there {
        return match trace(keys) {
            Some(beside) => {
                let url = url.to_string();
                Err(Unsound::Elsewhere { url, beside }.into())
            }
            None => Ok(()),
        };
    }
    // the ends first, because another server may be writing
    let ends = Anchor::ends(&keys.join(ANCHOR_FILE))?;
    let stored: Vec<(String, i64)> = sqlx::query_as(HEADS).fetch_all(&mut connection).await?;
    if place.lease().is_some() {
        // Another server may have them: when it is gone it is too late to learn that this one lacks its keys.
        let (has_users, has_browsers) = sqlx::query_as(IN_USE).fetch_one(&mut connection).await?;
        let needed = [
            (PEPPER, has_users),
            (KEY_FILE, has_users),
            (PUSH_KEY, has_browsers),
            (ANCHOR_FILE, !stored.is_empty()),
        ];
        let mut needed = needed.into_iter().filter(|(_, is_needed)| *is_needed);
        if let Some((name, _)) = needed.find(|(name, _)| !keys.join(name).exists()) {
            let (file, url) = (keys.join(name), url.to_string());
            return Err(Unsound::KeyMissing { file, url }.into());
        }
    }
    connection.close().await?;
    match behind(ends, &stored.into_iter().collect()) {
        Some((chain, stored, written)) => Err(Unsound::PutBack {
            url: url.to_string(),
            chain,
            stored,
            written,
        }
        .into()),
        None => Ok(()),
    }
}

async fn check_file(file: &Path, keys: &Path) -> Result<(), RecordsError> {
    let empty = match std::fs::metadata(file) {
        Ok(metadata) => metadata.len() == 0,
        Err(e) if e.kind() == io::ErrorKind::NotFound => true,
        Err(e) => return Err(e.into()),
    };
    if empty {
        let file = file.to_owned();
        return match trace(keys) {
            Some(beside) => Err(Unsound::Lost { file, beside }.into()),
            None => Ok(()),
        };
    }
    let unsound = |found: Found| match found {
        Found::Damage(what) => RecordsError::Unsound(Unsound::Damaged {
            file: file.to_owned(),
            what,
        }),
        Found::Nothing(error) => error.into(),
    };
    // read-only, because the last writer to close a damaged log would remove it
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let connected = options.connect().await;
    let mut connection = connected.map_err(|e| unsound(e.into()))?;
    // the ends first, because another server may be writing, which is refused elsewhere
    let ends = Anchor::ends(&keys.join(ANCHOR_FILE))?;
    let stored = look(&mut connection).await.map_err(unsound)?;
    connection.close().await?;
    match behind(ends, &stored) {
        Some((chain, stored, written)) => Err(Unsound::Behind {
            file: file.to_owned(),
            chain,
            stored,
            written,
        }
        .into()),
        None => Ok(()),
    }
}

/// Why a check of the file did not end well.
enum Found {
    /// What SQLite says of the file.
    Damage(String),
    /// The machine lacked something: nothing is known of the file.
    Nothing(sqlx::Error),
}

/// What SQLite says where it got no memory for a check.
const NO_MEMORY: [&str; 2] = ["out of memory", "error code=7"];
/// SQLite's codes of a machine that lacks memory, room, files or time: BUSY, NOMEM, FULL, CANTOPEN, IOERR_NOMEM.
const LACKS: [&str; 5] = ["5", "7", "13", "14", "3082"];

fn wants_memory(said: &str) -> bool {
    NO_MEMORY.iter().any(|words| said.contains(words))
}

impl From<sqlx::Error> for Found {
    fn from(error: sqlx::Error) -> Self {
        let says_damage = |e: &dyn DatabaseError| {
            let lacks = e.code().is_some_and(|code| LACKS.contains(&&*code));
            !lacks && !wants_memory(e.message())
        };
        match error.as_database_error() {
            Some(e) if says_damage(e) => Self::Damage(e.to_string()),
            _ => Self::Nothing(error),
        }
    }
}

/// Checks the file's form, and reads how far its audit chains go.
async fn look(connection: &mut SqliteConnection) -> Result<BTreeMap<String, i64>, Found> {
    const CHAINS: &str =
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_heads'";
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(&mut *connection)
        .await?;
    if wants_memory(&found) {
        return Err(Found::Nothing(sqlx::Error::Protocol(found)));
    }
    if found != "ok" {
        return Err(Found::Damage(found));
    }
    let chains = sqlx::query(CHAINS).fetch_optional(&mut *connection).await;
    if chains?.is_none() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(String, i64)> = sqlx::query_as(HEADS).fetch_all(&mut *connection).await?;
    Ok(rows.into_iter().collect())
}

impl Records {
    /// Whether there is any farm.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_farms(&self) -> Result<bool, RecordsError> {
        const ANY: &str = "SELECT 1 FROM farms LIMIT 1";
        let any = sql::query(ANY)
            .fetch_optional(&self.db.readers)
            .await
            .map(|row| row.is_some());
        Ok(any?)
    }

    /// Checks that these are the records of the journal's farms. Farms of which they know nothing are told to the log: their rules go on.
    ///
    /// # Errors
    /// When the journal has farms and the records have none or call one another cell's, or the database fails.
    pub async fn belong_to(&self, farms: &[FarmId]) -> Result<(), RecordsError> {
        if farms.is_empty() {
            return Ok(());
        }
        if self.has_farms().await? {
            return self.are_own(farms).await;
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

    /// Checks that no other cell has these farms.
    async fn are_own(&self, farms: &[FarmId]) -> Result<(), RecordsError> {
        const Q: &str = "SELECT id, cell FROM farms";
        let all = sql::query_as(Q).fetch_all(&self.db.readers).await?;
        let cells: BTreeMap<String, String> = all.into_iter().collect();
        for farm in farms {
            match cells.get(farm.as_str()) {
                Some(own) if own == self.cell() => {}
                Some(other) => {
                    return Err(Unsound::FarmOf {
                        farm: farm.clone(),
                        cell: other.clone(),
                    }
                    .into());
                }
                None => tracing::warn!(
                    %farm,
                    "the journals have a farm that the records do not: its rules go on, and nobody can sign in to it. `harit user add CONTACT --name \
                     PERSON --new-farm NAME --farm {farm}`, while the server is stopped, gives it an owner"
                ),
            }
        }
        Ok(())
    }
}
