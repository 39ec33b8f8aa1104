//! A recorded log of readings, row by row: as text, or in columns, told by its first bytes.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;

use harit_engine::{Engine, Event, Input, InputKind};
use harit_protocol::csv;

use super::ReplayError;
use super::columns::Columns;
use super::output::Output;
use super::sensors::Sensors;
use super::source::{Lines, Source};
use super::summary::Summary;
use crate::columnar;

/// A log of readings, open.
pub(super) enum Telemetry {
    Text(Lines),
    Columns(Box<Columns>),
}

impl Telemetry {
    pub(super) fn open(path: &Path) -> Result<Self, ReplayError> {
        let mut file = File::open(path).map_err(ReplayError::io(path))?;
        let mut magic = Vec::new();
        file.by_ref()
            .take(columnar::MAGIC.len() as u64)
            .read_to_end(&mut magic)
            .and_then(|_| file.rewind())
            .map_err(ReplayError::io(path))?;
        if magic == columnar::MAGIC {
            return Ok(Self::Columns(Box::new(Columns::open(path, file)?)));
        }
        if path.extension().is_some_and(|e| e == "parquet") {
            return Err(ReplayError::File {
                path: path.to_owned(),
                reason: "this is no Parquet file: it does not begin with PAR1".to_owned(),
            });
        }
        let mut lines = Lines::new(Source::new(path, file)?);
        match lines.next()? {
            Some(header) if csv::is_header(header) => Ok(Self::Text(lines)),
            _ => Err(lines.malformed("the first line is not the header `at,sensor,value`")),
        }
    }

    /// Applies all readings and writes what follows from them.
    pub(super) fn replay(
        self,
        skip_bad: bool,
        engine: &mut Engine,
        output: &mut Output,
        summary: &mut Summary,
    ) -> Result<(), ReplayError> {
        match self {
            Self::Text(lines) => replay_text(lines, skip_bad, engine, output, summary),
            Self::Columns(columns) => columns.replay(skip_bad, engine, output, summary),
        }
    }
}

fn replay_text(
    mut lines: Lines,
    skip_bad: bool,
    engine: &mut Engine,
    output: &mut Output,
    summary: &mut Summary,
) -> Result<(), ReplayError> {
    let mut sensors = Sensors::default();
    let mut events: Vec<Event> = Vec::new();
    while let Some(line) = lines.next()? {
        match csv::parse(line) {
            Ok(None) => {}
            Ok(Some(row)) => {
                match sensors.index(engine, row.sensor.as_bytes()) {
                    Some(ix) => {
                        engine.apply_reading(row.at, ix, row.value, &mut events);
                    }
                    None => unknown(engine, row.at, row.sensor, row.value, &mut events)
                        .map_err(|reason| lines.malformed(&reason))?,
                }
                if !events.is_empty() {
                    output.write(&events, summary)?;
                    events.clear();
                }
            }
            Err(_) if skip_bad => summary.bad_lines += 1,
            Err(reason) => return Err(lines.malformed(&reason)),
        }
    }
    lines.done();
    Ok(())
}

/// A reading of a sensor that the farm does not have: it is counted, and time passes.
pub(super) fn unknown(
    engine: &mut Engine,
    at: harit_engine::Timestamp,
    sensor: &str,
    value: harit_engine::Measured,
    events: &mut Vec<Event>,
) -> Result<(), String> {
    let kind = InputKind::Reading {
        sensor: sensor.into(),
        value,
    };
    engine
        .apply(&Input { at, kind }, events)
        .map_err(|e| e.to_string())
}
