//! Derived sensors: values that follow from signals by a formula, such as the vapour pressure deficit.
//!
//! They are computed beside the fold and enter the farm's log as ordinary readings of ordinary sensors, so rules, alerts, charts and
//! replays need no formula. Everything here is pure: what is measured is asked of a [`Present`], time arrives with the question, and
//! what a formula costs is bounded by the limits below. Floats are computed with here; each result is rounded once, to micro-units.
//! docs/derived-sensors.md is the text of it.

mod air;
mod chain;
mod definition;
mod derivations;
mod kind;
mod memory;
mod present;
mod script;
mod sources;

pub use air::{
    absolute_humidity, dew_point, leaf_vapour_pressure_deficit, saturation_pressure,
    vapour_pressure_deficit, wet_bulb,
};
pub use chain::circle;
pub use definition::{Definition, Document, Problem, ProblemKind, Source};
pub use derivations::{Derivations, Derived};
pub use kind::{Constant, InputOf, Kind, OUTPUTS};
pub use memory::Carried;
pub use present::{Day, Present, Seen, Standing};
pub use script::{Formula, FormulaError};

/// With what the ids of the sensors of derived sensors begin; the derived sensor's own id comes after it.
pub const SENSOR_PREFIX: &str = "derived-";

/// Whether a sensor's id is that of a derived one. A controller may begin its own ids as it likes.
#[must_use]
pub fn is_sensor(sensor: &str) -> bool {
    let is_uuid = |id: &str| {
        let mut at = id.bytes().enumerate();
        id.len() == 36
            && at.all(|(i, b)| match i {
                8 | 13 | 18 | 23 => b == b'-',
                _ => b.is_ascii_hexdigit(),
            })
    };
    sensor.strip_prefix(SENSOR_PREFIX).is_some_and(is_uuid)
}

/// The most derived sensors of a farm.
pub const MAX_DERIVED: usize = 256;
/// The most inputs of a derived sensor.
pub const MAX_INPUTS: usize = 16;
/// The most constants of a derived sensor.
pub const MAX_CONSTANTS: usize = 16;
/// The longest formula, in bytes.
pub const MAX_FORMULA_BYTES: usize = 2_000;
/// The most operations of one evaluation of a formula; what goes on is stopped.
pub const MAX_OPERATIONS: u64 = 10_000;
/// The deepest nesting of a formula.
pub const MAX_DEPTH: usize = 32;
/// The least and the most seconds between two values of a derived sensor.
pub const INTERVAL_SEC: std::ops::RangeInclusive<i64> = 1..=3_600;
/// How many seconds lie between two values where nothing is said.
pub const DEFAULT_INTERVAL_SEC: i64 = 10;

/// The float as a quantity: rounded once, to the nearest micro-unit, ties away from zero; none where it is not finite or beyond
/// what a quantity holds.
#[must_use]
pub fn rounded(value: f64) -> Option<harit_engine::Quantity> {
    /// Far beyond every plausible range, and far below 2^63.
    const MOST: f64 = 1e15;
    let micro = libm::round(value * 1e6);
    if !micro.is_finite() || libm::fabs(micro) > MOST {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "whole and bounded above")]
    Some(harit_engine::Quantity::from_micro(micro as i64))
}
