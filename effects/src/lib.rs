//! Did it work: whether a device's run did to a signal of its place what such runs do there, and sensors that leave their neighbours.
//!
//! Everything here is pure and whole numbers: the same history gives the same marks. It decides nothing that a device does; it reads
//! what the history has of readings and reports. docs/effects.md is the text of it.

mod drift;
mod expected;
mod judge;
mod learned;
mod looks;
mod mark;
mod robust;
mod run;
mod series;

pub use drift::{Drift, Neighbours, drifting};
pub use expected::{Direction, Expected, Kind, Response, TABLE, WINDOW_MIN, expected};
pub use judge::{Candidate, Past, judge};
pub use mark::{Judged, Mark, Numbers, Reason};
pub use run::{Change, Run, runs};
pub use series::Series;

/// A minute, in milliseconds.
pub const MINUTE_MS: i64 = 60_000;
/// How far back is learned from, in days.
pub const LEARN_DAYS: i64 = 28;
/// So many runs are learned from before one is judged.
pub const LEAST_RUNS: usize = 8;
/// So many looks in a row without an effect are told to people.
pub const TELL_AFTER: usize = 5;
/// Several runs are such a row when so many minutes lie between the first start and the last look: what comes in short runs comes with
/// the same gust, cloud or noon.
pub const ROW_MIN: i64 = 180;

/// Whether runs in a row without an effect are told.
#[must_use]
pub const fn is_told(looks: usize, runs: usize, minutes: i64) -> bool {
    looks >= TELL_AFTER && (runs == 1 || minutes >= ROW_MIN)
}
