//! The year in QuestDB, put there by who follows the journals; and its charts in SQL, which the server itself never asks for.

use std::path::Path;
use std::time::{Duration, Instant};

use harit_ingest::history::place::PlaceQuestion;
use harit_journal::JournalFiles;
use serde::Deserialize;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::Error;
use crate::questdb::{QuestDb, Settings, catch_up};

/// The table of the bench.
const TABLE: &str = "harit_bench_history";
/// How long what is acknowledged may take to be seen.
const SEEN_WITHIN: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// An answer.
#[derive(Deserialize)]
struct Answer {
    dataset: Vec<Vec<Value>>,
}

/// A table of its own; removed when this is dropped.
pub(super) struct Table {
    settings: Settings,
    questdb: QuestDb,
    runtime: Runtime,
}

impl Table {
    /// Removes what an earlier run left.
    pub(super) fn new(url: &str) -> Result<Self, Error> {
        let settings = Settings {
            url: url.to_owned(),
            table: TABLE.to_owned(),
            username: String::new(),
            password: String::new(),
        };
        let table = Self {
            questdb: QuestDb::new(settings.clone())?,
            settings,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
        };
        let removed = table.remove();
        removed.map_err(|e| format!("QuestDB at {url}: {e}"))?;
        Ok(table)
    }

    fn remove(&self) -> Result<(), Error> {
        let sql = format!("DROP TABLE IF EXISTS '{TABLE}'");
        Ok(self.runtime.block_on(self.questdb.ask(&sql)).map(drop)?)
    }

    fn ask(&self, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
        let said = self.runtime.block_on(self.questdb.ask(sql))?;
        Ok(serde_json::from_str::<Answer>(&said)?.dataset)
    }

    fn number(&self, sql: &str) -> Result<u64, Error> {
        let rows = self.ask(sql)?;
        let number = rows.first().and_then(|row| row.first()?.as_u64());
        number.ok_or_else(|| format!("QuestDB answers no number to {sql:?}").into())
    }

    /// Sends what is journaled, and waits until all of it is seen; how many rows that are.
    pub(super) fn follow(&mut self, journal: &Path, readings: u64) -> Result<u64, Error> {
        let journals = JournalFiles::to_read(journal);
        catch_up(journal.to_owned(), journals, self.settings.clone())?;
        let began = Instant::now();
        loop {
            let rows = self.number(&format!("SELECT count() FROM '{TABLE}'"))?;
            if rows >= readings || began.elapsed() > SEEN_WITHIN {
                return Ok(rows);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    pub(super) fn bytes(&self) -> Result<u64, Error> {
        self.number(&format!(
            "SELECT sum(diskSize) FROM table_partitions('{TABLE}')"
        ))
    }

    /// Asks for a chart's points, and says how many readings are in them.
    pub(super) fn chart(&self, question: &PlaceQuestion) -> Result<u64, Error> {
        let ids = question.sensors.iter().map(|(id, _)| format!("'{id}'"));
        let (from, to) = (question.from.as_millis(), question.to.as_millis());
        let rows = self.ask(&format!(
            "SELECT ts, sensor, count(), avg(value), min(value), max(value) FROM '{TABLE}' \
             WHERE farm = 'year' AND sensor IN ({}) AND good AND ts >= {}L AND ts < {}L SAMPLE BY {}m ALIGN TO CALENDAR",
            ids.collect::<Vec<_>>().join(","),
            from * 1_000,
            to * 1_000,
            question.step_sec / 60
        ))?;
        Ok(rows.iter().filter_map(|row| row.get(2)?.as_u64()).sum())
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // Where it cannot be, the next run does.
        let _left = self.remove();
    }
}
