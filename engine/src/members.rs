//! Which sensors of a type lie in a place.
//!
//! Three lists of all sensors' numbers, one sorted by zone, one by polyhouse and one by type alone: the members of a place are
//! a stretch of one of them, found by the sensors' own places. A sensor costs twelve bytes, wherever it lies.

use std::collections::BTreeSet;

use crate::document::ScopeKind;
use crate::place::PlaceIx;
use crate::sensor_type::SensorType;

/// Where a sensor lies and what it measures.
pub(crate) type Location = (PlaceIx, SensorType);

#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    by_zone: Vec<u32>,
    by_polyhouse: Vec<u32>,
    by_type: Vec<u32>,
}

const fn at((place, sensor_type): Location, kind: ScopeKind) -> Location {
    (place.widened(kind), sensor_type)
}

impl Members {
    /// Sorts the sensors; `lies` tells where each is.
    pub(crate) fn of(sensors: &[u32], location: impl Fn(u32) -> Location) -> Self {
        let sorted = |kind: ScopeKind, within: &[ScopeKind]| {
            let mut list: Vec<u32> = sensors
                .iter()
                .copied()
                .filter(|s| within.contains(&location(*s).0.kind()))
                .collect();
            list.sort_unstable_by_key(|s| (at(location(*s), kind), *s));
            list.shrink_to_fit();
            list
        };
        Self {
            by_zone: sorted(ScopeKind::Zone, &[ScopeKind::Zone]),
            by_polyhouse: sorted(
                ScopeKind::Polyhouse,
                &[ScopeKind::Polyhouse, ScopeKind::Zone],
            ),
            by_type: sorted(
                ScopeKind::Farm,
                &[ScopeKind::Farm, ScopeKind::Polyhouse, ScopeKind::Zone],
            ),
        }
    }

    /// The sensors of a type in a place, by number.
    pub(crate) fn find(&self, wanted: Location, location: impl Fn(u32) -> Location) -> &[u32] {
        let kind = wanted.0.kind();
        let list = match kind {
            ScopeKind::Zone => &self.by_zone,
            ScopeKind::Polyhouse => &self.by_polyhouse,
            ScopeKind::Farm => &self.by_type,
        };
        let from = list.partition_point(|s| at(location(*s), kind) < wanted);
        let length = list[from..].partition_point(|s| at(location(*s), kind) == wanted);
        &list[from..from + length]
    }

    /// The places and types that have members.
    pub(crate) fn places(&self, location: impl Fn(u32) -> Location) -> BTreeSet<Location> {
        let lists = [
            (&self.by_zone, ScopeKind::Zone),
            (&self.by_polyhouse, ScopeKind::Polyhouse),
            (&self.by_type, ScopeKind::Farm),
        ];
        let all = lists
            .into_iter()
            .flat_map(|(list, kind)| list.iter().map(move |s| (*s, kind)));
        let mut all: Vec<Location> = all.map(|(s, kind)| at(location(s), kind)).collect();
        all.dedup();
        all.into_iter().collect()
    }
}
