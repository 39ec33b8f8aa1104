//! The stories of `testdata/scenarios`: what happens on a farm, and what the engine is to say. Read here and played to an engine,
//! for the tests of engine and simulation.

mod acts;
mod calendar;
mod expect;
mod farm;
mod limits;
mod program;
mod run;
mod series;
mod setpoint;
mod story;
mod words;

use std::io;
use std::path::{Path, PathBuf};

pub use run::{Manner, Watch, play};
pub use story::{Expected, Story, read};
pub use words::{Instant, Wrong};

/// The files of all stories, by name.
///
/// # Errors
/// When their folder cannot be read.
pub fn files() -> io::Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/scenarios");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "scenario") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
