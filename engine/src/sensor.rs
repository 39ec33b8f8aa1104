//! Sensors: the latest value of each, whether it still counts, and what a new reading does to it.

use serde::{Deserialize, Serialize};

use crate::document::SensorSpec;
use crate::packed::Packed;
use crate::place::PlaceIx;
use crate::quantity::Measured;
use crate::sensor_type::SensorType;
use crate::table::Keyed;
use crate::time::Timestamp;

/// A sensor's number in its engine; it may change with the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensorIx(pub(crate) u32);

/// What became of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingOutcome {
    /// It is the sensor's value now.
    Applied,
    /// It is older than what is known, or no longer fresh: for the history only.
    Late,
    /// It is no value that the sensor can have.
    Fault(FaultReason),
    /// No sensor of that id is registered.
    Unknown,
}

/// Why a reading is a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultReason {
    /// The sensor reported nothing.
    Null,
    /// Not a finite number.
    NotFinite,
    /// Outside the plausible range of the sensor's type.
    OutOfRange,
}

/// How many readings became what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// All readings.
    pub readings: u64,
    /// Readings that became their sensor's value.
    pub applied: u64,
    /// Readings that came too late.
    pub late: u64,
    /// Faults: `null`.
    pub faults_null: u64,
    /// Faults: not finite.
    pub faults_not_finite: u64,
    /// Faults: outside the plausible range.
    pub faults_out_of_range: u64,
    /// Readings of sensors that are not registered.
    pub unknown: u64,
}

impl Counters {
    #[inline]
    pub(crate) fn count(&mut self, outcome: ReadingOutcome) {
        self.readings += 1;
        match outcome {
            ReadingOutcome::Applied => self.applied += 1,
            ReadingOutcome::Late => self.late += 1,
            ReadingOutcome::Fault(FaultReason::Null) => self.faults_null += 1,
            ReadingOutcome::Fault(FaultReason::NotFinite) => self.faults_not_finite += 1,
            ReadingOutcome::Fault(FaultReason::OutOfRange) => self.faults_out_of_range += 1,
            ReadingOutcome::Unknown => self.unknown += 1,
        }
    }

    /// How many they were since there were so many.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            readings: self.readings - earlier.readings,
            applied: self.applied - earlier.applied,
            late: self.late - earlier.late,
            faults_null: self.faults_null - earlier.faults_null,
            faults_not_finite: self.faults_not_finite - earlier.faults_not_finite,
            faults_out_of_range: self.faults_out_of_range - earlier.faults_out_of_range,
            unknown: self.unknown - earlier.unknown,
        }
    }

    /// All faults.
    #[must_use]
    pub const fn faults(&self) -> u64 {
        self.faults_null + self.faults_not_finite + self.faults_out_of_range
    }
}

/// A registered sensor: its document and where it lies.
#[derive(Debug, Clone)]
pub(crate) struct Sensor {
    pub(crate) document: Packed,
    pub(crate) place: PlaceIx,
}

impl Keyed for Sensor {
    type Key = [u8];
    fn key(&self) -> &[u8] {
        self.document.id_bytes()
    }
}

/// The most signals that one sensor belongs to: its zone's, its polyhouse's and the farm's.
pub(crate) const MAX_SIGNALS: usize = 3;
pub(crate) const NO_SIGNAL: u32 = u32::MAX;
/// The signals of the sensor whose reading is a sample, or none.
pub(crate) type Sampled = [u32; MAX_SIGNALS];
pub(crate) const NOTHING_SAMPLED: Sampled = [NO_SIGNAL; MAX_SIGNALS];

/// What a sensor said last, small and flat: this is what every reading touches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SensorState {
    /// The latest value; meaningful only while `fresh`.
    pub(crate) value: i64,
    /// The latest value's own timestamp.
    pub(crate) read_at: Timestamp,
    /// The newest own timestamp of any reading applied or fault; `BEFORE_ALL` without one.
    pub(crate) newest: Timestamp,
    pub(crate) stale_after: crate::time::Duration,
    pub(crate) signals: [u32; MAX_SIGNALS],
    pub(crate) sensor_type: SensorType,
    pub(crate) fresh: bool,
    /// Whether a sensor of this number exists.
    pub(crate) registered: bool,
    /// Faults in a row, as far as it matters.
    pub(crate) faults: u8,
}

pub(crate) const BEFORE_ALL: Timestamp = Timestamp::from_millis(i64::MIN);

/// What a reading does to its sensor and to the signals that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) outcome: ReadingOutcome,
    pub(crate) sum: i64,
    pub(crate) count: i32,
    /// Whether holds may count it as a sample.
    pub(crate) sample: bool,
}

impl SensorState {
    pub(crate) fn new(spec: &SensorSpec) -> Self {
        Self {
            value: 0,
            read_at: BEFORE_ALL,
            newest: BEFORE_ALL,
            stale_after: spec.stale_after,
            signals: [NO_SIGNAL; MAX_SIGNALS],
            sensor_type: spec.sensor_type,
            fresh: false,
            registered: true,
            faults: 0,
        }
    }

    pub(crate) fn expiry(&self) -> Option<Timestamp> {
        let late = crate::time::Duration::from_millis(i64::from(planted!(FreshAtItsEnd)));
        self.fresh.then(|| self.read_at + self.stale_after + late)
    }

    /// Takes a reading with its own timestamp, at the farm's instant `now`.
    #[inline]
    pub(crate) fn read(&mut self, own: Timestamp, now: Timestamp, measured: Measured) -> Effect {
        let nothing = |outcome| Effect {
            outcome,
            sum: 0,
            count: 0,
            sample: false,
        };
        if own < self.newest || own + self.stale_after <= now {
            return nothing(ReadingOutcome::Late);
        }
        let newer = own > self.newest;
        self.newest = own;
        let value = match self.plausible(measured) {
            Ok(value) => value,
            Err(reason) => {
                let fault = nothing(ReadingOutcome::Fault(reason));
                self.faults = self.faults.saturating_add(u8::from(newer));
                if self.faults < 2 || !self.fresh {
                    return fault;
                }
                return Effect {
                    sum: -self.forget(),
                    count: -1,
                    ..fault
                };
            }
        };
        let (before, count) = if self.fresh { (self.value, 0) } else { (0, 1) };
        (self.value, self.read_at, self.fresh, self.faults) = (value, own, true, 0);
        Effect {
            outcome: ReadingOutcome::Applied,
            sum: value - before,
            count,
            sample: newer || planted!(RepeatedSampleCounts),
        }
    }

    /// Its value, while that is fresh.
    pub(crate) fn fresh_value(&self) -> Option<i64> {
        self.fresh.then_some(self.value)
    }

    /// The sensor becomes unknown; returns the value that no longer counts.
    pub(crate) fn forget(&mut self) -> i64 {
        self.fresh = false;
        self.value
    }

    #[inline]
    fn plausible(&self, measured: Measured) -> Result<i64, FaultReason> {
        let (min, max) = self.sensor_type.plausible_range();
        match measured {
            Measured::Value(d) if d.within(min, max) || planted!(ImplausibleCounts) => {
                Ok(d.rounded().as_micro())
            }
            Measured::Value(_) => Err(FaultReason::OutOfRange),
            Measured::Null => Err(FaultReason::Null),
            Measured::NotFinite => Err(FaultReason::NotFinite),
        }
    }
}
