//! What is asked of a farm: what its signals are now.

use harit_engine::{Engine, Quantity, SensorId, SensorType, Timestamp};

use crate::definition::Source;

/// A signal that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Its value, in the unit of its type.
    pub value: f64,
    /// When the newest of its readings was taken.
    pub at: Timestamp,
}

/// Where a derived sensor's own sensor stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Its latest value, while that counts.
    pub value: Option<Quantity>,
    /// When that was taken.
    pub read_at: Option<Timestamp>,
}

/// A local day: [from, to).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// When it begins.
    pub from: Timestamp,
    /// When it is over.
    pub to: Timestamp,
}

/// What a farm measures now, by docs/semantics.md, sections 2 and 3.
pub trait Present {
    /// What an input is; none while it is unknown.
    fn seen(&self, source: &Source) -> Option<Seen>;
    /// Where a sensor stands; none where there is no such sensor.
    fn standing(&self, sensor: &SensorId) -> Option<Standing>;
    /// What an input measures; none where there is no such sensor.
    fn sensor_type(&self, source: &Source) -> Option<SensorType>;
    /// The local day of an instant; none where it is not known.
    fn day(&self, at: Timestamp) -> Option<Day>;
}

impl Present for Engine {
    fn seen(&self, source: &Source) -> Option<Seen> {
        match source {
            Source::Sensor { sensor } => {
                let status = self.sensor(sensor.as_str())?;
                Some(Seen {
                    value: status.value?.to_f64(),
                    at: status.read_at?,
                })
            }
            Source::Signal { scope, sensor_type } => {
                let sight = self.sight(scope, *sensor_type)?;
                let mean = sight.mean?;
                #[allow(clippy::cast_precision_loss, reason = "outside of the fold")]
                let value = mean.sum as f64 / mean.count as f64 / 1e6;
                Some(Seen {
                    value,
                    at: sight.read_at?,
                })
            }
        }
    }

    fn standing(&self, sensor: &SensorId) -> Option<Standing> {
        let status = self.sensor(sensor.as_str())?;
        Some(Standing {
            value: status.value,
            read_at: status.read_at,
        })
    }

    fn sensor_type(&self, source: &Source) -> Option<SensorType> {
        source.sensor_type(self)
    }

    fn day(&self, at: Timestamp) -> Option<Day> {
        let day = self.almanac().find(|day| day.from <= at && at < day.to)?;
        Some(Day {
            from: day.from,
            to: day.to,
        })
    }
}
