//! What the conditions of an alert compare now, and which sensors that is of. For people to look at; alerts follow their signals.

use crate::derived::Statistic;
use crate::document::{AlertConditionSpec, AlertEvidence, ScopeSpec};
use crate::engine::Engine;
use crate::place::PlaceIx;
use crate::quantity::{Mean, Quantity};
use crate::status::SensorStatus;

/// What a condition of an alert compares.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertSight {
    /// Where the sensors are, with the names of now: the alert's place, or the nearest around it that has one; none where no
    /// sensor is registered in either.
    pub place: Option<ScopeSpec>,
    /// Whether it is the worst of them, or their mean.
    pub evidence: AlertEvidence,
    /// What is compared with the threshold, a mean rounded to two decimals; none while no sensor is fresh.
    pub value: Option<Quantity>,
    /// Whether the condition is true of it.
    pub holds: Option<bool>,
    /// The sensors by id.
    pub sensors: Vec<SeenSensor>,
}

/// A sensor of an alert's condition.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenSensor {
    /// The sensor, and its value while that counts.
    pub sensor: SensorStatus,
    /// Whether the alert is raised on its value, as the alert remembers it.
    pub remembered: bool,
}

impl Engine {
    /// What each condition of an alert compares, in their order; none where there is no such alert.
    #[must_use]
    pub fn alert_sight(&self, id: &str) -> Option<Vec<AlertSight>> {
        let ix = self.state.alerts.index(id)?;
        let spec = &self.state.alerts.get(ix)?.spec;
        let scope = spec.scope.clone().unwrap_or_else(ScopeSpec::farm);
        let named = self.state.places.resolve(&self.state.farm, &scope).ok();
        let sights = spec.conditions.iter().map(|condition| {
            let sensor_type = condition.sensor.sensor_type();
            let place = named.and_then(|named| self.state.resolve_signal(named, sensor_type));
            let statistic = match spec.evidence {
                Some(AlertEvidence::Worst) => Statistic::worst(condition.operator),
                Some(AlertEvidence::Mean) | None => Statistic::Mean,
            };
            self.sight_at(ix, condition, (&scope, place), statistic)
        });
        Some(sights.collect())
    }

    fn sight_at(
        &self,
        alert: u32,
        condition: &AlertConditionSpec,
        (scope, place): (&ScopeSpec, Option<PlaceIx>),
        statistic: Statistic,
    ) -> AlertSight {
        let state = &self.state;
        let members = place.map_or(&[][..], |p| {
            state.members(p, condition.sensor.sensor_type())
        });
        let fresh = || {
            let readings = members.iter().map(|m| &state.readings[*m as usize]);
            readings.filter(|r| r.fresh).map(|r| r.value)
        };
        let count = u32::try_from(fresh().count()).unwrap_or(u32::MAX);
        let one = |value| Mean {
            sum: value,
            count: 1,
        };
        let compared = match statistic {
            Statistic::Largest => fresh().max().map(one),
            Statistic::Smallest => fresh().min().map(one),
            Statistic::Mean => (count > 0).then(|| Mean {
                sum: fresh().sum(),
                count,
            }),
        };
        let limit = condition.value.as_micro();
        let holds = |mean: Mean| {
            let operator = condition.operator;
            operator.holds(limit, limit, mean.sum, mean.count)
        };
        let mut sensors: Vec<SeenSensor> = members
            .iter()
            .filter_map(|m| {
                let status = self.sensor_status(*m, state.sensors.get(*m)?);
                Some(SeenSensor {
                    sensor: status,
                    remembered: state.memory.of(alert).any(|s| s == *m),
                })
            })
            .collect();
        sensors.sort_unstable_by(|a, b| a.sensor.spec.id.cmp(&b.sensor.spec.id));
        AlertSight {
            place: place.and_then(|p| self.labelled(&self.around(scope, p))),
            evidence: match statistic {
                Statistic::Mean => AlertEvidence::Mean,
                Statistic::Largest | Statistic::Smallest => AlertEvidence::Worst,
            },
            value: compared.map(Mean::shown),
            holds: compared.map(holds),
            sensors,
        }
    }
}
