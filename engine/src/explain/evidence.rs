//! What a comparison sees: the mean, and the sensors on which it stands or which it leaves out.

use super::{MAX_EVIDENCE, SensorEvidence, SignalExplanation, Standing};
use crate::document::{ConditionSpec, ScopeSpec, SensorSpec};
use crate::engine::Engine;
use crate::quantity::{Mean, Quantity};
use crate::sensor::{BEFORE_ALL, SensorState};

/// So many faults in a row make a sensor unknown.
const FAULTS: u8 = 2;

impl Engine {
    /// What a comparison sees that names no place but this one; its sensors and place are listed only where they are to be.
    pub(super) fn explain_signal(
        &self,
        condition: &ConditionSpec,
        default: &ScopeSpec,
        listed: bool,
    ) -> SignalExplanation {
        let state = &self.state;
        let scope = condition.scope.as_ref().unwrap_or(default);
        let named = state.places.resolve(&state.farm, scope).ok();
        let place = named.and_then(|named| state.resolve_signal(named, condition.sensor_type));
        let members = place.map_or(&[][..], |p| state.members(p, condition.sensor_type));
        let (sum, count) = place.map_or((0, 0), |p| state.fresh(p, condition.sensor_type));
        let mut sensors: Vec<u32> = if listed { members.to_vec() } else { Vec::new() };
        sensors.sort_by_cached_key(|s| {
            let id = state
                .sensors
                .get(*s)
                .map(|s| s.document.id_bytes().to_vec());
            (state.readings[*s as usize].fresh, id)
        });
        let evidence = sensors.iter().take(MAX_EVIDENCE);
        SignalExplanation {
            place: { place.filter(|_| listed) }.and_then(|p| self.labelled(&self.around(scope, p))),
            mean: (count > 0).then_some(Mean { sum, count }),
            sensors: members.len(),
            fresh: count as usize,
            evidence: evidence.filter_map(|s| self.sensor_evidence(*s)).collect(),
            condition: condition.clone(),
            setpoint: None,
        }
    }

    /// Whether one of two places is the other, or lies in it.
    #[must_use]
    pub fn overlap(&self, one: &ScopeSpec, other: &ScopeSpec) -> bool {
        let place = |scope| self.state.places.resolve(&self.state.farm, scope).ok();
        place(one).zip(place(other)).is_some_and(|(one, other)| {
            one.outwards().any(|p| p == other) || other.outwards().any(|p| p == one)
        })
    }

    fn sensor_evidence(&self, ix: u32) -> Option<SensorEvidence> {
        let sensor = self.state.sensors.get(ix)?;
        let reading = self.state.readings.get(ix as usize)?;
        let spec = SensorSpec::unpack(&sensor.document, &self.state.words);
        Some(SensorEvidence {
            id: spec.id,
            name: spec.name,
            value: reading.fresh_value().map(Quantity::from_micro),
            read_at: (reading.read_at != BEFORE_ALL).then_some(reading.read_at),
            standing: standing(reading),
        })
    }
}

const fn standing(reading: &SensorState) -> Standing {
    if reading.fresh {
        Standing::Counts
    } else if reading.faults >= FAULTS {
        Standing::Fault
    } else if reading.read_at.as_millis() == BEFORE_ALL.as_millis() {
        Standing::Never
    } else {
        Standing::Stale
    }
}
