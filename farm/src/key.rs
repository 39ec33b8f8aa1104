//! Keys: by what entries of telemetry name their sensors.

use std::borrow::Cow;
use std::cell::Cell;

use harit_protocol::{Item, TypeWord};

/// No version of a controller has this number.
const NOTHING: (u64, u32) = (u64::MAX, 0);

/// What an entry says of which sensor it means. It remembers which that was, as long as nothing that matters to it changed:
/// a cache, and no state of the farm.
///
/// A key belongs to one controller of one [`crate::Farm`], and must not be used with another.
#[derive(Debug, Clone)]
pub struct Key<'a> {
    /// The controller's own id of the sensor.
    pub id: Option<Cow<'a, str>>,
    /// What it measures.
    pub sensor_type: TypeWord,
    /// The unit, as it stands there.
    pub unit: Option<Cow<'a, str>>,
    found: Cell<(u64, u32)>,
}

impl<'a> Key<'a> {
    /// A key that remembers nothing.
    #[must_use]
    pub const fn new(
        id: Option<Cow<'a, str>>,
        sensor_type: TypeWord,
        unit: Option<Cow<'a, str>>,
    ) -> Self {
        Self {
            id,
            sensor_type,
            unit,
            found: Cell::new(NOTHING),
        }
    }

    /// Whether an entry has this key.
    #[must_use]
    pub fn is_of(&self, item: &Item<'_>) -> bool {
        self.id == item.id && self.sensor_type == item.sensor_type && self.unit == item.unit
    }

    /// The sensor that was found for it, if that was in this version of the controller.
    pub(crate) fn found(&self, version: u64) -> Option<u32> {
        let (of, sensor) = self.found.get();
        (of == version).then_some(sensor)
    }

    pub(crate) fn forget(&self) {
        self.found.set(NOTHING);
    }

    pub(crate) fn remember(&self, version: u64, sensor: u32) {
        self.found.set((version, sensor));
    }
}
