//! Checking the chains against their hashes and their anchored ends, beside a running server or without one.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use futures_util::{Stream, TryStreamExt};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, FromRow};

use super::anchor::{Ends, Head, Sealed, seal_anew};
use super::{ANCHOR_FILE, KEY_FILE, Row};
use crate::records::{RecordsPlace, SCHEMA};
use crate::secret::Key;

/// Rows that the database's thread reads ahead: with few of them the two threads wait for each other at every row.
const ROWS_AHEAD: usize = 4_096;

/// What a check of the audit log found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LogReport {
    /// How many chains there are.
    pub chains: usize,
    /// How many entries were read.
    pub entries: u64,
    /// The first thing that is wrong with each chain.
    pub problems: Vec<LogProblem>,
}

/// What is wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogProblem {
    /// Whose chain; empty for the server's own.
    pub farm: String,
    /// The entry; 0 where it is none of them.
    pub seq: i64,
    /// What is wrong with it.
    pub what: &'static str,
}

impl fmt::Display for LogProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.farm.as_str() {
            "" => f.write_str("the server's log")?,
            farm => write!(f, "farm {farm}")?,
        }
        if self.seq == 0 {
            return write!(f, ": {}", self.what);
        }
        write!(f, ", entry {}: {}", self.seq, self.what)
    }
}

/// The audit log could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file beside the database.
    #[error("{0} cannot be read")]
    File(&'static str, #[source] io::Error),
    /// The database.
    #[error("the records cannot be read")]
    Records(#[from] sqlx::Error),
    /// An entry that has no canonical form.
    #[error("an entry cannot be written as JSON")]
    Entry(#[from] serde_json::Error),
}

#[derive(FromRow)]
struct Stored {
    farm_id: String,
    seq: i64,
    at: i64,
    actor_id: Option<String>,
    actor: Option<String>,
    action: String,
    subject: String,
    details: String,
    address: Option<String>,
    hash: String,
}

/// A chain, so far as it was read.
#[derive(Default)]
struct Chain {
    end: i64,
    hash: String,
    problem: Option<(i64, &'static str)>,
}

/// Checks all chains of the records. The anchor is read first, so that a server may go on writing meanwhile.
///
/// # Errors
/// When a file or the database cannot be read; what is wrong with the log itself is in the report.
pub async fn verify_log(place: &RecordsPlace) -> Result<LogReport, VerifyError> {
    let data_dir = place.keys();
    let key = Key::read(&data_dir.join(KEY_FILE)).map_err(|e| VerifyError::File(KEY_FILE, e))?;
    let ends = match Ends::read(&data_dir.join(ANCHOR_FILE), &key) {
        Ok(ends) => ends,
        Err(e) => {
            // the first entry makes it: without one there is nothing to be missed
            if e.kind() == io::ErrorKind::NotFound {
                let (report, _) = read(place, &key, &Ends::default()).await?;
                if report.entries == 0 {
                    return Ok(report);
                }
            }
            return Err(VerifyError::File(ANCHOR_FILE, e));
        }
    };
    let (mut report, _) = read(place, &key, &ends).await?;
    let what = match ends.sealed {
        Sealed::Yes => None,
        Sealed::No => {
            Some("the ends of the chains are not sealed: the server's next entry seals them")
        }
        Sealed::Wrong => Some("the ends of the chains were changed, or not written by this server"),
    };
    if let Some(what) = what {
        let (farm, seq) = (String::new(), 0);
        report.problems.insert(0, LogProblem { farm, seq, what });
    }
    Ok(report)
}

/// Takes the log as it is now, and seals its ends anew: where the anchor was lost, and no backup has it. Only while no server
/// runs on the directory.
///
/// # Errors
/// When a file or the database cannot be read, or the anchor cannot be written. Nothing is sealed where an entry is not as
/// it was written.
pub async fn seal_log_anew(place: &RecordsPlace) -> Result<LogReport, VerifyError> {
    let data_dir = place.keys();
    let key = Key::read(&data_dir.join(KEY_FILE)).map_err(|e| VerifyError::File(KEY_FILE, e))?;
    let (report, heads) = read(place, &key, &Ends::default()).await?;
    if report.problems.is_empty() {
        seal_anew(&data_dir.join(ANCHOR_FILE), &key, heads)
            .map_err(|e| VerifyError::File(ANCHOR_FILE, e))?;
    }
    Ok(report)
}

async fn read(
    place: &RecordsPlace,
    key: &Key,
    ends: &Ends,
) -> Result<(LogReport, BTreeMap<String, Head>), VerifyError> {
    const Q: &str = "SELECT farm_id, seq, at, actor_id, actor, action, subject, details, address, hash FROM audit ORDER BY farm_id, seq";
    if let Some(url) = place.postgres() {
        let mut connection = url.options(SCHEMA).connect().await?;
        let rows = sqlx::query_as::<_, Stored>(Q).fetch(&mut connection);
        return check(rows, key, ends).await;
    }
    let options = SqliteConnectOptions::new()
        .filename(place.file())
        .read_only(true)
        .row_buffer_size(ROWS_AHEAD);
    let mut connection = options.connect().await?;
    let checked = {
        let rows = sqlx::query_as::<_, Stored>(Q).fetch(&mut connection);
        check(rows, key, ends).await
    };
    connection.close().await?;
    checked
}

async fn check(
    mut rows: impl Stream<Item = Result<Stored, sqlx::Error>> + Unpin,
    key: &Key,
    ends: &Ends,
) -> Result<(LogReport, BTreeMap<String, Head>), VerifyError> {
    let (mut chains, mut entries) = (BTreeMap::<String, Chain>::new(), 0);
    while let Some(row) = rows.try_next().await? {
        entries += 1;
        if !chains.contains_key(&row.farm_id) {
            chains.insert(row.farm_id.clone(), Chain::default());
        }
        if let Some(chain) = chains.get_mut(&row.farm_id) {
            chain.take(&row, key, ends.heads.get(&row.farm_id))?;
        }
    }
    for (farm, head) in &ends.heads {
        let chain = chains.entry(farm.clone()).or_default();
        if chain.end < head.seq {
            chain.problem.get_or_insert((
                chain.end + 1,
                "missing: the log was longer, entries were taken off its end",
            ));
        }
    }
    for (farm, head) in &ends.lost {
        let chain = chains.entry(farm.clone()).or_default();
        chain.problem.get_or_insert((
            head.seq,
            "replaced: entries were taken off the end, and the log went on",
        ));
    }
    let problem = |(farm, chain): (&String, &Chain)| {
        let (seq, what) = chain.problem?;
        let farm = farm.clone();
        Some(LogProblem { farm, seq, what })
    };
    let report = LogReport {
        chains: chains.len(),
        entries,
        problems: chains.iter().filter_map(problem).collect(),
    };
    let head = |(farm, chain): (String, Chain)| {
        let (seq, hash) = (chain.end, chain.hash);
        (farm, Head { seq, hash })
    };
    Ok((report, chains.into_iter().map(head).collect()))
}

impl Chain {
    fn take(
        &mut self,
        row: &Stored,
        key: &Key,
        anchored: Option<&Head>,
    ) -> Result<(), VerifyError> {
        if self.problem.is_some() {
            return Ok(());
        }
        let canonical = Row {
            farm: &row.farm_id,
            seq: row.seq,
            at: row.at,
            actor_id: row.actor_id.as_deref(),
            actor: row.actor.as_deref(),
            action: &row.action,
            subject: &row.subject,
            details: &row.details,
            address: row.address.as_deref(),
        };
        if row.seq != self.end + 1 {
            self.problem = Some((self.end + 1, "missing"));
        } else if canonical.hash(key, &self.hash)? != row.hash {
            self.problem = Some((row.seq, "changed, or not written by this server"));
        } else if anchored.is_some_and(|a| a.seq == row.seq && a.hash != row.hash) {
            self.problem = Some((row.seq, "not the one that was written here first"));
        }
        self.end = row.seq;
        self.hash.clone_from(&row.hash);
        Ok(())
    }
}
