//! A recorded log of readings, row by row: as text, or in columns, told by its first bytes.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};

use harit_engine::{Engine, Event, Input, InputKind};
use harit_protocol::csv;

use super::ReplayError;
use super::output::Output;
use super::progress::Progress;
use super::sensors::Sensors;
use super::source::{Lines, Source};
use super::summary::Summary;
use crate::columnar::{self, ColumnarError};

/// A log of readings, open.
pub(super) enum Telemetry {
    Text(Lines),
    Columns(Box<Columns>),
}

/// A log in columns, and where in it we are.
pub(super) struct Columns {
    path: PathBuf,
    reader: columnar::Reader,
    progress: Progress,
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
            let reader = columnar::Reader::open(file).map_err(columns_failed(path))?;
            return Ok(Self::Columns(Box::new(Columns {
                path: path.to_owned(),
                progress: Progress::rows(reader.len()),
                reader,
            })));
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
            Self::Columns(columns) => replay_columns(*columns, skip_bad, engine, output, summary),
        }
    }
}

fn columns_failed(path: &Path) -> impl Fn(ColumnarError) -> ReplayError + '_ {
    |e| ReplayError::File {
        path: path.to_owned(),
        reason: e.to_string(),
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

fn replay_columns(
    mut columns: Columns,
    skip_bad: bool,
    engine: &mut Engine,
    output: &mut Output,
    summary: &mut Summary,
) -> Result<(), ReplayError> {
    let Columns {
        path,
        reader,
        progress,
    } = &mut columns;
    let mut sensors = Sensors::default();
    let mut events: Vec<Event> = Vec::new();
    let mut before = 0_u64;
    while reader.advance().map_err(columns_failed(path))? {
        let mut read = 0;
        for row in reader.rows() {
            read += 1;
            let applied = match (row.at, row.sensor) {
                (Some(at), Some(id)) if !id.is_empty() => match sensors.index(engine, id) {
                    Some(ix) => {
                        engine.apply_reading(at, ix, row.value, &mut events);
                        Ok(())
                    }
                    None => match std::str::from_utf8(id) {
                        Ok(id) => unknown(engine, at, id, row.value, &mut events),
                        Err(_) => Err("the sensor is not UTF-8".to_owned()),
                    },
                },
                (None, _) => Err("the instant is null".to_owned()),
                (_, None) => Err("the sensor is null".to_owned()),
                (_, Some(_)) => Err("the sensor is empty".to_owned()),
            };
            match applied {
                Ok(()) => {}
                Err(_) if skip_bad => summary.bad_lines += 1,
                Err(reason) => {
                    progress.done();
                    return Err(ReplayError::Line {
                        path: path.clone(),
                        line: before + read,
                        reason,
                    });
                }
            }
            if !events.is_empty() {
                output.write(&events, summary)?;
                events.clear();
            }
        }
        before += read;
        progress.add(usize::try_from(read).unwrap_or(0));
    }
    progress.done();
    Ok(())
}

/// A reading of a sensor that the farm does not have: it is counted, and time passes.
fn unknown(
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
