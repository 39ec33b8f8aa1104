//! A log of readings in columns: one thread reads it, the other applies what was read.

use std::fs::File;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use harit_engine::{Engine, Event, Measured};

use super::ReplayError;
use super::output::Output;
use super::progress::Progress;
use super::sensors::Coded;
use super::summary::{Summary, processor_time};
use super::telemetry::unknown;
use crate::columnar::{Batch, ColumnarError, Reader, Row, Value};

/// Batches that are read ahead: they stay in the processor's cache.
const AHEAD: usize = 4;

/// A log in columns, open.
pub(super) struct Columns {
    path: PathBuf,
    reader: Reader,
    progress: Progress,
}

fn columns_failed(path: &Path) -> impl Fn(ColumnarError) -> ReplayError + '_ {
    |e| ReplayError::File {
        path: path.to_owned(),
        reason: e.to_string(),
    }
}

impl Columns {
    pub(super) fn open(path: &Path, file: File) -> Result<Self, ReplayError> {
        let reader = Reader::open(file).map_err(columns_failed(path))?;
        Ok(Self {
            path: path.to_owned(),
            progress: Progress::rows(reader.len()),
            reader,
        })
    }

    /// Applies all readings and writes what follows from them.
    pub(super) fn replay(
        self,
        skip_bad: bool,
        engine: &mut Engine,
        output: &mut Output,
        summary: &mut Summary,
    ) -> Result<(), ReplayError> {
        let Self {
            path,
            reader,
            mut progress,
        } = self;
        let (full, batches) = channel();
        let (empty, free) = channel();
        for _ in 0..AHEAD {
            // The other end is here.
            let _open = empty.send(Batch::default());
        }
        thread::scope(|scope| {
            let reading = scope.spawn(move || {
                read(reader, &free, &full);
                processor_time()
            });
            let mut applying = Applying {
                path: &path,
                skip_bad,
                engine,
                output,
                summary,
            };
            let applied = applying.all(&batches, empty, &mut progress);
            // What is read ahead is of no use any more.
            drop(batches);
            progress.done();
            summary.beside(reading.join().unwrap_or_else(|panic| resume_unwind(panic)));
            applied
        })
    }
}

/// Reads batch after batch, until the end or until nobody wants one any more.
fn read(mut reader: Reader, free: &Receiver<Batch>, full: &Sender<Result<Batch, ColumnarError>>) {
    while let Ok(mut batch) = free.recv() {
        let read = match reader.read(&mut batch) {
            Ok(false) => return,
            Ok(true) => Ok(batch),
            Err(e) => Err(e),
        };
        let failed = read.is_err();
        if full.send(read).is_err() || failed {
            return;
        }
    }
}

struct Applying<'a> {
    path: &'a Path,
    skip_bad: bool,
    engine: &'a mut Engine,
    output: &'a mut Output,
    summary: &'a mut Summary,
}

impl Applying<'_> {
    fn all(
        &mut self,
        batches: &Receiver<Result<Batch, ColumnarError>>,
        empty: Sender<Batch>,
        progress: &mut Progress,
    ) -> Result<(), ReplayError> {
        let mut sensors = Coded::default();
        let mut events: Vec<Event> = Vec::new();
        let mut before = 0_u64;
        for batch in batches {
            let mut batch = batch.map_err(columns_failed(self.path))?;
            sensors.learn(self.engine, &mut batch);
            let mut read = 0;
            for row in batch.rows() {
                read += 1;
                match self.apply(&row, &sensors, &mut events) {
                    Ok(()) => {}
                    Err(_) if self.skip_bad => self.summary.bad_lines += 1,
                    Err(reason) => {
                        return Err(ReplayError::Line {
                            path: self.path.to_owned(),
                            line: before + read,
                            reason,
                        });
                    }
                }
                if !events.is_empty() {
                    self.output.write(&events, self.summary)?;
                    events.clear();
                }
            }
            before += read;
            progress.add(usize::try_from(read).unwrap_or(0));
            // After the last one nobody reads any more.
            let _over = empty.send(batch);
        }
        Ok(())
    }

    #[inline]
    fn apply(
        &mut self,
        row: &Row<'_>,
        sensors: &Coded,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        let sensor = row.sensor.and_then(|code| sensors.get(code));
        match (row.at, sensor) {
            (Some(at), Some((_, Some(ix)))) => {
                match row.value {
                    Value::Exact(q) => {
                        self.engine
                            .apply_reading(at, ix, Measured::exact(q), events)
                    }
                    Value::Other(other) => self.engine.apply_reading(at, ix, *other, events),
                };
                Ok(())
            }
            (None, _) => Err("the instant is null".to_owned()),
            (_, None) => Err("the sensor is null".to_owned()),
            (_, Some((b"", _))) => Err("the sensor is empty".to_owned()),
            (Some(at), Some((id, None))) => match std::str::from_utf8(id) {
                Ok(id) => unknown(self.engine, at, id, row.value.measured(), events),
                Err(_) => Err("the sensor is not UTF-8".to_owned()),
            },
        }
    }
}
