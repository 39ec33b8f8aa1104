//! A page of the log and its exact counts, from one moment of the tables.

use harit_engine::{FarmId, Timestamp};
use harit_farm::CommandState;
use rusqlite::{Connection, params};

use super::store::{NameKind, folded, number_of};
use super::{LogEntry, LogFilter, LogPage, LogResult, LogType, MAX_PAGE, OrderState};

/// The numbers of the names that have the text in them, or one of `others`, as a JSON list.
fn names_with(
    db: &Connection,
    farm: i64,
    kind: NameKind,
    text: Option<&str>,
    others: &[String],
) -> rusqlite::Result<Option<String>> {
    let Some(text) = text.filter(|t| !t.is_empty()) else {
        return Ok(None);
    };
    let others: Vec<String> = others.iter().map(|name| folded(name)).collect();
    let others = serde_json::to_string(&others).ok();
    let found: Vec<i64> = db
        .prepare_cached(
            "SELECT id FROM log_name WHERE farm = ?1 AND kind = ?2 \
             AND (instr(text, ?3) > 0 OR EXISTS (SELECT 1 FROM json_each(?4) WHERE instr(text, value) > 0))",
        )?
        .query_map(params![farm, kind as i64, folded(text), others], |r| {
            r.get(0)
        })?
        .collect::<Result<_, _>>()?;
    Ok(serde_json::to_string(&found).ok())
}

const WHERE: &str = "farm = ?1 AND at >= ?2 AND at <= ?3 AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR result = ?5) \
    AND (?6 IS NULL OR device IN (SELECT value FROM json_each(?6)) OR rule IN (SELECT value FROM json_each(?7))) \
    AND (?8 IS NULL OR user IN (SELECT value FROM json_each(?8)))";

/// A page and its counts, all of one moment.
pub(crate) fn page(
    db: &mut Connection,
    farm: &FarmId,
    filter: &LogFilter,
) -> rusqlite::Result<LogPage> {
    let tx = db.transaction()?;
    let Some((farm, total)) = number_of(&tx, farm)? else {
        return Ok(LogPage::default());
    };
    let device = filter.device.as_deref();
    let wanted = params![
        farm,
        filter.from.map_or(i64::MIN, Timestamp::as_millis),
        filter.to.map_or(i64::MAX, Timestamp::as_millis),
        filter.log_type.map(LogType::number),
        filter.result.map(LogResult::number),
        names_with(&tx, farm, NameKind::Device, device, &filter.controllers)?,
        names_with(&tx, farm, NameKind::Rule, device, &[])?,
        names_with(&tx, farm, NameKind::User, filter.user.as_deref(), &[])?,
    ];
    let all = LogFilter {
        skip: filter.skip,
        take: filter.take,
        ..LogFilter::default()
    };
    let matching = if *filter == all {
        total
    } else {
        tx.prepare_cached(&format!("SELECT count(*) FROM log WHERE {WHERE}"))?
            .query_row(wanted, |r| r.get::<_, i64>(0))?
            .unsigned_abs()
    };
    let mut entries = Vec::new();
    if filter.skip < matching {
        let take = filter.take.min(MAX_PAGE);
        // the index alone finds the page; only its own rows are read
        let mut statement = tx.prepare_cached(&format!(
            "SELECT id, at, type, result, body FROM log WHERE id IN \
             (SELECT id FROM log WHERE {WHERE} ORDER BY at DESC, id DESC LIMIT {take} OFFSET {}) ORDER BY at DESC, id DESC",
            filter.skip
        ))?;
        let mut rows = statement.query(wanted)?;
        while let Some(row) = rows.next()? {
            let kinds = (
                LogType::numbered(row.get(2)?),
                LogResult::numbered(row.get(3)?),
            );
            let body = serde_json::from_str(&row.get::<_, String>(4)?);
            let ((Some(log_type), Some(result)), Ok(body)) = (kinds, body) else {
                // written by a later version: it is counted, and not understood
                continue;
            };
            entries.push(LogEntry {
                id: row.get(0)?,
                at: Timestamp::from_millis(row.get(1)?),
                log_type,
                result,
                body,
                states: Vec::new(),
            });
        }
    }
    for entry in entries.iter_mut().filter(|e| !e.body.orders.is_empty()) {
        entry.states = tx
            .prepare_cached("SELECT command_id, state, message FROM log_command WHERE log = ?1")?
            .query_map([entry.id], |r| {
                Ok(OrderState {
                    command_id: r.get(0)?,
                    state: CommandState::parse(&r.get::<_, String>(1)?)
                        .unwrap_or(CommandState::TimedOut),
                    message: r.get(2)?,
                })
            })?
            .collect::<Result<_, _>>()?;
    }
    Ok(LogPage {
        total,
        matching,
        entries,
        incomplete: false,
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use harit_engine::Timestamp;

    use super::*;
    use crate::log::store::{Numbers, TABLES, insert};
    use crate::log::{LogBody, LogKind, Named, NewLogEntry};

    /// A filter, and which entries it finds.
    type Case = (&'static str, LogFilter, fn(i64) -> bool);

    fn entry(n: i64) -> NewLogEntry {
        let mut body = LogBody::new(LogKind::Record);
        let named = |what: &str, of: i64| {
            Some(Named::new(
                format!("{what}-{}", n % of),
                format!("{what} {}", n % of),
            ))
        };
        (body.user, body.rule, body.device) =
            (named("Person", 30), named("Rule", 90), named("Device", 300));
        body.facts.insert(
            "reason".to_owned(),
            "as long as a reason that a person writes".into(),
        );
        NewLogEntry {
            at: Timestamp::from_millis(n * 1_000),
            log_type: LogType::ALL[usize::try_from(n).unwrap() % LogType::ALL.len()],
            result: LogResult::ALL[usize::try_from(n).unwrap() % 2],
            body,
            also: Vec::new(),
        }
    }

    /// `cargo test --release -p harit-ingest --lib a_million_entries -- --ignored --nocapture` prints the times.
    #[test]
    #[ignore = "takes a minute"]
    fn a_million_entries_are_paged_and_counted_quickly() {
        const ENTRIES: i64 = 1_000_000;
        let dir = tempfile::tempdir().unwrap();
        let mut db = Connection::open(dir.path().join("log.db")).unwrap();
        db.execute_batch(&format!(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; {TABLES}"
        ))
        .unwrap();
        let (farm, began) = (FarmId::from("f"), Instant::now());
        let mut numbers = Numbers::default();
        for thousand in 0..ENTRIES / 1_000 {
            let tx = db.transaction().unwrap();
            for n in thousand * 1_000..(thousand + 1) * 1_000 {
                insert(&tx, &mut numbers, &farm, &entry(n), false).unwrap();
            }
            tx.commit().unwrap();
        }
        eprintln!("written in {:?}", began.elapsed());
        let page_of = |f: fn(&mut LogFilter)| {
            let mut filter = LogFilter {
                take: 20,
                ..LogFilter::default()
            };
            f(&mut filter);
            filter
        };
        let cases: [Case; 8] = [
            ("first page", page_of(|_| {}), |_| true),
            ("last page", page_of(|f| f.skip = 999_980), |_| true),
            (
                "a type",
                page_of(|f| f.log_type = Some(LogType::RuleDeploy)),
                |n| n % 6 == 2,
            ),
            (
                "failures, last page",
                page_of(|f| (f.result, f.skip) = (Some(LogResult::Failure), 499_980)),
                |n| n % 2 == 1,
            ),
            (
                "a device or rule",
                page_of(|f| f.device = Some("e 77".into())),
                |n| n % 300 == 77 || n % 90 == 77,
            ),
            (
                "a user",
                page_of(|f| f.user = Some("PERSON 7".into())),
                |n| n % 30 == 7,
            ),
            (
                "nobody",
                page_of(|f| f.user = Some("nobody".into())),
                |_| false,
            ),
            (
                "a week",
                page_of(|f| {
                    f.from = Some(Timestamp::from_millis(1));
                    f.to = Some(Timestamp::from_millis(604_800_000));
                }),
                |n| (1..=604_800).contains(&n),
            ),
        ];
        for (what, filter, finds) in cases {
            let matching = (0..ENTRIES).filter(|n| finds(*n)).count() as u64;
            let mut times: Vec<Duration> = Vec::new();
            for _ in 0..5 {
                let asked = Instant::now();
                let page = page(&mut db, &farm, &filter).unwrap();
                times.push(asked.elapsed());
                assert_eq!((page.total, page.matching), (1_000_000, matching), "{what}");
                assert_eq!(
                    page.entries.len(),
                    usize::try_from(matching.min(20)).unwrap(),
                    "{what}"
                );
            }
            times.sort();
            eprintln!("{what}: median {:?}", times[2]);
            assert!(times[2] < Duration::from_secs(2), "{what}: {times:?}");
        }
    }
}
