//! Lines of inputs: the whole farm applies them, as a server's farm did.

use std::fs::File;
use std::path::Path;

use harit_engine::{Event, Input};
use harit_farm::{Farm, Record};
use harit_protocol::jsonl::Line;

use super::ReplayError;
use super::output::Output;
use super::source::{Lines, Source};
use super::summary::Summary;

/// Applies all lines of a file and writes what follows from them.
pub(super) fn replay(
    path: &Path,
    skip_bad: bool,
    farm: &mut Farm,
    output: &mut Output,
    summary: &mut Summary,
) -> Result<(), ReplayError> {
    let file = File::open(path).map_err(ReplayError::io(path))?;
    let mut lines = Lines::new(Source::new(path, file)?);
    let mut events: Vec<Event> = Vec::new();
    while let Some(line) = lines.next()? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let applied = read(line).and_then(|line| {
            farm.apply_line(line, &mut events)
                .map_err(|e| e.to_string())
        });
        match applied {
            Ok(()) => {}
            Err(_) if skip_bad => summary.bad_lines += 1,
            Err(reason) => return Err(lines.malformed(&reason)),
        }
        output.write(&events, summary)?;
        events.clear();
        if let Some(why) = farm.failed() {
            return Err(lines.failed(why));
        }
    }
    lines.done();
    Ok(())
}

/// Has the time come.
pub(super) fn tick(
    tick: &Input,
    farm: &mut Farm,
    output: &mut Output,
    summary: &mut Summary,
) -> Result<(), ReplayError> {
    let mut events: Vec<Event> = Vec::new();
    farm.apply(tick.at, Record::Input(tick), &mut events);
    output.write(&events, summary)
}

fn read(line: &[u8]) -> Result<Line<'_>, String> {
    let line = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8".to_owned())?;
    Line::parse(line.trim_end()).map_err(|e| e.to_string())
}
