//! `harit bench-backtest`: a month of the same farm as a server's journal, and how long rules tried on it and an explanation over it
//! take. Beside them, in the same run, the floors: the journal read, and the journal folded.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use harit_engine::{
    FarmDocument, FarmId, Measured, RuleId, RuleSpec, ScopeSpec, SensorType, Timestamp,
};
use harit_farm::Key;
use harit_farm::codec::{Encoder, Interned, InternedController, Origin};
use harit_ingest::past::{Edit, JournalLog, Places, Stop, at_instant, backtest, why_not};
use harit_journal::{Generation, JournalFiles, JournalRead as _, JournalReader, Journals as _};
use harit_protocol::{Mac, TypeWord};
use serde_json::json;

use super::farm::{BEGIN, IN_HOUSE, KINDS, Year, house_id};
use crate::report::report;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Nothing is stopped here.
const WITHIN: Duration = Duration::from_secs(3_600);
const DAY_MS: i64 = 86_400_000;
/// A rule of which a month is explained, and which is tried with another number.
const RULE: &str = "house-1-zone-1-water";

#[derive(Debug, Args)]
pub(crate) struct BacktestBenchArgs {
    /// How many days
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(2..=366))]
    days: u32,
    /// How often each is measured; the shortest is told
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    runs: u32,
}

pub(crate) fn main(args: &BacktestBenchArgs) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit bench-backtest", &*e);
            ExitCode::from(2)
        }
    }
}

fn run(args: &BacktestBenchArgs) -> Result<(), Error> {
    let dir = tempfile::Builder::new()
        .prefix("harit-bench-backtest-")
        .tempdir()?;
    let year = Year::default();
    let made = make(year, args.days, dir.path())?;
    let mut out = io::stdout().lock();
    let (sensors, rules) = (year.sensors().len(), year.rules());
    writeln!(
        out,
        "journal    {} readings in {} batches, {sensors} sensors, {rules} rules, {} days",
        made.readings, made.batches, args.days
    )?;

    let farm = FarmId::new("year");
    let span = (
        Timestamp::from_millis(BEGIN),
        Timestamp::from_millis(BEGIN + i64::from(args.days) * DAY_MS),
    );
    let rule = RuleId::new(RULE);
    let edit = Edit::Put(Box::new(other_rule(year)?));
    let stop = Stop::within(WITHIN);
    let open = || {
        JournalLog::open(
            &JournalFiles::of(dir.path()),
            &farm,
            span.0,
            &Places::default(),
        )
    };

    let mut measure =
        |name: &str, what: &mut dyn FnMut() -> Result<String, Error>| -> Result<(), Error> {
            let mut best = (Duration::MAX, String::new());
            for _ in 0..args.runs {
                let began = Instant::now();
                let said = what()?;
                best = best.min((began.elapsed(), said));
            }
            Ok(writeln!(
                out,
                "{name:<10} {:>8.3} s  {}",
                best.0.as_secs_f64(),
                best.1
            )?)
        };
    measure("read", &mut || {
        let reader = JournalReader::open(&made.file)?;
        let mut bytes = 0;
        reader.read(0, u64::MAX, &mut |batch| {
            bytes += batch.body.len();
            ControlFlow::Continue(())
        })?;
        Ok(format!("{} MiB of batches", bytes >> 20))
    })?;
    measure("fold", &mut || {
        let mut log = open()?;
        let engine = at_instant(&mut log, span.1, &stop)?;
        Ok(format!("{} readings", engine.counters().readings))
    })?;
    measure("backtest", &mut || {
        let found = backtest(&mut open()?, std::slice::from_ref(&edit), span, &stop)?;
        let fired = |run: &harit_ingest::past::Run| {
            run.rules.iter().map(|r| u64::from(r.fired)).sum::<u64>()
        };
        Ok(format!(
            "rules fired {} times, and would have {} times",
            fired(&found.was),
            fired(&found.would)
        ))
    })?;
    measure("why not", &mut || {
        let found = why_not(&mut open()?, &rule, span, &stop)?;
        Ok(format!(
            "{} attempts of one rule",
            found.tracer.tried.len() + found.tracer.more
        ))
    })?;
    Ok(())
}

/// The rule with another number.
fn other_rule(year: Year) -> Result<RuleSpec, Error> {
    let document = FarmDocument::from_json(&year.document())?;
    let found = document.rules.into_iter().find(|r| r.id.as_str() == RULE);
    let rule = found.ok_or("there is no such rule")?;
    let mut json = serde_json::to_value(&rule)?;
    json["trigger"]["value"] = 40.into();
    Ok(RuleSpec::from_json(&json)?)
}

/// A journal that was made.
pub(super) struct Made {
    pub(super) file: std::path::PathBuf,
    pub(super) readings: u64,
    pub(super) batches: u64,
}

/// A controller of a house, as the encoder knows it.
struct House {
    mac: Mac,
    scope: ScopeSpec,
    interned: InternedController,
    keys: Vec<Key<'static>>,
    values: Vec<Measured>,
    /// Of the first value.
    at: i64,
}

/// Writes the readings as a server does on a quiet day: each message of a controller a batch of its own, here of a house's sensors.
pub(super) fn make(year: Year, days: u32, dir: &Path) -> Result<Made, Error> {
    std::fs::create_dir_all(dir.join("journal"))?;
    let files = JournalFiles::of(dir).unsynced();
    let generation = Generation {
        generation: 1,
        shards: 1,
    };
    let mut journal = files.prepare(generation)?.remove(0);
    let (mut encoder, mut farm) = (Encoder::default(), Interned::default());
    let mut houses = houses(year)?;
    let begin = Timestamp::from_millis(BEGIN - 1);
    encoder.begin(begin);
    let document = FarmDocument::from_json(&year.document())?;
    encoder.farm(&document)?;
    for house in &mut houses {
        let origin = Origin {
            farm: &mut farm,
            farm_id: "year",
            mac: house.mac,
            interned: &mut house.interned,
        };
        encoder.controller(origin, &house.scope)?;
    }
    let mut seq = journal.append(0, begin, encoder.entries(), encoder.body())?;
    let mut readings = 0;
    let each = |at: i64, n: usize, value: Option<f64>| -> Result<(), Error> {
        let house = &mut houses[n / IN_HOUSE];
        let own = house.keys.len();
        if house.values.is_empty() {
            house.at = at;
        }
        house
            .values
            .push(value.map_or(Measured::Null, |v| Measured::parse(&v.to_string())));
        readings += 1;
        if house.values.len() < own {
            return Ok(());
        }
        let now = Timestamp::from_millis(at);
        encoder.begin(now);
        let origin = Origin {
            farm: &mut farm,
            farm_id: "year",
            mac: house.mac,
            interned: &mut house.interned,
        };
        encoder.telemetry(origin, Timestamp::from_millis(house.at), false, None, own);
        for (k, value) in house.values.drain(..).enumerate() {
            encoder.value(
                &mut house.interned,
                u32::try_from(k)?,
                &house.keys[k],
                value,
            );
        }
        seq = journal.append(seq, now, encoder.entries(), encoder.body())?;
        Ok(())
    };
    year.readings(days, each)?;
    drop(journal);
    files.switch(generation)?;
    Ok(Made {
        file: files.file(1, 0),
        readings,
        batches: seq,
    })
}

fn houses(year: Year) -> Result<Vec<House>, Error> {
    let sensors = year.sensors();
    let own = sensors.chunks(IN_HOUSE);
    let house = |(n, sensors): (usize, &[(String, usize, usize)])| {
        let key = |(id, kind, _): &(String, usize, usize)| {
            let sensor_type = SensorType::parse(KINDS[*kind]).ok_or("there is no such type")?;
            Ok::<_, Error>(Key::new(
                Some(id.clone().into()),
                TypeWord::Known(sensor_type),
                None,
            ))
        };
        Ok(House {
            mac: Mac::parse(&format!("A4CF12FF00{n:02X}"))?,
            scope: serde_json::from_value(
                json!({"type": "polyhouse", "polyhouseId": house_id(n)}),
            )?,
            interned: InternedController::default(),
            keys: sensors.iter().map(key).collect::<Result<_, _>>()?,
            values: Vec::new(),
            at: 0,
        })
    };
    own.enumerate().map(house).collect()
}
