//! What a condition sees: where its sensors are, what they say together, and what follows. For people to look at; rules and
//! alerts follow their signals.

use crate::document::{ConditionSpec, ScopeKind, ScopeSpec, SensorSpec};
use crate::engine::Engine;
use crate::place::PlaceIx;
use crate::quantity::{EQ_DISTANCE, Mean, Quantity};
use crate::sensor::BEFORE_ALL;
use crate::sensor_type::SensorType;
use crate::time::Timestamp;

/// What is seen of a quantity at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Sight {
    /// Where the sensors are, with the names of now: the place that was named, or the nearest around it that has one.
    pub place: ScopeSpec,
    /// Whether that is the place that was named.
    pub own: bool,
    /// How many sensors there are.
    pub sensors: usize,
    /// How many of them are fresh.
    pub fresh: usize,
    /// Their mean.
    pub mean: Option<Mean>,
    /// When the newest reading of any of them was taken; `None` where there never was one.
    pub read_at: Option<Timestamp>,
}

impl Engine {
    /// What a condition sees that names this place; `None` where there is no such place, or no sensor of the type in it and
    /// around it.
    #[must_use]
    pub fn sight(&self, scope: &ScopeSpec, sensor_type: SensorType) -> Option<Sight> {
        let state = &self.state;
        let named = state.places.resolve(&state.farm, scope).ok()?;
        let place = state.resolve_signal(named, sensor_type)?;
        let members = state.members(place, sensor_type);
        let readings = || members.iter().map(|m| &state.readings[*m as usize]);
        let (sum, count) = state.fresh(place, sensor_type);
        Some(Sight {
            place: self.labelled(&self.around(scope, place))?,
            own: place == named,
            sensors: members.len(),
            fresh: readings().filter(|r| r.fresh).count(),
            mean: (count > 0).then_some(Mean { sum, count }),
            read_at: { readings().map(|r| r.read_at) }
                .filter(|at| *at != BEFORE_ALL)
                .max(),
        })
    }

    /// The sensors that a condition sees, by id.
    #[must_use]
    pub fn sensors_seen(&self, scope: &ScopeSpec, sensor_type: SensorType) -> Vec<SensorSpec> {
        let state = &self.state;
        let named = state.places.resolve(&state.farm, scope).ok();
        let place = named.and_then(|named| state.resolve_signal(named, sensor_type));
        let members = place.map_or(&[][..], |place| state.members(place, sensor_type));
        let sensors = members.iter().filter_map(|m| state.sensors.get(*m));
        let mut specs: Vec<_> = sensors
            .map(|s| SensorSpec::unpack(&s.document, &state.words))
            .collect();
        specs.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        specs
    }

    /// The scope of a place that another scope names, or lies in.
    pub(crate) fn around(&self, named: &ScopeSpec, place: PlaceIx) -> ScopeSpec {
        let kind = place.kind();
        ScopeSpec {
            kind,
            polyhouse_id: self.state.places.house_id(place).cloned(),
            zone_id: { named.zone_id.clone() }.filter(|_| kind == ScopeKind::Zone),
            ..ScopeSpec::farm()
        }
    }
}

impl ConditionSpec {
    /// Whether it is true of a mean.
    #[must_use]
    pub fn holds(&self, mean: Mean) -> bool {
        let (value, max) = (self.value, self.value_max.unwrap_or(self.value));
        let Mean { sum, count } = mean;
        self.operator
            .holds(value.as_micro(), max.as_micro(), sum, count)
    }

    /// Whether there is a mean, within what may be compared with, of which this and another condition are both true.
    #[must_use]
    pub fn can_hold_with(&self, other: &Self) -> bool {
        // Both are true of everything between two of their thresholds, or of nothing there: the thresholds themselves and the
        // halves of a micro-unit beside them stand for all means.
        let d = EQ_DISTANCE.as_micro();
        let thresholds = [self, other].map(|c| [Some(c.value), c.value_max]);
        let (low, high) = self.sensor_type.editor_range();
        let [low, high] = [low, high].map(|units| Quantity::from_units(units).as_micro());
        let points = thresholds.iter().flatten().flatten().map(|q| q.as_micro());
        let around = points.flat_map(|q| [q - d, q, q + d]).chain([low, high]);
        let halves = around.flat_map(|q| [2 * q - 1, 2 * q, 2 * q + 1]);
        { halves.filter(|half| (2 * low..=2 * high).contains(half)) }.any(|half| {
            let mean = Mean {
                sum: half,
                count: 2,
            };
            self.holds(mean) && other.holds(mean)
        })
    }
}
