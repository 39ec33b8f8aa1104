//! `harit bench-history`: the same year in each store that can keep it: how large it becomes, how fast it goes in, and how long the charts
//! of a day, a month and a year take.
//!
//! Each store is filled by the code that fills it on a server: the history by its writer, archive and QuestDB from a journal. Beside them, in
//! the same run, the least: the year made and kept nowhere; and what one would write first: a table with a row a reading.

mod charts;
mod questdb;
mod rows;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use harit_engine::{Measured, Quantity, SensorId, SensorType, Timestamp};
use harit_ingest::history::place::PlaceQuestion;
use harit_ingest::history::{HistoryAlone, HistoryPlace, PostgresUrl, good};
use harit_ingest::past::Stop;
use harit_journal::JournalFiles;

use super::farm::{BEGIN, KINDS, Year};
use super::{Error, past, per_second};
use crate::archive::archive;
use crate::bench::bytes_in;
use crate::report::report;
use crate::worker::NO_LIMIT;
use charts::{Charts, Of, SPANS, Times};
use rows::Rows;

const DAY_MS: i64 = 86_400_000;

#[derive(Debug, Args)]
pub(crate) struct HistoryBenchArgs {
    /// How many days
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3_660))]
    days: u32,
    /// How many sensors, each with a reading a minute
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=500))]
    sensors: u16,
    /// Keep the stores in this directory, which is empty or not there yet
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Measure a PostgreSQL too, such as postgres://user:password@host/database: its database has no history, and has none afterwards
    #[arg(long, value_name = "URL", value_parser = |url: &str| PostgresUrl::new(url, ""))]
    postgres: Option<PostgresUrl>,
    /// Measure a QuestDB too, such as http://127.0.0.1:9000, in a table of the bench's own that is removed afterwards
    #[arg(long, value_name = "URL")]
    questdb: Option<String>,
}

pub(crate) fn main(args: &HistoryBenchArgs) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit bench-history", &*e);
            ExitCode::from(2)
        }
    }
}

fn run(args: &HistoryBenchArgs) -> Result<(), Error> {
    let temporary = tempfile::Builder::new()
        .prefix("harit-bench-history-")
        .tempdir()?;
    let dir = args.dir.as_deref().unwrap_or_else(|| temporary.path());
    std::fs::create_dir_all(dir)?;
    if std::fs::read_dir(dir)?.next().is_some() {
        return Err(format!("{} is not empty: name another directory", dir.display()).into());
    }
    // Who does not answer is told before the minutes that the others take.
    let postgres = args.postgres.clone().map(HistoryPlace::Postgres);
    let postgres = postgres.map(history).transpose()?;
    let questdb = args.questdb.as_deref().map(questdb::Table::new);
    let questdb = questdb.transpose()?;

    let mut bench = Bench {
        made: Made::new(Year::of(args.sensors.into()), args.days),
        charts: Charts::new(Year::of(args.sensors.into()), args.days),
        out: io::stdout(),
    };
    bench.begin()?;
    let file = HistoryPlace::File(dir.join("history.db"));
    bench.history("history", history(file)?)?;
    if let Some(postgres) = postgres {
        bench.history("history, PostgreSQL", postgres)?;
    }
    bench.rows(&dir.join("rows.db"))?;
    let (journal, archive) = (dir.join("journal"), dir.join("archive"));
    bench.journal(&journal)?;
    bench.archive(&journal, &archive)?;
    if let Some(questdb) = questdb {
        bench.questdb(&journal, questdb)?;
    }
    Ok(())
}

fn history(place: HistoryPlace) -> Result<HistoryAlone, Error> {
    HistoryAlone::open(place, "year".into())
}

/// The year, as those take it who are not given a journal.
struct Made {
    year: Year,
    days: u32,
    /// In the order of the year's.
    sensors: Vec<(SensorId, SensorType)>,
}

impl Made {
    fn new(year: Year, days: u32) -> Self {
        let sensors = year.sensors().into_iter();
        let sensor = |(id, kind, _): (String, usize, usize)| {
            Some((SensorId::new(id), SensorType::parse(KINDS[kind])?))
        };
        Self {
            year,
            days,
            sensors: sensors.filter_map(sensor).collect(),
        }
    }

    fn readings(&self) -> u64 {
        self.sensors.len() as u64 * u64::from(self.days) * 24 * 60
    }

    /// Gives each good reading, in order.
    fn good(
        &self,
        mut each: impl FnMut(&SensorId, Timestamp, Quantity) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.year.readings(self.days, |at, n, value| {
            let (id, sensor_type) = &self.sensors[n];
            let value = value.map_or(Measured::Null, Measured::from);
            match good(*sensor_type, value) {
                Some(value) => each(id, Timestamp::from_millis(at), value),
                None => Ok(()),
            }
        })
    }
}

/// What is measured, and told as soon as it is.
struct Bench {
    made: Made,
    charts: Charts,
    out: io::Stdout,
}

impl Bench {
    /// Says what is measured, and the least that it takes.
    fn begin(&mut self) -> Result<(), Error> {
        let began = Instant::now();
        let mut sum = 0;
        self.made.good(|_, at, value| {
            sum ^= std::hint::black_box(at.as_millis() ^ value.as_micro());
            Ok(())
        })?;
        let took = began.elapsed();
        let (readings, sensors) = (self.made.readings(), self.made.sensors.len());
        writeln!(
            self.out,
            "year     {readings} readings: {sensors} sensors, one a minute each, {} days\n\
             made     {:.1} s, {} readings/s: made and kept nowhere ({sum})\n",
            self.made.days,
            took.as_secs_f64(),
            per_second(readings, took)
        )?;
        write!(
            self.out,
            "{:<20} {:>8} {:>7} {:>11}  {:<8}",
            "store", "MiB", "bytes", "readings/s", "chart of"
        )?;
        for (name, _) in SPANS {
            write!(self.out, " {:>9} {:>9}", format!("{name} p50"), "p99 ms")?;
        }
        Ok(writeln!(self.out)?)
    }

    fn history(&mut self, name: &str, mut history: HistoryAlone) -> Result<(), Error> {
        let began = Instant::now();
        self.made.good(|id, at, value| history.add(id, at, value))?;
        history.finish()?;
        self.store(name, history.bytes()?, began.elapsed())?;
        self.charts(name, &Of::ALL, &mut |question| {
            let past = history.place(question.clone())?;
            Ok(past.sensors.iter().map(|s| s.count).sum())
        })
    }

    fn rows(&mut self, path: &Path) -> Result<(), Error> {
        let began = Instant::now();
        let rows = Rows::make(path, self.made.year, self.made.days)?;
        self.store("a row a reading", path.metadata()?.len(), began.elapsed())?;
        self.charts("a row a reading", &Of::FEW, &mut |question| {
            Ok(rows.ask(question)?)
        })
    }

    fn journal(&mut self, dir: &Path) -> Result<(), Error> {
        let began = Instant::now();
        std::fs::create_dir(dir)?;
        past::make(self.made.year, self.made.days, dir)?;
        self.store("journal, not synced", bytes_in(dir)?, began.elapsed())?;
        self.no_charts()
    }

    fn archive(&mut self, journal: &Path, to: &Path) -> Result<(), Error> {
        let began = Instant::now();
        let end = Timestamp::from_millis(BEGIN + i64::from(self.made.days) * DAY_MS);
        let stop = Stop::within(NO_LIMIT);
        let archived = archive(
            &JournalFiles::to_read(journal),
            to,
            end,
            1,
            &stop,
            &mut |_, _, _| {},
        )?;
        self.is_whole("the archive", archived.readings)?;
        self.store("archive, Parquet", bytes_in(to)?, began.elapsed())?;
        self.no_charts()
    }

    fn questdb(&mut self, journal: &Path, mut table: questdb::Table) -> Result<(), Error> {
        let began = Instant::now();
        let rows = table.follow(journal, self.made.readings())?;
        self.is_whole("QuestDB", rows)?;
        self.store("QuestDB", table.bytes()?, began.elapsed())?;
        self.charts("QuestDB", &Of::FEW, &mut |question| table.chart(question))
    }

    fn is_whole(&self, name: &str, has: u64) -> Result<(), Error> {
        match self.made.readings() {
            all if all == has => Ok(()),
            all => Err(format!("{name} has {has} readings of {all}").into()),
        }
    }

    /// Begins a store's line.
    fn store(&mut self, name: &str, bytes: u64, took: Duration) -> Result<(), Error> {
        let readings = self.made.readings();
        #[allow(clippy::cast_precision_loss, reason = "shown to people")]
        let each = bytes as f64 / readings as f64;
        write!(
            self.out,
            "{name:<20} {:>8} {each:>7.1} {:>11}  ",
            bytes >> 20,
            per_second(readings, took)
        )?;
        Ok(self.out.flush()?)
    }

    /// Ends the line of what charts are not read from.
    fn no_charts(&mut self) -> Result<(), Error> {
        Ok(writeln!(self.out, "-")?)
    }

    /// Ends a store's line, and tells one more for each further kind of chart.
    fn charts(
        &mut self,
        name: &str,
        of: &[Of],
        ask: &mut dyn FnMut(&PlaceQuestion) -> Result<u64, Error>,
    ) -> Result<(), Error> {
        for (n, of) in of.iter().enumerate() {
            if n > 0 {
                write!(self.out, "{:50}", "")?;
            }
            write!(self.out, "{:<8}", of.name())?;
            for times in self.charts.measure(name, *of, ask)? {
                let Times { p50, p99 } = times;
                let ms = |took: Duration| took.as_secs_f64() * 1e3;
                write!(self.out, " {:>9.2} {:>9.2}", ms(p50), ms(p99))?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }
}
