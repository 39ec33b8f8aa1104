//! The export of a journal as a log: lines of inputs, from the farm's file on.

use std::fs::File;
use std::path::Path;

use harit_engine::Timestamp;
use harit_farm::Farm;
use harit_ingest::past::{Heard, Log, PastError, Stop, Watch};
use harit_protocol::jsonl::Line;

use super::source::{Lines, Source};
use super::{ReplayError, load_farm};

/// A farm and the lines of inputs after it.
pub(crate) struct LinesLog {
    farm: Farm,
    lines: Lines,
    /// A line that was read and is for later.
    next: Option<Vec<u8>>,
    heard: Heard,
}

impl LinesLog {
    pub(crate) fn open(farm: &Path, inputs: &Path) -> Result<Self, PastError> {
        let open = || -> Result<Self, ReplayError> {
            let file = File::open(inputs).map_err(ReplayError::io(inputs))?;
            Ok(Self {
                farm: load_farm(farm)?,
                lines: Lines::new(Source::new(inputs, file)?),
                next: None,
                heard: Heard::default(),
            })
        };
        open().map_err(line_error)
    }
}

fn line_error(error: ReplayError) -> PastError {
    PastError::Line(error.to_string())
}

impl Log for LinesLog {
    fn farm(&self) -> &Farm {
        &self.farm
    }

    fn follow(
        &mut self,
        to: Timestamp,
        stop: &Stop,
        watch: &mut dyn Watch,
    ) -> Result<(), PastError> {
        loop {
            stop.check()?;
            let bytes = match self.next.take() {
                Some(bytes) => bytes,
                None => match self.lines.next().map_err(line_error)? {
                    Some(bytes) => bytes.to_vec(),
                    None => return Ok(()),
                },
            };
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let malformed = |lines: &Lines, why: &str| line_error(lines.malformed(why));
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| malformed(&self.lines, "the line is not UTF-8"))?;
            let line =
                Line::parse(text.trim_end()).map_err(|e| malformed(&self.lines, &e.to_string()))?;
            if line.at > to {
                self.next = Some(bytes);
                return Ok(());
            }
            watch.before(&self.farm, line.at);
            self.heard.clear();
            self.farm
                .apply_line(line, &mut self.heard)
                .map_err(|e| malformed(&self.lines, &e.to_string()))?;
            if let Some(why) = self.farm.failed() {
                return Err(PastError::Failed(why.to_owned()));
            }
            watch.after(&self.farm, &self.heard);
        }
    }
}
