//! What the files of a data directory hold: whether SQLite finds them whole, whether this program reads their schema, which journal
//! counts and how new its last entry is. Everything is opened for reading only, beside a running server too.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use harit_api::{Records, RecordsPlace, verify_log};
use harit_ingest::history::PostgresUrl;
use harit_ingest::{Hub, HubConfig};
use harit_journal::{
    Generation, JournalError, JournalFiles, JournalRead, Journals as _, ReadJournals, shard_file,
};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OpenFlags};

use super::finding::Findings;
use crate::config::Config;
use crate::journals::{self, NatsPlace};
use crate::nats_monitor;

type Error = Box<dyn std::error::Error + Send + Sync>;

const RESTORE: &str = "restore the data directory from a backup (docs/operations.md, \"Back up\"); keep this one as it is";
/// How long a database that is being written may keep a reader waiting.
const BUSY: Duration = Duration::from_secs(10);
/// A clock may be behind the journal's newest entry by so much where a time server sets it.
const CLOCK: SignedDuration = SignedDuration::from_secs(5);

fn open(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(file, flags)?;
    db.busy_timeout(BUSY)?;
    Ok(db)
}

/// What SQLite's own check says of each of them. It reads every page.
pub(super) fn integrity(dir: &Path, current: Option<Generation>, all: &mut Findings) {
    const CHECK: &str = "databases";
    for file in databases(dir, current) {
        let name = name(dir, &file);
        let checked = open(&file)
            .and_then(|db| db.query_row("PRAGMA quick_check(1)", [], |r| r.get::<_, String>(0)));
        match checked {
            Ok(said) if said == "ok" => {}
            Ok(said) => all.fault(CHECK, format!("{name} is damaged: {said}"), RESTORE),
            Err(e) => all.fault(CHECK, format!("{name} cannot be read: {e}"), RESTORE),
        }
    }
    if all.all_well(CHECK) {
        let n = databases(dir, current).len();
        all.ok(CHECK, format!("{n} files are whole"));
    }
}

fn databases(dir: &Path, current: Option<Generation>) -> Vec<PathBuf> {
    let mut files = vec![dir.join("records.db"), dir.join("history.db")];
    if let Some(current) = current {
        files.extend((0..current.shards).map(|n| shard_file(dir, current.generation, n)));
    }
    // what is missing is told elsewhere
    files.retain(|f| f.exists());
    files
}

fn name(dir: &Path, file: &Path) -> String {
    file.strip_prefix(dir).unwrap_or(file).display().to_string()
}

/// Which journal counts.
pub(super) fn current(dir: &Path, all: &mut Findings) -> Option<Generation> {
    const CHECK: &str = "journal";
    match harit_journal::current(dir) {
        Ok(Some(current)) => {
            let lost = (0..current.shards)
                .map(|n| shard_file(dir, current.generation, n))
                .find(|file| !file.exists());
            if let Some(file) = lost {
                let said = format!(
                    "{} is missing, and CURRENT says that it counts",
                    name(dir, &file)
                );
                all.fault(CHECK, said, RESTORE);
            }
            Some(current)
        }
        Ok(None) if journals::elsewhere(dir).is_some() => {
            let place = journals::elsewhere(dir).unwrap_or_default();
            let said = format!("they are in {place}, of which these settings know nothing");
            all.fault(CHECK, said, "name the server's settings with --config");
            None
        }
        Ok(None) => {
            let to_do = "put journal/CURRENT back from the backup that the journal is of; nothing else says which counts";
            all.fault(CHECK, "journal/CURRENT is missing", to_do);
            None
        }
        Err(e) => {
            all.fault(CHECK, e.to_string(), RESTORE);
            None
        }
    }
}

/// Looks at the journals in the NATS that has them.
pub(super) fn journal_in_nats(place: &NatsPlace, now: Timestamp, all: &mut Findings) {
    const CHECK: &str = "journal";
    let to_do = "a server that runs decides nothing without it, stops get out, and what is on by a lease goes off within three minutes; \
                 docs/cluster.md says what it must be set to";
    let asked = || -> Result<_, Error> {
        let journals = place.open()?;
        Ok((journals.current()?, journals))
    };
    match asked() {
        Ok((Some(current), journals)) => {
            let name = |shard| format!("shard {shard} in {}", place.say());
            journal(&journals, name, current, now, all);
        }
        Ok((None, _)) => {
            let said = format!("{} has no journals yet", place.say());
            all.warning(CHECK, said, "the first start of a server makes them");
        }
        Err(e) => all.fault(CHECK, format!("{}: {e}", place.say()), to_do),
    }
    let Ok(runtime) = super::runtime() else {
        return;
    };
    for asked in runtime.block_on(nats_monitor::ask(&place.monitors)) {
        match asked {
            Ok(is) => all.ok(CHECK, is),
            Err(wrong) => all.fault(
                CHECK,
                wrong,
                "docs/nats/nats.conf has what it must be set to",
            ),
        }
    }
}

/// Looks at the journals of a data directory.
pub(super) fn journal_in_files(
    dir: &Path,
    current: Generation,
    now: Timestamp,
    all: &mut Findings,
) {
    let name = |shard| name(dir, &shard_file(dir, current.generation, shard));
    journal(&JournalFiles::of(dir), name, current, now, all);
}

/// Reads what a start would replay, and compares the clock with the newest entry.
fn journal(
    journals: &dyn ReadJournals,
    name: impl Fn(usize) -> String,
    current: Generation,
    now: Timestamp,
    all: &mut Findings,
) {
    const CHECK: &str = "journal";
    let mut newest = None;
    let mut batches = 0;
    for shard in 0..current.shards {
        let reader = journals.reader(current.generation, shard);
        match reader.and_then(|journal| journal.map(|journal| read(&*journal)).transpose()) {
            // What is missing is told elsewhere.
            Ok(None) => {}
            Ok(Some((at, n))) => {
                newest = newest.max(at);
                batches += n;
            }
            Err(e @ JournalError::Version { .. }) => {
                let to_do = "it was written by another version of Harit: run that one";
                all.fault(CHECK, format!("{}: {e}", name(shard)), to_do);
            }
            Err(e) => all.fault(CHECK, format!("{}: {e}", name(shard)), RESTORE),
        }
    }
    if all.all_well(CHECK) {
        let (generation, shards) = (current.generation, current.shards);
        let said = format!(
            "generation {generation} of {shards} shards; a start replays {batches} batches, and they are whole"
        );
        all.ok(CHECK, said);
    }
    clock(newest, now, all);
}

/// The instant of the newest entry, and how many batches there are after the newest state.
fn read(reader: &dyn JournalRead) -> Result<(Option<Timestamp>, u64), JournalError> {
    let newest = reader.snapshots()?.first().copied();
    let after = match newest {
        Some((seq, _)) => {
            reader.snapshot(seq)?;
            seq
        }
        None => reader.before_first()?,
    };
    let mut at = newest.map(|(_, at)| at);
    let mut batches = 0;
    reader.read(after, i64::MAX.unsigned_abs(), &mut |batch| {
        at = at.max(Some(batch.at));
        batches += 1;
        ControlFlow::Continue(())
    })?;
    let at = at.and_then(|at| Timestamp::from_millisecond(at.as_millis()).ok());
    Ok((at, batches))
}

fn clock(newest: Option<Timestamp>, now: Timestamp, all: &mut Findings) {
    let Some(newest) = newest else {
        return all.ok("clock", "the journal has no entry yet");
    };
    let ahead = newest.duration_since(now);
    if ahead > CLOCK {
        let said = format!("it is {now}, and the journal's newest entry is of {newest}");
        let to_do = "set the clock (timedatectl set-ntp true; is its battery empty?) before the server starts: schedules follow it";
        return all.fault("clock", said, to_do);
    }
    let second = SignedDuration::from_secs(ahead.as_secs().abs());
    all.ok(
        "clock",
        format!("{second:#} after the journal's newest entry"),
    );
}

/// Compares the schemas with those that this program makes.
pub(super) fn schemas(dir: &Path, all: &mut Findings) {
    const CHECK: &str = "schemas";
    let made = match made_here() {
        Ok(made) => made,
        Err(e) => {
            let to_do = "is the directory for temporary files (TMPDIR) writable?";
            return all.warning(CHECK, format!("they were not compared: {e}"), to_do);
        }
    };
    let mut told = Vec::new();
    for ((name, version), ours) in [
        ("records.db", records_version as Version),
        ("history.db", history_version),
    ]
    .into_iter()
    .zip(made)
    {
        if !dir.join(name).exists() {
            continue;
        }
        match version(dir) {
            Ok(theirs) if theirs > ours => {
                let said = format!("{name} has schema {theirs}, and this program knows {ours}");
                all.fault(CHECK, said, "a newer Harit wrote it: run that one");
            }
            Ok(theirs) if theirs < ours => {
                told.push(format!(
                    "{name} {theirs}, which the next start brings to {ours}"
                ));
            }
            Ok(theirs) => told.push(format!("{name} {theirs}")),
            Err(e) => all.fault(CHECK, format!("{name}: {e}"), RESTORE),
        }
    }
    if all.all_well(CHECK) {
        all.ok(CHECK, told.join(", "));
    }
}

/// What the PostgreSQL say that have the history and the records, where they are set.
pub(super) fn elsewhere(config: &Config, all: &mut Findings) {
    if let Ok(Some(url)) = config.history() {
        let to_do = "control goes on without it; charts and the log are there again once it answers; psql with this address says more";
        told("history", &url, url.check(), to_do, all);
    }
    let records = config.records();
    if let Some(url) = records.as_ref().ok().and_then(RecordsPlace::postgres) {
        let asked = super::runtime()
            .map_err(Error::from)
            .and_then(|runtime| Ok(runtime.block_on(RecordsPlace::ask(url))?));
        let to_do = "a server that runs goes on with its rules, and nobody signs in; one that starts waits for it; psql with this address says more";
        told("records", url, asked, to_do, all);
    }
}

/// What a database answered.
fn told<E: fmt::Display>(
    check: &'static str,
    url: &PostgresUrl,
    asked: Result<(String, Option<&'static str>), E>,
    to_do: &'static str,
    all: &mut Findings,
) {
    match asked {
        Ok((version, None)) => all.ok(check, format!("{url} answers: {version}")),
        Ok((version, Some(warning))) => all.warning(
            check,
            format!("{url}, {version}: {warning}"),
            "fsync = on in postgresql.conf",
        ),
        Err(e) => all.fault(check, format!("{url}: {e}"), to_do),
    }
}

type Version = fn(&Path) -> rusqlite::Result<i64>;

fn records_version(dir: &Path) -> rusqlite::Result<i64> {
    let newest = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success";
    open(&dir.join("records.db"))?.query_row(newest, [], |r| r.get(0))
}

fn history_version(dir: &Path) -> rusqlite::Result<i64> {
    open(&dir.join("history.db"))?.pragma_query_value(None, "user_version", |r| r.get(0))
}

/// The schemas that this program makes, of the records and of the history: it makes them.
fn made_here() -> Result<[i64; 2], Error> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    super::runtime()?.block_on(async {
        let records = Records::open(&RecordsPlace::file_in(dir)).await?;
        let config = HubConfig {
            shards: 1,
            ..HubConfig::new(dir)
        };
        let hub = Hub::open(config, Arc::new(records.clone())).await?;
        hub.shutdown().await?;
        records.close().await;
        Ok::<_, Error>(())
    })?;
    Ok([records_version(dir)?, history_version(dir)?])
}

/// Whether the audit log is as it was written.
pub(super) fn audit(records: &RecordsPlace, dir: &Path, all: &mut Findings) {
    const CHECK: &str = "audit log";
    if let (None, Some(url)) = (records.postgres(), RecordsPlace::elsewhere(dir)) {
        let said = format!("the records are in {url}, of which these settings know nothing");
        let to_do = "look with the server's settings: --config, or HARIT_RECORDS_URL";
        return all.warning(CHECK, said, to_do);
    }
    if !dir.join("audit.heads").exists() && records.postgres().is_none() {
        let entries = open(&dir.join("records.db"))
            .and_then(|db| db.query_row("SELECT count(*) FROM audit", [], |r| r.get::<_, i64>(0)));
        return match entries {
            Ok(0) => all.ok(CHECK, "no entry yet"),
            Ok(n) => {
                let to_do = "put it back from the backup that records.db is of; only where it is lost for ever: harit verify-log \
                             --seal-anew";
                all.fault(
                    CHECK,
                    format!("audit.heads is missing, and the log has {n} entries"),
                    to_do,
                );
            }
            Err(e) => all.fault(CHECK, format!("records.db: {e}"), RESTORE),
        };
    }
    let checked = super::runtime()
        .map_err(Error::from)
        .and_then(|runtime| Ok(runtime.block_on(verify_log(records))?));
    match checked {
        Ok(found) => {
            let to_do = "docs/operations.md, \"Records that are damaged or lost\"";
            for problem in &found.problems {
                all.fault(CHECK, problem.to_string(), to_do);
            }
            if all.all_well(CHECK) {
                let (entries, chains) = (found.entries, found.chains);
                all.ok(
                    CHECK,
                    format!("{entries} entries in {chains} chains are as they were written"),
                );
            }
        }
        Err(e) => all.fault(CHECK, e.to_string(), RESTORE),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn a_clock_in_the_past_of_the_journal_is_a_fault() {
        let now: Timestamp = "2026-07-01T00:00:00Z".parse().unwrap();
        let verdict = |newest: Option<&str>| {
            let mut all = Findings::default();
            clock(newest.map(|t| t.parse().unwrap()), now, &mut all);
            all.verdict()
        };
        assert_eq!(verdict(None), Verdict::Ok);
        assert_eq!(verdict(Some("2026-06-30T00:00:00Z")), Verdict::Ok);
        assert_eq!(verdict(Some("2026-07-01T00:00:04Z")), Verdict::Ok);
        assert_eq!(verdict(Some("2026-07-01T00:01:00Z")), Verdict::Fault);
    }

    #[test]
    fn schemas_are_those_that_this_program_makes() {
        let [records, history] = made_here().unwrap();
        assert!(records >= 27 && history >= 4, "{records} {history}");
    }
}
